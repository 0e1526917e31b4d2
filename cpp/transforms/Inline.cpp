// Calls are replaced by the bodies of their callees.
#include "CallGraph.h"
#include "Functions.h"
#include "Passes.h"
#include "dialects/Call.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_INLINEPASS
#include "cpp/transforms/Passes.h.inc"

static LogicalResult inlineCalls(func::FuncOp function, SymbolTable &symbols) {
  auto calls = llvm::to_vector(function.getOps<CallOp>());
  for (CallOp call : calls) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (failed(checkTransformable(callee)))
      return failure();
    OpBuilder builder(call);
    IRMapping values;
    values.map(callee.getArguments(), call.getArgs());
    for (Operation &op : callee.front().without_terminator())
      builder.clone(op, values);
    for (auto [result, value] : llvm::zip_equal(call.getResults(), returned(callee)))
      result.replaceAllUsesWith(values.lookup(value));
    call.erase();
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
