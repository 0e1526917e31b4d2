// Calls and transform requests: verification, the rules of a call, and the expansion of each request.
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

FailureOr<func::FuncOp> findCallee(Operation *op, StringRef what, FlatSymbolRefAttr callee,
                                   SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, callee);
  if (!function)
    return op->emitOpError() << what << " must be a function of this module, got: " << callee;
  return function;
}

LogicalResult verifyTypes(Operation *op, StringRef what, TypeRange expected, TypeRange got) {
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

LogicalResult verifyCall(Operation *op, FlatSymbolRefAttr callee, SymbolTableCollection &symbols) {
  FailureOr<func::FuncOp> function = findCallee(op, "callee", callee, symbols);
  if (failed(function) || failed(verifyTypes(op, "arguments", function->getArgumentTypes(), op->getOperandTypes())))
    return failure();
  return verifyTypes(op, "results", function->getResultTypes(), op->getResultTypes());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyCall(*this, getCalleeAttr(), symbols);
}

LogicalResult JvpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<func::FuncOp> callee = findCallee(*this, "callee", getCalleeAttr(), symbols);
  if (failed(callee) || failed(verifyTypes(*this, "primals", callee->getArgumentTypes(), getPrimals().getTypes())) ||
      failed(verifyNumbers(*this, "wrt", getWrt(), callee->getArgumentTypes())) ||
      failed(verifyTypes(*this, "tangents", typesAt(callee->getArgumentTypes(), getWrt()), getTangents().getTypes())))
    return failure();
  SmallVector<Type> expected(callee->getResultTypes());
  llvm::append_range(expected, llvm::make_filter_range(callee->getResultTypes(), isDifferentiable));
  return verifyTypes(*this, "results", expected, getOuts().getTypes());
}

LogicalResult VjpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<func::FuncOp> callee = findCallee(*this, "callee", getCalleeAttr(), symbols);
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
  FailureOr<func::FuncOp> callee = findCallee(*this, "callee", getCalleeAttr(), symbols);
  SmallPtrSet<Attribute, 4> seen;
  for (Attribute axis : getMeshAxesAttr() ? getMeshAxesAttr().getValue() : ArrayRef<Attribute>())
    if (!seen.insert(axis).second)
      return emitOpError() << "mesh axes must be distinct, got: " << axis << " twice";
  std::optional<int64_t> size;
  if (std::optional<int64_t> stated = getSize()) {
    if (*stated < 0)
      return emitOpError() << "size must be at least 0, got: " << *stated;
    size = *stated;
  }
  if (failed(callee) ||
      failed(verifyBatched(*this, "in", callee->getArgumentTypes(), getInDims(), getArgs().getTypes(), size)))
    return failure();
  if (!size)
    return emitOpError() << "must have a batched argument or say the size of the batch, got: neither";
  return verifyBatched(*this, "out", callee->getResultTypes(), getOutDims(), getOuts().getTypes(), size);
}

//===- The rules of a call -------------------------------------------------------===//

ValueRange emitCall(Emitter &e, func::FuncOp function, ValueRange args) {
  return CallOp::create(e.builder, e.loc, function.getResultTypes(), function.getSymName(), args)->getResults();
}

LogicalResult jvpOfCall(Emitter &e, func::FuncOp callee, ValueRange primals, ArrayRef<Value> tangents,
                        SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents, EmitCall emit) {
  auto jvp = e.transforms().jvp(callee, present(tangents));
  if (failed(jvp))
    return failure();
  SmallVector<Value> args(primals);
  llvm::append_range(args, presentOf(tangents));
  ValueRange outs = emit(jvp->function, args);
  unsigned numResults = callee.getNumResults();
  llvm::append_range(results, outs.take_front(numResults));
  SmallVector<Value> all(numResults);
  scatterTo(outs.drop_front(numResults), jvp->activeResults, all);
  llvm::append_range(resultTangents, all);
  return success();
}

OperandSets linearSetsOfCall(Operation *op) {
  return {llvm::to_vector_of<unsigned, 3>(llvm::seq<unsigned>(0, op->getNumOperands()))};
}

/// The operands that exist, then the sizes of those that do not.
static SmallVector<Value> withSizesOfAbsent(Emitter &e, Operation *op, ValueRange operands) {
  SmallVector<Value> args = presentOf(operands);
  for (auto [operand, source] : llvm::zip_equal(operands, op->getOperands()))
    if (!operand)
      llvm::append_range(args, e.sizes(source));
  return args;
}

Value sizeOfCall(Emitter &e, Operation *op, func::FuncOp callee, ValueRange operands, unsigned result,
                 int64_t dimension) {
  auto sizes = e.transforms().sizes(callee, ~present(operands));
  if (failed(sizes))
    return nullptr;
  int64_t position = sizePosition(op->getResults(), result, dimension);
  return emitCall(e, *sizes, withSizesOfAbsent(e, op, operands))[position];
}

