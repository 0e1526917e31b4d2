// Integers of an array that count along one of its dimensions, as the indices of a batch do.
#ifndef DOVETAIL_COUNTING_H
#define DOVETAIL_COUNTING_H

#include "mlir/IR/Value.h"

namespace dovetail {

/// The dimension of `indices`, other than the last, along which the integers at `position` of the last dimension are
/// 0, 1, 2, …, and the same along all others; nothing if this is not known.
std::optional<int64_t> countedDim(mlir::Value indices, int64_t position);

} // namespace dovetail

#endif // DOVETAIL_COUNTING_H
