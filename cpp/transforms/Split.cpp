// What a function can compute before some of its arguments are known.
#include "CallGraph.h"
#include "Functions.h"
#include "Passes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SPLITPASS
#include "cpp/transforms/Passes.h.inc"

namespace {

/// A copy of a body in which every op is known as a whole or unknown as a whole.
struct Partition {
  Body body;
  DenseSet<Value> unknown;

  bool dependsOnUnknown(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) { return unknown.contains(operand); });
  }
  void markNewOps(Block::iterator from) {
    for (Operation &op : llvm::make_range(from, body.block().end()))
      if (dependsOnUnknown(&op))
        unknown.insert(op.result_begin(), op.result_end());
  }
};

} // namespace

/// Copies `source` into `target`, taking ops with bodies apart.
static LogicalResult copyTakingApart(Region &source, Partition &target, FunctionTransforms *transforms,
                                     IRMapping &values) {
  Block &block = target.body.block();
  OpBuilder builder = target.body.builder();
  for (Operation &op : source.front().without_terminator()) {
    SmallVector<Value> operands =
        llvm::map_to_vector(op.getOperands(), [&](Value operand) { return values.lookup(operand); });
    llvm::SmallBitVector unknown(operands.size());
    for (auto [i, operand] : llvm::enumerate(operands))
      unknown[i] = target.unknown.contains(operand);
    bool wasEmpty = block.empty();
    Block::iterator last = wasEmpty ? block.end() : std::prev(block.end());
    auto splittable = dyn_cast<SplitOpInterface>(op);
    if (splittable && unknown.any() && !unknown.all()) {
      Emitter e(builder, op.getLoc(), transforms);
      SmallVector<Value> results;
      if (failed(splittable.split(e, unknown, operands, results)))
        return failure();
      values.map(op.getResults(), results);
    } else {
      builder.clone(op, values);
    }
    target.markNewOps(wasEmpty ? block.begin() : std::next(last));
  }
  return success();
}

FailureOr<FunctionTransforms::Split<Body>> Functions::split(Region &source, const Mask &unknown) {
  Partition whole{Body(source.getLoc(), source.getArgumentTypes()), {}};
  IRMapping copied;
  copied.map(source.getArguments(), whole.body.arguments());
  for (unsigned i : unknown.set_bits())
    whole.unknown.insert(whole.body.arguments()[i]);
  if (failed(copyTakingApart(source, whole, this, copied)))
    return failure();
  SmallVector<Value> results =
      llvm::map_to_vector(returned(source), [&](Value result) { return copied.lookup(result); });

  // The rest's first arguments, the residuals, are added as they are found.
  Body known(source.getLoc()), rest(source.getLoc());
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
