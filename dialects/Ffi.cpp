// Calls of functions of native libraries: verification, derivatives, batching and parts.
#include "Ffi.h"
#include "OutsideCall.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Ffi.cpp.inc"

namespace dovetail {

void registerFfiOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ffi.cpp.inc"
      >();
}

ArrayRef<int64_t> FfiCallOp::layoutOf(bool isResult, unsigned number) {
  std::optional<ArrayAttr> layouts = isResult ? getOutputLayouts() : getInputLayouts();
  if (!layouts)
    return {};
  ArrayRef<int64_t> layout = cast<DenseI64ArrayAttr>((*layouts)[number]).asArrayRef();
  return llvm::is_sorted(layout) ? ArrayRef<int64_t>() : layout;
}

//===- Verification ----------------------------------------------------------------===//

/// Whether libraries can get an attribute.
static bool isPassable(Attribute value) {
  if (auto entries = dyn_cast<DictionaryAttr>(value))
    return llvm::all_of(entries, [](NamedAttribute entry) { return isPassable(entry.getValue()); });
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return isa<IntegerType>(integer.getType());
  auto elements = dyn_cast<DenseElementsAttr>(value);
  return isa<StringAttr, FloatAttr>(value) || (elements && elements.getType().hasStaticShape());
}

static LogicalResult verifyLayouts(FfiCallOp op, StringRef name, std::optional<ArrayAttr> layouts, TypeRange types) {
  if (!layouts)
    return success();
  if (layouts->size() != types.size())
    return op.emitOpError() << name << " must have one entry for each of " << types.size()
                            << " arrays, got: " << *layouts;
  for (auto [layout, type] : llvm::zip_equal(*layouts, types)) {
    auto stated = dyn_cast<DenseI64ArrayAttr>(layout);
    auto rank = cast<RankedTensorType>(type).getRank();
    SmallVector<int64_t> sorted;
    if (stated)
      llvm::append_range(sorted, stated.asArrayRef());
    llvm::sort(sorted);
    if (!stated || sorted != range(0, rank))
      return op.emitOpError() << name << " must list the dimensions of " << type
                              << " from major to minor, got: " << layout;
  }
  return success();
}

static LogicalResult verifyAliases(FfiCallOp op) {
  if (!op.getAliases())
    return success();
  ArrayRef<int64_t> aliases = *op.getAliases();
  if (aliases.size() != op.getNumResults())
    return op.emitOpError() << "aliases must have one entry for each of " << op.getNumResults()
                            << " results, got: " << aliases.size();
  int64_t numArgs = op.getArgs().size();
  for (auto [i, argument] : llvm::enumerate(aliases)) {
    if (argument == -1)
      continue;
    if (argument < 0 || argument >= numArgs || llvm::count(aliases, argument) > 1)
      return op.emitOpError() << "aliases must be -1 or different arguments, of " << numArgs << ", got: " << argument;
    if (op.getArgs()[argument].getType() != op.getResult(i).getType() ||
        op.layoutOf(true, i) != op.layoutOf(false, argument))
      return op.emitOpError() << "a result must have the type and the layout of the argument that it is written over, "
                              << op.getArgs()[argument].getType() << ", got: " << op.getResult(i).getType();
  }
  return success();
}

static LogicalResult verifyBatchDims(FfiCallOp op) {
  if (!op.getBatchDims())
    return success();
  int64_t count = *op.getBatchDims();
  std::optional<ArrayRef<int64_t>> batch;
  auto types = llvm::to_vector(
      llvm::concat<const Type>(llvm::to_vector(op.getArgs().getTypes()), llvm::to_vector(op.getResultTypes())));
  for (Type type : types) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    if (count < 0 || count > static_cast<int64_t>(shape.size()) || (batch && *batch != shape.take_front(count)))
      return op.emitOpError() << "batch_dims must be a number of leading dimensions that all arrays have in common, "
                                 "got: "
                              << count;
    batch = shape.take_front(count);
  }
  return success();
}

