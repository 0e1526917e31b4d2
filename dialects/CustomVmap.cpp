// Functions with custom batching rules: verification and rules.
#include "CustomRules.h"
#include "ProgramRules.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The function over the batch, and the arguments and results that are batched.
struct Batched {
  func::FuncOp function;
  SmallVector<bool> arguments, results;
};

} // namespace

LogicalResult CustomVmapOp::verifySymbolUses(SymbolTableCollection &symbols) {
  unsigned count = getArgs().size();
  for (Attribute numbers : llvm::reverse(getJvps().value_or(ArrayAttr::get(getContext(), {})))) {
    auto tangents = dyn_cast<DenseI64ArrayAttr>(numbers);
    if (!tangents || tangents.size() > count ||
        failed(verifyDims(getLoc(), getOperationName(), "jvps", tangents.asArrayRef(), count - tangents.size(), true)))
      return emitOpError() << "jvps must be lists of the numbers of arguments whose tangents follow, got: " << numbers;
    count -= tangents.size();
  }
  return verifyCall(*this, getCalleeAttr(), symbols);
}

static auto calls(Emitter &e) {
  return [&e](func::FuncOp function, ValueRange args) { return emitCall(e, function, args); };
}

/// The jvp of a function, with a tangent for each differentiable result.
static FailureOr<Body> fullJvp(Emitter &e, func::FuncOp function, const llvm::SmallBitVector &active) {
  auto made = e.transforms().jvp(function.getBody(), active);
  if (failed(made))
    return failure();
  Body body = std::move(made->function);
  BodyEmitter inner(e, body);
  unsigned numResults = function.getNumResults();
  SmallVector<Value> tangents(numResults), primals(ArrayRef<Value>(body.results).take_front(numResults));
  scatterTo(ValueRange(body.results).drop_front(numResults), made->activeResults, tangents);
  body.results = primals;
  for (auto [primal, tangent] : llvm::zip_equal(primals, tangents))
    if (isDifferentiable(primal.getType()))
      body.results.push_back(tangent ? tangent : inner.zerosLike(primal));
  return body;
}

// The derivative is again a function with a batching rule: the derivative of the rule's result. A rule does not cover
// captured values; if one of them has a tangent, the function itself is differentiated.
LogicalResult CustomVmapOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  func::FuncOp callee = e.transforms().lookup(getCalleeAttr());
  unsigned numArgs = getArgs().size(), numCaptured = getCaptured().size(), numResults = getNumResults();
  llvm::SmallBitVector active = present(tangents);
  if (llvm::any_of(tangents.drop_front(numArgs), [](Value tangent) { return static_cast<bool>(tangent); }))
    return jvpOfCall(e, callee, primals, tangents, results, resultTangents, calls(e));
  FailureOr<Body> body = fullJvp(e, callee, active);
  if (failed(body))
    return failure();
  SmallVector<int64_t> order = range(0, numArgs);
  unsigned numTangents = active.count(), first = numArgs + numCaptured;
  llvm::append_range(order, range(first, first + numTangents));
  llvm::append_range(order, range(numArgs, first));
  body->arrange(llvm::to_vector_of<unsigned>(order));
  func::FuncOp made = e.transforms().add(callee, ".jvp", std::move(*body));

  SmallVector<Value> args(primals.take_front(numArgs));
  llvm::append_range(args, presentOf(tangents));
  SmallVector<Attribute> jvps;
  if (getJvps())
    llvm::append_range(jvps, *getJvps());
  jvps.push_back(e.builder.getDenseI64ArrayAttr(llvm::to_vector_of<int64_t>(active.set_bits())));
  auto op = CustomVmapOp::create(e.builder, e.loc, made.getResultTypes(), made.getSymName(), getBatchRule(),
                                 e.builder.getArrayAttr(jvps), args, primals.drop_front(numArgs));
  ValueRange outs = op->getResults();
  llvm::append_range(results, outs.take_front(numResults));
  outs = outs.drop_front(numResults);
  for (Type type : getResultTypes()) {
    bool hasTangent = isDifferentiable(type);
    resultTangents.push_back(hasTangent ? outs.front() : Value());
    outs = outs.drop_front(hasTangent);
  }
  return success();
}

/// The derivative of a function without the batch, over the batch in the marked arguments.
static FailureOr<Batched> batchJvp(Emitter &e, func::FuncOp function, const llvm::SmallBitVector &active,
                                   ArrayRef<bool> batched) {
  FailureOr<Body> body = fullJvp(e, function, active);
  if (failed(body))
    return failure();
  BatchedTogether over(e);
  auto dims = llvm::map_to_vector(batched, [](bool hasBatch) { return hasBatch ? 0 : kUnbatched; });
  if (failed(over.add(e.transforms().add(function, ".jvp", std::move(*body)), dims)))
    return failure();
  Batched result;
  // Not `to_vector`, which would take its two pointers for a list of bools.
  result.arguments.assign(batched.begin(), batched.end());
  for (auto [i, dim] : llvm::enumerate(llvm::to_vector(over.resultDims(0)))) {
    result.results.push_back(dim != kUnbatched);
    if (dim != kUnbatched)
      over.align(0, i, 0);
  }
  result.function = over.finish(0);
  return result;
}

