// Kernels: what the programs of a grid compute, kept together.
#include "Control.h"
#include "Create.h"
#include "Grid.h"
#include "Pointwise.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

static bool isInGrid(Operation *op) {
  for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
    if (around->hasAttr(kGrid) || around->hasAttr(kKernel))
      return true;
  return false;
}

static void wrap(Operation *loop) {
  OpBuilder builder(loop);
  Emitter e(builder, loop->getLoc());
  Body body(loop->getLoc(), loop->getOperandTypes());
  Value index = e.zeros(RankedTensorType::get({}, builder.getI32Type()), {});
  auto kernel =
      CaseOp::create(builder, loop->getLoc(), loop->getResultTypes(), index, loop->getOperands(), /*branchesCount=*/1);
  kernel->setAttr(kKernel, builder.getUnitAttr());
  loop->replaceAllUsesWith(kernel->getResults());
  loop->remove();
  loop->setOperands(body.arguments());
  body.block().push_back(loop);
  llvm::append_range(body.results, loop->getResults());
  fill(kernel.getBranches()[0], std::move(body));
}

void wrapGrids(Operation *root) {
  SmallVector<Operation *> loops;
  root->walk([&](Operation *op) {
    if (op->hasAttr(kGrid) && op->getNumResults() > 0 && !isInGrid(op) && isMemoryEffectFree(op))
      loops.push_back(op);
  });
  llvm::for_each(loops, wrap);
}

void unwrapKernel(Operation *op) {
  auto kernel = cast<CaseOp>(op);
  OpBuilder builder(op);
  Operation *index = kernel.getIndex().getDefiningOp();
  op->replaceAllUsesWith(inlineBody(builder, kernel.getBranches()[0], kernel.getArgs()));
  op->erase();
  if (index && isOpTriviallyDead(index))
    index->erase();
}

/// Whether an op only moves elements, or computes each from those in its place.
static bool isElementwise(Operation *op) { return isa<PointwiseOpInterface, CheapOpInterface>(op); }

bool hasSeveralStages(Operation *kernel) {
  int64_t numElementwise = 0, numOthers = 0;
  for (Operation &op : kernel->getRegion(0).front().without_terminator())
    if (op.getNumOperands() > 0)
      ++(isElementwise(&op) ? numElementwise : numOthers);
  return numOthers > 1 || (numOthers == 1 && numElementwise > 0);
}

} // namespace dovetail
