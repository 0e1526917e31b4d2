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

/// A copy of a function in which every op is known as a whole or unknown as a whole.
struct Partition {
  func::FuncOp function;
  DenseSet<Value> unknown;

  bool dependsOnUnknown(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) { return unknown.contains(operand); });
  }
  void markNewOps(Block::iterator from) {
    for (Operation &op : llvm::make_range(from, function.front().end()))
      if (dependsOnUnknown(&op))
        unknown.insert(op.result_begin(), op.result_end());
  }
};

} // namespace

/// Copies `source` into `target`, taking ops with bodies apart.
static LogicalResult copyTakingApart(func::FuncOp source, Partition &target, FunctionTransforms *transforms,
                                     OpBuilder &builder, IRMapping &values) {
  Block &block = target.function.front();
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

std::optional<FunctionTransforms::Split> Functions::makeSplit(func::FuncOp function,
                                                              const llvm::SmallBitVector &unknown) {
  if (failed(checkTransformable(function)))
    return std::nullopt;
  Partition whole{create(function, ".whole", SmallVector<Type>(function.getArgumentTypes())), {}};
  OpBuilder wholeBuilder = OpBuilder::atBlockEnd(&whole.function.front());
  IRMapping copied;
  copied.map(function.getArguments(), whole.function.getArguments());
  for (unsigned i : unknown.set_bits())
    whole.unknown.insert(whole.function.getArgument(i));
  if (failed(copyTakingApart(function, whole, this, wholeBuilder, copied)))
    return discard(whole.function);
  SmallVector<Value> results =
      llvm::map_to_vector(returned(function), [&](Value result) { return copied.lookup(result); });

  SmallVector<Type> knownTypes, unknownTypes;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    (unknown.test(i) ? unknownTypes : knownTypes).push_back(type);
  // The rest's first arguments, the residuals, are added as they are found.
  func::FuncOp known = create(function, ".known", knownTypes), rest = create(function, ".rest", {});
  Block &restBlock = rest.front();
  OpBuilder knownBuilder = OpBuilder::atBlockEnd(&known.front()), restBuilder = OpBuilder::atBlockEnd(&restBlock);
  IRMapping inKnown, inRest;
  SmallVector<Value> unknownArgs;
  for (auto [i, argument] : llvm::enumerate(whole.function.getArguments())) {
    if (unknown.test(i))
      inRest.map(argument, restBlock.addArgument(argument.getType(), argument.getLoc()));
    else
      inKnown.map(argument, known.getArgument(inKnown.getValueMap().size()));
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
    inRest.map(value, restBlock.insertArgument(residuals.size(), value.getType(), value.getLoc()));
    residuals.push_back(inKnown.lookup(value));
  };
  for (Operation &op : whole.function.front()) {
    if (!whole.dependsOnUnknown(&op)) {
      knownBuilder.clone(op, inKnown);
      continue;
    }
    for (Value operand : op.getOperands())
      makeAvailable(operand);
    restBuilder.clone(op, inRest);
  }

  llvm::SmallBitVector unknownResults(results.size());
  SmallVector<Value> knownResults, restResults;
  for (auto [i, result] : llvm::enumerate(results)) {
    unknownResults[i] = whole.unknown.contains(result);
    if (unknownResults[i])
      restResults.push_back(inRest.lookup(result));
    else
      knownResults.push_back(inKnown.lookup(result));
  }
  llvm::append_range(knownResults, residuals);
  finish(known, knownBuilder, knownResults);
  rest.setFunctionType(FunctionType::get(rest.getContext(), restBlock.getArgumentTypes(), {}));
  finish(rest, restBuilder, restResults);
  discard(whole.function);
  return Split{known, rest, unknownResults};
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
