// Loops that run as long as a predicate holds: their rules.
#include "Control.h"
#include "Create.h"
#include "DerivativeMarks.h"
#include "Pointwise.h"
#include "Recompute.h"
#include "Reduce.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

/// The same loop with other operands and bodies.
static ValueRange emitWhile(Emitter &e, WhileOp op, ValueRange inits, ValueRange consts, Body cond, Body body) {
  auto loop = WhileOp::create(e.builder, e.loc, inits.getTypes(), inits, consts, op.getMaxStepsAttr());
  fill(loop.getCond(), std::move(cond));
  fill(loop.getBody(), std::move(body));
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return loop->getResults();
}

LogicalResult WhileOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                           SmallVectorImpl<Value> &resultTangents) {
  auto made = jvpOfLoop(e, getBody(), {unsigned(getInits().size()), unsigned(getConsts().size())}, primals, tangents);
  if (failed(made))
    return failure();
  Body cond = copyOf(getCond()), body = std::move(made->body);
  cond.arrange(made->positions, body.block().getArgumentTypes());
  made->unpack(emitWhile(e, *this, made->operands[0], made->operands[1], std::move(cond), std::move(body)), results,
               resultTangents);
  return success();
}

OperandSets WhileOp::linearSets() {
  return {llvm::to_vector_of<unsigned, 3>(llvm::seq<unsigned>(0, getNumOperands()))};
}

/// The known carries at the end of a loop, then its number of iterations. `known` computes the carries that do not
/// depend on unknown operands; those of them that `unknown` marks start as unknown nevertheless, and are not carried.
static FailureOr<ValueRange> countSteps(Emitter &e, WhileOp op, ValueRange operands,
                                        const llvm::SmallBitVector &unknown,
                                        const FunctionTransforms::Split<Body> &parts, Body predicate) {
  unsigned numInits = op.getInits().size();
  SmallVector<Value> inits = pick(operands.take_front(numInits), bitsOf(~unknown, 0, numInits));
  SmallVector<Value> consts =
      pick(operands.drop_front(numInits), bitsOf(~unknown, numInits, unknown.size() - numInits));
  auto number = RankedTensorType::get({}, IntegerType::get(op.getContext(), 32));
  inits.push_back(e.full(number, {}, 0.0));
  // Both bodies take the iteration number after the other carries.
  SmallVector<Type> types(ValueRange(inits).getTypes());
  llvm::append_range(types, ValueRange(consts).getTypes());
  SmallVector<unsigned> positions;
  for (unsigned i = 0; i < types.size(); ++i)
    if (i != inits.size() - 1)
      positions.push_back(i);
  Body body(e.loc, types);
  BodyEmitter inner(e, body);
  SmallVector<Value> outs =
      inlineBody(inner.builder, parts.known, pick(body.arguments(), ArrayRef<unsigned>(positions)));
  unsigned position = 0;
  for (unsigned i = 0; i < numInits; ++i)
    if (!parts.unknownResults.test(i)) {
      if (!unknown.test(i))
        body.results.push_back(outs[position]);
      ++position;
    }
  body.results.push_back(inner.add(body.arguments()[inits.size() - 1], 1.0));
  // The iterations run a second time, which is when their effects happen.
  if (e.transforms().hasEffects(body.block()))
    body.prune(/*keepEffects=*/false);
  for (Operation &inner : body.block())
    if (failed(dropEffects(e.transforms(), &inner)))
      return failure();
  predicate.arrange(positions, types);
  predicate.results.resize(1);
  ValueRange ends = emitWhile(e, op, inits, consts, std::move(predicate), std::move(body));
  ends.front().getDefiningOp()->removeDiscardableAttr(kMasked);
  return ends;
}

