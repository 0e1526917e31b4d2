// Executables of hand-written code: their bindings, exports and calls.
#include "Executable.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace dovetail {

constexpr StringLiteral kSource = "hal.executable.source";

Executable::Binding Executable::addInput(Value array, ValueRange sizes) {
  inputs.push_back({array, cast<RankedTensorType>(array.getType()), SmallVector<Value>(sizes), {}, {}});
  return {false, unsigned(inputs.size() - 1)};
}

Executable::Binding Executable::addOutput(RankedTensorType type, ValueRange sizes, std::optional<unsigned> tiedInput) {
  outputs.push_back({{}, type, SmallVector<Value>(sizes), tiedInput, {}});
  return {true, unsigned(outputs.size() - 1)};
}

unsigned Executable::addConstant(Value number) {
  constants.push_back(number);
  return constants.size() - 1;
}

Value Executable::load(ImplicitLocOpBuilder &inside, unsigned constant) {
  OperationState state(inside.getLoc(), "hal.interface.constant.load", {}, inside.getI32Type());
  state.addAttribute("ordinal", inside.getIndexAttr(constant));
  return loads.emplace_back(inside.create(state))->getResult(0);
}

bool Executable::isWritten(unsigned input) const {
  return llvm::any_of(outputs, [&](const Buffer &output) { return output.tiedInput == input; });
}

Value Executable::view(ImplicitLocOpBuilder &inside, Binding binding, MemRefType type, ValueRange sizes,
                       int64_t offset) {
  return view(inside, binding, type, sizes, arith::ConstantIndexOp::create(inside, offset).getResult());
}

Value Executable::view(ImplicitLocOpBuilder &inside, Binding binding, MemRefType type, ValueRange sizes, Value offset) {
  SmallVector<Value> operands = {offset};
  llvm::append_range(operands, sizes);
  OperationState state(inside.getLoc(), "hal.interface.binding.subspan", operands, type);
  // An input may be part of an array, and begin at any of its elements.
  state.addAttribute("alignment", inside.getIndexAttr(bytesOfElement(type.getElementType())));
  state.addAttribute("operandSegmentSizes", inside.getDenseI32ArrayAttr({1, static_cast<int32_t>(sizes.size())}));
  Buffer &buffer = (binding.isOutput ? outputs : inputs)[binding.index];
  return buffer.views.emplace_back(inside.create(state))->getResult(0);
}

Attribute Executable::layout(MLIRContext *context) const {
  std::string text = "pipeline.layout<";
  if (!constants.empty())
    text += "constants = " + std::to_string(constants.size()) + ", ";
  SmallVector<StringRef> bindings;
  for (unsigned i = 0; i < inputs.size(); ++i)
    bindings.push_back(isWritten(i) ? "#hal.pipeline.binding<storage_buffer>"
                                    : "#hal.pipeline.binding<storage_buffer, ReadOnly>");
  for (const Buffer &output : outputs)
    if (!output.tiedInput)
      bindings.push_back("#hal.pipeline.binding<storage_buffer>");
  return ireeAttr(context, "hal", text + "bindings = [" + llvm::join(bindings, ", ") + "]>");
}

void Executable::numberBindings(MLIRContext *context) {
  Builder b(context);
  Attribute stated = layout(context);
  auto number = [&](const Buffer &buffer, int64_t binding, bool isReadOnly) {
    for (Operation *view : buffer.views) {
      view->setAttr("binding", b.getIndexAttr(binding));
      view->setAttr("layout", stated);
      if (isReadOnly)
        view->setAttr("descriptor_flags", b.getI32IntegerAttr(1));
    }
  };
  for (auto [i, input] : llvm::enumerate(inputs))
    number(input, i, !isWritten(i));
  int64_t next = inputs.size();
  for (const Buffer &output : outputs)
    number(output, output.tiedInput ? *output.tiedInput : next++, false);
  for (Operation *load : loads)
    load->setAttr("layout", stated);
}

void Executable::addTo(ModuleOp program, StringRef name, OwningOpRef<ModuleOp> code, size_t workloadSize,
                       function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> numGroups) {
  MLIRContext *context = program.getContext();
  numberBindings(context);
  (*code->getOps<func::FuncOp>().begin()).setSymName(name);
  ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockBegin(code->getLoc(), program.getBody());
  OperationState state(b.getLoc(), kSource);
  state.addAttribute("sym_name", b.getStringAttr(name));
  state.addAttribute("sym_visibility", b.getStringAttr("private"));
  Block &block = state.addRegion()->emplaceBlock();
  b.create(state);
  b.setInsertionPointToEnd(&block);

  OperationState exported(b.getLoc(), "hal.executable.export");
  exported.addAttribute("sym_name", b.getStringAttr(name));
  exported.addAttribute("sym_visibility", b.getStringAttr("public"));
  exported.addAttribute("ordinal", b.getIndexAttr(0));
  exported.addAttribute("layout", layout(context));
  Block &count = exported.addRegion()->emplaceBlock();
  exported.addRegion();
  count.addArgument(OpaqueType::get(b.getStringAttr("hal"), "device"), b.getLoc());
  for (size_t i = 0; i < workloadSize; ++i)
    count.addArgument(b.getIndexType(), b.getLoc());
  b.create(exported);
  block.push_back(code.release());
  b.create(OperationState(b.getLoc(), "hal.executable.source_end"));

  b.setInsertionPointToEnd(&count);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value groups = numGroups ? numGroups(b, count.getArguments().drop_front()) : one;
  b.create(OperationState(b.getLoc(), "hal.return", {groups, one, one}, {}));
}

SmallVector<Value> Executable::call(ImplicitLocOpBuilder &b, StringRef name, ValueRange workload) const {
  SmallVector<Value> arguments, argumentSizes, resultSizes;
  SmallVector<Type> types;
  SmallVector<Attribute> tied;
  for (const Buffer &input : inputs) {
    arguments.push_back(input.array);
    llvm::append_range(argumentSizes, input.sizes);
  }
  for (Value number : constants)
    arguments.push_back(arith::IndexCastOp::create(b, b.getI32Type(), number));
  for (const Buffer &output : outputs) {
    types.push_back(output.type);
    llvm::append_range(resultSizes, output.sizes);
    tied.push_back(b.getIndexAttr(output.tiedInput ? int64_t(*output.tiedInput) : -1));
  }
  auto run = SymbolRefAttr::get(b.getStringAttr(name), FlatSymbolRefAttr::get(b.getStringAttr(name)));
  SmallVector<NamedAttribute> attributes = {b.getNamedAttr("entry_points", b.getArrayAttr(run)),
                                            b.getNamedAttr("tied_operands", b.getArrayAttr(tied))};
  Operation *dispatch =
      createGrouped(b, "flow.dispatch", {workload, arguments, argumentSizes, resultSizes}, types, attributes);
  return llvm::to_vector_of<Value>(dispatch->getResults());
}

std::string freeName(ModuleOp program) {
  // Earlier names come first, so that most names are found to be free at once.
  unsigned number =
      llvm::count_if(*program.getBody(), [](Operation &op) { return op.getName().getStringRef() == kSource; });
  std::string name;
  do
    name = "once" + std::to_string(number++);
  while (SymbolTable::lookupSymbolIn(program, name));
  return name;
}

} // namespace dovetail
