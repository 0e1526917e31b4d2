// What ops need of the part of an array that a device has along a dimension.
#ifndef DOVETAIL_PARTS_H
#define DOVETAIL_PARTS_H

#include "Emitter.h"

namespace dovetail {

/// A scalar for each element of `x`.
mlir::Value forEachElement(Emitter &e, mlir::Value scalar, mlir::Value x);

/// The indices of the elements of `x` along a dimension.
mlir::Value indicesAlong(Emitter &e, mlir::Value x, int64_t dimension);

/// Elements `start` to `start + size` along a dimension.
mlir::Value sliceAlong(Emitter &e, mlir::Value x, int64_t dimension, int64_t start, int64_t size);

/// `x`, the part from the index `first` on of a dimension of this size, with a scalar in place of what pads it.
mlir::Value withoutPadding(Emitter &e, mlir::Value x, int64_t dimension, mlir::Value first, int64_t size,
                           mlir::Value scalar);

} // namespace dovetail

#endif // DOVETAIL_PARTS_H
