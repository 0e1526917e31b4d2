// Factorizations and solutions for small matrices, as straight-line code.
#ifndef DOVETAIL_DISPATCH_LANES_ALGORITHMS_H
#define DOVETAIL_DISPATCH_LANES_ALGORITHMS_H

#include "Lanes.h"

namespace dovetail::lanes {

/// L of a = L L^T; NaN in the lower triangle where a is not positive definite.
Matrix cholesky(Lanes &lanes, const Matrix &a);

/// Factors with partial pivoting, in one matrix, and columns of integers: the exchanges and the order of rows.
struct Lu {
  Matrix factors, pivots, permutation;

  static Lu of(Lanes &lanes, const Matrix &a);
  /// x of a x = b, or of a^T x = b.
  Matrix solve(Lanes &lanes, const Matrix &b, bool isTransposed) const;
  /// The determinant of a, a matrix of one element.
  Matrix determinant(Lanes &lanes) const;
};

/// A triangular matrix, of which the lower or the upper triangle is read.
struct Triangle {
  const Matrix &a;
  bool isLower, isTransposed, hasUnitDiagonal;

  /// x of op(a) x = b.
  Matrix solve(Lanes &lanes, Matrix b) const;
};

Matrix transposed(const Matrix &a);

/// The eigenvalues of a symmetric matrix in increasing order, a column; only the lower triangle is read. NaN if that
/// is not finite.
Matrix eigenvalues(Lanes &lanes, const Matrix &a);

} // namespace dovetail::lanes

#endif // DOVETAIL_DISPATCH_LANES_ALGORITHMS_H