// A first loop counts the iterations; a second one, with that count, saves the residuals.
LogicalResult WhileOp::split(Emitter &e, const llvm::SmallBitVector &unknown, ValueRange operands,
                             SmallVectorImpl<Value> &results) {
  unsigned numInits = getInits().size();
  llvm::SmallBitVector mask = unknown;
  FailureOr<FunctionTransforms::Split<Body>> parts = failure();
  if (failed(growCarries(mask, [&](const llvm::SmallBitVector &now) -> FailureOr<llvm::SmallBitVector> {
        parts = e.transforms().split(getBody(), now, keepingOfLoop(numInits, 0, now.size()));
        if (failed(parts))
          return failure();
        return bitsOf(parts->unknownResults, 0, numInits);
      })))
    return failure();
  auto cond = e.transforms().split(getCond(), mask, keepingOfLoop(numInits, 0, mask.size()));
  if (failed(cond))
    return failure();
  if (cond->unknownResults.any()) {
    llvm::append_range(results, cloneWith(e, *this, operands, getResultTypes())->getResults());
    return success();
  }
  llvm::SmallBitVector knownCarries = bitsOf(~mask, 0, numInits);
  FailureOr<ValueRange> ends = countSteps(e, *this, operands, mask, *parts, std::move(cond->known));
  if (failed(ends))
    return failure();

  Loop loop;
  loop.inits = llvm::to_vector(operands.take_front(numInits));
  loop.consts = llvm::to_vector(operands.drop_front(numInits));
  loop.reverse = false;
  loop.length = -1;
  loop.count = ends->back();
  Region bounded;
  // A loop with side effects must not run more iterations than were counted.
  if (std::optional<uint64_t> most = getMaxSteps(); most && !e.transforms().hasEffects(getBody().front())) {
    fill(bounded, masked(e, getBody(), numInits, 0, mask));
    loop.length = *most;
    loop.xs.push_back(
        e.make<IotaOp>(RankedTensorType::get(loop.length, getElementTypeOrSelf(loop.count)), 0, ValueRange()));
    loop.consts.push_back(std::exchange(loop.count, nullptr));
    // Neither the iteration number, which follows the carries, nor the final count is unknown.
    llvm::SmallBitVector withoutStep = mask;
    mask.resize(mask.size() + 2);
    for (unsigned i = numInits; i < withoutStep.size(); ++i)
      mask[i + 1] = withoutStep.test(i);
    mask.reset(numInits);
    parts = e.transforms().split(bounded, mask, keepingOfLoop(numInits, 1, mask.size()));
  }
  SmallVector<Value> all;
  if (failed(parts) || failed(splitLoop(e, loop, std::move(*parts), mask, all)))
    return failure();
  scatterTo(ends->drop_back(), knownCarries, all);
  llvm::append_range(results, all);
  return success();
}

FailureOr<bool> WhileOp::needsSplit(Emitter &, const llvm::SmallBitVector &) { return true; }

LogicalResult WhileOp::transpose(Emitter &, ValueRange, ArrayRef<Value>, MutableArrayRef<Value>) {
  return emitOpError() << "whose number of steps depends on what is differentiated or transposed has no transpose";
}

/// The body for a batch in which some elements have finished, as the argument `runs` after the carries says: these keep
/// their carries. The body has derivatives there too, which may be infinite, so the tangents of its arguments are
/// masked like those of its results: no cotangent, which would be 0 times infinity, leaves it. Carries have their batch
/// in the first dimension, constants in `constDims`.
static FailureOr<Body> maskedStep(Emitter &e, WhileOp op, TypeRange types, ArrayRef<int64_t> constDims) {
  unsigned numInits = op.getInits().size();
  SmallVector<int64_t> outer(numInits + 1, 0), inside(numInits, 0);
  llvm::append_range(outer, constDims);
  llvm::append_range(inside, constDims);
  Body step(e.loc, types);
  BodyEmitter b(e, step);
  b.findBatchSize(step.arguments(), outer);
  Value runs = step.arguments()[numInits];
  SmallVector<Value> args(step.arguments());
  args.erase(args.begin() + numInits);
  for (auto [arg, dim, own] : llvm::zip_equal(args, inside, op.getBody().getArguments())) {
    if (own.use_empty() || !mayHaveTangent(arg))
      continue;
    int64_t at = dim == kUnbatched ? 0 : dim;
    arg = gateTangent(b, runs, b.batchAt(arg, dim, at), at);
    dim = at;
  }
  auto batched = e.transforms().batch(op.getBody(), inside, e.batchSize);
  if (failed(batched))
    return failure();
  SmallVector<Value> outs = inlineBody(b.builder, batched->function, args);
  for (auto [i, out] : llvm::enumerate(outs))
    step.results.push_back(selectLeading(b, runs, b.batchAt(out, batched->resultDims[i], 0), step.arguments()[i]));
  return step;
}

