// Factorizations and solutions for small matrices, as straight-line code.
#include "Algorithms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;

namespace dovetail::lanes {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

Matrix transposed(const Matrix &a) {
  Matrix result(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      result(j, i) = a(i, j);
  return result;
}

//===- Cholesky --------------------------------------------------------------------===//

Matrix cholesky(Lanes &lanes, const Matrix &a) {
  const int64_t n = a.rows;
  Value zero = lanes.constant(0), isDefinite;
  Matrix l(n, n, zero);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j; i < n; ++i) {
      Value rest = a(i, j);
      for (int64_t k = 0; k < j; ++k)
        rest = lanes.subProduct(rest, l(i, k), l(j, k));
      if (i > j) {
        l(i, j) = lanes.div(rest, l(j, j));
        continue;
      }
      // Not for NaN.
      Value isPositive = lanes.less(zero, rest);
      isDefinite = isDefinite ? lanes.both(isDefinite, isPositive) : isPositive;
      l(j, j) = lanes.sqrt(rest);
    }
  Value nan = lanes.constant(kNan);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j)
      l(i, j) = lanes.select(isDefinite, l(i, j), nan);
  return l;
}

//===- LU --------------------------------------------------------------------------===//

Lu Lu::of(Lanes &lanes, const Matrix &a) {
  const int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  Lu lu = {a, Matrix(k, 1), Matrix(m, 1)};
  for (int64_t i = 0; i < m; ++i)
    lu.permutation(i, 0) = lanes.integer(i);
  Value zero = lanes.constant(0);
  for (int64_t step = 0; step < k; ++step) {
    Value greatest = lanes.abs(lu.factors(step, step)), pivot = lanes.integer(step);
    for (int64_t i = step + 1; i < m; ++i) {
      Value size = lanes.abs(lu.factors(i, step)), isGreater = lanes.less(greatest, size);
      greatest = lanes.select(isGreater, size, greatest);
      pivot = lanes.select(isGreater, lanes.integer(i), pivot);
    }
    lu.pivots(step, 0) = pivot;
    // In each lane, at most one row is exchanged.
    for (int64_t i = step + 1; i < m; ++i) {
      Value isPivot = lanes.same(pivot, lanes.integer(i));
      auto exchange = [&](Matrix &matrix, int64_t j) {
        Value above = matrix(step, j), below = matrix(i, j);
        matrix(step, j) = lanes.select(isPivot, below, above);
        matrix(i, j) = lanes.select(isPivot, above, below);
      };
      exchange(lu.permutation, 0);
      for (int64_t j = 0; j < n; ++j)
        exchange(lu.factors, j);
    }
    Value diagonal = lu.factors(step, step), isZero = lanes.same(diagonal, zero);
    for (int64_t i = step + 1; i < m; ++i) {
      Value left = lu.factors(i, step), factor = lanes.select(isZero, left, lanes.div(left, diagonal));
      lu.factors(i, step) = factor;
      for (int64_t j = step + 1; j < n; ++j)
        lu.factors(i, j) = lanes.subProduct(lu.factors(i, j), factor, lu.factors(step, j));
    }
  }
  return lu;
}

Matrix Lu::solve(Lanes &lanes, const Matrix &b, bool isTransposed) const {
  Triangle lower = {factors, true, isTransposed, true}, upper = {factors, false, isTransposed, false};
  const int64_t n = b.rows;
  // Row i of the result is row permutation[i], or the row whose place in the permutation is i.
  auto ordered = [&](const Matrix &x, bool isInverse) {
    Matrix result(n, x.columns);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t row = 0; row < n; ++row) {
        Value isHere = lanes.same(permutation(isInverse ? row : i, 0), lanes.integer(isInverse ? i : row));
        for (int64_t j = 0; j < x.columns; ++j)
          result(i, j) = row == 0 ? x(0, j) : lanes.select(isHere, x(row, j), result(i, j));
      }
    return result;
  };
  if (isTransposed)
    return ordered(lower.solve(lanes, upper.solve(lanes, b)), true);
  return upper.solve(lanes, lower.solve(lanes, ordered(b, false)));
}

