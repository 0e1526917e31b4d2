// Loops: forward mode, and their partition into the parts that do and do not depend on some operands.
#include "Control.h"
#include "Create.h"
#include "DerivativeMarks.h"
#include "Pointwise.h"
#include "Size.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

//===- Forward mode -------------------------------------------------------------===//

/// The order of values in consecutive groups, where those marked in `mask` have companions after all groups, such that
/// each group is followed by its companions.
static SmallVector<unsigned> withCompanions(ArrayRef<unsigned> groupSizes, const llvm::SmallBitVector &mask) {
  SmallVector<unsigned> order;
  unsigned begin = 0, companion = mask.size();
  for (unsigned size : groupSizes) {
    for (unsigned i = begin; i < begin + size; ++i)
      order.push_back(i);
    for (unsigned i = begin; i < begin + size; ++i)
      if (mask.test(i))
        order.push_back(companion++);
    begin += size;
  }
  return order;
}

FailureOr<LoopJvp> jvpOfLoop(Emitter &e, Region &source, ArrayRef<unsigned> groupSizes, ValueRange primals,
                             ArrayRef<Value> tangents) {
  unsigned numCarries = groupSizes[0], numResults = returned(source).size();
  llvm::SmallBitVector active = bitsOf(present(tangents), 0, primals.size());
  FailureOr<FunctionTransforms::Jvp<Body>> made = failure();
  if (failed(growCarries(active, [&](const llvm::SmallBitVector &mask) -> FailureOr<llvm::SmallBitVector> {
        made = e.transforms().jvp(source, mask);
        if (failed(made))
          return failure();
        return bitsOf(made->activeResults, 0, numCarries);
      })))
    return failure();

  LoopJvp loop{std::move(made->function), {}, {}, {}, {}};
  SmallVector<unsigned> order = withCompanions(groupSizes, active);
  loop.body.arrange(order);
  // A carry with a tangent has one in every iteration.
  BodyEmitter inner(e, loop.body);
  SmallVector<Value> outTangents(numResults), outs(loop.body.results);
  scatterTo(ValueRange(outs).drop_front(numResults), made->activeResults, outTangents);
  for (unsigned i = 0; i < numCarries; ++i)
    if (active.test(i) && !outTangents[i])
      outTangents[i] = inner.zerosLike(outs[i]);
  outs.resize(numResults);
  loop.activeResults = present(outTangents);
  llvm::append_range(outs, presentOf(outTangents));
  loop.resultOrder = withCompanions({numCarries, numResults - numCarries}, loop.activeResults);
  loop.body.results = pick(outs, loop.resultOrder);

  SmallVector<Value> operands(primals);
  for (unsigned i : active.set_bits())
    operands.push_back(tangents[i] ? tangents[i] : e.zerosLike(primals[i]));
  SmallVector<Value> arranged = pick(operands, order);
  ValueRange rest = arranged;
  unsigned begin = 0;
  for (unsigned size : groupSizes) {
    unsigned newSize = size + bitsOf(active, begin, size).count();
    loop.operands.push_back(llvm::to_vector(rest.take_front(newSize)));
    rest = rest.drop_front(newSize);
    begin += size;
  }
  loop.positions.resize(primals.size());
  for (auto [position, number] : llvm::enumerate(order))
    if (number < primals.size())
      loop.positions[number] = position;
  return loop;
}

void LoopJvp::unpack(ValueRange values, SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) const {
  SmallVector<Value> inOrder(values.size());
  for (auto [value, number] : llvm::zip_equal(values, resultOrder))
    inOrder[number] = value;
  ValueRange all = inOrder;
  llvm::append_range(results, all.take_front(activeResults.size()));
  SmallVector<Value> outTangents(activeResults.size());
  scatterTo(all.drop_front(activeResults.size()), activeResults, outTangents);
  llvm::append_range(resultTangents, outTangents);
}

//===- Parts that depend on operands ------------------------------------------------===//

namespace {

/// The parts of a loop under way.
class LoopSplit {
public:
  LoopSplit(Emitter &e, const Loop &loop, const llvm::SmallBitVector &unknown, FunctionTransforms::Split<Body> parts)
      : e(e), loop(loop), unknown(unknown), parts(std::move(parts)), numCarries(loop.inits.size()),
        numKnownArgs((~unknown).count()) {}

