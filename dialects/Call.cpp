// Calls and transform requests: verification, the rules of a call, and what each request expands to.
#include "Call.h"
#include "Control.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Call.cpp.inc"

namespace dovetail {

void registerCallOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Call.cpp.inc"
      >();
}

//===- Verification ------------------------------------------------------------===//

static FailureOr<func::FuncOp> findCallee(Operation *op, FlatSymbolRefAttr callee, SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, callee);
  if (!function)
    return op->emitOpError() << "callee must be a function of this module, got: " << callee;
  return function;
}

static LogicalResult verifyTypes(Operation *op, StringRef what, TypeRange expected, TypeRange got) {
  if (expected == got)
    return success();
  return op->emitOpError() << what << " must be (" << expected << "), got: (" << got << ")";
}

static LogicalResult verifyNumbers(Operation *op, StringRef what, ArrayRef<int64_t> numbers, TypeRange types) {
  if (failed(verifyDims(op->getLoc(), op->getName().getStringRef(), what, numbers, types.size(), true)))
    return failure();
  for (int64_t number : numbers)
    if (!isDifferentiable(types[number]))
      return op->emitOpError() << what << " must name arrays of floats or complex numbers, got: " << types[number]
                               << " at " << number;
  return success();
}

static SmallVector<Type> typesAt(TypeRange types, ArrayRef<int64_t> numbers) {
  return llvm::map_to_vector(numbers, [&](int64_t number) { return Type(types[number]); });
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<func::FuncOp> callee = findCallee(*this, getCalleeAttr(), symbols);
  if (failed(callee) || failed(verifyTypes(*this, "arguments", callee->getArgumentTypes(), getArgs().getTypes())))
    return failure();
  return verifyTypes(*this, "results", callee->getResultTypes(), getOuts().getTypes());
}

LogicalResult JvpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<func::FuncOp> callee = findCallee(*this, getCalleeAttr(), symbols);
  if (failed(callee) || failed(verifyTypes(*this, "primals", callee->getArgumentTypes(), getPrimals().getTypes())) ||
      failed(verifyNumbers(*this, "wrt", getWrt(), callee->getArgumentTypes())) ||
      failed(verifyTypes(*this, "tangents", typesAt(callee->getArgumentTypes(), getWrt()), getTangents().getTypes())))
    return failure();
  SmallVector<Type> expected(callee->getResultTypes());
  llvm::append_range(expected, llvm::make_filter_range(callee->getResultTypes(), isDifferentiable));
  return verifyTypes(*this, "results", expected, getOuts().getTypes());
}

LogicalResult VjpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<func::FuncOp> callee = findCallee(*this, getCalleeAttr(), symbols);
  if (failed(callee) || failed(verifyTypes(*this, "primals", callee->getArgumentTypes(), getPrimals().getTypes())) ||
      failed(verifyNumbers(*this, "wrt", getWrt(), callee->getArgumentTypes())) ||
      failed(verifyNumbers(*this, "of", getOf(), callee->getResultTypes())) ||
      failed(verifyTypes(*this, "cotangents", typesAt(callee->getResultTypes(), getOf()), getCotangents().getTypes())))
    return failure();
  SmallVector<Type> expected(callee->getResultTypes());
  llvm::append_range(expected, typesAt(callee->getArgumentTypes(), getWrt()));
  return verifyTypes(*this, "results", expected, getOuts().getTypes());
}

static std::string sizeText(int64_t size) { return ShapedType::isDynamic(size) ? "?" : std::to_string(size); }

/// Checks that `got` are `elements` with the batch at `dims`, and that its size is the same everywhere.
static LogicalResult verifyBatched(Operation *op, StringRef what, TypeRange elements, ArrayRef<int64_t> dims,
                                   TypeRange got, std::optional<int64_t> &size) {
  if (dims.size() != elements.size() || got.size() != elements.size())
    return op->emitOpError() << "must have one of '" << what << "' for each of " << elements.size()
                             << " values, got: " << dims.size() << " for " << got.size();
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim == kUnbatched) {
      if (got[i] != elements[i])
        return op->emitOpError() << "value " << i << " of '" << what << "' must be " << elements[i]
                                 << ", got: " << got[i];
      continue;
    }
    auto type = dyn_cast<RankedTensorType>(got[i]), element = dyn_cast<RankedTensorType>(elements[i]);
    if (!type || dim < 0 || dim >= type.getRank())
      return op->emitOpError() << "'" << what << "' must be -1 or a dimension of the value, got: " << dim << " for "
                               << got[i];
    int64_t batch = type.getDimSize(dim);
    if (!element || element.getRank() + 1 != type.getRank() || withDim(element, dim, batch) != type)
      return op->emitOpError() << "value " << i << " of '" << what << "' must be " << elements[i]
                               << " with one more dimension, got: " << type;
    if (size && *size != batch)
      return op->emitOpError() << "batch sizes must be equal, got: " << sizeText(*size) << " and " << sizeText(batch);
    size = batch;
  }
  return success();
}

