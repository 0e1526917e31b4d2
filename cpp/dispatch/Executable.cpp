// Executables of hand-written code: their bindings, exports and calls.
#include "Executable.h"
#include "cpp/iree/Aliases.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

constexpr StringLiteral kSource = "hal.executable.source";
/// Where arrays that share a binding begin, and the bytes of the largest of them: it is copied.
constexpr int64_t kLine = 64, kMostShared = int64_t(1) << 12;

Executable::Binding Executable::addInput(Value array, ValueRange sizes) {
  inputs.push_back({array, cast<RankedTensorType>(array.getType()), SmallVector<Value>(sizes), {}, {}, {}});
  return {false, unsigned(inputs.size() - 1)};
}

Executable::Binding Executable::addOutput(RankedTensorType type, ValueRange sizes, std::optional<unsigned> tiedInput) {
  outputs.push_back({{}, type, SmallVector<Value>(sizes), tiedInput, {}, {}});
  return {true, unsigned(outputs.size() - 1)};
}

unsigned Executable::addConstant(Value number) {
  constants.push_back(number);
  return constants.size() - 1;
}

bool Executable::overwritesInputsOnly() const {
  return !inputs.empty() && llvm::all_of(llvm::seq<unsigned>(inputs.size()), [&](unsigned i) { return isWritten(i); });
}

