// Batches of small matrices, each of which a lane of vectors holds.
#ifndef DOVETAIL_TENSORS_FITSLANES_H
#define DOVETAIL_TENSORS_FITSLANES_H

#include "Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// The most rows and columns of matrices whose elements are each a vector.
constexpr int64_t kMostInLanes = 8;

/// The fewest matrices that are worth it.
constexpr int64_t kFewestLanes = 4;

/// Whether an op on matrices is computed for a batch of them at once, one in each lane: their sizes are known and few,
/// and the target is a CPU. In loops, they are better part of the one dispatch that the loop may be.
inline bool fitsLanes(mlir::Operation *op) {
  auto fits = [](mlir::Type type) {
    auto array = mlir::cast<mlir::RankedTensorType>(type);
    if (array.getRank() < 2)
      return false;
    auto sizes = array.getShape().take_back(2), batch = array.getShape().drop_back(2);
    bool isKnown = !mlir::ShapedType::isDynamicShape(sizes), isBatchKnown = !mlir::ShapedType::isDynamicShape(batch);
    return isKnown && llvm::all_of(sizes, [](int64_t size) { return size > 0 && size <= kMostInLanes; }) &&
           !batch.empty() && (!isBatchKnown || mlir::ShapedType::getNumElements(batch) >= kFewestLanes);
  };
  mlir::Type element = mlir::getElementTypeOrSelf(op->getOperand(0).getType());
  return (element.isF32() || element.isF64()) && Target(op).isCpu() &&
         mlir::isa<mlir::func::FuncOp>(op->getParentOp()) && fits(op->getOperand(0).getType()) &&
         fits(op->getOperands().back().getType());
}

} // namespace dovetail

#endif // DOVETAIL_TENSORS_FITSLANES_H
