// Branches: their rules.
#include "Control.h"
#include "Create.h"
#include "DerivativeMarks.h"
#include "Grid.h"
#include "Pointwise.h"
#include "Shape.h"
#include "Size.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

static ValueRange emitCase(Emitter &e, Value index, ValueRange args, MutableArrayRef<Body> branches) {
  auto types = llvm::to_vector(ValueRange(branches[0].results).getTypes());
  auto chosen = CaseOp::create(e.builder, e.loc, types, index, args, branches.size());
  for (auto [region, body] : llvm::zip_equal(chosen.getBranches(), branches))
    fill(region, std::move(body));
  return chosen->getResults();
}

LogicalResult CaseOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                          SmallVectorImpl<Value> &resultTangents) {
  llvm::SmallBitVector active = present(tangents.drop_front()), activeResults(getNumResults());
  SmallVector<Body> branches;
  SmallVector<SmallVector<Value>> outTangents;
  bool isKernel = (*this)->hasAttr(kKernel);
  for (Region &branch : isKernel ? getBranches().take_front(1) : getBranches()) {
    auto made = e.transforms().jvp(branch, active);
    if (failed(made))
      return failure();
    activeResults |= made->activeResults;
    SmallVector<Value> own(getNumResults());
    scatterTo(ValueRange(made->function.results).drop_front(getNumResults()), made->activeResults, own);
    made->function.results.resize(getNumResults());
    outTangents.push_back(own);
    branches.push_back(std::move(made->function));
  }
  for (auto [body, own] : llvm::zip_equal(branches, outTangents)) {
    BodyEmitter inner(e, body);
    SmallVector<Value> outs(body.results);
    for (unsigned i : activeResults.set_bits())
      body.results.push_back(own[i] ? own[i] : inner.zerosLike(outs[i]));
  }
  SmallVector<Value> args(primals.drop_front());
  llvm::append_range(args, presentOf(tangents.drop_front()));
  // The derivative of a kernel is one of plain ops, of which few values are kept.
  SmallVector<Value> inlined;
  if (isKernel)
    inlined = inlineBody(e.builder, branches[0], args);
  ValueRange outs = inlined.empty() ? emitCase(e, primals[0], args, branches) : ValueRange(inlined);
  llvm::append_range(results, outs.take_front(getNumResults()));
  SmallVector<Value> all(getNumResults());
  scatterTo(outs.drop_front(getNumResults()), activeResults, all);
  llvm::append_range(resultTangents, all);
  return success();
}

OperandSets CaseOp::linearSets() { return {llvm::to_vector_of<unsigned, 3>(llvm::seq<unsigned>(1, getNumOperands()))}; }

//===- Transposition ---------------------------------------------------------------===//

FailureOr<bool> CaseOp::needsSplit(Emitter &, const llvm::SmallBitVector &) { return false; }

LogicalResult CaseOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                MutableArrayRef<Value> operandCotangents) {
  llvm::SmallBitVector linear = ~present(operands.drop_front()), wanted = present(cotangents);
  SmallVector<Body> branches;
  SmallVector<SmallVector<Value>> found;
  llvm::SmallBitVector nonzero(linear.size());
  for (Region &branch : getBranches()) {
    auto made = e.transforms().transpose(branch, linear, wanted);
    if (failed(made))
      return failure();
    SmallVector<Value> ofLinear(linear.count()), own(linear.size());
    scatterTo(made->function.results, made->nonzero, ofLinear);
    scatterTo(ofLinear, linear, own);
    nonzero |= present(own);
    found.push_back(own);
    branches.push_back(std::move(made->function));
  }
  if (nonzero.none())
    return success();
  SmallVector<Value> args = presentOf(operands.drop_front());
  // The position of the first size of linear argument i among the arguments.
  SmallVector<unsigned> sizesBegin(linear.size());
  for (unsigned i : linear.set_bits()) {
    sizesBegin[i] = args.size();
    llvm::append_range(args, e.sizes(getArgs()[i]));
  }
  llvm::append_range(args, presentOf(cotangents));
  for (auto [body, own] : llvm::zip_equal(branches, found)) {
    BodyEmitter inner(e, body);
    body.results.clear();
    for (unsigned i : nonzero.set_bits()) {
      auto type = cast<RankedTensorType>(getArgs()[i].getType());
      ValueRange sizes = body.arguments().slice(sizesBegin[i], type.getNumDynamicDims());
      body.results.push_back(own[i] ? own[i] : inner.zeros(type, sizes));
    }
  }
  SmallVector<Value> outs = llvm::to_vector_of<Value>(emitCase(e, operands[0], args, branches));
  // Each branch computes the sizes in its own way; they are those of the operands.
  for (auto [out, i] : llvm::zip_equal(outs, nonzero.set_bits()))
    if (auto type = cast<RankedTensorType>(out.getType()); !type.hasStaticShape())
      out = e.make<WithSizesOp>(out, ValueRange(args).slice(sizesBegin[i], type.getNumDynamicDims()));
  scatterTo(outs, nonzero, operandCotangents.drop_front());
  return success();
}

