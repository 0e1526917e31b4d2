// Callbacks: verification, derivatives and batching.
#include "Callback.h"
#include "Control.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Callback.cpp.inc"

namespace dovetail {

void registerCallbackOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Callback.cpp.inc"
      >();
}

LogicalResult CallbackOp::verify() {
  if (!llvm::is_contained({"none", "io", "debug"}, getEffect()))
    return emitOpError() << "effect must be none, io or debug, got: " << getEffectAttr();
  if (getEffect() == "debug" && getNumResults() != 0)
    return emitOpError() << "with effect debug must have no results, got: " << getNumResults();
  if (getOrdered() && getEffect() == "none")
    return emitOpError() << "that is ordered must have an effect, got: none";
  static constexpr StringRef methods[] = {"sequential", "sequential_unrolled", "expand_dims", "broadcast_all",
                                          "legacy_vectorized"};
  if (std::optional<StringRef> method = getVmapMethod(); method && !llvm::is_contained(methods, *method))
    return emitOpError() << "vmap must be one of " << llvm::interleaved(methods) << ", got: " << getVmapMethodAttr();
  int64_t numSizes = 0;
  for (Type type : getResultTypes())
    numSizes += cast<RankedTensorType>(type).getNumDynamicDims();
  if (numSizes != static_cast<int64_t>(getSizes().size()))
    return emitOpError() << "must have one size for each '?' of its results, " << numSizes
                         << ", got: " << getSizes().size();
  return success();
}

void CallbackOp::getEffects(MemoryEffectList &effects) {
  if (getEffect() != "none")
    addOutsideEffects(effects, getEffect() == "io" ? EffectKind::Counted : EffectKind::Any);
}

// A function for debugging sees the values of the program; derivatives ignore it.
LogicalResult CallbackOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value>, SmallVectorImpl<Value> &,
                              SmallVectorImpl<Value> &) {
  if (getEffect() != "debug")
    return emitError() << (getEffect() == "none" ? "Pure" : "IO")
                       << " callbacks do not support JVP, since nothing is known of what they compute; call them in a "
                          "function that has a rule, by custom_jvp or custom_vjp, or on the stop_gradient of their "
                          "arguments";
  cloneWith(e, *this, primals, getResultTypes());
  return success();
}

Value CallbackOp::resultSize(Emitter &, ValueRange operands, unsigned result, int64_t dimension) {
  return operands[getArgs().size() + sizePosition(getResults(), result, dimension)];
}

// Where its arguments are the same, so are its results.
LogicalResult CallbackOp::vary(VaryingAnalysis &, MutableArrayRef<AxisSet> operands,
                               SmallVectorImpl<AxisSet> &results) {
  AxisSet all = 0;
  for (AxisSet set : operands)
    all |= set;
  llvm::fill(operands, all);
  results.assign(getNumResults(), all);
  return success();
}

//===- Batching ------------------------------------------------------------------------===//

/// The call on other arguments, over the axes that are not the batch's.
static ValueRange emitOn(Emitter &e, CallbackOp op, TypeRange types, ValueRange args, ValueRange sizes) {
  SmallVector<Attribute> axes(op.getAxes().begin(), op.getAxes().end());
  llvm::erase(axes, e.batchSize.axis);
  ArrayAttr over = axes.empty() ? ArrayAttr() : e.builder.getArrayAttr(axes);
  return CallbackOp::create(e.builder, e.loc, types, op.getFunctionAttr(), op.getEffectAttr(), op.getOrderedAttr(),
                            op.getVmapMethodAttr(), over, args, sizes)
      ->getResults();
}

/// One call for each element of the batch, which `args` have at `dims`, in order.
static ValueRange callInLoop(Emitter &e, CallbackOp op, ValueRange args, ArrayRef<int64_t> dims, ValueRange sizes) {
  Loop loop;
  SmallVector<Type> slices;
  SmallVector<unsigned> order;
  for (auto [i, arg] : llvm::enumerate(args))
    if (dims[i] != kUnbatched) {
      loop.xs.push_back(e.batchAt(arg, dims[i], 0));
      slices.push_back(op.getArgs()[i].getType());
      order.push_back(i);
    }
  for (auto [i, arg] : llvm::enumerate(args))
    if (dims[i] == kUnbatched) {
      loop.consts.push_back(arg);
      order.push_back(i);
    }
  llvm::append_range(loop.consts, sizes);
  loop.length = ShapedType::isDynamic(e.batchSize) ? -1 : e.batchSize.size;
  loop.reverse = false;
  SmallVector<Type> types(ValueRange(loop.consts).getTypes());
  types.insert(types.begin(), slices.begin(), slices.end());
  Body body(e.loc, types);
  BodyEmitter inner(e, body);
  SmallVector<Value> elements(args.size());
  for (auto [number, argument] : llvm::zip(order, body.arguments()))
    elements[number] = argument;
  ValueRange innerSizes = ValueRange(body.arguments()).drop_front(args.size());
  body.results = llvm::to_vector_of<Value>(emitOn(inner, op, op.getResultTypes(), elements, innerSizes));
  return loop.emit(e, std::move(body));
}

/// One call on arrays with the batch in front.
static ValueRange callOnce(Emitter &e, CallbackOp op, ValueRange args, ArrayRef<int64_t> dims, ValueRange sizes) {
  StringRef method = *op.getVmapMethod();
  SmallVector<Value> whole, wholeSizes;
  for (auto [arg, dim] : llvm::zip_equal(args, dims)) {
    if (dim != kUnbatched || method == "broadcast_all")
      whole.push_back(e.batchAt(arg, dim, 0));
    else if (method == "expand_dims")
      whole.push_back(e.reshape(arg, withDim(arg.getType(), 0, 1), e.sizes(arg)));
    else
      whole.push_back(arg);
  }
  SmallVector<Type> types;
  for (Type type : op.getResultTypes()) {
    int64_t count = cast<RankedTensorType>(type).getNumDynamicDims();
    llvm::append_range(wholeSizes, e.sizesWithBatch(type, sizes.take_front(count), 0));
    sizes = sizes.drop_front(count);
    types.push_back(withDim(type, 0, e.batchSize));
  }
  return emitOn(e, op, types, whole, wholeSizes);
}

LogicalResult CallbackOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  if (getOrdered() && getEffect() == "io")
    return emitError()
           << "Cannot `vmap` ordered IO callback, since the elements of a batch have no order; use ordered=False, "
              "or a loop such as lax.scan or lax.map";
  bool isAxis = llvm::is_contained(getAxes(), Attribute(e.batchSize.axis));
  if (!getVmapMethod() && !isAxis)
    return emitError() << "vmap is only supported of pure callbacks with a vmap_method, got: None; say 'sequential', "
                          "'sequential_unrolled', 'expand_dims' or 'broadcast_all'";
  unsigned numArgs = getArgs().size();
  ValueRange args = operands.take_front(numArgs), sizes = operands.drop_front(numArgs);
  dims = dims.take_front(numArgs);
  bool isLoop = isAxis || getVmapMethod()->starts_with("sequential");
  llvm::append_range(results, (isLoop ? callInLoop : callOnce)(e, *this, args, dims, sizes));
  resultDims.append(getNumResults(), 0);
  return success();
}

} // namespace dovetail