  LogicalResult run(SmallVectorImpl<Value> &results);

private:
  Body &known() { return parts.known; }
  Body &rest() { return parts.rest; }
  bool isUnknownResult(unsigned i) const { return i < numCarries ? unknown.test(i) : parts.unknownResults.test(i); }

  void returnAllCarriesFromRest();
  void findInvariants();
  Value runs();
  void gateTangent(BlockArgument argument);
  FailureOr<Value> sizeOutside(Value size);
  FailureOr<Value> hoisted(Value value);
  void emitKnown();
  void emitRest();

  Emitter &e;
  const Loop &loop;
  const llvm::SmallBitVector &unknown;
  FunctionTransforms::Split<Body> parts;
  unsigned numCarries, numKnownArgs;

  /// Loop-invariant values of the known body, and values computed from them outside of the loop.
  DenseSet<Value> invariant, gated;
  IRMapping outside;
  Value anySteps;
  /// For each residual, in order: the operand of the rest that it is, or null if the known part stacks it.
  SmallVector<Value> residuals, residualOperands;
  SmallVector<bool> isSliced;
  SmallVector<Value> knownOuts, restOuts;
};

} // namespace

/// The operands of the loop that are marked in `mask`, of one group.
static SmallVector<Value> markedOf(ArrayRef<Value> group, const llvm::SmallBitVector &mask, unsigned begin) {
  return pick(group, bitsOf(mask, begin, group.size()));
}

// A carry may be unknown only because of its initial value; the value that the body returns for it is then another
// residual.
void LoopSplit::returnAllCarriesFromRest() {
  unsigned numResults = parts.unknownResults.size(), numKnown = numResults - parts.unknownResults.count();
  residuals.assign(known().results.begin() + numKnown, known().results.end());
  SmallVector<Value> knownResults, restResults;
  auto *nextKnown = known().results.begin(), *nextRest = rest().results.begin();
  for (unsigned i = 0; i < numResults; ++i) {
    if (parts.unknownResults.test(i)) {
      restResults.push_back(*nextRest++);
      continue;
    }
    Value value = *nextKnown++;
    if (!isUnknownResult(i)) {
      knownResults.push_back(value);
      continue;
    }
    restResults.push_back(rest().block().insertArgument(residuals.size(), value.getType(), value.getLoc()));
    residuals.push_back(value);
  }
  known().results = knownResults;
  rest().results = restResults;
}

void LoopSplit::findInvariants() {
  unsigned numKnownConsts = markedOf(loop.consts, ~unknown, numCarries + loop.xs.size()).size();
  SmallVector<Value> operands = markedOf(loop.inits, ~unknown, 0);
  llvm::append_range(operands, markedOf(loop.xs, ~unknown, numCarries));
  llvm::append_range(operands, markedOf(loop.consts, ~unknown, numCarries + loop.xs.size()));
  for (auto [argument, operand] :
       llvm::zip_equal(known().arguments().take_back(numKnownConsts), ArrayRef(operands).take_back(numKnownConsts))) {
    invariant.insert(argument);
    outside.map(argument, operand);
  }
  unsigned numKnownCarries = markedOf(loop.inits, ~unknown, 0).size();
  for (Operation &op : known().block()) {
    // Carries and slices have the same sizes in every iteration.
    if (auto query = dyn_cast<SizeQueryOpInterface>(op))
      if (auto argument = dyn_cast<BlockArgument>(op.getOperand(0)); argument && !invariant.contains(argument)) {
        bool isSlice = argument.getArgNumber() >= numKnownCarries;
        outside.map(op.getResult(0),
                    e.size(operands[argument.getArgNumber()], query.getQueriedDimension() + (isSlice ? 1 : 0)));
        invariant.insert(op.getResult(0));
        continue;
      }
    if (llvm::all_of(op.getOperands(), [&](Value operand) { return invariant.contains(operand); }) &&
        !e.transforms().hasEffects(&op))
      invariant.insert(op.result_begin(), op.result_end());
  }
}