Matrix Lu::determinant(Lanes &lanes) const {
  Value product = lanes.constant(1);
  for (int64_t i = 0; i < factors.rows; ++i) {
    Value factor = factors(i, i), isInPlace = lanes.same(pivots(i, 0), lanes.integer(i));
    product = lanes.mul(product, lanes.select(isInPlace, factor, lanes.neg(factor)));
  }
  return Matrix(1, 1, product);
}

//===- Triangles -------------------------------------------------------------------===//

Matrix Triangle::solve(Lanes &lanes, Matrix b) const {
  const int64_t n = b.rows;
  auto at = [&](int64_t i, int64_t j) { return isTransposed ? a(j, i) : a(i, j); };
  bool isForward = isLower != isTransposed;
  for (int64_t step = 0; step < n; ++step) {
    int64_t i = isForward ? step : n - 1 - step;
    for (int64_t column = 0; column < b.columns; ++column) {
      for (int64_t before = 0; before < step; ++before) {
        int64_t j = isForward ? before : n - 1 - before;
        b(i, column) = lanes.subProduct(b(i, column), at(i, j), b(j, column));
      }
      if (!hasUnitDiagonal)
        b(i, column) = lanes.div(b(i, column), at(i, i));
    }
  }
  return b;
}

//===- Eigenvalues -----------------------------------------------------------------===//

namespace {

/// Jacobi's method (Golub & Van Loan 8.5): rotations of pairs of rows and columns, each of which makes one element
/// zero.
struct Jacobi {
  Lanes &lanes;
  int64_t n;
  /// The lower triangle, row by row.
  SmallVector<Value> elements;

  Value &at(int64_t i, int64_t j) {
    if (i < j)
      std::swap(i, j);
    return elements[i * (i + 1) / 2 + j];
  }

  void rotate(int64_t p, int64_t q) {
    Value zero = lanes.constant(0), one = lanes.constant(1), off = at(q, p);
    Value isZero = lanes.same(off, zero);
    // The tangent of the smaller angle.
    Value tau = lanes.div(lanes.sub(at(q, q), at(p, p)), lanes.add(off, off));
    Value size = lanes.add(lanes.abs(tau), lanes.sqrt(lanes.add(one, lanes.mul(tau, tau))));
    Value t = lanes.div(lanes.select(lanes.less(tau, zero), lanes.constant(-1), one), size);
    t = lanes.select(isZero, zero, t);
    Value c = lanes.div(one, lanes.sqrt(lanes.add(one, lanes.mul(t, t)))), s = lanes.mul(t, c);
    at(p, p) = lanes.subProduct(at(p, p), t, off);
    at(q, q) = lanes.add(at(q, q), lanes.mul(t, off));
    at(q, p) = zero;
    for (int64_t r = 0; r < n; ++r) {
      if (r == p || r == q)
        continue;
      Value x = at(r, p), y = at(r, q);
      at(r, p) = lanes.subProduct(lanes.mul(c, x), s, y);
      at(r, q) = lanes.add(lanes.mul(s, x), lanes.mul(c, y));
    }
  }

  Value sumOfSizes(bool areOnDiagonal) {
    Value sum = lanes.constant(0);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j)
        if ((i == j) == areOnDiagonal)
          sum = lanes.add(sum, lanes.abs(at(i, j)));
    return sum;
  }

  /// Whether some lane has elements besides the diagonal that change the eigenvalues.
  Value isLeft() {
    double epsilon = lanes.type.getElementType().isF32() ? 0x1p-24 : 0x1p-53;
    Value bound = lanes.mul(lanes.constant(epsilon), sumOfSizes(true));
    return lanes.any(lanes.less(lanes.mul(bound, lanes.constant(0.25)), sumOfSizes(false)));
  }

