// Functions with custom derivative rules: verification and rules.
#include "Custom.h"
#include "CustomRules.h"
#include "ProgramRules.h"

using namespace mlir;

#include "dialects/CustomInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Custom.cpp.inc"

namespace dovetail {

void registerCustomOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Custom.cpp.inc"
      >();
}

//===- Verification ---------------------------------------------------------------===//

static SmallVector<Type> differentiable(TypeRange types) {
  return llvm::to_vector(llvm::make_filter_range(types, isDifferentiable));
}

LogicalResult CustomJvpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyCall(*this, getCalleeAttr(), symbols)))
    return failure();
  SmallVector<Type> arguments(getOperandTypes()), results(getResultTypes());
  llvm::append_range(arguments, differentiable(getArgs().getTypes()));
  llvm::append_range(results, differentiable(getResultTypes()));
  FailureOr<func::FuncOp> rule = findRule(*this, "rule", getRuleAttr(), arguments, symbols);
  if (failed(rule))
    return failure();
  return verifyTypes(*this, "results of rule", results, rule->getResultTypes());
}

SmallVector<unsigned> CustomVjpOp::pulledBack() {
  SmallVector<unsigned> results;
  unsigned firstEcho = getNumResults() - getEchoes(), numProper = firstEcho - getWritten().size();
  for (auto [i, type] : llvm::enumerate(getResultTypes()))
    if ((i < numProper || i >= firstEcho) && isDifferentiable(type))
      results.push_back(i);
  return results;
}

LogicalResult CustomVjpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  int64_t numArgs = getArgs().size(), numStates = getWritten().size() + getEchoes();
  if (failed(verifyCall(*this, getCalleeAttr(), symbols)) ||
      failed(verifyDims(getLoc(), getOperationName(), "wrt", getWrt(), numArgs, true)) ||
      failed(verifyDims(getLoc(), getOperationName(), "written", getWritten(), numArgs, true)))
    return failure();
  if (getEchoes() < 0 || getEchoes() > numArgs || numStates > getNumResults())
    return emitOpError() << "must have an argument for each of its echoes, and a result for each of them and for each "
                            "reference in written, got: "
                         << getEchoes() << " echoes, " << getWritten().size() << " references, " << numArgs
                         << " arguments, " << getNumResults() << " results";
  FailureOr<func::FuncOp> fwd = findRule(*this, "fwd", getFwdAttr(), getOperandTypes(), symbols);
  if (failed(fwd))
    return failure();
  unsigned numResults = getNumResults();
  if (fwd->getNumResults() < numResults)
    return emitOpError() << "fwd must return " << numResults << " results and residuals, got: " << fwd->getNumResults();
  if (failed(
          verifyTypes(*this, "first results of fwd", getResultTypes(), fwd->getResultTypes().take_front(numResults))))
    return failure();
  auto name = dyn_cast<FlatSymbolRefAttr>(getBwd());
  if (!name)
    return success();
  SmallVector<Type> arguments(fwd->getResultTypes().drop_front(numResults)), cotangents;
  llvm::append_range(arguments, getCaptured().getTypes());
  for (unsigned i : pulledBack())
    arguments.push_back(getResultTypes()[i]);
  FailureOr<func::FuncOp> bwd = findRule(*this, "bwd", name, arguments, symbols);
  if (failed(bwd))
    return failure();
  for (int64_t number : getWrt())
    cotangents.push_back(getArgs()[number].getType());
  return verifyTypes(*this, "results of bwd", cotangents, bwd->getResultTypes());
}