LogicalResult transposeCall(Emitter &e, Operation *op, func::FuncOp callee, ValueRange operands,
                            ArrayRef<Value> cotangents, MutableArrayRef<Value> operandCotangents, EmitCall emit) {
  llvm::SmallBitVector linear = ~present(operands);
  auto transposed = e.transforms().transpose(callee, linear, present(cotangents));
  if (failed(transposed))
    return failure();
  SmallVector<Value> args = withSizesOfAbsent(e, op, operands);
  llvm::append_range(args, presentOf(cotangents));
  SmallVector<Value> ofLinear(linear.count());
  scatterTo(emit(transposed->function, args), transposed->nonzero, ofLinear);
  scatterTo(ofLinear, linear, operandCotangents);
  return success();
}

LogicalResult batchCall(Emitter &e, func::FuncOp callee, ValueRange operands, ArrayRef<int64_t> dims,
                        SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims, EmitCall emit) {
  auto batched = e.transforms().batch(callee, dims, e.batchSize);
  if (failed(batched))
    return failure();
  llvm::append_range(results, emit(batched->function, operands));
  llvm::append_range(resultDims, batched->resultDims);
  return success();
}

LogicalResult splitCall(Emitter &e, func::FuncOp callee, const llvm::SmallBitVector &unknown, ValueRange operands,
                        SmallVectorImpl<Value> &results, EmitCall emit) {
  auto split = e.transforms().split(callee, unknown);
  if (failed(split))
    return failure();
  unsigned numResults = callee.getNumResults(), numKnown = numResults - split->unknownResults.count();
  ValueRange known = emit(split->known, pick(operands, ~unknown));
  SmallVector<Value> restArgs(known.drop_front(numKnown)), all(numResults);
  llvm::append_range(restArgs, pick(operands, unknown));
  scatterTo(known.take_front(numKnown), ~split->unknownResults, all);
  scatterTo(emit(split->rest, restArgs), split->unknownResults, all);
  llvm::append_range(results, all);
  return success();
}

// A call of a derived function tells the equation that the original call was, for views of the program.
static auto calls(Emitter &e, CallOp op) {
  return [&e, op](func::FuncOp function, ValueRange args) mutable {
    ValueRange outs = emitCall(e, function, args);
    Attribute origin = op->getAttr(kDerivedFrom);
    if (!origin)
      origin = op->getAttr("label");
    if (origin && !outs.empty())
      outs.front().getDefiningOp()->setAttr(kDerivedFrom, origin);
    return outs;
  };
}

LogicalResult CallOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                          SmallVectorImpl<Value> &resultTangents) {
  return jvpOfCall(e, e.transforms().lookup(getCalleeAttr()), primals, tangents, results, resultTangents,
                   calls(e, *this));
}

OperandSets CallOp::linearSets() { return linearSetsOfCall(*this); }

Value CallOp::resultSize(Emitter &e, ValueRange operands, unsigned result, int64_t dimension) {
  return sizeOfCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, result, dimension);
}

LogicalResult CallOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                MutableArrayRef<Value> operandCotangents) {
  return transposeCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, cotangents, operandCotangents,
                       calls(e, *this));
}

LogicalResult CallOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<int64_t> &resultDims) {
  return batchCall(e, e.transforms().lookup(getCalleeAttr()), operands, dims, results, resultDims, calls(e, *this));
}

LogicalResult CallOp::split(Emitter &e, const llvm::SmallBitVector &unknown, ValueRange operands,
                            SmallVectorImpl<Value> &results) {
  return splitCall(e, e.transforms().lookup(getCalleeAttr()), unknown, operands, results, calls(e, *this));
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
  ValueRange outs = emitCall(e, jvp->function, args);
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

  ValueRange known = emitCall(e, split->known, getPrimals());
  unsigned numKnown = jvp->function.getNumResults() - split->unknownResults.count();
  llvm::append_range(results, known.take_front(numResults));
  SmallVector<Value> args(known.drop_front(numKnown));
  unsigned numResiduals = args.size();

  // Cotangents of the tangents that the linear part computes; for others, the cotangent is zero.
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
    scatterTo(emitCall(e, transposed->function, args), transposed->nonzero, wrt);
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
  e.batchSize = BatchSize(size, getAxisAttr(), getMeshAxesAttr());
  if (ShapedType::isDynamic(size))
    e.batchSizeValue = e.size(getArgs()[first], dim);
  auto batched = e.transforms().batch(e.transforms().lookup(getCalleeAttr()), getInDims(), e.batchSize);
  if (failed(batched))
    return failure();
  ValueRange outs = emitCall(e, batched->function, getArgs());
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
