// Inserts barriers after host loops.
#include "Ops.h"
#include "Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SEPARATELOOPSPASS
#include "cpp/iree/Passes.h.inc"

namespace {

struct SeparateLoopsPass : impl::SeparateLoopsPassBase<SeparateLoopsPass> {
  using SeparateLoopsPassBase::SeparateLoopsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> loops;
    getOperation().walk([&](Operation *op) {
      if (isa<scf::ForOp, scf::WhileOp>(op))
        loops.push_back(op);
    });
    for (Operation *loop : loops) {
      ImplicitLocOpBuilder b(loop->getLoc(), loop->getContext());
      b.setInsertionPointAfter(loop);
      SmallVector<Value> arrays;
      for (Value result : loop->getResults())
        if (isa<RankedTensorType>(result.getType()))
          arrays.push_back(result);
      if (arrays.empty())
        continue;
      for (Value array : arrays) {
        // The operands of the barrier itself stay.
        auto uses = llvm::map_to_vector(array.getUses(), [](OpOperand &use) { return &use; });
        // Each has its own: IREE would require all memory to be of one kind.
        Value separate = optimizationBarrier(b, array).front();
        for (OpOperand *use : uses)
          use->set(separate);
      }
    }
  }
};

} // namespace

} // namespace dovetail