LogicalResult CustomTangentOp::verifySymbolUses(SymbolTableCollection &symbols) {
  int64_t numSizes = 0;
  for (Type type : getResultTypes())
    numSizes += cast<RankedTensorType>(type).getNumDynamicDims();
  if (numSizes != static_cast<int64_t>(getSizes().size()))
    return emitOpError() << "must have one size for each '?' of its results, " << numSizes
                         << ", got: " << getSizes().size();
  auto name = dyn_cast<FlatSymbolRefAttr>(getBwd());
  if (!name)
    return getOf().size() == getTangents().size()
               ? success()
               : emitOpError() << "must have " << getOf().size() << " tangents, got: " << getTangents().size();
  SmallVector<Type> arguments(getResiduals().getTypes()), cotangents;
  llvm::append_range(arguments, getResultTypes());
  FailureOr<func::FuncOp> bwd = findRule(*this, "bwd", name, arguments, symbols);
  if (failed(bwd) || failed(verifyDims(getLoc(), getOperationName(), "of", getOf(), bwd->getNumResults(), true)))
    return failure();
  for (int64_t number : getOf())
    cotangents.push_back(bwd->getResultTypes()[number]);
  return verifyTypes(*this, "tangents", cotangents, getTangents().getTypes());
}

FailureOr<func::FuncOp> findRule(Operation *op, StringRef what, FlatSymbolRefAttr name, TypeRange arguments,
                                 SymbolTableCollection &symbols) {
  FailureOr<func::FuncOp> rule = findCallee(op, what, name, symbols);
  if (failed(rule) || failed(verifyTypes(op, ("arguments of " + what).str(), arguments, rule->getArgumentTypes())))
    return failure();
  return rule;
}

//===- What both share ---------------------------------------------------------------===//

/// Checks that only arguments have tangents: the rules do not cover captured values. Values that only the rules capture
/// do not affect the function's results.
static LogicalResult checkCaptured(Operation *op, func::FuncOp callee, unsigned numArgs, ArrayRef<Value> tangents) {
  for (unsigned i = numArgs; i < tangents.size(); ++i)
    if (tangents[i] && (callee.isExternal() || !callee.getArgument(i).use_empty()))
      return op->emitError() << "the derivative of '" << callee.getSymName()
                             << "' with respect to a value that it closes over is not known, since its custom rule "
                                "gives derivatives for its arguments only; pass the value as an argument";
  return success();
}

/// The unchanged call if no argument has a tangent; otherwise null.
static Operation *callWithoutTangents(Emitter &e, Operation *op, unsigned numArgs, ValueRange primals,
                                      ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                                      SmallVectorImpl<Value> &resultTangents) {
  if (present(tangents.take_front(numArgs)).any())
    return nullptr;
  Operation *call = cloneWith(e, op, primals, op->getResultTypes());
  llvm::append_range(results, call->getResults());
  resultTangents.append(op->getNumResults(), Value());
  return call;
}

static int64_t firstBatched(int64_t a, int64_t b) { return a != kUnbatched ? a : b; }

//===- Forward-mode rules --------------------------------------------------------------===//

LogicalResult CustomJvpOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                               SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  unsigned numArgs = getArgs().size();
  if (failed(checkCaptured(*this, e.transforms().lookup(getCalleeAttr()), numArgs, tangents)))
    return failure();
  if (callWithoutTangents(e, *this, numArgs, primals, tangents, results, resultTangents))
    return success();
  SmallVector<Value> args(primals);
  for (auto [primal, tangent] : llvm::zip(primals.take_front(numArgs), tangents))
    if (isDifferentiable(primal.getType()))
      args.push_back(tangent ? tangent : e.zerosLike(primal));
  ValueRange outs = emitCall(e, e.transforms().lookup(getRuleAttr()), args);
  llvm::append_range(results, outs.take_front(getNumResults()));
  outs = outs.drop_front(getNumResults());
  for (Type type : getResultTypes()) {
    bool hasTangent = isDifferentiable(type);
    resultTangents.push_back(hasTangent ? outs.front() : Value());
    outs = outs.drop_front(hasTangent);
  }
  return success();
}