/// The batched function, where at least the marked arguments are batched: a tangent is batched if its primal is. Only
/// the first `count` of `jvps` have been applied.
static FailureOr<Batched> askRule(CustomVmapOp op, Emitter &e, SmallVector<bool> batched, ArrayRef<Attribute> jvps) {
  if (jvps.empty()) {
    FailureOr<MadeByRule> made =
        askProgram(op, op.getCallee(), e, {RuleKind::Batch, op.getBatchRule(), batched, {}, e.batchSize});
    if (failed(made))
      return failure();
    return Batched{made->function, batched, made->marks};
  }
  ArrayRef<int64_t> withTangents = cast<DenseI64ArrayAttr>(jvps.back()).asArrayRef();
  unsigned numArgs = batched.size() - withTangents.size();
  llvm::SmallBitVector active(numArgs);
  SmallVector<bool> ofBoth(ArrayRef<bool>(batched).take_front(numArgs));
  for (auto [i, number] : llvm::enumerate(withTangents)) {
    active.set(number);
    ofBoth[number] = ofBoth[number] && batched[numArgs + i];
  }
  // If only values or only tangents have the batch, the others need not get it: the rule returns a function of one
  // element, whose derivative is batched like that of any function.
  if (llvm::is_contained(batched, true) && !llvm::is_contained(ofBoth, true)) {
    FailureOr<Batched> below = askRule(op, e, ofBoth, jvps.drop_back());
    if (failed(below))
      return failure();
    if (!llvm::is_contained(below->results, true))
      return batchJvp(e, below->function, active, batched);
  }
  SmallVector<bool> ofArgs(ArrayRef<bool>(batched).take_front(numArgs));
  for (auto [i, number] : llvm::enumerate(withTangents))
    ofArgs[number] = ofArgs[number] || batched[numArgs + i];
  FailureOr<Batched> below = askRule(op, e, ofArgs, jvps.drop_back());
  if (failed(below))
    return failure();
  FailureOr<Body> body = fullJvp(e, below->function, active);
  if (failed(body))
    return failure();
  Batched result = *below;
  for (int64_t number : withTangents)
    result.arguments.push_back(below->arguments[number]);
  for (auto [type, isBatched] : llvm::zip_equal(below->function.getResultTypes(), below->results))
    if (isDifferentiable(type))
      result.results.push_back(isBatched);
  result.function = e.transforms().add(below->function, ".jvp", std::move(*body));
  return result;
}

LogicalResult CustomVmapOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                  SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  unsigned numArgs = getArgs().size();
  auto isBatched = [](int64_t dim) { return dim != kUnbatched; };
  if (llvm::any_of(dims.drop_front(numArgs), isBatched))
    return emitError() << "'" << getCallee()
                       << "', which has a rule for vmap, must not close over a value that depends on "
                       << "the batch, since the rule knows nothing of it; pass the value as an argument";
  SmallVector<Attribute> jvps;
  if (getJvps())
    llvm::append_range(jvps, *getJvps());
  FailureOr<Batched> made = askRule(*this, e, llvm::map_to_vector(dims.take_front(numArgs), isBatched), jvps);
  if (failed(made))
    return failure();
  SmallVector<Value> args;
  for (unsigned i = 0; i < numArgs; ++i)
    args.push_back(made->arguments[i] ? e.batchAt(operands[i], dims[i], 0) : operands[i]);
  llvm::append_range(results, emitCall(e, made->function, args));
  for (bool hasBatch : made->results)
    resultDims.push_back(hasBatch ? 0 : kUnbatched);
  return success();
}

//===- As a call -----------------------------------------------------------------------===//

OperandSets CustomVmapOp::linearSets() { return linearSetsOfCall(*this); }

LogicalResult CustomVmapOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                      MutableArrayRef<Value> operandCotangents) {
  return transposeCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, cotangents, operandCotangents,
                       calls(e));
}

LogicalResult CustomVmapOp::split(Emitter &e, const llvm::SmallBitVector &unknown, ValueRange operands,
                                  SmallVectorImpl<Value> &results) {
  return splitCall(e, e.transforms().lookup(getCalleeAttr()), unknown, operands, results, calls(e));
}

Value CustomVmapOp::resultSize(Emitter &e, ValueRange operands, unsigned result, int64_t dimension) {
  return sizeOfCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, result, dimension);
}

} // namespace dovetail
