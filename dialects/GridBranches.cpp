// Branches that kernels take in the first and in the last iteration of a loop.
#include "Create.h"
#include "Grid.h"
#include "GridDependences.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

void peelGrid(OpBuilder &builder, Operation *loop) {
  auto scan = cast<ScanOp>(loop);
  Emitter e(builder, scan.getLoc());
  auto counter = counterOf(scan);
  int64_t length = scan.getLength();
  SmallVector<Value> arguments(scan.getOperands());
  auto iterate = [&](int64_t number) {
    // Branches of the iteration are decided if its number is a constant.
    if (counter)
      arguments[counter->first.getArgNumber()] =
          e.full(cast<RankedTensorType>(counter->first.getType()), {}, counter->second + number);
    llvm::copy(inlineBody(builder, scan.getBody(), arguments), arguments.begin());
  };
  iterate(0);
  if (counter)
    arguments[counter->first.getArgNumber()] =
        e.full(cast<RankedTensorType>(counter->first.getType()), {}, counter->second + 1);
  if (length > 2) {
    IRMapping values;
    ValueRange inits = ValueRange(arguments).take_front(scan.getInits().size());
    auto rest = ScanOp::create(builder, scan.getLoc(), scan.getResultTypes(), inits, ValueRange(), scan.getConsts(),
                               scan.getCount(), length - 2, scan.getReverse());
    scan.getBody().cloneInto(&rest.getBody(), values);
    llvm::copy(rest->getResults(), arguments.begin());
  }
  if (length > 1)
    iterate(length - 1);
  scan->replaceAllUsesWith(ValueRange(arguments).take_front(scan->getNumResults()));
  scan.erase();
}

void decideBranches(Operation *root) {
  SmallVector<CaseOp> choices;
  root->walk([&](CaseOp op) { choices.push_back(op); });
  for (CaseOp op : choices) {
    std::optional<int64_t> index = decidedNumber(op.getIndex());
    if (!index)
      continue;
    OpBuilder builder(op);
    int64_t last = op.getBranches().size() - 1;
    Region &branch = op.getBranches()[std::clamp<int64_t>(*index, 0, last)];
    op->replaceAllUsesWith(inlineBody(builder, branch, op.getArgs()));
    op->erase();
  }
}

} // namespace dovetail