LogicalResult CustomJvpOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  // A tangent is batched like its primal.
  SmallVector<int64_t> withTangents(dims);
  for (auto [arg, dim] : llvm::zip(getArgs(), dims))
    if (isDifferentiable(arg.getType()))
      withTangents.push_back(dim);
  BatchedTogether parts(e);
  if (failed(parts.add(e.transforms().lookup(getCalleeAttr()), dims)) ||
      failed(parts.add(e.transforms().lookup(getRuleAttr()), withTangents)))
    return failure();
  unsigned tangent = getNumResults();
  for (auto [i, type] : llvm::enumerate(getResultTypes())) {
    int64_t to = firstBatched(parts.resultDims(0)[i], parts.resultDims(1)[i]);
    if (isDifferentiable(type)) {
      to = firstBatched(to, parts.resultDims(1)[tangent]);
      parts.align(1, tangent++, to);
    }
    parts.align(0, i, to);
    parts.align(1, i, to);
    resultDims.push_back(to);
  }
  func::FuncOp callee = parts.finish(0), rule = parts.finish(1);
  unsigned numArgs = getArgs().size();
  auto op = CustomJvpOp::create(e.builder, e.loc, callee.getResultTypes(), callee.getSymName(), rule.getSymName(),
                                operands.take_front(numArgs), operands.drop_front(numArgs));
  llvm::append_range(results, op->getResults());
  return success();
}

//===- Reverse-mode rules --------------------------------------------------------------===//

LogicalResult CustomVjpOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                               SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  unsigned numArgs = getArgs().size(), numResults = getNumResults();
  if (failed(checkCaptured(*this, e.transforms().lookup(getCalleeAttr()), numArgs, tangents)))
    return failure();
  unsigned numEchoes = getEchoes();
  if (callWithoutTangents(e, *this, numArgs - numEchoes, primals, tangents, results, resultTangents)) {
    for (unsigned i = 0; i < numEchoes; ++i)
      resultTangents[numResults - numEchoes + i] = tangents[numArgs - numEchoes + i];
    return success();
  }
  ValueRange outs = emitCall(e, e.transforms().lookup(getFwdAttr()), primals);
  llvm::append_range(results, outs.take_front(numResults));
  SmallVector<int64_t> of;
  SmallVector<Value> residuals(outs.drop_front(numResults)), sizes, present;
  if (isa<FlatSymbolRefAttr>(getBwd()))
    llvm::append_range(residuals, primals.drop_front(numArgs));
  for (auto [i, number] : llvm::enumerate(getWrt()))
    if (tangents[number]) {
      of.push_back(i);
      present.push_back(tangents[number]);
    }
  SmallVector<Value> all(numResults);
  for (auto [i, number] : llvm::enumerate(getWritten()))
    all[numResults - numEchoes - getWritten().size() + i] = tangents[number];
  SmallVector<unsigned> pulled = pulledBack();
  if (!of.empty() && !pulled.empty()) {
    SmallVector<Type> types;
    for (unsigned i : pulled) {
      types.push_back(getResultTypes()[i]);
      llvm::append_range(sizes, e.sizes(outs[i]));
    }
    auto made = CustomTangentOp::create(e.builder, e.loc, types, getBwd(), of, numEchoes, residuals, sizes, present)
                    .getResults();
    for (auto [i, tangent] : llvm::zip_equal(pulled, made))
      all[i] = tangent;
  }
  llvm::append_range(resultTangents, all);
  return success();
}

/// The answer of a program to the question for the rule of `op` that is called `rule`: a function of residuals and the
/// cotangents of the marked results.
static FailureOr<MadeByRule> askBackward(Operation *op, StringRef rule, Emitter &e, ArrayRef<bool> marks) {
  return askProgram(op, rule, e, {RuleKind::Backward, rule, {}, llvm::SmallVector<bool>(marks), {}});
}

/// A backward rule as a function of residuals, captured values and all cotangents, with the arguments whose cotangents
/// it returns. What the program makes of a rule takes no captured values.
static FailureOr<std::pair<func::FuncOp, SmallVector<int64_t>>> backwardOfAll(Emitter &e, CustomVjpOp op,
                                                                              unsigned numResiduals) {
  SmallVector<int64_t> wrt(op.getWrt());
  if (auto name = dyn_cast<FlatSymbolRefAttr>(op.getBwd()))
    return std::pair(e.transforms().lookup(name), wrt);
  SmallVector<bool> marks(op.pulledBack().size(), true);
  FailureOr<MadeByRule> made = askBackward(op, cast<StringAttr>(op.getBwd()), e, marks);
  if (failed(made))
    return failure();
  SmallVector<int64_t> kept;
  for (auto [number, isMarked] : llvm::zip_equal(wrt, made->marks))
    if (isMarked)
      kept.push_back(number);
  func::FuncOp function = made->function;
  for (Type type : op.getCaptured().getTypes())
    if (failed(function.insertArgument(numResiduals++, type, {}, op.getLoc())))
      return failure();
  return std::pair(function, kept);
}

