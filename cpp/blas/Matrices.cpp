// Factorizations of matrices, and solutions of equations.
#include "Functions.h"
#include "Parts.h"
#include "Routines.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace dovetail::blas {

namespace {

/// Computes each matrix of this workgroup's part of a batch, given its number. A single matrix is one workgroup's, and
/// routines may use threads of their own.
template <typename Compute>
void forEachMatrix(const Matrices &numbers, Compute compute) {
  Range range = partOf(numbers.batch, std::min(numbers.groups, std::max<int64_t>(numbers.batch, 1)), numbers.group);
  if (numbers.group >= numbers.batch || range.size() <= 0)
    return;
  std::optional<OnThisThread> guard;
  if (numbers.batch > 1)
    guard.emplace();
  for (int64_t i = range.begin; i < range.end; ++i)
    compute(i);
}

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

template <typename T>
void conjugate(T *, int64_t) {}
template <typename T>
void conjugate(std::complex<T> *x, int64_t size) {
  std::transform(x, x + size, x, [](std::complex<T> each) { return std::conj(each); });
}

template <typename T>
void transpose(const T *from, T *to, int rows, int columns) {
  constexpr int block = 16;
  for (int top = 0; top < rows; top += block)
    for (int left = 0; left < columns; left += block)
      for (int i = top; i < std::min(top + block, rows); ++i)
        for (int j = left; j < std::min(left + block, columns); ++j)
          to[int64_t(j) * rows + i] = from[int64_t(i) * columns + j];
}

} // namespace

void computeCholesky(const CholeskyCall &call) {
  forElement(call.numbers.element, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const int n = call.numbers.rows;
    const int64_t size = int64_t(n) * n;
    forEachMatrix(call.numbers, [&](int64_t matrix) {
      auto a = reinterpret_cast<const T *>(call.a.get()) + matrix * size;
      T *l = reinterpret_cast<T *>(call.l.get()) + matrix * size;
      for (int64_t i = 0; i < n; ++i) {
        std::copy_n(a + i * n, i + 1, l + i * n);
        std::fill_n(l + i * n + i + 1, n - i - 1, T(0));
      }
      int info = 0;
      // By columns, the lower triangle is the upper one of the transpose, whose factor is the transpose of this one.
      routines<T>().potrf("U", &n, l, &n, &info);
      for (int64_t i = 0; info > 0 && i < n; ++i)
        std::fill_n(l + i * n, i + 1, T(std::numeric_limits<double>::quiet_NaN()));
    });
  });
}

void computeLu(const LuCall &call) {
  forElement(call.numbers.element, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const int m = call.numbers.rows, n = call.numbers.columns, k = std::min(m, n);
    std::vector<T> byColumns(size_t(m) * n);
    forEachMatrix(call.numbers, [&](int64_t matrix) {
      auto a = reinterpret_cast<const T *>(call.a.get()) + matrix * m * n;
      T *lu = reinterpret_cast<T *>(call.lu.get()) + matrix * m * n;
      int32_t *pivots = call.pivots.get() + matrix * k, *permutation = call.permutation.get() + matrix * m;
      std::iota(permutation, permutation + m, 0);
      if (k == 0)
        return;
      transpose(a, byColumns.data(), m, n);
      int info = 0;
      routines<T>().getrf(&m, &n, byColumns.data(), &m, pivots, &info);
      transpose(byColumns.data(), lu, n, m);
      for (int i = 0; i < k; ++i)
        std::swap(permutation[i], permutation[--pivots[i]]);
    });
  });
}

void solveTriangular(const TriangularSolveCall &call) {
  forElement(call.numbers.element, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    Triangle triangle = Triangle::of(call.numbers.flags);
    const int m = call.numbers.rows, n = call.numbers.columns;
    const int64_t size = triangle.isLeft ? m : n;
    forEachMatrix(call.numbers, [&](int64_t matrix) {
      T *x = reinterpret_cast<T *>(call.x.get()) + matrix * m * n;
      std::copy_n(reinterpret_cast<const T *>(call.b.get()) + matrix * m * n, int64_t(m) * n, x);
      // The conjugate solution is that of the conjugate equation.
      bool isConjugate = triangle.isConjugated && !triangle.isTransposed;
      if (isConjugate)
        conjugate(x, int64_t(m) * n);
      solveInPlace(triangle, m, n, reinterpret_cast<const T *>(call.a.get()) + matrix * size * size, x);
      if (isConjugate)
        conjugate(x, int64_t(m) * n);
    });
  });
}

void solveLu(const LuSolveCall &call) {
  forElement(call.numbers.element, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const int m = call.numbers.rows, n = call.numbers.columns;
    bool isTransposed = call.numbers.flags != 0;
    Triangle lower = {true, true, isTransposed, false, true}, upper = {true, false, isTransposed, false, false};
    std::vector<T> ordered(isTransposed ? size_t(m) * n : 0);
    forEachMatrix(call.numbers, [&](int64_t matrix) {
      auto lu = reinterpret_cast<const T *>(call.lu.get()) + matrix * m * m,
           b = reinterpret_cast<const T *>(call.b.get()) + matrix * m * n;
      const int32_t *permutation = call.permutation.get() + matrix * m;
      T *x = reinterpret_cast<T *>(call.x.get()) + matrix * m * n;
      if (!isTransposed) {
        for (int64_t i = 0; i < m; ++i)
          std::copy_n(b + int64_t(permutation[i]) * n, n, x + i * n);
        solveInPlace(lower, m, n, lu, x);
        return solveInPlace(upper, m, n, lu, x);
      }
      std::copy_n(b, int64_t(m) * n, ordered.data());
      solveInPlace(upper, m, n, lu, ordered.data());
      solveInPlace(lower, m, n, lu, ordered.data());
      for (int64_t i = 0; i < m; ++i)
        std::copy_n(ordered.data() + i * n, n, x + int64_t(permutation[i]) * n);
    });
  });
}

} // namespace dovetail::blas
