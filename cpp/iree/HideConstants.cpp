// Hides complex arrays from ops that depend on constants alone.
#include "Ops.h"
#include "Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_HIDECONSTANTSPASS
#include "cpp/iree/Passes.h.inc"

static bool isComplexArray(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<ComplexType>(type.getElementType());
}

/// Whether an op computes arrays, of constants alone. `known` are arrays that are computed so.
static bool isOfConstants(Operation *op, const DenseSet<Value> &known) {
  if (isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  bool isArray = isa<linalg::LinalgOp, tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::CollapseShapeOp,
                     tensor::ExpandShapeOp>(op);
  return (isArray || op->getName().getStringRef().starts_with("iree_tensor_ext.compute_barrier")) &&
         op->getNumResults() != 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return known.contains(operand); });
}

namespace {
struct HideConstantsPass : impl::HideConstantsPassBase<HideConstantsPass> {
  void runOnOperation() override {
    DenseSet<Value> known;
    bool isAny = false;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isOfConstants(op, known))
        return;
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      bool isHidden = false;
      for (OpOperand *input : structured ? structured.getDpsInputOperands() : SmallVector<OpOperand *>()) {
        if (!isComplexArray(input->get()))
          continue;
        ImplicitLocOpBuilder b(op->getLoc(), op);
        input->set(optimizationBarrier(b, input->get())[0]);
        isHidden = true;
      }
      if (!isHidden)
        known.insert_range(op->getResults());
      isAny |= isHidden;
    });
    if (!isAny)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dovetail