LogicalResult CustomVjpOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  unsigned numArgs = getArgs().size(), numResults = getNumResults(), firstDim = resultDims.size();
  BatchedTogether parts(e);
  if (failed(parts.add(e.transforms().lookup(getCalleeAttr()), dims)) ||
      failed(parts.add(e.transforms().lookup(getFwdAttr()), dims)))
    return failure();
  for (unsigned i = 0; i < numResults; ++i) {
    int64_t to = firstBatched(parts.resultDims(0)[i], parts.resultDims(1)[i]);
    parts.align(0, i, to);
    parts.align(1, i, to);
    resultDims.push_back(to);
  }
  SmallVector<int64_t> ofBwd(parts.resultDims(1).drop_front(numResults));
  llvm::append_range(ofBwd, dims.drop_front(numArgs));
  unsigned numEchoes = getEchoes();
  for (unsigned i : pulledBack())
    ofBwd.push_back(ArrayRef<int64_t>(resultDims).take_back(numResults)[i]);
  func::FuncOp forward = e.transforms().lookup(getFwdAttr());
  auto backward = backwardOfAll(e, *this, forward.getNumResults() - numResults);
  if (failed(backward) || failed(parts.add(backward->first, ofBwd)))
    return failure();
  ArrayRef<int64_t> wrt = backward->second;
  // A backward rule that leaves a batch in a reference leaves it to the rule before it.
  SmallVector<Value> withBatch(operands);
  SmallVector<int64_t> newDims(dims);
  for (auto [i, number] : llvm::enumerate(wrt))
    if (number >= numArgs - numEchoes && dims[number] == kUnbatched && parts.resultDims(2)[i] != kUnbatched) {
      withBatch[number] = e.batchAt(operands[number], kUnbatched, 0);
      newDims[number] = 0;
    }
  if (newDims != dims) {
    resultDims.truncate(firstDim);
    return batch(e, withBatch, newDims, results, resultDims);
  }
  // The cotangent of an argument that all elements of the batch share is the sum over them.
  for (auto [i, number] : llvm::enumerate(wrt)) {
    parts.align(2, i, dims[number]);
    if (dims[number] == kUnbatched)
      parts.sum(2, i);
  }
  func::FuncOp callee = parts.finish(0), fwd = parts.finish(1), bwd = parts.finish(2);
  auto op = CustomVjpOp::create(e.builder, e.loc, callee.getResultTypes(), callee.getSymName(), fwd.getSymName(),
                                FlatSymbolRefAttr::get(bwd.getSymNameAttr()), wrt, getWritten(), numEchoes,
                                operands.take_front(numArgs), operands.drop_front(numArgs));
  llvm::append_range(results, op->getResults());
  return success();
}

InFlightDiagnostic CustomTangentOp::reportLeft() {
  return emitError()
         << "can't apply forward-mode autodiff (jvp) to a custom_vjp function; use reverse mode (grad, vjp, "
            "jacrev), or give it a custom jvp rule";
}

LogicalResult CustomTangentOp::jvp(Emitter &, ValueRange, ArrayRef<Value>, SmallVectorImpl<Value> &,
                                   SmallVectorImpl<Value> &) {
  return reportLeft();
}

LogicalResult CustomTangentOp::batch(Emitter &, ValueRange, ArrayRef<int64_t>, SmallVectorImpl<Value> &,
                                     SmallVectorImpl<int64_t> &) {
  return reportLeft();
}

