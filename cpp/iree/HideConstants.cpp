// Hides complex arrays from ops that depend on constants alone.
#include "Constants.h"
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