LogicalResult VmapOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<func::FuncOp> callee = findCallee(*this, getCalleeAttr(), symbols);
  std::optional<int64_t> size;
  if (std::optional<uint64_t> stated = getSize())
    size = *stated;
  if (failed(callee) ||
      failed(verifyBatched(*this, "in", callee->getArgumentTypes(), getInDims(), getArgs().getTypes(), size)))
    return failure();
  if (!size)
    return emitOpError() << "must have a batched argument or say the size of the batch, got: neither";
  return verifyBatched(*this, "out", callee->getResultTypes(), getOutDims(), getOuts().getTypes(), size);
}

//===- The rules of a call -------------------------------------------------------===//

static Operation *emitCall(Emitter &e, func::FuncOp function, ValueRange args) {
  return CallOp::create(e.builder, e.loc, function.getResultTypes(), function.getSymName(), args);
}

LogicalResult CallOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                          SmallVectorImpl<Value> &resultTangents) {
  auto jvp = e.transforms().jvp(e.transforms().lookup(getCalleeAttr()), present(tangents));
  if (failed(jvp))
    return failure();
  SmallVector<Value> args(primals);
  llvm::append_range(args, llvm::make_filter_range(tangents, [](Value t) { return static_cast<bool>(t); }));
  ValueRange outs = emitCall(e, jvp->function, args)->getResults();
  llvm::append_range(results, outs.take_front(getNumResults()));
  SmallVector<Value> all(getNumResults());
  scatterTo(outs.drop_front(getNumResults()), jvp->activeResults, all);
  llvm::append_range(resultTangents, all);
  return success();
}

OperandSets CallOp::linearSets() {
  // Calls of linear functions are linear in all arguments that carry a tangent; their bodies are checked op by op.
  auto all = llvm::seq<unsigned>(0, getNumOperands());
  return {llvm::SmallVector<unsigned, 3>(all.begin(), all.end())};
}

/// The operands that exist, then the sizes of those that do not.
static SmallVector<Value> withSizesOfAbsent(Emitter &e, CallOp op, ValueRange operands) {
  SmallVector<Value> args = llvm::to_vector(llvm::make_filter_range(operands, [](Value v) { return bool(v); }));
  for (auto [operand, source] : llvm::zip_equal(operands, op.getArgs()))
    if (!operand)
      llvm::append_range(args, e.sizes(source));
  return args;
}

Value CallOp::resultSize(Emitter &e, ValueRange operands, unsigned result, int64_t dimension) {
  auto sizes = e.transforms().sizes(e.transforms().lookup(getCalleeAttr()), ~present(operands));
  if (failed(sizes))
    return nullptr;
  int64_t position = sizePosition(getResults(), result, dimension);
  return emitCall(e, *sizes, withSizesOfAbsent(e, *this, operands))->getResult(position);
}

LogicalResult CallOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                MutableArrayRef<Value> operandCotangents) {
  llvm::SmallBitVector linear = ~present(operands);
  auto transposed = e.transforms().transpose(e.transforms().lookup(getCalleeAttr()), linear, present(cotangents));
  if (failed(transposed))
    return failure();
  SmallVector<Value> args = withSizesOfAbsent(e, *this, operands);
  llvm::append_range(args, llvm::make_filter_range(cotangents, [](Value ct) { return static_cast<bool>(ct); }));
  ValueRange outs = emitCall(e, transposed->function, args)->getResults();
  for (auto [n, i] : llvm::enumerate(linear.set_bits()))
    if (transposed->nonzero.test(n)) {
      operandCotangents[i] = outs.front();
      outs = outs.drop_front();
    }
  return success();
}

LogicalResult CallOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<int64_t> &resultDims) {
  auto batched = e.transforms().batch(e.transforms().lookup(getCalleeAttr()), dims, e.batchSize);
  if (failed(batched))
    return failure();
  llvm::append_range(results, emitCall(e, batched->function, operands)->getResults());
  llvm::append_range(resultDims, batched->resultDims);
  return success();
}

LogicalResult CallOp::split(Emitter &e, const llvm::SmallBitVector &unknown, ValueRange operands,
                            SmallVectorImpl<Value> &results) {
  auto split = e.transforms().split(e.transforms().lookup(getCalleeAttr()), unknown);
  if (failed(split))
    return failure();
  SmallVector<Value> knownArgs, unknownArgs;
  for (auto [i, operand] : llvm::enumerate(operands))
    (unknown.test(i) ? unknownArgs : knownArgs).push_back(operand);
  ValueRange known = emitCall(e, split->known, knownArgs)->getResults();
  unsigned numKnown = getNumResults() - split->unknownResults.count();
  SmallVector<Value> restArgs(known.drop_front(numKnown));
  llvm::append_range(restArgs, unknownArgs);
  ValueRange rest = emitCall(e, split->rest, restArgs)->getResults();
  SmallVector<Value> all(getNumResults());
  scatterTo(known.take_front(numKnown), ~split->unknownResults, all);
  scatterTo(rest, split->unknownResults, all);
  llvm::append_range(results, all);
  return success();
}

//===- Requests --------------------------------------------------------------------===//