  /// Sweeps over all pairs until no lane needs another: convergence is quadratic.
  void sweep() {
    constexpr int64_t most = 15;
    ImplicitLocOpBuilder &b = lanes.b;
    SmallVector<Value> carried(elements);
    carried.push_back(arith::ConstantIndexOp::create(b, 0));
    SmallVector<Type> types(ValueRange(carried).getTypes());
    auto inside = [&](OpBuilder &builder, Location loc, ValueRange values, auto body) {
      ImplicitLocOpBuilder here(loc, builder);
      Lanes lanesHere = {here, lanes.type};
      Jacobi jacobi = {lanesHere, n, SmallVector<Value>(values.drop_back())};
      body(here, jacobi, values.back());
    };
    auto loop = scf::WhileOp::create(
        b, types, carried,
        [&](OpBuilder &builder, Location loc, ValueRange values) {
          inside(builder, loc, values, [&](ImplicitLocOpBuilder &here, Jacobi &jacobi, Value count) {
            Value isAllowed = arith::CmpIOp::create(here, arith::CmpIPredicate::ult, count,
                                                    arith::ConstantIndexOp::create(here, most));
            scf::ConditionOp::create(here, arith::AndIOp::create(here, jacobi.isLeft(), isAllowed), values);
          });
        },
        [&](OpBuilder &builder, Location loc, ValueRange values) {
          inside(builder, loc, values, [&](ImplicitLocOpBuilder &here, Jacobi &jacobi, Value count) {
            for (int64_t p = 0; p < n; ++p)
              for (int64_t q = p + 1; q < n; ++q)
                jacobi.rotate(p, q);
            SmallVector<Value> next(jacobi.elements);
            next.push_back(arith::AddIOp::create(here, count, arith::ConstantIndexOp::create(here, 1)));
            scf::YieldOp::create(here, next);
          });
        });
    elements = SmallVector<Value>(loop.getResults().drop_back());
  }
};

} // namespace

Matrix eigenvalues(Lanes &lanes, const Matrix &a) {
  const int64_t n = a.rows;
  Jacobi jacobi = {lanes, n, {}};
  Value greatest = lanes.constant(0), isFinite;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      jacobi.elements.push_back(a(i, j));
      Value size = lanes.abs(a(i, j)), isHere = lanes.less(size, lanes.constant(kInfinity));
      isFinite = isFinite ? lanes.both(isFinite, isHere) : isHere;
      greatest = lanes.select(lanes.less(greatest, size), size, greatest);
    }
  // So that differences do not overflow, nor products vanish.
  bool isF32 = lanes.type.getElementType().isF32();
  Value one = lanes.constant(1), up = lanes.constant(isF32 ? 0x1p64 : 0x1p512),
        down = lanes.constant(isF32 ? 0x1p-64 : 0x1p-512);
  Value scale = lanes.select(lanes.less(up, greatest), down, lanes.select(lanes.less(greatest, down), up, one));
  for (Value &element : jacobi.elements)
    element = lanes.select(isFinite, lanes.mul(element, scale), lanes.constant(0));
  jacobi.sweep();
  Value nan = lanes.constant(kNan);
  SmallVector<Value> values;
  for (int64_t i = 0; i < n; ++i)
    values.push_back(lanes.div(jacobi.at(i, i), scale));
  // Each round puts the greatest of the others last.
  for (int64_t end = n - 1; end > 0; --end)
    for (int64_t i = 0; i < end; ++i) {
      Value isGreater = lanes.less(values[i + 1], values[i]),
            lesser = lanes.select(isGreater, values[i + 1], values[i]);
      values[i + 1] = lanes.select(isGreater, values[i], values[i + 1]);
      values[i] = lesser;
    }
  Matrix result(n, 1);
  for (int64_t i = 0; i < n; ++i)
    result(i, 0) = lanes.select(isFinite, values[i], nan);
  return result;
}

} // namespace dovetail::lanes