//===- Parts that depend on operands ---------------------------------------------------===//

namespace {

/// The source of a residual for the rest of a branch: among the known arguments of the case op, in a slot that all
/// branches share, or among the sizes computed before it.
struct ResidualSource {
  enum Kind { Argument, Slot, Size } kind;
  unsigned number;
};

/// The residuals of one branch.
struct BranchParts {
  FunctionTransforms::Split<Body> parts;
  SmallVector<Value> residuals;
  /// For each residual.
  SmallVector<ResidualSource> sources;
  /// The value in each slot.
  SmallVector<Value> kept;

  /// Makes the results marked in `unknown` those of the rest, and takes the residuals from the known results.
  void separate(const llvm::SmallBitVector &unknown);
};

} // namespace

void BranchParts::separate(const llvm::SmallBitVector &unknown) {
  Body &known = parts.known, &rest = parts.rest;
  unsigned numResults = unknown.size(), numKnown = numResults - parts.unknownResults.count();
  residuals.assign(known.results.begin() + numKnown, known.results.end());
  SmallVector<Value> knownResults, restResults;
  auto *nextKnown = known.results.begin(), *nextRest = rest.results.begin();
  for (unsigned i = 0; i < numResults; ++i) {
    bool isFromRest = parts.unknownResults.test(i);
    Value value = isFromRest ? *nextRest++ : *nextKnown++;
    if (!unknown.test(i)) {
      knownResults.push_back(value);
    } else if (isFromRest) {
      restResults.push_back(value);
    } else {
      restResults.push_back(rest.block().insertArgument(residuals.size(), value.getType(), value.getLoc()));
      residuals.push_back(value);
    }
  }
  known.results = knownResults;
  rest.results = restResults;
}

/// Fills the slots that a branch does not use with zeros of the size that other branches keep there.
static LogicalResult fillSlots(Emitter &e, ArrayRef<Type> slots, MutableArrayRef<BranchParts> branches) {
  for (auto [number, slot] : llvm::enumerate(slots)) {
    auto type = dyn_cast<RankedTensorType>(slot);
    FailureOr<Body> sizes = failure();
    if (type && !type.hasStaticShape()) {
      auto *owner = llvm::find_if(branches, [&](BranchParts &branch) { return branch.kept[number]; });
      Body &known = owner->parts.known;
      sizes = sizesIn(e, known, owner->kept[number], llvm::SmallBitVector(known.arguments().size()));
      if (failed(sizes))
        return failure();
    }
    for (BranchParts &branch : branches) {
      if (branch.kept[number])
        continue;
      Body &known = branch.parts.known;
      BodyEmitter inner(e, known);
      SmallVector<Value> own;
      if (succeeded(sizes))
        own = inlineBody(inner.builder, *sizes, known.arguments());
      branch.kept[number] = type ? inner.zeros(type, own) : inner.make<arith::ConstantIndexOp>(0);
    }
  }
  return success();
}

/// A value that a branch computes only from sizes of its arguments, computed before the case op; or null.
static Value sizeInFront(Emitter &e, Value size, ValueRange args, IRMapping &made) {
  if (auto argument = dyn_cast<BlockArgument>(size))
    return args[argument.getArgNumber()];
  if (Value known = made.lookupOrNull(size))
    return known;
  Operation *op = size.getDefiningOp();
  if (auto query = dyn_cast<SizeQueryOpInterface>(op)) {
    auto argument = dyn_cast<BlockArgument>(op->getOperand(0));
    if (argument)
      made.map(size, e.size(args[argument.getArgNumber()], query.getQueriedDimension()));
    return made.lookupOrNull(size);
  }
  if (op->getNumRegions() != 0 || !isPure(op))
    return nullptr;
  for (Value operand : op->getOperands())
    if (!operand.getType().isIndex() || !sizeInFront(e, operand, args, made))
      return nullptr;
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, sizeInFront(e, operand, args, made));
  made.map(op->getResults(), e.builder.clone(*op, operands)->getResults());
  return made.lookup(size);
}

