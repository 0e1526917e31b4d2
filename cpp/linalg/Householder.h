// Householder reflections, and products of many of them.
#ifndef DOVETAIL_LINALG_HOUSEHOLDER_H
#define DOVETAIL_LINALG_HOUSEHOLDER_H

#include "Algebra.h"

namespace dovetail {

/// 1 - tau v v^H, where the first nonzero element of v is 1. `beta` is real, as is everything except complex `tau`.
struct Reflection {
  mlir::Value vector, tau, beta;
};

/// The reflection whose adjoint takes the elements of x from `i` on to beta e_i; beta is real (LAPACK's larfg; Golub &
/// Van Loan 5.1.2). An `i` past the end gives the identity.
Reflection reflect(Algebra &e, mlir::Value x, mlir::Value i);

/// The vectors of reflections, whose elements after the first are those of `packed` below the diagonal at `offset`
/// below the main one.
mlir::Value vectorsOf(Algebra &e, mlir::Value packed, int64_t offset);

/// The product of reflections, or its adjoint, times x. The product is 1 - V T V^H, where the inverse of T has the
/// inverses of `taus` on the diagonal and V^H V above it (Joffrain, Low, Quintana-Orti, van de Geijn, Accumulating
/// Householder transformations, revisited, ACM TOMS 32, 2006): matrix products and a triangular solve.
mlir::Value applyReflections(Algebra &e, mlir::Value vectors, mlir::Value taus, mlir::Value x, bool isAdjoint);

/// The identity, with the elements of `like`.
mlir::Value identity(Algebra &e, mlir::Value like, int64_t rows, int64_t columns);

} // namespace dovetail

#endif // DOVETAIL_LINALG_HOUSEHOLDER_H
