// Chains of plane rotations, from which iterations for eigenvalues and singular values are built.
#ifndef DOVETAIL_LINALG_ROTATIONS_H
#define DOVETAIL_LINALG_ROTATIONS_H

#include "Algebra.h"

namespace dovetail {

/// c and s with c x + s z = r and -s x + c z = 0, for real numbers; the identity where both are 0.
struct Rotation {
  mlir::Value c, s, r;
};
Rotation rotationOf(Algebra &e, mlir::Value x, mlir::Value z);

/// Rotates neighbours along `dim` of x, one pair after the other: takes the i-th and the next, (p, q), to (c[i] p +
/// s[i] q, -conj(s[i]) p + c[i] q). The last c is 1 and the last s is 0. What remains of the second of a pair when it
/// becomes the first of the next is a linear recurrence, so that this takes no loop over rotations.
mlir::Value rotateChain(Algebra &e, mlir::Value x, int64_t dim, mlir::Value c, mlir::Value s);

/// x[i - by], or zero if there is none.
mlir::Value shifted(Algebra &e, mlir::Value x, int64_t by, int64_t dim = 0);

/// Wilkinson's shift: the eigenvalue of the real matrix [a b; b c] closest to c (Golub & Van Loan 8.3.5).
mlir::Value wilkinsonShift(Algebra &e, mlir::Value a, mlir::Value b, mlir::Value c);

/// Copies a value from positions where `isEnd` holds to all positions before, up to the previous such position.
mlir::Value fromEnds(Algebra &e, mlir::Value x, mlir::Value isEnd);

} // namespace dovetail

#endif // DOVETAIL_LINALG_ROTATIONS_H