/// Assigns each residual of each branch a source: the types of the slots, and the sizes. Branches share slots of arrays
/// of known sizes that are not integers.
static SmallVector<Type> assignPlaces(Emitter &e, ValueRange args, MutableArrayRef<BranchParts> branches,
                                      SmallVectorImpl<Value> &sizes) {
  SmallVector<Type> slots;
  for (BranchParts &branch : branches) {
    llvm::SmallBitVector used(slots.size());
    IRMapping made;
    for (Value residual : branch.residuals) {
      if (auto argument = dyn_cast<BlockArgument>(residual)) {
        branch.sources.push_back({ResidualSource::Argument, argument.getArgNumber()});
        continue;
      }
      // A value that is not an array cannot hold one value for each of a batch of choices.
      Value size = residual.getType().isIndex() ? sizeInFront(e, residual, args, made) : Value();
      if (size) {
        branch.sources.push_back({ResidualSource::Size, unsigned(sizes.size())});
        sizes.push_back(size);
        continue;
      }
      auto array = dyn_cast<RankedTensorType>(residual.getType());
      // In a batch of choices, all branches share the slots: for iteration counts, the largest is taken.
      bool mayShare = array && array.hasStaticShape() && !array.getElementType().isInteger();
      unsigned slot = mayShare ? 0 : slots.size();
      while (slot < slots.size() && (used.test(slot) || slots[slot] != residual.getType()))
        ++slot;
      if (slot == slots.size()) {
        slots.push_back(residual.getType());
        used.resize(slots.size());
      }
      used.set(slot);
      branch.sources.push_back({ResidualSource::Slot, slot});
    }
  }
  return slots;
}

LogicalResult CaseOp::split(Emitter &e, const llvm::SmallBitVector &unknown, ValueRange operands,
                            SmallVectorImpl<Value> &results) {
  if (unknown.test(0)) {
    llvm::append_range(results, cloneWith(e, *this, operands, getResultTypes())->getResults());
    return success();
  }
  llvm::SmallBitVector mask = bitsOf(unknown, 1, getArgs().size()), unknownResults(getNumResults());
  SmallVector<BranchParts, 2> branches;
  // Slots that one branch fills have sizes that the others know, too.
  Keeping keeping(llvm::SmallBitVector(mask.size(), true));
  keeping.loopInvariant.reset();
  for (Region &branch : getBranches()) {
    auto parts = e.transforms().split(branch, mask, keeping);
    if (failed(parts))
      return failure();
    unknownResults |= parts->unknownResults;
    branches.push_back({std::move(*parts), {}, {}, {}});
  }
  for (BranchParts &branch : branches)
    branch.separate(unknownResults);
  SmallVector<Value> knownArgs = pick(operands.drop_front(), ~mask), restArgs = pick(operands.drop_front(), mask);
  SmallVector<Value> sizes;
  SmallVector<Type> slots = assignPlaces(e, knownArgs, branches, sizes);
  for (BranchParts &branch : branches) {
    branch.kept.resize(slots.size());
    for (auto [residual, source] : llvm::zip_equal(branch.residuals, branch.sources))
      if (source.kind == ResidualSource::Slot)
        branch.kept[source.number] = residual;
  }
  if (failed(fillSlots(e, slots, branches)))
    return failure();

  SmallVector<Body> knownBodies, restBodies;
  // The rests take those known arguments that one of them keeps.
  llvm::SmallBitVector isKept(knownArgs.size());
  for (BranchParts &branch : branches)
    for (ResidualSource source : branch.sources)
      if (source.kind == ResidualSource::Argument)
        isKept.set(source.number);
  SmallVector<Value> kept = pick(knownArgs, isKept);
  unsigned numSlots = slots.size(), numKeptArgs = kept.size();
  llvm::append_range(kept, sizes);
  unsigned numKept = kept.size();
  SmallVector<Type> restTypes(slots);
  llvm::append_range(restTypes, ValueRange(kept).getTypes());
  llvm::append_range(restTypes, ValueRange(restArgs).getTypes());
  for (BranchParts &branch : branches) {
    Body &known = branch.parts.known, &rest = branch.parts.rest;
    SmallVector<unsigned> positions;
    for (ResidualSource source : branch.sources)
      positions.push_back(source.kind == ResidualSource::Slot ? source.number
                          : source.kind == ResidualSource::Argument
                              ? numSlots + bitsOf(isKept, 0, source.number).count()
                              : numSlots + numKeptArgs + source.number);
    llvm::append_range(known.results, branch.kept);
    for (unsigned i = 0; i < restArgs.size(); ++i)
      positions.push_back(numSlots + numKept + i);
    rest.arrange(positions, restTypes);
    knownBodies.push_back(std::move(known));
    restBodies.push_back(std::move(rest));
  }

  SmallVector<Value> knownOuts, restOuts;
  auto haveEffects = [&](Body &body) { return e.transforms().hasEffects(body.block()); };
  if (!knownBodies[0].results.empty() || llvm::any_of(knownBodies, haveEffects))
    knownOuts = llvm::to_vector_of<Value>(emitCase(e, operands[0], knownArgs, knownBodies));
  SmallVector<Value> all(getNumResults()), args(ArrayRef<Value>(knownOuts).take_back(numSlots));
  llvm::append_range(args, kept);
  llvm::append_range(args, restArgs);
  if (unknownResults.any() || llvm::any_of(restBodies, haveEffects))
    restOuts = llvm::to_vector_of<Value>(emitCase(e, operands[0], args, restBodies));
  scatterTo(ArrayRef<Value>(knownOuts).drop_back(numSlots), ~unknownResults, all);
  scatterTo(restOuts, unknownResults, all);
  llvm::append_range(results, all);
  return success();
}