// If the predicate differs between the elements of the batch, it is carried, and the loop runs as long as it holds for
// one of them.
LogicalResult WhileOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                             SmallVectorImpl<int64_t> &resultDims) {
  unsigned numInits = getInits().size();
  SmallVector<int64_t> bodyDims(dims);
  llvm::SmallBitVector batched(numInits);
  for (unsigned i = 0; i < numInits; ++i)
    batched[i] = dims[i] != kUnbatched;
  FailureOr<FunctionTransforms::Batch<Body>> body = failure(), cond = failure();
  bool isPredicateBatched = false;
  if (failed(growCarries(batched, [&](const llvm::SmallBitVector &mask) -> FailureOr<llvm::SmallBitVector> {
        for (unsigned i : mask.set_bits())
          bodyDims[i] = 0;
        body = e.transforms().batch(getBody(), bodyDims, e.batchSize);
        cond = e.transforms().batch(getCond(), bodyDims, e.batchSize);
        if (failed(body) || failed(cond))
          return failure();
        isPredicateBatched = cond->resultDims[0] != kUnbatched;
        llvm::SmallBitVector marked(numInits, isPredicateBatched);
        for (unsigned i = 0; i < numInits; ++i)
          marked[i] = marked[i] || body->resultDims[i] != kUnbatched;
        return marked;
      })))
    return failure();

  SmallVector<Value> arguments(operands);
  for (unsigned i : batched.set_bits())
    arguments[i] = e.batchAt(operands[i], dims[i], 0);
  SmallVector<Value> inits(ArrayRef<Value>(arguments).take_front(numInits));
  ValueRange consts = ValueRange(arguments).drop_front(numInits), outs;
  if (!isPredicateBatched) {
    Body &step = body->function;
    BodyEmitter inner(e, step);
    inner.findBatchSize(step.arguments(), bodyDims);
    for (unsigned i : batched.set_bits())
      step.results[i] = inner.batchAt(step.results[i], body->resultDims[i], 0);
    outs = emitWhile(e, *this, inits, consts, std::move(cond->function), std::move(step));
  } else {
    if (failed(checkRunsForAll(e, *this, "while_loop", getBody())) ||
        failed(checkRunsForAll(e, *this, "while_loop", getCond())))
      return failure();
    inits.push_back(inlineBody(e.builder, cond->function, arguments)[0]);
    SmallVector<Type> types(ValueRange(inits).getTypes());
    llvm::append_range(types, consts.getTypes());
    FailureOr<Body> step = maskedStep(e, *this, types, dims.drop_front(numInits));
    if (failed(step))
      return failure();
    BodyEmitter ends(e, *step);
    SmallVector<Value> next(step->results);
    llvm::append_range(next, step->arguments().drop_front(numInits + 1));
    Value again = inlineBody(ends.builder, cond->function, next)[0];
    step->results.push_back(ends.both(step->arguments()[numInits], again));
    Body any(e.loc, types);
    BodyEmitter predicate(e, any);
    any.results.push_back(predicate.make<ReduceOrOp>(any.arguments()[numInits], ArrayRef<int64_t>{0}));
    outs = emitWhile(e, *this, inits, consts, std::move(any), std::move(*step)).drop_back();
    for (StringRef mark : {StringRef(kRunsForAll), StringRef(kMasked)})
      outs.front().getDefiningOp()->setAttr(mark, e.builder.getUnitAttr());
  }
  llvm::append_range(results, outs);
  for (unsigned i = 0; i < numInits; ++i)
    resultDims.push_back(batched.test(i) ? 0 : kUnbatched);
  return success();
}

//===- Values that go through it ----------------------------------------------------------===//

SmallVector<Value> WhileOp::thread(OpBuilder &b, ValueRange values, ThroughBody through, SeenByBody seen) {
  unsigned position = getInits().size();
  SmallVector<Value> inits(getInits());
  llvm::append_range(inits, values);
  auto made = WhileOp::create(b, getLoc(), ValueRange(inits).getTypes(), inits, getConsts(), getMaxStepsAttr());
  made.getCond().takeBody(getCond());
  seen(made.getCond().front(), addArguments(made.getCond().front(), position, values));
  made.getBody().takeBody(getBody());
  threadBody(made.getBody(), position, position, values, through);
  return replaceThreaded(*this, made, position, values.size());
}

// The predicate is computed before the loop, and at the end of each iteration.
Operation *WhileOp::rotate(OpBuilder &b) {
  unsigned position = getInits().size();
  SmallVector<Value> inits(getInits());
  inits.push_back(inlineBody(b, getCond(), getOperands())[0]);
  Emitter e(b, getLoc());
  SmallVector<Type> types(ValueRange(inits).getTypes());
  llvm::append_range(types, getConsts().getTypes());
  auto others = [&](const Body &body) {
    SmallVector<Value> arguments(body.arguments());
    arguments.erase(arguments.begin() + position);
    return arguments;
  };
  Body cond(getLoc(), types), body(getLoc(), types);
  cond.results.push_back(cond.arguments()[position]);
  OpBuilder inside = body.builder();
  SmallVector<Value> arguments = others(body);
  body.results = inlineBody(inside, getBody(), arguments);
  llvm::copy(body.results, arguments.begin());
  body.results.push_back(inlineBody(inside, getCond(), arguments)[0]);
  ValueRange made = emitWhile(e, *this, inits, getConsts(), std::move(cond), std::move(body));
  replaceAllUsesWith(made.drop_back());
  Operation *loop = made.front().getDefiningOp();
  erase();
  return loop;
}

bool WhileOp::decidesItself(function_ref<bool(Operation *)> concerns) {
  return getCond()
      .walk([&](Operation *op) { return concerns(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

void WhileOp::forEachTarget(OpOperand &source, function_ref<void(Value, Flow)> visit) {
  if (source.getOwner() == getCond().front().getTerminator())
    return;
  unsigned i = source.getOperandNumber();
  visit(getCond().getArgument(i), Flow::Same);
  visit(getBody().getArgument(i), Flow::Same);
  if (i < getInits().size())
    visit(getResult(i), Flow::Same);
}

Value WhileOp::resultSize(Emitter &e, ValueRange, unsigned result, int64_t dimension) {
  return e.size(getInits()[result], dimension);
}

} // namespace dovetail
