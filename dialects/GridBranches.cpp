// Branches that kernels take in the first and in the last iteration of a loop.
#include "Create.h"
#include "Grid.h"
#include "GridDependences.h"
#include "Pointwise.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Moves what a loop does only in its first or last iteration out of it.
class Ends {
public:
  Ends(ScanOp loop, BlockArgument counter, int64_t first)
      : loop(loop), counter(counter), first(first), last(first + int64_t(loop.getLength()) - 1) {}

  bool move();

private:
  /// Whether a branch is taken in one iteration only.
  bool isOnlyAt(CaseOp choice, int64_t number);
  /// The carry that an operand of a choice is, if only the choice uses it and returns it in the other iterations.
  std::optional<unsigned> keptCarry(CaseOp choice, unsigned result);
  bool moveBefore(CaseOp choice);
  bool moveAfter(CaseOp choice);
  /// A value of the body in the last iteration, after the loop; null if it cannot be computed there.
  Value after(OpBuilder &builder, Value value);

  ScanOp loop;
  BlockArgument counter;
  int64_t first, last;
};

} // namespace

bool Ends::isOnlyAt(CaseOp choice, int64_t number) {
  auto convert = choice.getIndex().getDefiningOp<ConvertOp>();
  auto compare = convert ? convert.getX().getDefiningOp<CompareOp>() : CompareOp();
  if (!compare || compare.getDirection() != CompareDirection::EQ || choice.getBranches().size() != 2)
    return false;
  auto x = affineIndices(compare.getX()), y = affineIndices(compare.getY());
  if (!x || !y || x->size() != 1)
    return false;
  x->front().add(y->front(), -1);
  return x->front() == AffineIndex{-number, {{counter, 1}}};
}

std::optional<unsigned> Ends::keptCarry(CaseOp choice, unsigned result) {
  auto given = dyn_cast<BlockArgument>(returned(choice.getBranches()[0])[result]);
  if (!given)
    return std::nullopt;
  auto carry = dyn_cast<BlockArgument>(choice.getArgs()[given.getArgNumber()]);
  bool isCarry = carry && carry.getOwner() == &loop.getBody().front() && carry.getArgNumber() < loop.getInits().size();
  return isCarry && carry.hasOneUse() ? std::optional(carry.getArgNumber()) : std::nullopt;
}

/// What a branch gives to carries in the first iteration, from constants alone, is their initial value.
bool Ends::moveBefore(CaseOp choice) {
  Region &branch = choice.getBranches()[1];
  SmallVector<unsigned> carries;
  for (unsigned i = 0; i < choice->getNumResults(); ++i) {
    auto carry = keptCarry(choice, i);
    if (!carry || llvm::is_contained(carries, *carry))
      return false;
    carries.push_back(*carry);
  }
  SmallVector<Value> arguments;
  for (auto [argument, inner] : llvm::zip_equal(choice.getArgs(), branch.getArguments())) {
    auto outer = dyn_cast<BlockArgument>(argument);
    Value passed = outer ? passedAs(outer) : Value();
    if (!passed && !inner.use_empty())
      return false;
    arguments.push_back(passed);
  }
  OpBuilder builder(loop);
  SmallVector<Value> inits = inlineBody(builder, branch, arguments);
  for (auto [carry, init, result] : llvm::zip_equal(carries, inits, choice->getResults())) {
    loop.getInitsMutable()[carry].set(init);
    result.replaceAllUsesWith(loop.getBody().getArgument(carry));
  }
  choice.erase();
  return true;
}

Value Ends::after(OpBuilder &builder, Value value) {
  Emitter e(builder, loop.getLoc());
  ValueRange values = returned(loop.getBody());
  if (value == counter)
    return e.full(cast<RankedTensorType>(value.getType()), {}, last);
  for (auto [i, next] : llvm::enumerate(values))
    if (next == value)
      return loop.getResult(i);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return passedAs(argument);
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() || !isPure(op))
    return nullptr;
  IRMapping operands;
  for (Value operand : op->getOperands()) {
    Value made = after(builder, operand);
    if (!made)
      return nullptr;
    operands.map(operand, made);
  }
  return builder.clone(*op, operands)->getResult(cast<OpResult>(value).getResultNumber());
}

/// What a branch makes of a carry in the last iteration, which until then is its initial value, is computed after the
/// loop.
bool Ends::moveAfter(CaseOp choice) {
  ValueRange values = returned(loop.getBody());
  SmallVector<unsigned> carries;
  for (OpResult result : choice->getResults()) {
    auto carry = keptCarry(choice, result.getResultNumber());
    if (!carry || !result.hasOneUse() || values[*carry] != result)
      return false;
    carries.push_back(*carry);
  }
  OpBuilder builder(loop->getBlock(), std::next(loop->getIterator()));
  SmallVector<Value> arguments;
  for (Value argument : choice.getArgs()) {
    auto own = dyn_cast<BlockArgument>(argument);
    bool isKept = own && own.getOwner() == &loop.getBody().front() && llvm::is_contained(carries, own.getArgNumber());
    arguments.push_back(isKept ? loop.getInits()[own.getArgNumber()] : after(builder, argument));
    if (!arguments.back())
      return false;
  }
  SmallVector<Value> made = inlineBody(builder, choice.getBranches()[1], arguments);
  Operation *yield = loop.getBody().front().getTerminator();
  for (auto [carry, value] : llvm::zip_equal(carries, made)) {
    loop.getResult(carry).replaceAllUsesWith(value);
    yield->setOperand(carry, loop.getBody().getArgument(carry));
  }
  choice.erase();
  return true;
}

bool Ends::move() {
  bool isAny = false;
  for (Operation &op : llvm::make_early_inc_range(loop.getBody().front()))
    if (auto choice = dyn_cast<CaseOp>(op))
      isAny |= (isOnlyAt(choice, first) && moveBefore(choice)) || (isOnlyAt(choice, last) && moveAfter(choice));
  return isAny;
}

bool moveEnds(Operation *loop) {
  auto scan = cast<ScanOp>(loop);
  auto counter = counterOf(scan);
  return counter && int64_t(scan.getLength()) > 1 && Ends(scan, counter->first, counter->second).move();
}

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
    rest->setAttr(kGrid, builder.getBoolAttr(false));
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
    std::optional<int64_t> index = op->hasAttr(kKernel) ? std::nullopt : decidedNumber(op.getIndex());
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
