// Integers that are affine functions of their position in an array, as the indices of a slice with a step are.
#ifndef DOVETAIL_POSITIONS_H
#define DOVETAIL_POSITIONS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace dovetail {

/// constant + sum of steps[d] * position along dimension d.
struct PositionIndex {
  int64_t constant = 0;
  llvm::SmallVector<int64_t> steps;
};

/// What each vector along the last dimension of an array of integers has at `component`, as a function of the vector's
/// position along the other dimensions; nothing if it is not known to be affine.
std::optional<PositionIndex> indexByPosition(mlir::Value vectors, int64_t component);

} // namespace dovetail

#endif // DOVETAIL_POSITIONS_H
