// Builds dispatches from given code, which IREE compiles as one unit.
#include "Workgroups.h"
#include "Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

namespace {

/// An array outside of a dispatch, or inside it.
struct Binding {
  RankedTensorType type;
  SmallVector<OpFoldResult> sizes;
  Value inside;

  SmallVector<Value> dynamicSizes() const {
    SmallVector<Value> values;
    for (OpFoldResult size : sizes)
      if (auto value = dyn_cast<Value>(size))
        values.push_back(value);
    return values;
  }

  Type insideType(StringRef access) const {
    std::string text;
    llvm::raw_string_ostream(text) << "dispatch.tensor<" << access << ":" << type << ">";
    return OpaqueType::get(StringAttr::get(type.getContext(), "iree_tensor_ext"), text);
  }

  /// The binding in a block that gets the dynamic sizes as `arguments`.
  Binding enter(ImplicitLocOpBuilder &b, Value argument, ValueRange &arguments) const {
    SmallVector<OpFoldResult> inner(sizes);
    for (OpFoldResult &size : inner)
      if (isa<Value>(size)) {
        size = arguments.front();
        arguments = arguments.drop_front();
      }
    Binding result = {type, inner, argument};
    SmallVector<Value> dynamic = result.dynamicSizes();
    if (!dynamic.empty()) {
      dynamic.insert(dynamic.begin(), argument);
      result.inside =
          b.create(OperationState(b.getLoc(), "flow.dispatch.tie_shape", dynamic, argument.getType()))->getResult(0);
    }
    return result;
  }

  /// Loads the whole array, or stores it if `stored` is given.
  Operation *access(ImplicitLocOpBuilder &b, Value stored = {}) const {
    SmallVector<Value> dynamic = dynamicSizes();
    SmallVector<ValueRange> groups = {inside, dynamic, ValueRange(), dynamic, ValueRange()};
    if (stored)
      groups.insert(groups.begin(), stored);
    SmallVector<NamedAttribute> attributes = {
        b.getNamedAttr("static_offsets", b.getDenseI64ArrayAttr(SmallVector<int64_t>(sizes.size(), 0))),
        b.getNamedAttr("static_sizes", b.getDenseI64ArrayAttr(type.getShape())),
        b.getNamedAttr("static_strides", b.getDenseI64ArrayAttr(SmallVector<int64_t>(sizes.size(), 1)))};
    StringRef name = stored ? "iree_tensor_ext.dispatch.tensor.store" : "iree_tensor_ext.dispatch.tensor.load";
    return createGrouped(b, name, groups, stored ? TypeRange() : TypeRange(type), attributes);
  }
};

} // namespace

/// A dispatch without code yet: its first block is for the code, its second, which gets the workload, computes the
/// number of workgroups. `groups` are the workload, the captured values, and the sizes of its arrays and of the result.
static Operation *createWorkgroups(ImplicitLocOpBuilder &b, ArrayRef<ValueRange> groups, Type result,
                                   int64_t tiedOperand) {
  NamedAttribute tied = b.getNamedAttr("tied_operands", b.getIndexArrayAttr(tiedOperand));
  Operation *dispatch = createGrouped(b, "flow.dispatch.workgroups", groups, result, tied, /*numRegions=*/2);
  dispatch->getRegion(0).emplaceBlock();
  Block &count = dispatch->getRegion(1).emplaceBlock();
  for (size_t i = 0; i < groups.front().size(); ++i)
    count.addArgument(b.getIndexType(), b.getLoc());
  return dispatch;
}

/// Calls `body` for each row of an array of `sizes`, in workgroups of one row each.
static Value forEachRow(ImplicitLocOpBuilder &b, RankedTensorType type, ArrayRef<OpFoldResult> sizes,
                        function_ref<Value(ImplicitLocOpBuilder &, Value, Value)> body) {
  Value init = tensor::EmptyOp::create(b, sizes, type.getElementType());
  auto mapping = b.getArrayAttr(workgroupMapping(b.getContext()));
  auto loop = scf::ForallOp::create(b, sizes[0], init, mapping, [&](OpBuilder &inner, Location loc, ValueRange args) {
    ImplicitLocOpBuilder each(loc, inner);
    SmallVector<OpFoldResult> offsets = {args[0], each.getIndexAttr(0)}, window = {each.getIndexAttr(1), sizes[1]},
                              strides(2, each.getIndexAttr(1));
    auto rowType = RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
    Value row = tensor::ExtractSliceOp::create(each, rowType, args[1], offsets, window, strides);
    Value changed = body(each, args[0], row);
    auto end = scf::InParallelOp::create(each);
    each.setInsertionPointToStart(end.getBody());
    tensor::ParallelInsertSliceOp::create(each, changed, args[1], offsets, window, strides);
  });
  return loop.getResult(0);
}

