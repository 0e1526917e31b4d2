// Scalar code of the ops that are one or a few instructions: arithmetic, bits, parts of complex numbers, conversions.
#ifndef DOVETAIL_SCALAR_BASIC_H
#define DOVETAIL_SCALAR_BASIC_H

#include "Scalar.h"

namespace dovetail::scalar {

/// The type in which an element type is computed: the same, with signless integers.
mlir::Type lowered(mlir::Type element);

mlir::Value add(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value sub(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value mul(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value neg(ScalarBuilder &b, mlir::Value x);

mlir::Value bitNot(ScalarBuilder &b, mlir::Value x);
mlir::Value bitAnd(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value bitOr(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value bitXor(ScalarBuilder &b, mlir::Value x, mlir::Value y);

mlir::Value select(ScalarBuilder &b, mlir::Value p, mlir::Value x, mlir::Value y);
/// Comparisons with NaN are false, but for notEqual; complex numbers have the first two only.
mlir::Value equal(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value notEqual(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value less(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value lessOrEqual(ScalarBuilder &b, mlir::Value x, mlir::Value y);

mlir::Value complex(ScalarBuilder &b, mlir::Value re, mlir::Value im);
mlir::Value real(ScalarBuilder &b, mlir::Value x);
mlir::Value imag(ScalarBuilder &b, mlir::Value x);
mlir::Value conj(ScalarBuilder &b, mlir::Value x);

/// Converts from `b.elementType` to `to`. Float to integer saturates and takes NaN to 0; integers wrap; complex to real
/// takes the real part; anything to bool tests whether it is nonzero.
mlir::Value convert(ScalarBuilder &b, mlir::Value x, mlir::Type to);
mlir::Value bitcast(ScalarBuilder &b, mlir::Value x, mlir::Type to);

/// Constants of the type in which `b.elementType` is computed.
mlir::Value zero(ScalarBuilder &b);
mlir::Value one(ScalarBuilder &b);
mlir::Value allOnes(ScalarBuilder &b);
/// The smallest and the largest value; infinite for floats.
mlir::Value lowest(ScalarBuilder &b);
mlir::Value highest(ScalarBuilder &b);

} // namespace dovetail::scalar

#endif // DOVETAIL_SCALAR_BASIC_H