void Executable::addUnknown(ImplicitLocOpBuilder &b) {
  addConstant(optimizationBarrier(b, arith::ConstantIndexOp::create(b, 0).getResult()).front());
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

size_t Executable::numBindings() const {
  auto isAlone = [](const Buffer &buffer) { return !buffer.part; };
  return llvm::count_if(inputs, isAlone) + llvm::count_if(outputs, isAlone) + shared.size();
}

bool Executable::mayShare(unsigned index, bool isOutput) const {
  const Buffer &buffer = (isOutput ? outputs : inputs)[index];
  bool isTied = isOutput ? buffer.tiedInput.has_value() : isWritten(index);
  return !isTied && buffer.type.hasStaticShape() &&
         buffer.type.getNumElements() * bytesOfElement(buffer.type.getElementType()) <= kMostShared;
}

void Executable::shareBindings(size_t most) {
  if (numBindings() <= most)
    return;
  for (bool isOutput : {false, true}) {
    llvm::MapVector<Type, SmallVector<Buffer *>> ofType;
    for (auto [i, buffer] : llvm::enumerate(isOutput ? outputs : inputs))
      if (mayShare(i, isOutput))
        ofType[buffer.type.getElementType()].push_back(&buffer);
    for (auto &[element, buffers] : ofType) {
      if (buffers.size() == 1)
        continue;
      int64_t end = 0;
      for (Buffer *buffer : buffers) {
        buffer->part = {unsigned(shared.size()), end};
        end += llvm::alignTo(buffer->type.getNumElements(), kLine / bytesOfElement(element));
      }
      shared.push_back({isOutput, element, end});
    }
  }
}

unsigned Executable::operandOf(unsigned input) const {
  return llvm::count_if(ArrayRef(inputs).take_front(input), [](const Buffer &buffer) { return !buffer.part; });
}

Attribute Executable::layout(MLIRContext *context) const {
  std::string text = "pipeline.layout<";
  if (!constants.empty())
    text += "constants = " + std::to_string(constants.size()) + ", ";
  SmallVector<StringRef> bindings;
  StringRef readOnly = "#hal.pipeline.binding<storage_buffer, ReadOnly>",
            written = "#hal.pipeline.binding<storage_buffer>";
  for (auto [i, input] : llvm::enumerate(inputs))
    if (!input.part)
      bindings.push_back(isWritten(i) ? written : readOnly);
  for (const Shared &each : shared)
    if (!each.isOutput)
      bindings.push_back(readOnly);
  for (const Buffer &output : outputs)
    if (!output.part && !output.tiedInput)
      bindings.push_back(written);
  for (const Shared &each : shared)
    if (each.isOutput)
      bindings.push_back(written);
  return ireeAttr(context, "hal", text + "bindings = [" + llvm::join(bindings, ", ") + "]>");
}

/// Makes a static view that begins within its buffer one of the bytes from the buffer's beginning on. IREE 3.13 forgets
/// where it begins in code for CUDA and ROCm.
static Operation *viewOfBytes(Operation *view) {
  std::optional<int64_t> begin = getConstantIntValue(view->getOperand(0));
  if (begin == 0)
    return view;
  auto type = cast<MemRefType>(view->getResult(0).getType());
  assert(begin && type.hasStaticShape() && "other views begin where their buffers do");
  ImplicitLocOpBuilder b(view->getLoc(), view);
  int64_t size = *begin + type.getNumElements() * bytesOfElement(type.getElementType());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Operation *bytes = b.clone(*view);
  bytes->getResult(0).setType(MemRefType::get(size, b.getI8Type()));
  bytes->setOperand(0, zero);
  auto made = memref::ViewOp::create(b, type, bytes->getResult(0), view->getOperand(0), /*sizes=*/ValueRange());
  view->replaceAllUsesWith(made);
  view->erase();
  return bytes;
}

void Executable::numberBindings(ModuleOp program) {
  MLIRContext *context = program.getContext();
  Builder b(context);
  Attribute stated = layout(context);
  Target target(program);
  bool forgetsOffsets = target.isGpu() && !target.isSpirv();
  auto number = [&](const Buffer &buffer, int64_t binding, bool isReadOnly) {
    for (Operation *view : buffer.views) {
      if (buffer.part && buffer.part->offset > 0) {
        ImplicitLocOpBuilder inside(view->getLoc(), view);
        int64_t bytes = buffer.part->offset * bytesOfElement(buffer.type.getElementType());
        view->setOperand(0, arith::ConstantIndexOp::create(inside, bytes + *getConstantIntValue(view->getOperand(0))));
      }
      if (forgetsOffsets)
        view = viewOfBytes(view);
      view->setAttr("binding", b.getIndexAttr(binding));
      view->setAttr("layout", stated);
      if (isReadOnly)
        view->setAttr("descriptor_flags", b.getI32IntegerAttr(1));
    }
  };
  int64_t next = 0;
  SmallVector<int64_t> ofShared(shared.size());
  auto numberShared = [&](bool isOutput) {
    for (auto [each, binding] : llvm::zip_equal(shared, ofShared))
      if (each.isOutput == isOutput)
        binding = next++;
    for (const Buffer &buffer : isOutput ? outputs : inputs)
      if (buffer.part)
        number(buffer, ofShared[buffer.part->shared], !isOutput);
  };
  for (auto [i, input] : llvm::enumerate(inputs))
    if (!input.part)
      number(input, next++, !isWritten(i));
  numberShared(false);
  for (const Buffer &output : outputs)
    if (!output.part)
      number(output, output.tiedInput ? operandOf(*output.tiedInput) : next++, false);
  numberShared(true);
  for (Operation *load : loads)
    load->setAttr("layout", stated);
}

void Executable::addTo(ModuleOp program, StringRef name, OwningOpRef<ModuleOp> code, size_t workloadSize,
                       function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> numGroups) {
  MLIRContext *context = program.getContext();
  numberBindings(program);
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

/// The groups of dimensions of a static type that make up the one of an array of the same elements.
static SmallVector<ReassociationIndices> allDims(RankedTensorType type) {
  if (type.getRank() == 0)
    return {};
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()))};
}

/// The array as a vector, and back.
static Value flat(ImplicitLocOpBuilder &b, Value array) {
  auto type = cast<RankedTensorType>(array.getType());
  if (type.getRank() == 1)
    return array;
  auto vector = RankedTensorType::get(type.getNumElements(), type.getElementType());
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(b, vector, array, ArrayRef<ReassociationIndices>());
  return tensor::CollapseShapeOp::create(b, vector, array, allDims(type));
}

static Value shaped(ImplicitLocOpBuilder &b, Value vector, RankedTensorType type) {
  if (type.getRank() == 1)
    return vector;
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, type, vector, ArrayRef<ReassociationIndices>());
  return tensor::ExpandShapeOp::create(b, type, vector, allDims(type));
}

