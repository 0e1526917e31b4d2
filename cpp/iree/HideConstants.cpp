// Hides complex constants from ops on constants alone.
#include "Ops.h"
#include "Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_HIDECONSTANTSPASS
#include "cpp/iree/Passes.h.inc"

/// Whether a value is a constant, or an array that is filled with one.
static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return isConstant(fill.getInputs()[0]);
  return op->hasTrait<OpTrait::ConstantLike>();
}

static bool isComplexArray(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<ComplexType>(type.getElementType());
}

/// Whether an op computes an array from constants alone.
static bool isOfConstants(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && !isa<linalg::FillOp>(op) && llvm::all_of(op->getOperands(), [](Value operand) {
           return operand.getDefiningOp<tensor::EmptyOp>() || isConstant(operand);
         });
}

namespace {
struct HideConstantsPass : impl::HideConstantsPassBase<HideConstantsPass> {
  void runOnOperation() override {
    bool isAny = false;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isOfConstants(op))
        return;
      for (OpOperand *input : op.getDpsInputOperands()) {
        if (!isComplexArray(input->get()))
          continue;
        ImplicitLocOpBuilder b(op.getLoc(), op);
        input->set(optimizationBarrier(b, input->get())[0]);
        isAny = true;
      }
    });
    if (!isAny)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dovetail
