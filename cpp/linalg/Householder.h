// Householder reflections, and products of many of them.
#ifndef DOVETAIL_LINALG_HOUSEHOLDER_H
#define DOVETAIL_LINALG_HOUSEHOLDER_H

#include "Algebra.h"

namespace dovetail {

/// 1 - tau v v^H, with 1 as the first element of v that is not 0. `beta` is real, as are all but complex `tau`.
struct Reflection {
  mlir::Value vector, tau, beta;
};

/// The reflection of which the adjoint takes the elements of x from `i` on to beta e_i; beta is real (LAPACK's larfg;
/// Golub & Van Loan 5.1.2). An `i` past the end gives the identity.
Reflection reflect(Algebra &e, mlir::Value x, mlir::Value i);

/// The vectors of reflections, of which the elements after the first are those of `packed` below the diagonal that is
/// `offset` below the main one.
mlir::Value vectorsOf(Algebra &e, mlir::Value packed, int64_t offset);

/// The product of reflections, or its adjoint, times x. The product is 1 - V T V^H, of which the inverse of T has the
/// inverses of `taus` on the diagonal and V^H V above it (Joffrain, Low, Quintana-Orti, van de Geijn, Accumulating
/// Householder transformations, revisited, ACM TOMS 32, 2006): products of matrices, and a triangular solution.
mlir::Value applyReflections(Algebra &e, mlir::Value vectors, mlir::Value taus, mlir::Value x, bool isAdjoint);

/// The identity, with the elements of `like`.
mlir::Value identity(Algebra &e, mlir::Value like, int64_t rows, int64_t columns);

} // namespace dovetail

#endif // DOVETAIL_LINALG_HOUSEHOLDER_H
