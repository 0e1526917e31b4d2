// Replaces ops on parts of arrays by their meaning on whole arrays.
#include "CallGraph.h"
#include "Functions.h"
#include "Passes.h"
#include "dialects/Custom.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_UNSHARDPASS
#include "cpp/transforms/Passes.h.inc"

/// Replaces ops by their meaning.
template <typename Interface>
static LogicalResult unshard(func::FuncOp function, Functions &functions) {
  SmallVector<Interface> ops;
  function.walk([&](Interface op) { ops.push_back(op); });
  for (Interface op : ops) {
    OpBuilder builder(op);
    Emitter e(builder, op.getLoc(), &functions);
    SmallVector<Value> results;
    if (failed(op.emitGlobal(e, results)))
      return failure();
    op->replaceAllUsesWith(results);
    op->erase();
  }
  return success();
}

namespace {
struct UnshardPass : impl::UnshardPassBase<UnshardPass> {
  void runOnOperation() override {
    // Callees first: a function is batched once nothing in it is on parts any more.
    FailureOr<SmallVector<func::FuncOp>> order = calleesFirst(getOperation());
    if (failed(order))
      return signalPassFailure();
    Functions functions(getOperation());
    for (func::FuncOp function : *order)
      if (failed(unshard<PartitionOpInterface>(function, functions)) ||
          failed(unshard<GlobalOpInterface>(function, functions)))
        return signalPassFailure();
    eraseUncalled(getOperation());
  }
};
} // namespace

} // namespace dovetail
