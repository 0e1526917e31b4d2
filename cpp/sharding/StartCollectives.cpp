// Starts collectives as early as their operands allow, so that what does not need their results overlaps with them.
#include "Passes.h"
#include "cpp/cost/Cost.h"
#include "cpp/transforms/Functions.h"
#include "dialects/Dialect.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_STARTCOLLECTIVESPASS
#include "cpp/sharding/Passes.h.inc"

/// Whether an op exchanges arrays and its results are no larger than its operands, so that starting it early does not
/// keep more memory alive. A gather's results are larger: it stays where they are needed.
static bool mayStartEarly(Operation *op) {
  if (!isa<NamedAxesOpInterface>(op) || op->getNumRegions() || !isMemoryEffectFree(op))
    return false;
  auto total = [](ValueRange values) {
    double bytes = 0;
    for (Value value : values) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      bytes += type && type.hasStaticShape() ? bytesOf(value) : 0;
    }
    return bytes;
  };
  double taken = total(op->getOperands());
  return taken > 0 && total(op->getResults()) <= taken;
}

static void startEarly(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!mayStartEarly(&op))
      continue;
    Operation *last = nullptr;
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && producer->getBlock() == &block)
        if (!last || last->isBeforeInBlock(producer))
          last = producer;
    if (last)
      op.moveAfter(last);
    else
      op.moveBefore(&block, block.begin());
  }
}

namespace {
struct StartCollectivesPass : impl::StartCollectivesPassBase<StartCollectivesPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (failed(checkTransformable(function)))
        return signalPassFailure();
      function.getBody().walk([](Block *block) { startEarly(*block); });
    }
  }
};
} // namespace

} // namespace dovetail
