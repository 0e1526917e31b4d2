// Computes the programs of grids at once, where they do not depend on each other.
#include "Functions.h"
#include "Passes.h"
#include "dialects/Grid.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_VECTORIZEGRIDSPASS
#include "cpp/transforms/Passes.h.inc"

namespace {

/// The loops over grids in an op, inner ones first.
SmallVector<Operation *> gridsOf(Operation *root) {
  SmallVector<Operation *> grids;
  root->walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (op != root && op->hasAttr(kGrid))
      grids.push_back(op);
  });
  return grids;
}

struct VectorizeGridsPass : impl::VectorizeGridsPassBase<VectorizeGridsPass> {
  using VectorizeGridsPassBase::VectorizeGridsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    simplify = std::make_shared<OpPassManager>(ModuleOp::getOperationName());
    simplify->addPass(createSimplifyPass());
    return success();
  }

  void runOnOperation() override {
    if (gridsOf(getOperation()).empty())
      return markAllAnalysesPreserved();
    wrapGrids(getOperation());
    // Whether a loop can be vectorized may depend on what the loops in it have become.
    do {
      if (failed(runPipeline(*simplify, getOperation())))
        return signalPassFailure();
      decideBranches(getOperation());
    } while (vectorizeSome() || peelSome());
    unwrapSome();
  }

private:
  bool vectorizeSome() {
    Functions functions(getOperation());
    bool isAny = false;
    for (Operation *op : gridsOf(getOperation()))
      isAny |= vectorize(op, functions);
    return isAny;
  }

  static bool vectorize(Operation *op, Functions &functions) {
    OpBuilder builder(op);
    Emitter e(builder, op->getLoc(), &functions);
    SmallVector<Value> results;
    Operation *previous = op->getPrevNode();
    if (succeeded(vectorizeGrid(e, op, results))) {
      op->replaceAllUsesWith(results);
      op->erase();
      return true;
    }
    while (op->getPrevNode() != previous)
      op->getPrevNode()->erase();
    return false;
  }

  /// Programs often overwrite in the first iteration of an inner loop what others have left, and write their results in
  /// the last: with these outside of the loop, they do not depend on each other.
  bool peelSome() {
    auto isWhole = [](Operation *op) { return cast<BoolAttr>(op->getAttr(kGrid)).getValue(); };
    bool isAny = false;
    for (Operation *op : gridsOf(getOperation())) {
      if (!isWhole(op) || llvm::any_of(gridsOf(op), isWhole))
        continue;
      if (moveEnds(op)) {
        isAny = true;
      } else if (op->getParentOp()->hasAttr(kGrid)) {
        OpBuilder builder(op);
        peelGrid(builder, op);
        isAny = true;
      }
    }
    return isAny;
  }

  /// What is fused without being a kernel may be fused with more.
  void unwrapSome() {
    SmallVector<Operation *> kernels;
    getOperation()->walk([&](Operation *op) {
      if (op->hasAttr(kKernel) && !hasSeveralStages(op))
        kernels.push_back(op);
    });
    llvm::for_each(kernels, unwrapKernel);
  }

  std::shared_ptr<OpPassManager> simplify;
};

} // namespace

} // namespace dovetail
