// Inserts barriers before transpositions of one of an op's results.
#include "Aliases.h"
#include "Ops.h"
#include "Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SEPARATETRANSPOSEDPASS
#include "cpp/iree/Passes.h.inc"

namespace {
struct SeparateTransposedPass : impl::SeparateTransposedPassBase<SeparateTransposedPass> {
  void runOnOperation() override {
    bool isAny = false;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk<WalkOrder::PreOrder>([&](Operation *op) { isAny |= visit(op); });
    oneOfSeveral.clear();
    if (!isAny)
      markAllAnalysesPreserved();
  }

private:
  bool visit(Operation *op);

  /// Arrays that are one of several results of an op, or computed of one without a reduction.
  DenseSet<Value> oneOfSeveral;
};
} // namespace

/// Whether a barrier was inserted.
bool SeparateTransposedPass::visit(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  auto isOneOfSeveral = [&](Value operand) { return oneOfSeveral.contains(operand); };
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op); transpose && isOneOfSeveral(transpose.getInput())) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    transpose.getInputMutable().assign(computeBarrier(b, transpose.getInput()));
    return true;
  }
  bool passesOn = structured ? structured.getNumReductionLoops() == 0 : isView(op);
  if ((structured && op->getNumResults() > 1) || (passesOn && llvm::any_of(op->getOperands(), isOneOfSeveral)))
    oneOfSeveral.insert_range(op->getResults());
  return false;
}

} // namespace dovetail
