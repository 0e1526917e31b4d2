// Factorizations of matrices, and solutions of equations.
#include "ForEachMatrix.h"
#include "Functions.h"
#include <memory>
#include <numeric>

namespace dovetail::blas {

namespace {

/// x of op(a) x = b, or x op(a) = b, in place of b, which has so many rows and columns. By columns, a routine gets the
/// transposes of all matrices, and so the transposed equation.
template <typename T>
void solveInPlace(const Triangle &triangle, int rows, int columns, const T *a, T *b) {
  if (rows == 0 || columns == 0)
    return;
  const T one = 1;
  const char *trans = !triangle.isTransposed ? "N" : triangle.isConjugated ? "C" : "T";
  int size = triangle.isLeft ? rows : columns;
  routines<T>().trsm(triangle.isLeft ? "R" : "L", triangle.isLower ? "U" : "L", trans,
                     triangle.hasUnitDiagonal ? "U" : "N", &columns, &rows, &one, a, &size, b, &columns);
}

/// Row i of x, of `columns` elements, moves to row `permutation[i]`.
template <typename T>
void permuteRows(T *x, const int32_t *permutation, int rows, int columns) {
  std::vector<bool> isMoved(rows);
  for (int first = 0; first < rows; ++first)
    // Each step of a cycle leaves in the first row the one that is to be moved next.
    for (int i = first; !isMoved[i]; i = permutation[i]) {
      isMoved[i] = true;
      if (permutation[i] != first)
        std::swap_ranges(x + int64_t(first) * columns, x + int64_t(first + 1) * columns,
                         x + int64_t(permutation[i]) * columns);
    }
}

} // namespace

void computeCholesky(const MatricesCall<1, 1> &call) {
  forElement(call.numbers.element, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const int n = call.numbers.rows;
    const int64_t size = int64_t(n) * n;
    forEachMatrix(call.numbers, [&](int64_t matrix) {
      auto a = call.operand<T>(0, matrix, size);
      T *l = call.result<T>(0, matrix, size);
      for (int64_t i = 0; i < n; ++i) {
        std::copy_n(a + i * n, i + 1, l + i * n);
        std::fill_n(l + i * n + i + 1, n - i - 1, T(0));
      }
      int info = 0;
      // By columns, the lower triangle is the upper one of the transpose, whose factor is the transpose of this one.
      routines<T>().potrf("U", &n, l, &n, &info);
      for (int64_t i = 0; info > 0 && i < n; ++i)
        std::fill_n(l + i * n, i + 1, kNan<T>);
    });
  });
}

void computeLu(const MatricesCall<1, 3> &call) {
  forElement(call.numbers.element, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const int m = call.numbers.rows, n = call.numbers.columns, k = std::min(m, n);
    std::unique_ptr<T[]> byColumns(new T[size_t(m) * n]);
    bool isOnTeam = call.numbers.batch == 1;
    forEachMatrix(call.numbers, [&](int64_t matrix) {
      auto a = call.operand<T>(0, matrix, int64_t(m) * n);
      T *lu = call.result<T>(0, matrix, int64_t(m) * n);
      auto pivots = call.result<int32_t>(1, matrix, k), permutation = call.result<int32_t>(2, matrix, m);
      std::iota(permutation, permutation + m, 0);
      if (k == 0)
        return;
      transpose(a, byColumns.get(), m, n, isOnTeam);
      int info = 0;
      routines<T>().getrf(&m, &n, byColumns.get(), &m, pivots, &info);
      transpose(byColumns.get(), lu, n, m, isOnTeam);
      for (int i = 0; i < k; ++i)
        std::swap(permutation[i], permutation[--pivots[i]]);
    });
  });
}

void solveTriangular(const MatricesCall<2, 1> &call) {
  forElement(call.numbers.element, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    Triangle triangle = Triangle::of(call.numbers.flags);
    const int m = call.numbers.rows, n = call.numbers.columns;
    const int64_t size = triangle.isLeft ? m : n;
    forEachMatrix(call.numbers, [&](int64_t matrix) {
      T *x = call.result<T>(0, matrix, int64_t(m) * n);
      std::copy_n(call.operand<T>(1, matrix, int64_t(m) * n), int64_t(m) * n, x);
      // The conjugate solution is that of the conjugate equation.
      bool isConjugate = triangle.isConjugated && !triangle.isTransposed;
      if (isConjugate)
        conjugate(x, int64_t(m) * n);
      solveInPlace(triangle, m, n, call.operand<T>(0, matrix, size * size), x);
      if (isConjugate)
        conjugate(x, int64_t(m) * n);
    });
  });
}

void solveLu(const MatricesCall<3, 1> &call) {
  forElement(call.numbers.element, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const int m = call.numbers.rows, n = call.numbers.columns;
    bool isTransposed = call.numbers.flags != 0;
    Triangle lower = {true, true, isTransposed, false, true}, upper = {true, false, isTransposed, false, false};
    forEachMatrix(call.numbers, [&](int64_t matrix) {
      auto lu = call.operand<T>(0, matrix, int64_t(m) * m), b = call.operand<T>(2, matrix, int64_t(m) * n);
      auto permutation = call.operand<int32_t>(1, matrix, m);
      T *x = call.result<T>(0, matrix, int64_t(m) * n);
      if (!isTransposed) {
        for (int64_t i = 0; i < m; ++i)
          std::copy_n(b + int64_t(permutation[i]) * n, n, x + i * n);
        solveInPlace(lower, m, n, lu, x);
        return solveInPlace(upper, m, n, lu, x);
      }
      std::copy_n(b, int64_t(m) * n, x);
      solveInPlace(upper, m, n, lu, x);
      solveInPlace(lower, m, n, lu, x);
      permuteRows(x, permutation, m, n);
    });
  });
}

} // namespace dovetail::blas