/// A size that the body computes from the sizes of its arguments, computed outside the loop; or failure.
FailureOr<Value> LoopSplit::sizeOutside(Value size) {
  Body &body = known();
  SmallVector<Value> operands = markedOf(loop.inits, ~unknown, 0), xs = markedOf(loop.xs, ~unknown, numCarries);
  size_t firstX = operands.size(), firstConst = firstX + xs.size();
  llvm::append_range(operands, xs);
  llvm::append_range(operands, markedOf(loop.consts, ~unknown, numCarries + loop.xs.size()));
  llvm::SmallBitVector absent(operands.size());
  SmallVector<Value> arguments, sizes;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    absent[i] = isa<RankedTensorType>(operand.getType());
    if (absent[i])
      llvm::append_range(sizes, sizesOfSlice(e, operand, i >= firstX && i < firstConst));
    else
      arguments.push_back(operand);
  }
  llvm::append_range(arguments, sizes);
  FailureOr<Body> made = sizesIn(e, body, size, absent);
  if (failed(made))
    return failure();
  return inlineBody(e.builder, *made, arguments).front();
}

/// True if the loop runs at least one iteration.
Value LoopSplit::runs() {
  auto scalar = RankedTensorType::get({}, e.builder.getI32Type());
  Value steps = loop.count         ? loop.count
                : loop.length == 0 ? e.zeros(scalar, {})
                                   : e.make<FromIndexOp>(scalar, e.size(loop.xs[0], 0));
  return e.greater(steps, e.zerosLike(steps));
}

/// Blocks cotangents of a constant that is used outside if there are no iterations: the outside computation then
/// belongs to no iteration, and where it has no derivative, a cotangent would be 0 times infinity.
void LoopSplit::gateTangent(BlockArgument argument) {
  Value operand = outside.lookup(argument);
  if ((loop.length > 0 && !loop.count) || !mayHaveTangent(operand) || !gated.insert(argument).second)
    return;
  if (!anySteps)
    anySteps = runs();
  outside.map(argument, selectLeading(e, anySteps, operand, e.make<StopGradientOp>(operand)));
}

/// An invariant value, computed outside of the loop.
FailureOr<Value> LoopSplit::hoisted(Value value) {
  SmallVector<Operation *> pending;
  if (!outside.contains(value))
    pending.push_back(value.getDefiningOp());
  while (!pending.empty()) {
    Operation *op = pending.back();
    size_t before = pending.size();
    for (Value operand : op->getOperands())
      if (!outside.contains(operand))
        pending.push_back(operand.getDefiningOp());
    if (pending.size() != before)
      continue;
    pending.pop_back();
    if (outside.contains(op->getResult(0)))
      continue;
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand))
        gateTangent(argument);
    e.builder.clone(*op, outside);
  }
  return outside.lookup(value);
}

void LoopSplit::emitKnown() {
  Loop part = loop;
  part.inits = markedOf(loop.inits, ~unknown, 0);
  part.xs = markedOf(loop.xs, ~unknown, numCarries);
  part.consts = markedOf(loop.consts, ~unknown, numCarries + loop.xs.size());
  for (auto [residual, operand] : llvm::zip_equal(residuals, residualOperands))
    if (!operand)
      known().results.push_back(residual);
  // A loop must return arrays; other values have been found to be invariant.
  if (!known().results.empty() || e.transforms().hasEffects(known().block()))
    knownOuts = part.emit(e, std::move(parts.known));
}

void LoopSplit::emitRest() {
  Loop part = loop;
  part.inits = markedOf(loop.inits, unknown, 0);
  part.xs = markedOf(loop.xs, unknown, numCarries);
  part.consts = markedOf(loop.consts, unknown, numCarries + loop.xs.size());
  unsigned numResiduals = residuals.size();
  auto numbers = [&](unsigned from, size_t count) {
    return llvm::to_vector_of<unsigned>(llvm::seq<unsigned>(from, from + count));
  };
  unsigned next = numResiduals;
  SmallVector<unsigned> order = numbers(next, part.inits.size());
  next += part.inits.size();
  llvm::append_range(order, numbers(next, part.xs.size()));
  next += part.xs.size();
  SmallVector<unsigned> constArgs = numbers(next, part.consts.size());
  for (unsigned i = 0; i < numResiduals; ++i) {
    if (isSliced[i]) {
      order.push_back(i);
      part.xs.push_back(residualOperands[i]);
    } else {
      constArgs.push_back(i);
      part.consts.push_back(residualOperands[i]);
    }
  }
  llvm::append_range(order, constArgs);
  rest().arrange(order);
  if (!rest().results.empty() || e.transforms().hasEffects(rest().block()))
    restOuts = part.emit(e, std::move(parts.rest));
}