static LogicalResult verifyFactors(FfiCallOp op) {
  if (!op.getFactors())
    return success();
  auto types = llvm::to_vector(
      llvm::concat<const Type>(llvm::to_vector(op.getArgs().getTypes()), llvm::to_vector(op.getResultTypes())));
  if (op.getFactors()->size() != types.size())
    return op.emitOpError() << "factors must have one entry for each of " << types.size()
                            << " arrays, got: " << *op.getFactors();
  llvm::SmallDenseMap<int64_t, int64_t> sizes;
  for (auto [entry, type] : llvm::zip_equal(*op.getFactors(), types)) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    auto factors = dyn_cast<DenseI64ArrayAttr>(entry);
    if (!factors || factors.size() != static_cast<int64_t>(shape.size()))
      return op.emitOpError() << "factors must have a number for each dimension of " << type << ", got: " << entry;
    llvm::SmallDenseSet<int64_t> seen;
    for (auto [factor, size] : llvm::zip_equal(factors.asArrayRef(), shape)) {
      if (factor == FactorMap::kNone)
        continue;
      int64_t of = sizes.try_emplace(factor, size).first->second;
      if (factor < 0 || !seen.insert(factor).second || !canBeEqual(of, size))
        return op.emitOpError() << "factors must be -1 or numbers of loops, of which an array has each once, and all "
                                   "arrays in the same size, got: "
                                << factor << " in " << entry << " of " << type;
    }
  }
  return success();
}

LogicalResult FfiCallOp::verify() {
  if (getTarget().empty() || getTarget().contains('\0'))
    return emitOpError() << "target must be a name, got: " << getTargetAttr();
  if (DictionaryAttr config = getConfigAttr())
    for (NamedAttribute entry : config)
      if (!isPassable(entry.getValue()))
        return emitOpError() << "config must have numbers, texts, dense arrays and dictionaries, got: "
                             << entry.getName().getValue() << " = " << entry.getValue();
  // Aliases have layouts in common.
  if (failed(verifyLayouts(*this, "input_layouts", getInputLayouts(), getArgs().getTypes())) ||
      failed(verifyLayouts(*this, "output_layouts", getOutputLayouts(), getResultTypes())) ||
      failed(verifyAliases(*this)) || failed(verifyBatchDims(*this)) || failed(verifyFactors(*this)))
    return failure();
  return verifyOutsideCall(*this, getVmapMethod(), getSizes());
}

//===- Rules -----------------------------------------------------------------------===//

void FfiCallOp::getEffects(MemoryEffectList &effects) {
  if (getHasSideEffect())
    addOutsideEffects(effects, EffectKind::Counted);
}

LogicalResult FfiCallOp::jvp(Emitter &, ValueRange, ArrayRef<Value>, SmallVectorImpl<Value> &,
                             SmallVectorImpl<Value> &) {
  return emitError() << "The FFI call to `" << getTarget()
                     << "` cannot be differentiated, since nothing is known of what it computes. You can use "
                        "custom_jvp or custom_vjp to give a rule to a function that makes the call, or pass it the "
                        "stop_gradient of its arguments";
}

Value FfiCallOp::resultSize(Emitter &, ValueRange operands, unsigned result, int64_t dimension) {
  return operands[getArgs().size() + sizePosition(getResults(), result, dimension)];
}

LogicalResult FfiCallOp::vary(VaryingAnalysis &, MutableArrayRef<AxisSet> operands, SmallVectorImpl<AxisSet> &results) {
  varyTogether(operands, getNumResults(), results);
  return success();
}

SmallVector<SmallVector<int64_t>> FfiCallOp::loops() {
  // Each device would have the effects.
  int64_t count = getHasSideEffect() ? 0 : getBatchDims().value_or(0);
  SmallVector<SmallVector<int64_t>> loops;
  for (Type type : llvm::concat<const Type>(llvm::to_vector(getArgs().getTypes()), llvm::to_vector(getResultTypes()))) {
    loops.emplace_back(cast<RankedTensorType>(type).getRank(), FactorMap::kNone);
    llvm::copy(range(0, count), loops.back().begin());
  }
  if (!getFactors() || getHasSideEffect())
    return loops;
  for (auto [stated, factors] : llvm::zip_equal(*getFactors(), loops))
    llvm::copy(cast<DenseI64ArrayAttr>(stated).asArrayRef(), factors.begin());
  // Devices do not know which part of another loop a result has, and nothing combines results for parts.
  ArrayRef<SmallVector<int64_t>> all = loops;
  auto isIn = [](int64_t factor) {
    return [factor](ArrayRef<int64_t> factors) { return llvm::is_contained(factors, factor); };
  };
  llvm::SmallDenseSet<int64_t> kept;
  for (ArrayRef<int64_t> factors : all.take_front(getArgs().size()))
    for (int64_t factor : factors)
      if (llvm::all_of(all.drop_front(getArgs().size()), isIn(factor)))
        kept.insert(factor);
  for (SmallVector<int64_t> &factors : loops)
    for (int64_t &factor : factors)
      if (!kept.contains(factor))
        factor = FactorMap::kNone;
  return loops;
}

FactorMap FfiCallOp::factorMap() {
  auto factors = loops();
  int64_t numArgs = getArgs().size();
  FactorMap map;
  map.operands.assign(factors.begin(), factors.begin() + numArgs);
  map.operands.append(getSizes().size(), {});
  map.results.assign(factors.begin() + numArgs, factors.end());
  return map;
}

