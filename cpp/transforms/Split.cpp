// Splits a function into a part that does not depend on some arguments, and the rest.
#include "CallGraph.h"
#include "Functions.h"
#include "MinCut.h"
#include "Partition.h"
#include "Passes.h"
#include "cpp/cost/Steps.h"
#include "dialects/Inference.h"
#include "dialects/Recompute.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SPLITPASS
#include "cpp/transforms/Passes.h.inc"

bool Partition::dependsOnUnknown(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value operand) { return unknown.contains(operand); });
}

FailureOr<Partition> partition(Region &source, const llvm::SmallBitVector &unknown, FunctionTransforms *transforms,
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
      if (failed(checked([&] { return splittable.split(e, mask, operands, results); })))
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

//===- Residuals --------------------------------------------------------------------===//

/// The size of a value in bytes; an estimate for dynamic sizes, and 1 for values that are no arrays.
static int64_t bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return 1;
  int64_t bytes =
      std::max<int64_t>(1, getElementTypeOrSelf(type).isIntOrFloat() ? type.getElementTypeBitWidth() / 8 : 16);
  return times(bytes, product(type.getShape()));
}

/// Known values with sizes that may differ each time the body runs, so that a loop cannot stack them.
static DenseSet<Value> findRagged(const Partition &whole, const llvm::SmallBitVector &invariantArguments) {
  DenseSet<Value> ragged, loopInvariant;
  if (invariantArguments.all())
    return ragged;
  for (unsigned i : invariantArguments.set_bits())
    loopInvariant.insert(whole.body.arguments()[i]);
  auto isLoopInvariant = [&](Value value) { return loopInvariant.contains(value); };
  auto isRagged = [&](Value value) { return ragged.contains(value); };
  for (Operation &op : whole.body.block()) {
    bool fromRagged = llvm::any_of(op.getOperands(), isRagged),
         allInvariant = llvm::all_of(op.getOperands(), isLoopInvariant);
    if (allInvariant || (isa<SizeQueryOpInterface>(op) && !fromRagged)) {
      loopInvariant.insert(op.result_begin(), op.result_end());
      continue;
    }
    bool definesSizes = false;
    if (auto sizing = dyn_cast<SizingOpInterface>(op))
      definesSizes =
          llvm::any_of(sizing.getSizingOperands(), [&](unsigned i) { return !isLoopInvariant(op.getOperand(i)); });
    else
      definesSizes = op.getNumRegions() != 0 || isa<CallOpInterface>(op);
    if (!fromRagged && !definesSizes)
      continue;
    for (Value result : op.getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()); !type || !type.hasStaticShape())
        ragged.insert(result);
  }
  return ragged;
}

/// Returns true if the rest may recompute the op at little cost, given its operands.
static bool isCheap(Operation *op) {
  auto cheap = dyn_cast<CheapOpInterface>(op);
  return op->getNumOperands() == 0 || (cheap && cheap.isCheap());
}

/// The known values to keep for the unknown ops: those with the fewest bytes from which cheap ops compute all others.
/// Values that cannot be kept are recomputed at any cost.
static DenseSet<Value> chooseResiduals(const Partition &whole, const Keeping &keeping, FunctionTransforms &transforms) {
  VertexCut cut;
  DenseSet<Value> ragged = findRagged(whole, keeping.loopInvariant);
  DenseMap<Value, unsigned> vertices;
  SmallVector<Value> values;
  auto vertexOf = [&](Value value) {
    auto [it, isNew] = vertices.try_emplace(value, values.size());
    if (isNew) {
      auto argument = dyn_cast<BlockArgument>(value);
      bool isFree = argument && keeping.free.test(argument.getArgNumber());
      cut.addVertex(isFree ? 0 : ragged.contains(value) ? VertexCut::kUnbounded : bytesOf(value));
      values.push_back(value);
    }
    return it->second;
  };
  for (Operation &op : whole.body.block())
    if (whole.dependsOnUnknown(&op))
      for (Value operand : op.getOperands())
        if (!whole.unknown.contains(operand) && !vertices.contains(operand))
          cut.addSink(vertexOf(operand));
  for (unsigned i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op || !((isCheap(op) && !transforms.hasEffects(op)) || ragged.contains(values[i]))) {
      cut.addSource(i);
      continue;
    }
    for (Value operand : op->getOperands())
      cut.addEdge(vertexOf(operand), i);
  }
  DenseSet<Value> kept;
  for (unsigned vertex : cut.solve())
    kept.insert(values[vertex]);
  return kept;
}

FailureOr<FunctionTransforms::Split<Body>> Functions::split(Region &source, const Mask &unknown,
                                                            const Keeping &keeping) {
  if (failed(checkTransformable(source)))
    return failure();
  FailureOr<Partition> taken =
      partition(source, unknown, this, [](SplitOpInterface, const Mask &) -> FailureOr<bool> { return true; });
  if (failed(taken))
    return failure();
  Partition &whole = *taken;
  ArrayRef<Value> results = whole.body.results;

  // The residuals, the rest's first arguments, are added as they are found.
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
  DenseSet<Value> kept = chooseResiduals(whole, keeping, *this);
  auto makeAvailable = [&](Value wanted) -> LogicalResult {
    SmallVector<Value> pending = {wanted};
    while (!pending.empty()) {
      Value value = pending.back();
      if (inRest.contains(value)) {
        pending.pop_back();
        continue;
      }
      if (kept.contains(value)) {
        inRest.map(value, rest.block().insertArgument(residuals.size(), value.getType(), value.getLoc()));
        residuals.push_back(inKnown.lookup(value));
        continue;
      }
      Operation *op = value.getDefiningOp();
      size_t before = pending.size();
      for (Value operand : op->getOperands())
        if (!inRest.contains(operand))
          pending.push_back(operand);
      if (pending.size() == before && failed(dropEffects(*this, restBuilder.clone(*op, inRest))))
        return failure();
    }
    return success();
  };
  for (Operation &op : whole.body.block()) {
    if (!whole.dependsOnUnknown(&op)) {
      knownBuilder.clone(op, inKnown);
      continue;
    }
    for (Value operand : op.getOperands())
      if (failed(makeAvailable(operand)))
        return failure();
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
