// Inlines all calls.
#include "CallGraph.h"
#include "Functions.h"
#include "Passes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_INLINEPASS
#include "cpp/transforms/Passes.h.inc"

static LogicalResult inlineCalls(func::FuncOp function, SymbolTable &symbols) {
  SmallVector<InlineOpInterface> calls;
  function.walk([&](InlineOpInterface call) { calls.push_back(call); });
  for (InlineOpInterface call : calls) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCalleeAttr().getAttr());
    if (failed(checkTransformable(callee)))
      return failure();
    OpBuilder builder(call);
    call->replaceAllUsesWith(inlineBody(builder, callee.getBody(), call.inlinedArguments(builder)));
    call->erase();
  }
  return success();
}

namespace {
struct InlinePass : impl::InlinePassBase<InlinePass> {
  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> order = calleesFirst(getOperation());
    if (failed(order))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : *order)
      if (failed(inlineCalls(function, symbols)))
        return signalPassFailure();
    eraseUncalled(getOperation());
  }
};
} // namespace

} // namespace dovetail