//===- Batching -----------------------------------------------------------------------------===//

/// All branches run, and each element of the batch takes its own.
///
/// A branch that an element does not take has derivatives there too, which may be infinite. Its results are masked, and
/// so are the tangents of its arguments: no cotangent, which would be 0 times infinity, leaves the branch through them.
static LogicalResult batchAllBranches(Emitter &e, CaseOp op, ValueRange operands, ArrayRef<int64_t> dims,
                                      SmallVectorImpl<Value> &results) {
  Value index = e.batchAt(operands[0], dims[0], 0);
  unsigned last = op.getBranches().size() - 1;
  for (auto [number, branch] : llvm::enumerate(op.getBranches())) {
    if (failed(checkRunsForAll(e, op, "vmap-of-cond", branch)))
      return failure();
    Value from = number == 0 ? Value() : e.greater(index, e.full(index, number - 1.0));
    Value to = number == last ? Value() : e.greater(e.full(index, number + 1.0), index);
    Value taken = from && to ? e.both(from, to) : from ? from : to;
    SmallVector<Value> args(operands.drop_front());
    SmallVector<int64_t> argDims(dims.drop_front());
    for (auto [arg, dim, inside] : llvm::zip_equal(args, argDims, branch.getArguments())) {
      if (!taken || inside.use_empty() || !mayHaveTangent(arg))
        continue;
      int64_t at = dim == kUnbatched ? 0 : dim;
      arg = gateTangent(e, taken, e.batchAt(arg, dim, at), at);
      dim = at;
    }
    auto batched = e.transforms().batch(branch, argDims, e.batchSize);
    if (failed(batched))
      return failure();
    SmallVector<Value> outs = inlineBody(e.builder, batched->function, args);
    for (auto [i, out] : llvm::enumerate(outs)) {
      // Sizes are the same in all branches, as their results differ by element; branches without residuals return 0.
      bool isSize = out.getType().isIndex();
      Value aligned = isSize ? out : e.batchAt(out, batched->resultDims[i], 0);
      if (number == 0)
        results.push_back(aligned);
      else if (isSize)
        results[i] = e.make<arith::MaxSIOp>(results[i], out);
      else
        results[i] = selectLeading(e, from, aligned, results[i]);
    }
  }
  return success();
}