/// Elements of a vector as an array. See Quirks.h: a slice of one element gets no dimensions.
static Value cutOut(ImplicitLocOpBuilder &b, Value vector, int64_t offset, RankedTensorType type) {
  OpFoldResult one = b.getIndexAttr(1), zero = b.getIndexAttr(0);
  SmallVector<OpFoldResult> offsets = {b.getIndexAttr(offset)}, sizes = {b.getIndexAttr(type.getNumElements())};
  if (type.getNumElements() != 1 || type.getRank() < 2) {
    Value part = tensor::ExtractSliceOp::create(b, vector, offsets, sizes, ArrayRef(one));
    return shaped(b, part, type);
  }
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = cast<RankedTensorType>(vector.getType()).getDimSize(0);
  Value column = shaped(b, vector, RankedTensorType::get(shape, type.getElementType()));
  offsets.resize(type.getRank(), zero);
  SmallVector<OpFoldResult> ones(type.getRank(), one);
  return tensor::ExtractSliceOp::create(b, column, offsets, ones, ones);
}

Value Executable::joined(ImplicitLocOpBuilder &b, unsigned number) const {
  const Shared &each = shared[number];
  Value all = tensor::EmptyOp::create(b, ArrayRef(each.numElements), each.element);
  OpFoldResult one = b.getIndexAttr(1);
  for (const Buffer &input : inputs)
    if (input.part && input.part->shared == number)
      all = tensor::InsertSliceOp::create(b, flat(b, input.array), all, {b.getIndexAttr(input.part->offset)},
                                          {b.getIndexAttr(input.type.getNumElements())}, {one});
  return all;
}

bool Executable::isReadElsewhere(unsigned input) const {
  Value array = viewsOf(inputs[input].array).back();
  return llvm::any_of(llvm::enumerate(inputs), [&](auto other) {
    return other.index() != input && viewsOf(other.value().array).back() == array;
  });
}

SmallVector<Value> Executable::call(ImplicitLocOpBuilder &b, StringRef name, ValueRange workload) const {
  SmallVector<Value> arguments, argumentSizes, resultSizes;
  SmallVector<Type> types;
  SmallVector<Attribute> tied;
  for (auto [i, input] : llvm::enumerate(inputs))
    if (!input.part) {
      // See Quirks.h. IREE takes what is behind a barrier for another array.
      bool isForTwo = isWritten(i) && isReadElsewhere(i);
      arguments.push_back(isForTwo ? optimizationBarrier(b, input.array).front() : input.array);
      llvm::append_range(argumentSizes, input.sizes);
    }
  for (auto [i, each] : llvm::enumerate(shared))
    if (!each.isOutput)
      arguments.push_back(joined(b, i));
  for (Value number : constants)
    arguments.push_back(arith::IndexCastOp::create(b, b.getI32Type(), number));
  for (const Buffer &output : outputs)
    if (!output.part) {
      types.push_back(output.type);
      llvm::append_range(resultSizes, output.sizes);
      tied.push_back(b.getIndexAttr(output.tiedInput ? int64_t(operandOf(*output.tiedInput)) : -1));
    }
  for (const Shared &each : shared)
    if (each.isOutput) {
      types.push_back(RankedTensorType::get(each.numElements, each.element));
      tied.push_back(b.getIndexAttr(-1));
    }
  auto run = SymbolRefAttr::get(b.getStringAttr(name), FlatSymbolRefAttr::get(b.getStringAttr(name)));
  SmallVector<NamedAttribute> attributes = {b.getNamedAttr("entry_points", b.getArrayAttr(run)),
                                            b.getNamedAttr("tied_operands", b.getArrayAttr(tied))};
  Operation *dispatch =
      createGrouped(b, "flow.dispatch", {workload, arguments, argumentSizes, resultSizes}, types, attributes);
  auto next = dispatch->result_begin();
  SmallVector<Value> alone;
  for (const Buffer &output : outputs)
    alone.push_back(output.part ? Value() : Value(*next++));
  SmallVector<Value> together;
  for (const Shared &each : shared)
    together.push_back(each.isOutput ? Value(*next++) : Value());
  for (auto [output, value] : llvm::zip_equal(outputs, alone))
    if (output.part)
      value = cutOut(b, together[output.part->shared], output.part->offset, output.type);
  return alone;
}

std::string freeName(ModuleOp program, StringRef stem) {
  // Earlier names come first, so that most names are found to be free at once.
  unsigned number =
      llvm::count_if(*program.getBody(), [](Operation &op) { return op.getName().getStringRef() == kSource; });
  std::string name;
  do
    name = stem.str() + std::to_string(number++);
  while (SymbolTable::lookupSymbolIn(program, name));
  return name;
}

} // namespace dovetail