static llvm::SmallBitVector maskOf(ArrayRef<int64_t> numbers, unsigned size) {
  llvm::SmallBitVector mask(size);
  for (int64_t number : numbers)
    mask.set(number);
  return mask;
}

LogicalResult JvpOp::expand(Emitter &e, SmallVectorImpl<Value> &results) {
  func::FuncOp callee = e.transforms().lookup(getCalleeAttr());
  auto jvp = e.transforms().jvp(callee, maskOf(getWrt(), getPrimals().size()));
  if (failed(jvp))
    return failure();
  SmallVector<Value> args(getPrimals());
  llvm::append_range(args, getTangents());
  ValueRange outs = emitCall(e, jvp->function, args)->getResults();
  ValueRange primals = outs.take_front(callee.getNumResults());
  SmallVector<Value> tangents(primals.size());
  scatterTo(outs.drop_front(primals.size()), jvp->activeResults, tangents);
  llvm::append_range(results, primals);
  for (auto [primal, tangent] : llvm::zip_equal(primals, tangents))
    if (isDifferentiable(primal.getType()))
      results.push_back(tangent ? tangent : e.zerosLike(primal));
  return success();
}

// The cotangents: the jvp is split into the results with residuals, and a function linear in the tangents, which is
// transposed.
LogicalResult VjpOp::expand(Emitter &e, SmallVectorImpl<Value> &results) {
  FunctionTransforms &transforms = e.transforms();
  func::FuncOp callee = transforms.lookup(getCalleeAttr());
  unsigned numPrimals = getPrimals().size(), numResults = callee.getNumResults();
  auto jvp = transforms.jvp(callee, maskOf(getWrt(), numPrimals));
  if (failed(jvp))
    return failure();
  llvm::SmallBitVector unknown(numPrimals + getWrt().size());
  unknown.set(numPrimals, unknown.size());
  auto split = transforms.split(jvp->function, unknown);
  if (failed(split))
    return failure();

  ValueRange known = emitCall(e, split->known, getPrimals())->getResults();
  unsigned numKnown = jvp->function.getNumResults() - split->unknownResults.count();
  llvm::append_range(results, known.take_front(numResults));
  SmallVector<Value> args(known.drop_front(numKnown));
  unsigned numResiduals = args.size();

  // Cotangents of the tangents that the linear part computes; a tangent that it does not is zero.
  llvm::SmallBitVector wanted = maskOf(getOf(), numResults), used(split->unknownResults.count());
  SmallVector<Value> cotangents(numResults), usedCotangents;
  scatterTo(getCotangents(), wanted, cotangents);
  unsigned position = 0, next = 0;
  for (unsigned i : jvp->activeResults.set_bits()) {
    if (!split->unknownResults.test(numResults + position++))
      continue;
    if (cotangents[i]) {
      used.set(next);
      usedCotangents.push_back(cotangents[i]);
    }
    ++next;
  }
  SmallVector<Value> wrt(getWrt().size());
  if (used.any()) {
    llvm::SmallBitVector linear(numResiduals + getWrt().size());
    linear.set(numResiduals, linear.size());
    auto transposed = transforms.transpose(split->rest, linear, used);
    if (failed(transposed))
      return failure();
    for (int64_t number : getWrt())
      llvm::append_range(args, e.sizes(getPrimals()[number]));
    llvm::append_range(args, usedCotangents);
    scatterTo(emitCall(e, transposed->function, args)->getResults(), transposed->nonzero, wrt);
  }
  for (auto [number, cotangent] : llvm::zip_equal(getWrt(), wrt))
    results.push_back(cotangent ? cotangent : e.zerosLike(getPrimals()[number]));
  return success();
}

LogicalResult VmapOp::expand(Emitter &e, SmallVectorImpl<Value> &results) {
  size_t first = llvm::find_if(getInDims(), [](int64_t dim) { return dim != kUnbatched; }) - getInDims().begin();
  bool isStated = first == getInDims().size();
  int64_t dim = isStated ? kUnbatched : getInDims()[first];
  int64_t size = isStated ? *getSize() : cast<RankedTensorType>(getArgs()[first].getType()).getDimSize(dim);
  e.batchSize = BatchSize(size, getAxisAttr());
  if (ShapedType::isDynamic(size))
    e.batchSizeValue = e.size(getArgs()[first], dim);
  auto batched = e.transforms().batch(e.transforms().lookup(getCalleeAttr()), getInDims(), e.batchSize);
  if (failed(batched))
    return failure();
  ValueRange outs = emitCall(e, batched->function, getArgs())->getResults();
  for (auto [i, out] : llvm::enumerate(outs)) {
    int64_t from = batched->resultDims[i], to = getOutDims()[i];
    if (to == kUnbatched && from != kUnbatched)
      return emitError() << "result " << i << " of '" << getCallee()
                         << "' depends on the batch, so 'out' must say where "
                         << "its batch dimension goes, got: none";
    results.push_back(to == kUnbatched ? Value(out) : e.batchAt(out, from, to));
  }
  return success();
}

} // namespace dovetail
