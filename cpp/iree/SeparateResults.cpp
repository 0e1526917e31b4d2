// Keeps results of one dispatch apart that are written to places in larger arrays.
#include "Liveness.h"
#include "Passes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SEPARATERESULTSPASS
#include "cpp/iree/Passes.h.inc"

/// Whether a result, or a reshape of it, is written to a place in a larger array.
static bool isPlaced(Value array) {
  return llvm::any_of(array.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(user))
      return isPlaced(user->getResult(0));
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(user))
      return insert.getSourceMutable() == use;
    return isa<tensor::PadOp, tensor::ConcatOp>(user);
  });
}

namespace {
struct SeparateResultsPass : impl::SeparateResultsPassBase<SeparateResultsPass> {
  void runOnOperation() override {
    SmallVector<Value> results;
    getOperation().walk([&](Operation *op) {
      bool isDispatch = isa<linalg::LinalgOp>(op) || op->getName().getStringRef() == "flow.dispatch";
      if (!isDispatch || op->getNumResults() < 2)
        return;
      auto placed = llvm::make_filter_range(op->getResults(), isPlaced);
      if (!placed.empty())
        llvm::append_range(results, llvm::drop_begin(placed));
    });
    for (Value result : results)
      keepAlive(result);
    if (results.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dovetail
