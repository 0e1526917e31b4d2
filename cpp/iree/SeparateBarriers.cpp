// Splits optimization barriers into one per array.
#include "Aliases.h"
#include "Passes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SEPARATEBARRIERSPASS
#include "cpp/iree/Passes.h.inc"

namespace {

struct SeparateBarriersPass : impl::SeparateBarriersPassBase<SeparateBarriersPass> {
  using SeparateBarriersPassBase::SeparateBarriersPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> barriers;
    getOperation().walk([&](Operation *op) {
      if (isOptimizationBarrier(op) && op->getNumOperands() > 1)
        barriers.push_back(op);
    });
    for (Operation *op : barriers) {
      OpBuilder b(op);
      for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults())) {
        OperationState state(op->getLoc(), op->getName());
        state.addOperands(operand);
        state.addTypes(result.getType());
        result.replaceAllUsesWith(b.create(state)->getResult(0));
      }
      op->erase();
    }
  }
};

} // namespace

} // namespace dovetail
