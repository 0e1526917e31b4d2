// What an update of a slice leaves of an array.
#ifndef DOVETAIL_IREE_UNCOVERED_H
#define DOVETAIL_IREE_UNCOVERED_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// A box of an array.
struct Box {
  llvm::SmallVector<int64_t> offsets, sizes;
};

/// The parts of an array of known shape that an update does not write over, if it is quicker to copy these than the
/// whole array; otherwise nothing.
std::optional<llvm::SmallVector<Box>> uncoveredBy(mlir::tensor::InsertSliceOp update);

/// `target` with these parts of `array`.
mlir::Value withParts(mlir::ImplicitLocOpBuilder &b, mlir::Value target, mlir::Value array, llvm::ArrayRef<Box> parts);

} // namespace dovetail

#endif // DOVETAIL_IREE_UNCOVERED_H
