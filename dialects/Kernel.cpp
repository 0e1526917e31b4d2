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

Operation *formOf(Operation *op, unsigned number) {
  auto kernel = cast<CaseOp>(op);
  OpBuilder builder(op);
  auto form = CaseOp::create(builder, op->getLoc(), op->getResultTypes(), kernel.getIndex(), kernel.getArgs(),
                             /*branchesCount=*/1);
  form->setAttrs(op->getAttrs());
  fill(form.getBranches()[0], copyOf(kernel.getBranches()[number]));
  return form;
}

void keepFirstForms(Operation *root) {
  SmallVector<Operation *> kernels;
  root->walk([&](Operation *op) {
    if (op->hasAttr(kKernel) && op->getNumRegions() > 1)
      kernels.push_back(op);
  });
  for (Operation *kernel : kernels) {
    kernel->replaceAllUsesWith(formOf(kernel, 0)->getResults());
    kernel->erase();
  }
}

//===- Batches ----------------------------------------------------------------------------===//

/// Whether the entries of a batch may be computed one by one: no op has a rule of its own for batches, as functions
/// that it names may have, or refers to the batch.
static bool isByEntry(Region &body, BatchSize size) {
  if (ShapedType::isDynamic(size) || size < 1)
    return false;
  auto isOther = [&](Operation *op) {
    bool isFound = false;
    op->getAttrDictionary().walk([&](FlatSymbolRefAttr) { isFound = true; });
    auto named = dyn_cast<NamedAxesOpInterface>(op);
    return isFound || (named && llvm::is_contained(named.getAxes(), size.axis));
  };
  return !body.walk([&](Operation *op) { return isOther(op) ? WalkResult::interrupt() : WalkResult::advance(); })
              .wasInterrupted();
}

/// A kernel on each entry of a batch, which comes first in the arguments that have it.
static Body entriesOf(Emitter &e, Region &source, TypeRange arguments, ArrayRef<int64_t> dims) {
  Body body(e.loc, arguments);
  BodyEmitter inner(e, body);
  Loop loop;
  loop.length = e.batchSize;
  loop.reverse = false;
  SmallVector<Value> own(source.getNumArguments());
  SmallVector<Type> types;
  for (bool isBatched : {true, false})
    for (auto [argument, of, dim] : llvm::zip_equal(body.arguments(), source.getArguments(), dims))
      if ((dim != kUnbatched) == isBatched) {
        (isBatched ? loop.xs : loop.consts).push_back(argument);
        types.push_back(of.getType());
      }
  Body entry(e.loc, types);
  auto *next = entry.arguments().begin();
  for (bool isBatched : {true, false})
    for (auto [argument, dim] : llvm::zip_equal(own, dims))
      if ((dim != kUnbatched) == isBatched)
        argument = *next++;
  OpBuilder within = entry.builder();
  entry.results = inlineBody(within, source, own);
  ValueRange stacked = loop.emit(inner, std::move(entry));
  stacked.front().getDefiningOp()->setAttr(kEntries, e.builder.getUnitAttr());
  body.results = llvm::to_vector_of<Value>(stacked);
  return body;
}

LogicalResult batchKernel(Emitter &e, Operation *op, ValueRange operands, ArrayRef<int64_t> dims,
                          SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  auto kernel = cast<CaseOp>(op);
  SmallVector<Value> arguments;
  SmallVector<int64_t> front;
  for (auto [argument, dim] : llvm::zip_equal(operands.drop_front(), dims.drop_front())) {
    front.push_back(dim == kUnbatched ? kUnbatched : 0);
    arguments.push_back(dim == kUnbatched ? argument : e.batchAt(argument, dim, 0));
  }
  auto made = e.transforms().batch(kernel.getBranches().front(), front, e.batchSize);
  if (failed(made))
    return failure();
  BodyEmitter inner(e, made->function);
  inner.findBatchSize(made->function.arguments(), front);
  for (auto [result, dim] : llvm::zip_equal(made->function.results, made->resultDims))
    result = inner.batchAt(result, dim, 0);
  SmallVector<Body> forms;
  auto types = llvm::to_vector(ValueRange(made->function.results).getTypes());
  forms.push_back(std::move(made->function));
  if (Region &last = kernel.getBranches().back(); isByEntry(last, e.batchSize))
    forms.push_back(entriesOf(e, last, ValueRange(arguments).getTypes(), front));
  auto all = CaseOp::create(e.builder, e.loc, types, operands[0], arguments, forms.size());
  all->setAttr(kKernel, e.builder.getUnitAttr());
  for (auto [region, body] : llvm::zip_equal(all.getBranches(), forms))
    fill(region, std::move(body));
  llvm::append_range(results, all->getResults());
  resultDims.append(types.size(), 0);
  return success();
}

//===- Stages -----------------------------------------------------------------------------===//

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
