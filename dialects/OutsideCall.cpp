// What calls of functions outside of the program have in common: their batching rule.
#include "OutsideCall.h"
#include "Control.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace dovetail {

ArrayRef<StringRef> vmapMethods() {
  static constexpr StringRef methods[] = {"sequential", "sequential_unrolled", "expand_dims", "broadcast_all",
                                          "legacy_vectorized"};
  return methods;
}

LogicalResult verifyOutsideCall(Operation *op, std::optional<StringRef> method, ValueRange sizes) {
  if (method && !llvm::is_contained(vmapMethods(), *method))
    return op->emitOpError() << "vmap must be one of " << llvm::interleaved(vmapMethods()) << ", got: \"" << *method
                             << "\"";
  int64_t numSizes = 0;
  for (Type type : op->getResultTypes())
    numSizes += cast<RankedTensorType>(type).getNumDynamicDims();
  if (numSizes != static_cast<int64_t>(sizes.size()))
    return op->emitOpError() << "must have one size for each '?' of its results, " << numSizes
                             << ", got: " << sizes.size();
  return success();
}

void varyTogether(MutableArrayRef<AxisSet> operands, unsigned numResults, SmallVectorImpl<AxisSet> &results) {
  AxisSet all = 0;
  for (AxisSet set : operands)
    all |= set;
  llvm::fill(operands, all);
  results.assign(numResults, all);
}

ArrayAttr axesWithoutBatch(Emitter &e, ArrayAttr axes) {
  SmallVector<Attribute> rest(axes.begin(), axes.end());
  llvm::erase(rest, e.batchSize.axis);
  return rest.empty() ? ArrayAttr() : e.builder.getArrayAttr(rest);
}

/// One call for each element of the batch, which `args` have at `dims`, in order.
static ValueRange callInLoop(Emitter &e, const OutsideCall &call, ValueRange args, ArrayRef<int64_t> dims,
                             ValueRange sizes, OutsideCall::Emit emit) {
  Loop loop;
  SmallVector<Type> slices;
  SmallVector<unsigned> order;
  for (auto [i, arg] : llvm::enumerate(args))
    if (dims[i] != kUnbatched) {
      loop.xs.push_back(e.batchAt(arg, dims[i], 0));
      slices.push_back(call.args[i].getType());
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
  SmallVector<BatchForm> forms(args.size(), BatchForm::Unchanged);
  body.results =
      llvm::to_vector_of<Value>(emit(inner, call.results, elements, innerSizes, forms, BatchForm::Unchanged));
  return loop.emit(e, std::move(body));
}

/// One call on arrays with the batch in front.
static ValueRange callOnce(Emitter &e, const OutsideCall &call, ValueRange args, ArrayRef<int64_t> dims,
                           ValueRange sizes, OutsideCall::Emit emit) {
  StringRef method = *call.method;
  SmallVector<Value> whole, wholeSizes;
  SmallVector<BatchForm> forms;
  for (auto [arg, dim] : llvm::zip_equal(args, dims)) {
    bool isLeading = true;
    if (dim != kUnbatched || method == "broadcast_all")
      whole.push_back(e.batchAt(arg, dim, 0));
    else if (method == "expand_dims")
      whole.push_back(e.reshape(arg, withDim(arg.getType(), 0, 1), e.sizes(arg)));
    else {
      whole.push_back(arg);
      isLeading = false;
    }
    forms.push_back(isLeading ? BatchForm::Leading : BatchForm::Unchanged);
  }
  SmallVector<Type> types;
  for (Type type : call.results) {
    int64_t count = cast<RankedTensorType>(type).getNumDynamicDims();
    llvm::append_range(wholeSizes, e.sizesWithBatch(type, sizes.take_front(count), 0));
    sizes = sizes.drop_front(count);
    types.push_back(withDim(type, 0, e.batchSize));
  }
  return emit(e, types, whole, wholeSizes, forms, BatchForm::Leading);
}

ValueRange OutsideCall::batch(Emitter &e, ValueRange batched, ArrayRef<int64_t> dims, ValueRange batchedSizes,
                              bool mustLoop, Emit emit) const {
  bool isLoop = mustLoop || method->starts_with("sequential");
  return (isLoop ? callInLoop : callOnce)(e, *this, batched, dims, batchedSizes, emit);
}

} // namespace dovetail
