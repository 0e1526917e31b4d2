// Expands transform requests into calls of transformed functions.
#include "Expand.h"
#include "CallGraph.h"
#include "Passes.h"
#include "dialects/Check.h"
#include "dialects/DerivativeMarks.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_EXPANDPASS
#include "cpp/transforms/Passes.h.inc"

LogicalResult expandRequests(func::FuncOp function, Functions &functions) {
  SmallVector<RequestOpInterface> requests;
  function.walk([&](RequestOpInterface request) { requests.push_back(request); });
  for (RequestOpInterface request : requests) {
    OpBuilder builder(request);
    Emitter e(builder, request.getLoc(), &functions);
    SmallVector<Value> results;
    if (failed(request.expand(e, results)))
      return failure();
    request->replaceAllUsesWith(results);
    request->erase();
  }
  return success();
}

LogicalResult expandCalleesOf(func::FuncOp function, Functions &functions) {
  FailureOr<SmallVector<func::FuncOp>> order = calleesFirst(function);
  if (failed(order))
    return failure();
  for (func::FuncOp callee : *order)
    if (failed(expandRequests(callee, functions)))
      return failure();
  return success();
}

LogicalResult resolveAll(ModuleOp module, Functions &functions) {
  // What replaces an op may have such ops itself.
  SmallVector<ResolveOpInterface> ops;
  do {
    ops.clear();
    module.walk([&](ResolveOpInterface op) { ops.push_back(op); });
    for (ResolveOpInterface op : ops) {
      OpBuilder builder(op);
      Emitter e(builder, op.getLoc(), &functions);
      SmallVector<Value> results;
      if (failed(op.resolve(e, results)))
        return failure();
      op->replaceAllUsesWith(results);
      op->erase();
    }
  } while (!ops.empty());
  return success();
}

namespace {
struct ExpandPass : impl::ExpandPassBase<ExpandPass> {
  void runOnOperation() override {
    eraseUncalled(getOperation());
    FailureOr<SmallVector<func::FuncOp>> order = calleesFirst(getOperation());
    if (failed(order))
      return signalPassFailure();
    Functions functions(getOperation());
    for (func::FuncOp function : *order)
      if (failed(expandRequests(function, functions)))
        return signalPassFailure();
    eraseUncalled(getOperation());
    if (failed(resolveAll(getOperation(), functions)))
      return signalPassFailure();
    eraseDerivativeMarks(getOperation());
    eraseCheckMarks(getOperation());
    if (!hasTransient())
      return;
    // Those without a use are no error, wherever that is found out.
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createInlinePass());
    passes.addPass(createSimplifyPass());
    if (failed(runPipeline(passes, getOperation())))
      return signalPassFailure();
    bool isLeft = false;
    getOperation().walk([&](TransientOpInterface op) {
      op.reportLeft();
      isLeft = true;
    });
    if (isLeft)
      signalPassFailure();
  }

  bool hasTransient() {
    return getOperation().walk([](TransientOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
  }
};
} // namespace

} // namespace dovetail
