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
    // Whether a loop can be vectorized may depend on what the loops in it have become.
    do {
      if (failed(runPipeline(*simplify, getOperation())))
        return signalPassFailure();
      decideBranches(getOperation());
    } while (vectorizeSome() || peelSome());
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
    SmallVector<Operation *> inner = gridsOf(getOperation());
    llvm::erase_if(inner, [](Operation *op) {
      bool isWhole = cast<BoolAttr>(op->getAttr(kGrid)).getValue();
      return !isWhole || !op->getParentOp()->hasAttr(kGrid) || !gridsOf(op).empty();
    });
    for (Operation *op : inner) {
      if (moveEnds(op))
        continue;
      OpBuilder builder(op);
      peelGrid(builder, op);
    }
    return !inner.empty();
  }

  std::shared_ptr<OpPassManager> simplify;
};

} // namespace

} // namespace dovetail
