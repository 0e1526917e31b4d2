// What a program computes of constants alone.
#include "Constants.h"
#include "cpp/tensors/MultiplyAdd.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dovetail {

/// The most scalar ops of an element that is quickly computed; a remainder with the divisor's sign takes 14.
static constexpr int64_t kFewOps = 16;

bool isOfConstants(Operation *op, const DenseSet<Value> &known) {
  if (isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  bool isArray = isa<linalg::LinalgOp, tensor::ConcatOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
                     tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
  if ((!isArray && !op->getName().getStringRef().starts_with("iree_tensor_ext.compute_barrier")) ||
      op->getNumResults() == 0)
    return false;
  // A body may read others than the op's operands.
  llvm::SetVector<Value> read(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), read);
  return llvm::all_of(read, [&](Value value) { return known.contains(value); });
}

/// Whether each element of an op's results takes a few instructions.
static bool isQuick(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  // What constants alone determine is folded.
  DenseSet<Value> varying(body->args_begin(), body->args_end());
  int64_t count = 0;
  bool isSimple = op.getNumLoops() == op.getNumParallelLoops();
  for (Operation &inner : body->without_terminator()) {
    bool isIndex = isa<linalg::IndexOp>(inner);
    isSimple &= isIndex || isArithmetic(&inner);
    if (!isIndex && llvm::none_of(inner.getOperands(), [&](Value operand) { return varying.contains(operand); }))
      continue;
    varying.insert_range(inner.getResults());
    ++count;
  }
  return isSimple && count <= kFewOps;
}

bool computesMuchOfConstants(Operation *root) {
  DenseSet<Value> known;
  bool isMuch = false;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isOfConstants(op, known))
      return;
    known.insert_range(op->getResults());
    auto loops = dyn_cast<linalg::LinalgOp>(op);
    isMuch |= loops && !isQuick(loops);
  });
  return isMuch;
}

} // namespace dovetail
