// The size that estimates assume for dynamic dimensions.
#ifndef DOVETAIL_COST_ASSUMEDSIZE_H
#define DOVETAIL_COST_ASSUMEDSIZE_H

#include "mlir/IR/BuiltinTypes.h"

namespace dovetail {

/// The size that every estimate assumes for a `?`: those of passes, of the cost of programs, and of the time of their
/// evaluation. An array of this size costs more than a scalar and is worth a dispatch, while a matrix product of these
/// sizes is still short enough to be part of a loop in one dispatch.
constexpr int64_t kAssumedSize = 64;

/// The size, or the assumed one.
inline int64_t assumedSize(int64_t size) { return mlir::ShapedType::isDynamic(size) ? kAssumedSize : size; }

/// The size that is assumed for a `?` of a product where the library can compute it: the code generator's code for a
/// product of unknown sizes takes two to three times as long if it is large, and as long as the library if it is small.
inline int64_t assumedProductSize(int64_t size) { return mlir::ShapedType::isDynamic(size) ? 8 * kAssumedSize : size; }

} // namespace dovetail

#endif // DOVETAIL_COST_ASSUMEDSIZE_H
