// Conversions between f32 and the narrower float types.
#ifndef DOVETAIL_SCALAR_NARROW_H
#define DOVETAIL_SCALAR_NARROW_H

#include "Scalar.h"

namespace dovetail::scalar {

/// Returns true if floats of this type are computed in f32.
bool isNarrow(mlir::Type type);
/// Returns true for floats of 8 bits or less, for which IREE's own arithmetic, if any, is partly wrong.
bool isSmall(mlir::Type type);
/// Returns true if arithmetic on floats of this type must be written in f32, with a rounding after each op: IREE's own
/// is wrong, or omits roundings.
bool isRoundedHere(mlir::Type type);

/// The f32 equal to a narrow float.
mlir::Value widen(ScalarBuilder &b, mlir::Value x);

/// The float of a narrow type that is closest to an f32, ties to even. Overflow gives infinity; NaN if there is none;
/// and the largest number if there is neither. Without a NaN, NaN becomes a zero.
mlir::Value narrow(ScalarBuilder &b, mlir::Value x, mlir::Type type);

} // namespace dovetail::scalar

#endif // DOVETAIL_SCALAR_NARROW_H