LogicalResult LoopSplit::run(SmallVectorImpl<Value> &results) {
  llvm::SmallBitVector unknownResults(parts.unknownResults);
  for (unsigned i = 0; i < unknownResults.size(); ++i)
    unknownResults[i] = isUnknownResult(i);
  unsigned numKnownResults = unknownResults.size() - unknownResults.count();
  returnAllCarriesFromRest();
  findInvariants();
  SmallVector<Value> knownXs = markedOf(loop.xs, ~unknown, numCarries);
  unsigned firstX = markedOf(loop.inits, ~unknown, 0).size();
  for (Value residual : residuals) {
    auto argument = dyn_cast<BlockArgument>(residual);
    bool isX = argument && argument.getArgNumber() >= firstX && argument.getArgNumber() < firstX + knownXs.size();
    bool isInvariant = invariant.contains(residual);
    if (!isInvariant && !isa<RankedTensorType>(residual.getType())) {
      FailureOr<Value> size = sizeOutside(residual);
      if (failed(size))
        return emitError(e.loc) << "a size that differs between the steps of a loop cannot be kept for its derivative";
      isSliced.push_back(false);
      residualOperands.push_back(*size);
      continue;
    }
    isSliced.push_back(!isInvariant);
    if (isX)
      residualOperands.push_back(knownXs[argument.getArgNumber() - firstX]);
    else
      residualOperands.push_back(isInvariant ? *hoisted(residual) : Value());
  }
  emitKnown();
  ArrayRef<Value> stacked = ArrayRef<Value>(knownOuts).drop_front(numKnownResults);
  for (Value &operand : residualOperands)
    if (!operand) {
      operand = stacked.front();
      stacked = stacked.drop_front();
    }
  emitRest();
  SmallVector<Value> all(unknownResults.size());
  scatterTo(ArrayRef<Value>(knownOuts).take_front(numKnownResults), ~unknownResults, all);
  scatterTo(restOuts, unknownResults, all);
  llvm::append_range(results, all);
  return success();
}

Body masked(Emitter &e, Region &source, unsigned numInits, unsigned numXs, const llvm::SmallBitVector &tangents) {
  SmallVector<Type> types(source.getArgumentTypes());
  auto scalar = RankedTensorType::get({}, IntegerType::get(source.getContext(), 32));
  types.insert(types.begin() + numInits + numXs, scalar);
  types.push_back(scalar);
  Body body(locOf(source), types);
  SmallVector<Value> arguments(body.arguments().drop_back());
  Value step = arguments[numInits + numXs], count = body.arguments().back();
  arguments.erase(arguments.begin() + numInits + numXs);
  BodyEmitter inner(e, body);
  Value runs = inner.greater(count, step);
  // An iteration past the end may have no derivatives: no cotangent, which would be 0 times infinity, leaves it.
  SmallVector<Value> taken(arguments);
  for (auto [i, arg] : llvm::enumerate(taken)) {
    if (source.getArgument(i).use_empty() || !mayHaveTangent(arg))
      continue;
    bool isTangent = i < tangents.size() && tangents.test(i);
    Value past = isTangent ? inner.zerosLike(arg) : Value(inner.make<StopGradientOp>(arg));
    arg = selectLeading(inner, runs, arg, past);
  }
  SmallVector<Value> results = inlineBody(inner.builder, source, taken);
  for (auto [i, result] : llvm::enumerate(results)) {
    Value past = i < numInits ? arguments[i] : inner.zerosLike(result);
    body.results.push_back(selectLeading(inner, runs, result, past));
  }
  return body;
}

Keeping keepingOfLoop(unsigned numCarries, unsigned numXs, unsigned count) {
  Keeping keeping(llvm::SmallBitVector(count, true));
  keeping.free.reset(0, numCarries);
  keeping.loopInvariant.reset(0, numCarries + numXs);
  return keeping;
}

LogicalResult splitLoop(Emitter &e, const Loop &loop, FunctionTransforms::Split<Body> parts,
                        const llvm::SmallBitVector &unknown, SmallVectorImpl<Value> &results) {
  return LoopSplit(e, loop, unknown, std::move(parts)).run(results);
}

} // namespace dovetail