/// The loops of arrays of which some have a batch in front, which is another one if it is that of all.
static ArrayAttr batchedFactors(Builder &b, std::optional<ArrayAttr> factors, ArrayRef<BatchForm> forms, bool isLoop) {
  if (!factors)
    return {};
  int64_t batch = 0;
  for (Attribute entry : *factors)
    for (int64_t factor : cast<DenseI64ArrayAttr>(entry).asArrayRef())
      batch = std::max(batch, factor + 1);
  SmallVector<Attribute> batched;
  for (auto [entry, form] : llvm::zip_equal(*factors, forms)) {
    SmallVector<int64_t> ofArray(cast<DenseI64ArrayAttr>(entry).asArrayRef());
    if (form == BatchForm::Leading)
      ofArray.insert(ofArray.begin(), isLoop ? batch : FactorMap::kNone);
    batched.push_back(b.getDenseI64ArrayAttr(ofArray));
  }
  return b.getArrayAttr(batched);
}

/// The layouts of arrays of which some have a batch in front.
static ArrayAttr batchedLayouts(Builder &b, std::optional<ArrayAttr> layouts, ArrayRef<BatchForm> forms) {
  if (!layouts)
    return {};
  SmallVector<Attribute> batched;
  for (auto [layout, form] : llvm::zip_equal(*layouts, forms)) {
    SmallVector<int64_t> dims(cast<DenseI64ArrayAttr>(layout).asArrayRef());
    if (form == BatchForm::Leading) {
      for (int64_t &dim : dims)
        ++dim;
      dims.insert(dims.begin(), 0);
    }
    batched.push_back(b.getDenseI64ArrayAttr(dims));
  }
  return b.getArrayAttr(batched);
}

LogicalResult FfiCallOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                               SmallVectorImpl<int64_t> &resultDims) {
  bool isAxis = llvm::is_contained(getAxes(), Attribute(e.batchSize.axis));
  if (!getVmapMethod() && !isAxis)
    return emitError() << "vmap is only supported of the FFI call to `" << getTarget()
                       << "` with a vmap_method, got: None; say 'sequential', 'sequential_unrolled', 'expand_dims' or "
                          "'broadcast_all'";
  unsigned numArgs = getArgs().size();
  OutsideCall call = {getArgs(), getSizes(), llvm::to_vector(getResultTypes()), getVmapMethod()};
  // The call on other arguments, over the axes that are not the batch's.
  auto emit = [&](Emitter &e, TypeRange types, ValueRange args, ValueRange sizes, ArrayRef<BatchForm> forms,
                  BatchForm form) -> ValueRange {
    Builder &b = e.builder;
    SmallVector<BatchForm> resultForms(types.size(), form);
    SmallVector<int64_t> aliases;
    for (unsigned i = 0; i < types.size(); ++i) {
      int64_t argument = aliasOf(i);
      // An argument that all elements share is not written over.
      aliases.push_back(argument >= 0 && args[argument].getType() == types[i] ? argument : -1);
    }
    bool isBatch = form == BatchForm::Leading &&
                   llvm::all_of(args, [&](Value arg) { // A dimension of size 1 is none of the batch's.
                     auto array = cast<RankedTensorType>(arg.getType());
                     return array.getRank() > 0 && array.getDimSize(0) == int64_t(e.batchSize);
                   });
    IntegerAttr batchDims = getBatchDimsAttr();
    if (form == BatchForm::Leading && getBatchDims())
      batchDims = isBatch ? b.getI64IntegerAttr(*getBatchDims() + 1) : IntegerAttr();
    SmallVector<BatchForm> allForms(forms);
    allForms.append(resultForms);
    return FfiCallOp::create(e.builder, e.loc, types, getTargetAttr(), getHasSideEffectAttr(), getVmapMethodAttr(),
                             axesWithoutBatch(e, getAxes()), getConfigAttr(),
                             getAliases() ? b.getDenseI64ArrayAttr(aliases) : DenseI64ArrayAttr(),
                             batchedLayouts(b, getInputLayouts(), forms),
                             batchedLayouts(b, getOutputLayouts(), resultForms), batchDims,
                             batchedFactors(b, getFactors(), allForms, isBatch), args, sizes)
        ->getResults();
  };
  llvm::append_range(results, call.batch(e, operands.take_front(numArgs), dims.take_front(numArgs),
                                         operands.drop_front(numArgs), isAxis, emit));
  resultDims.append(getNumResults(), 0);
  return success();
}

} // namespace dovetail