OperandSets CustomTangentOp::linearSets() {
  unsigned first = getResiduals().size() + getSizes().size();
  return {llvm::to_vector_of<unsigned, 3>(llvm::seq<unsigned>(first, getNumOperands()))};
}

Value CustomTangentOp::resultSize(Emitter &, ValueRange operands, unsigned result, int64_t dimension) {
  return operands[getResiduals().size() + sizePosition(getResults(), result, dimension)];
}

LogicalResult CustomTangentOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                         MutableArrayRef<Value> operandCotangents) {
  unsigned numResiduals = getResiduals().size(), numSizes = getSizes().size();
  SmallVector<Value> args(operands.take_front(numResiduals));
  MutableArrayRef<Value> ofTangents = operandCotangents.drop_front(numResiduals + numSizes);
  if (int64_t numEchoes = getEchoes(); numEchoes != 0 && !present(cotangents.drop_back(numEchoes)).any()) {
    int64_t firstEcho = e.transforms().lookup(cast<FlatSymbolRefAttr>(getBwd())).getNumResults() - numEchoes;
    for (auto [i, number] : llvm::enumerate(getOf()))
      if (number >= firstEcho)
        ofTangents[i] = cotangents.take_back(numEchoes)[number - firstEcho];
    return success();
  }
  if (auto rule = dyn_cast<StringAttr>(getBwd())) {
    FailureOr<MadeByRule> made = askBackward(*this, rule, e, marks(present(cotangents)));
    if (failed(made))
      return failure();
    llvm::append_range(args, presentOf(cotangents));
    SmallVector<Value> all(made->marks.size());
    scatterTo(emitCall(e, made->function, args), maskOf(made->marks), all);
    for (auto [i, number] : llvm::enumerate(getOf()))
      ofTangents[i] = all[number];
    return success();
  }
  ValueRange sizes = operands.slice(numResiduals, numSizes);
  for (auto [result, cotangent] : llvm::zip_equal(getResults(), cotangents)) {
    auto type = cast<RankedTensorType>(result.getType());
    unsigned count = type.getNumDynamicDims();
    args.push_back(cotangent ? cotangent : e.zeros(type, sizes.take_front(count)));
    sizes = sizes.drop_front(count);
  }
  ValueRange outs = emitCall(e, e.transforms().lookup(cast<FlatSymbolRefAttr>(getBwd())), args);
  for (auto [i, number] : llvm::enumerate(getOf()))
    ofTangents[i] = outs[number];
  return success();
}

//===- As a call of the primal -----------------------------------------------------------===//

static auto calls(Emitter &e) {
  return [&e](func::FuncOp function, ValueRange args) { return emitCall(e, function, args); };
}

OperandSets CustomJvpOp::linearSets() { return linearSetsOfCall(*this); }
OperandSets CustomVjpOp::linearSets() { return linearSetsOfCall(*this); }

LogicalResult CustomJvpOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                     MutableArrayRef<Value> operandCotangents) {
  return transposeCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, cotangents, operandCotangents,
                       calls(e));
}
LogicalResult CustomVjpOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                     MutableArrayRef<Value> operandCotangents) {
  return transposeCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, cotangents, operandCotangents,
                       calls(e));
}

LogicalResult CustomJvpOp::split(Emitter &e, const llvm::SmallBitVector &unknown, ValueRange operands,
                                 SmallVectorImpl<Value> &results) {
  return splitCall(e, e.transforms().lookup(getCalleeAttr()), unknown, operands, results, calls(e));
}
LogicalResult CustomVjpOp::split(Emitter &e, const llvm::SmallBitVector &unknown, ValueRange operands,
                                 SmallVectorImpl<Value> &results) {
  return splitCall(e, e.transforms().lookup(getCalleeAttr()), unknown, operands, results, calls(e));
}

Value CustomJvpOp::resultSize(Emitter &e, ValueRange operands, unsigned result, int64_t dimension) {
  return sizeOfCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, result, dimension);
}
Value CustomVjpOp::resultSize(Emitter &e, ValueRange operands, unsigned result, int64_t dimension) {
  return sizeOfCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, result, dimension);
}

} // namespace dovetail
