// What a function can compute before some of its arguments are known.
#include "CallGraph.h"
#include "Functions.h"
#include "Partition.h"
#include "Passes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SPLITPASS
#include "cpp/transforms/Passes.h.inc"

bool Partition::dependsOnUnknown(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value operand) { return unknown.contains(operand); });
}

FailureOr<Partition> takeApart(Region &source, const llvm::SmallBitVector &unknown, FunctionTransforms *transforms,
                               IsDivided isDivided) {
  Partition whole{Body(locOf(source), source.getArgumentTypes()), {}};
  IRMapping values;
  values.map(source.getArguments(), whole.body.arguments());
  for (unsigned i : unknown.set_bits())
    whole.unknown.insert(whole.body.arguments()[i]);
  Block &block = whole.body.block();
  OpBuilder builder = whole.body.builder();
  for (Operation &op : source.front().without_terminator()) {
    SmallVector<Value> operands =
        llvm::map_to_vector(op.getOperands(), [&](Value operand) { return values.lookup(operand); });
    llvm::SmallBitVector mask(operands.size());
    for (auto [i, operand] : llvm::enumerate(operands))
      mask[i] = whole.unknown.contains(operand);
    bool wasEmpty = block.empty();
    Block::iterator last = wasEmpty ? block.end() : std::prev(block.end());
    auto splittable = dyn_cast<SplitOpInterface>(op);
    FailureOr<bool> divided = false;
    if (splittable && mask.any() && !mask.all())
      divided = isDivided(splittable, mask);
    if (failed(divided))
      return failure();
    if (*divided) {
      Emitter e(builder, op.getLoc(), transforms);
      SmallVector<Value> results;
      if (failed(splittable.split(e, mask, operands, results)))
        return failure();
      values.map(op.getResults(), results);
    } else {
      builder.clone(op, values);
    }
    for (Operation &made : llvm::make_range(wasEmpty ? block.begin() : std::next(last), block.end()))
      if (whole.dependsOnUnknown(&made))
        whole.unknown.insert(made.result_begin(), made.result_end());
  }
  for (Value result : returned(source))
    whole.body.results.push_back(values.lookup(result));
  return whole;
}

FailureOr<FunctionTransforms::Split<Body>> Functions::split(Region &source, const Mask &unknown) {
  FailureOr<Partition> taken =
      takeApart(source, unknown, this, [](SplitOpInterface, const Mask &) -> FailureOr<bool> { return true; });
  if (failed(taken))
    return failure();
  Partition &whole = *taken;
  ArrayRef<Value> results = whole.body.results;

  // The rest's first arguments, the residuals, are added as they are found.
  Body known(locOf(source)), rest(locOf(source));
  OpBuilder knownBuilder = known.builder(), restBuilder = rest.builder();
  IRMapping inKnown, inRest;
  for (auto [i, argument] : llvm::enumerate(whole.body.arguments())) {
    if (unknown.test(i))
      inRest.map(argument, rest.block().addArgument(argument.getType(), argument.getLoc()));
    else
      inKnown.map(argument, known.block().addArgument(argument.getType(), argument.getLoc()));
  }

  SmallVector<Value> residuals;
  auto makeAvailable = [&](Value value) {
    if (inRest.contains(value))
      return;
    Operation *op = value.getDefiningOp();
    if (op && op->getNumOperands() == 0) {
      restBuilder.clone(*op, inRest);
      return;
    }
    inRest.map(value, rest.block().insertArgument(residuals.size(), value.getType(), value.getLoc()));
    residuals.push_back(inKnown.lookup(value));
  };
  for (Operation &op : whole.body.block()) {
    if (!whole.dependsOnUnknown(&op)) {
      knownBuilder.clone(op, inKnown);
      continue;
    }
    for (Value operand : op.getOperands())
      makeAvailable(operand);
    restBuilder.clone(op, inRest);
  }

  Mask unknownResults(results.size());
  for (auto [i, result] : llvm::enumerate(results)) {
    unknownResults[i] = whole.unknown.contains(result);
    if (unknownResults[i])
      rest.results.push_back(inRest.lookup(result));
    else
      known.results.push_back(inKnown.lookup(result));
  }
  llvm::append_range(known.results, residuals);
  return Split<Body>{std::move(known), std::move(rest), unknownResults};
}

namespace {
struct SplitPass : impl::SplitPassBase<SplitPass> {
  using SplitPassBase::SplitPassBase;
  void runOnOperation() override {
    FailureOr<func::FuncOp> target = findFunction(getOperation(), function);
    if (failed(target))
      return signalPassFailure();
    FailureOr<llvm::SmallBitVector> mask = argumentMask(*target, unknown);
    if (failed(mask) || failed(Functions(getOperation()).split(*target, *mask)))
      signalPassFailure();
  }
};
} // namespace

} // namespace dovetail