LogicalResult CaseOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<int64_t> &resultDims) {
  if (dims[0] != kUnbatched) {
    for (Type type : getResultTypes())
      resultDims.push_back(type.isIndex() ? kUnbatched : 0);
    return batchAllBranches(e, *this, operands, dims, results);
  }
  if ((*this)->hasAttr(kKernel))
    return batchKernel(e, *this, operands, dims, results, resultDims);
  SmallVector<FunctionTransforms::Batch<Body>, 2> branches;
  SmallVector<int64_t> common(getNumResults(), kUnbatched);
  for (Region &branch : getBranches()) {
    auto made = e.transforms().batch(branch, dims.drop_front(), e.batchSize);
    if (failed(made))
      return failure();
    for (auto [dim, own] : llvm::zip_equal(common, made->resultDims))
      if (dim == kUnbatched)
        dim = own;
    branches.push_back(std::move(*made));
  }
  SmallVector<Body> bodies;
  for (auto &branch : branches) {
    BodyEmitter inner(e, branch.function);
    inner.findBatchSize(branch.function.arguments(), dims.drop_front());
    for (auto [i, dim] : llvm::enumerate(common))
      if (dim != kUnbatched)
        branch.function.results[i] = inner.batchAt(branch.function.results[i], branch.resultDims[i], dim);
    bodies.push_back(std::move(branch.function));
  }
  llvm::append_range(results, emitCase(e, operands[0], operands.drop_front(), bodies));
  llvm::append_range(resultDims, common);
  return success();
}

//===- Values that go through it -------------------------------------------------------------===//

SmallVector<Value> CaseOp::thread(OpBuilder &b, ValueRange values, ThroughBody through, SeenByBody) {
  unsigned argument = getArgs().size(), result = getNumResults();
  SmallVector<Value> args(getArgs());
  llvm::append_range(args, values);
  SmallVector<Type> types(getResultTypes());
  llvm::append_range(types, values.getTypes());
  auto made = CaseOp::create(b, getLoc(), types, getIndex(), args, getBranches().size());
  for (auto [from, to] : llvm::zip_equal(getBranches(), made.getBranches())) {
    to.takeBody(from);
    threadBody(to, argument, result, values, through);
  }
  return replaceThreaded(*this, made, result, values.size());
}

void CaseOp::forEachTarget(OpOperand &source, function_ref<void(Value, Flow)> visit) {
  unsigned i = source.getOperandNumber();
  if (source.getOwner() != *this)
    visit(getResult(i), Flow::Same);
  else if (i > 0)
    for (Region &branch : getBranches())
      visit(branch.getArgument(i - 1), Flow::Same);
}

//===- Sizes ----------------------------------------------------------------------------------===//

/// Returns true if two values are computed by the same ops from the same values.
static bool isSame(Value a, Value b, DenseMap<std::pair<Value, Value>, bool> &known) {
  auto first = dyn_cast<OpResult>(a), second = dyn_cast<OpResult>(b);
  if (a == b || !first || !second || first.getResultNumber() != second.getResultNumber())
    return a == b;
  auto [found, isNew] = known.try_emplace({a, b}, false);
  if (!isNew)
    return found->second;
  Operation *op = first.getOwner(), *other = second.getOwner();
  bool same = isPure(op) && OperationEquivalence::isEquivalentTo(
                                op, other, [&](Value x, Value y) { return success(isSame(x, y, known)); }, nullptr,
                                OperationEquivalence::IgnoreLocations);
  return known[{a, b}] = same;
}

// The branches may differ in their sizes: the one that is taken determines them.
Value CaseOp::resultSize(Emitter &e, ValueRange operands, unsigned result, int64_t dimension) {
  SmallVector<Body> branches;
  SmallVector<Value> args;
  llvm::SmallBitVector absent(getArgs().size());
  for (auto [i, arg] : llvm::enumerate(getArgs())) {
    absent[i] = !operands[i + 1];
    if (operands[i + 1])
      args.push_back(operands[i + 1]);
  }
  for (unsigned i : absent.set_bits())
    llvm::append_range(args, e.sizes(getArgs()[i]));
  SmallVector<Value> sizes;
  for (Region &branch : getBranches()) {
    auto made = e.transforms().sizes(branch, absent);
    if (failed(made))
      return nullptr;
    made->results = {made->results[sizePosition(returned(branch), result, dimension)]};
    made->prune(/*keepEffects=*/false);
    sizes.push_back(inlineBody(e.builder, *made, args).front());
    branches.push_back(std::move(*made));
  }
  DenseMap<std::pair<Value, Value>, bool> known;
  if (llvm::all_of(sizes, [&](Value size) { return isSame(sizes[0], size, known); }))
    return sizes[0];
  if (operands[0])
    return emitCase(e, operands[0], args, branches)[0];
  emitOpError() << "whose branch depends on what is transposed has no size";
  return nullptr;
}

} // namespace dovetail
