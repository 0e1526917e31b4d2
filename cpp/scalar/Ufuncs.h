// Scalar code of ops that NumPy has as functions although they are compositions of others.
#ifndef DOVETAIL_SCALAR_UFUNCS_H
#define DOVETAIL_SCALAR_UFUNCS_H

#include "Scalar.h"

namespace dovetail::scalar {

/// sqrt(x x + y y) without overflow.
mlir::Value hypot(ScalarBuilder &b, mlir::Value x, mlir::Value y);
/// The logarithm of exp(x) + exp(y), and the base-2 logarithm of 2^x + 2^y.
mlir::Value logaddexp(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value logaddexp2(ScalarBuilder &b, mlir::Value x, mlir::Value y);

/// Division that rounds down. For integers, x/0 is -2, or -1 for x = 0 or unsigned types; x%0 is 0.
mlir::Value floor_div(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value floor_rem(ScalarBuilder &b, mlir::Value x, mlir::Value y);

/// The integral part, and the fraction that remains; both have the sign of x.
mlir::Value trunc(ScalarBuilder &b, mlir::Value x);
mlir::Value fraction(ScalarBuilder &b, mlir::Value x);
mlir::Value copysign(ScalarBuilder &b, mlir::Value x, mlir::Value y);
/// 0, y or 1 where x is negative, zero or positive.
mlir::Value heaviside(ScalarBuilder &b, mlir::Value x, mlir::Value y);
/// The i32 k with |x| = f 2^k for f in [1/2, 1), 0 if there is none; and x 2^k, rounded once.
mlir::Value exponent(ScalarBuilder &b, mlir::Value x);
mlir::Value ldexp(ScalarBuilder &b, mlir::Value x, mlir::Value k);

} // namespace dovetail::scalar

#endif // DOVETAIL_SCALAR_UFUNCS_H