Value dispatchRows(ImplicitLocOpBuilder &b, ValueRange inputs, ArrayRef<OpFoldResult> sizes, Type element,
                   function_ref<Value(ImplicitLocOpBuilder &, ValueRange, Value, Value)> body) {
  SmallVector<Binding> bindings;
  for (Value x : inputs)
    bindings.push_back({cast<RankedTensorType>(x.getType()), tensor::getMixedSizes(b, b.getLoc(), x), {}});
  SmallVector<int64_t> shape = decomposeMixedValues(SmallVector<OpFoldResult>(sizes)).first;
  Binding result = {RankedTensorType::get(shape, element), SmallVector<OpFoldResult>(sizes), {}};
  SmallVector<Value> inputSizes, resultSizes = result.dynamicSizes(), workload;
  for (const Binding &binding : bindings)
    llvm::append_range(inputSizes, binding.dynamicSizes());
  if (auto count = dyn_cast<Value>(sizes[0]))
    workload.push_back(count);

  SmallVector<Value> captured(inputs);
  llvm::append_range(captured, inputSizes);
  llvm::append_range(captured, resultSizes);
  Operation *dispatch =
      createWorkgroups(b, {workload, captured, inputSizes, resultSizes}, result.type, /*tiedOperand=*/-1);
  Block &block = dispatch->getRegion(0).front(), &count = dispatch->getRegion(1).front();
  for (const Binding &binding : bindings)
    block.addArgument(binding.insideType("readonly"), b.getLoc());
  for (size_t i = 0, count = inputSizes.size() + resultSizes.size(); i < count; ++i)
    block.addArgument(b.getIndexType(), b.getLoc());
  block.addArgument(result.insideType("writeonly"), b.getLoc());

  ImplicitLocOpBuilder inner = ImplicitLocOpBuilder::atBlockEnd(b.getLoc(), &block);
  auto known = llvm::to_vector_of<Value>(block.getArguments().drop_front(inputs.size()).drop_back());
  if (!workload.empty()) {
    OperationState ordinal(b.getLoc(), "iree_tensor_ext.dispatch.workload.ordinal", known[inputSizes.size()],
                           b.getIndexType());
    ordinal.addAttribute("ordinal", b.getIndexAttr(0));
    known[inputSizes.size()] = inner.create(ordinal)->getResult(0);
  }
  ValueRange sizeArguments = known;
  SmallVector<Value> loaded;
  for (auto [binding, argument] : llvm::zip(bindings, block.getArguments()))
    loaded.push_back(binding.enter(inner, argument, sizeArguments).access(inner)->getResult(0));
  result = result.enter(inner, block.getArguments().back(), sizeArguments);
  Value stored = forEachRow(inner, result.type, result.sizes, [&](ImplicitLocOpBuilder &each, Value row, Value array) {
    return body(each, loaded, row, array);
  });
  result.access(inner, stored);
  inner.create(OperationState(b.getLoc(), "flow.return"));

  ImplicitLocOpBuilder counting = ImplicitLocOpBuilder::atBlockEnd(b.getLoc(), &count);
  Value one = arith::ConstantIndexOp::create(counting, 1);
  Value rows = workload.empty() ? arith::ConstantIndexOp::create(counting, shape[0]).getResult() : count.getArgument(0);
  counting.create(OperationState(b.getLoc(), "flow.return", {rows, one, one}, {}));
  return dispatch->getResult(0);
}

Value dispatchOver(ImplicitLocOpBuilder &b, Value storage, ValueRange inputs,
                   function_ref<Value(ImplicitLocOpBuilder &, Value, ValueRange)> body) {
  SmallVector<Binding> bindings;
  SmallVector<Value> captured = {storage};
  llvm::append_range(captured, inputs);
  for (Value x : captured)
    bindings.push_back({cast<RankedTensorType>(x.getType()), tensor::getMixedSizes(b, b.getLoc(), x), {}});
  SmallVector<Value> workload;
  for (int64_t size : bindings.front().type.getShape())
    workload.push_back(arith::ConstantIndexOp::create(b, size));
  Operation *dispatch = createWorkgroups(b, {workload, captured, ValueRange(), ValueRange()}, storage.getType(),
                                         /*tiedOperand=*/0);
  Block &block = dispatch->getRegion(0).front(), &count = dispatch->getRegion(1).front();
  for (auto [i, binding] : llvm::enumerate(bindings))
    block.addArgument(binding.insideType(i == 0 ? "readwrite" : "readonly"), b.getLoc());

  ImplicitLocOpBuilder inner = ImplicitLocOpBuilder::atBlockEnd(b.getLoc(), &block);
  SmallVector<Value> loaded;
  for (auto [binding, argument] : llvm::zip(bindings, block.getArguments())) {
    binding.inside = argument;
    loaded.push_back(binding.access(inner)->getResult(0));
  }
  bindings.front().access(inner, body(inner, loaded.front(), ArrayRef(loaded).drop_front()));
  inner.create(OperationState(b.getLoc(), "flow.return"));

  ImplicitLocOpBuilder counting = ImplicitLocOpBuilder::atBlockEnd(b.getLoc(), &count);
  SmallVector<Type> counts(3, b.getIndexType());
  OperationState slice(b.getLoc(), "iree_tensor_ext.dispatch.workgroup_count_from_slice", count.getArguments(), counts);
  counting.create(OperationState(b.getLoc(), "flow.return", counting.create(slice)->getResults(), {}));
  return dispatch->getResult(0);
}

} // namespace dovetail
