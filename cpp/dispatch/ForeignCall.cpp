// Calls of foreign functions: dispatches of executables that pass on the addresses of their buffers.
#include "ForeignCall.h"
#include "LibraryCall.h"
#include "cpp/iree/HostCall.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include <dovetail/xla_ffi.h>
#include <set>

using namespace mlir;

namespace dovetail {

using foreign::AttributeEntry;
using foreign::Descriptor;

/// How the names of executables begin.
constexpr StringLiteral kExecutable = "foreign_call";

//===- Descriptors ---------------------------------------------------------------===//

int64_t foreignType(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() ? 15 : 18;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return 1;
    case 2:
      return isUnsigned ? 27 : 26;
    case 4:
      return isUnsigned ? 22 : 21;
    default:
      return llvm::Log2_32(integer.getWidth()) - (isUnsigned ? -3 : 1);
    }
  }
  return llvm::TypeSwitch<Type, int64_t>(type)
      .Case<Float16Type>([](auto) { return 10; })
      .Case<Float32Type>([](auto) { return 11; })
      .Case<Float64Type>([](auto) { return 12; })
      .Case<BFloat16Type>([](auto) { return 16; })
      .Case<Float8E5M2Type>([](auto) { return 19; })
      .Case<Float8E4M3FNType>([](auto) { return 20; })
      .Case<Float8E4M3B11FNUZType>([](auto) { return 23; })
      .Case<Float8E5M2FNUZType>([](auto) { return 24; })
      .Case<Float8E4M3FNUZType>([](auto) { return 25; })
      .Case<Float8E4M3Type>([](auto) { return 28; })
      .Case<Float8E3M4Type>([](auto) { return 29; })
      .Case<Float4E2M1FNType>([](auto) { return 32; })
      .Case<Float8E8M0FNUType>([](auto) { return 33; })
      .Default([](Type) { return 0; });
}

namespace {
/// Writes attributes behind each other.
class Encoder {
public:
  std::string bytes;

  /// Returns the dictionary's offset.
  int64_t add(DictionaryAttr dictionary) {
    int64_t begin = reserve((1 + dictionary.size() * sizeof(AttributeEntry) / sizeof(int64_t)) * sizeof(int64_t));
    write(begin, int64_t(dictionary.size()));
    int64_t place = begin + sizeof(int64_t);
    for (NamedAttribute attribute : dictionary) {
      StringRef name = attribute.getName().getValue();
      AttributeEntry entry = encode(attribute.getValue());
      entry.name = append(name, /*hasEnd=*/true);
      entry.nameSize = name.size();
      write(place, entry);
      place += sizeof(AttributeEntry);
    }
    return begin;
  }

private:
  int64_t reserve(size_t size) {
    bytes.resize(llvm::alignTo(bytes.size(), 16));
    size_t begin = bytes.size();
    bytes.resize(begin + size);
    return begin;
  }

  template <typename T>
  void write(int64_t place, const T &value) {
    std::memcpy(&bytes[place], &value, sizeof(T));
  }

  int64_t append(StringRef data, bool hasEnd = false) {
    int64_t begin = reserve(data.size() + hasEnd);
    std::memcpy(&bytes[begin], data.data(), data.size());
    return begin;
  }

  int64_t append(const APInt &bits) {
    return append(
        StringRef(reinterpret_cast<const char *>(bits.getRawData()), llvm::divideCeil(bits.getBitWidth(), 8)));
  }

  int64_t append(DenseElementsAttr elements) {
    std::string data;
    if (elements.getElementType().isInteger(1)) {
      for (bool bit : elements.getValues<bool>())
        data.push_back(bit);
      return append(data);
    }
    ArrayRef<char> raw = elements.getRawData();
    for (int64_t i = 0; i < (elements.isSplat() ? elements.getNumElements() : 1); ++i)
      data.append(raw.data(), raw.size());
    return append(data);
  }

  AttributeEntry encode(Attribute value) {
    if (auto text = dyn_cast<StringAttr>(value))
      return {XFFI_ATTRIBUTE_STRING, 0, int64_t(text.size()), 0, 0, append(text.getValue(), true)};
    if (auto integer = dyn_cast<IntegerAttr>(value))
      return {XFFI_ATTRIBUTE_SCALAR, foreignType(integer.getType()), 1, 0, 0, append(integer.getValue())};
    if (auto number = dyn_cast<FloatAttr>(value))
      return {
          XFFI_ATTRIBUTE_SCALAR, foreignType(number.getType()), 1, 0, 0, append(number.getValue().bitcastToAPInt())};
    if (auto elements = dyn_cast<DenseElementsAttr>(value)) {
      // Complex numbers have no attributes of their own.
      bool isScalar = elements.getType().getRank() == 0 && isa<ComplexType>(elements.getElementType());
      return {isScalar ? XFFI_ATTRIBUTE_SCALAR : XFFI_ATTRIBUTE_ARRAY,
              foreignType(elements.getElementType()),
              elements.getNumElements(),
              0,
              0,
              append(elements)};
    }
    auto dictionary = cast<DictionaryAttr>(value);
    return {XFFI_ATTRIBUTE_DICTIONARY, 0, int64_t(dictionary.size()), 0, 0, add(dictionary)};
  }
};
} // namespace

std::string encodeAttributes(DictionaryAttr attributes) {
  Encoder encoder;
  encoder.add(attributes);
  return encoder.bytes;
}

/// The position in memory of each dimension of an array.
static SmallVector<int64_t> placesOf(ArrayRef<int64_t> layout, int64_t rank) {
  SmallVector<int64_t> places = llvm::to_vector(llvm::seq<int64_t>(rank));
  for (auto [place, dim] : llvm::enumerate(layout))
    places[dim] = place;
  return places;
}

/// The dynamic sizes of an array in the order of its dimensions, given those in the order in memory.
static SmallVector<Value> inOwnOrder(RankedTensorType type, ArrayRef<int64_t> layout, ValueRange dynamic) {
  SmallVector<Value> byPlace, sizes;
  for (int64_t size : type.getShape()) {
    byPlace.push_back(ShapedType::isDynamic(size) ? dynamic.front() : Value());
    dynamic = dynamic.drop_front(ShapedType::isDynamic(size));
  }
  for (int64_t place : placesOf(layout, type.getRank()))
    if (byPlace[place])
      sizes.push_back(byPlace[place]);
  return sizes;
}

/// The `Descriptor`, with what follows it. Its first number is the site.
static SmallVector<int64_t> descriptorOf(const ForeignCall &call, TypeRange arguments, TypeRange results) {
  SmallVector<int64_t> arrays;
  SmallVector<Type> types(arguments);
  llvm::append_range(types, results);
  for (auto [type, element, layout] : llvm::zip_equal(types, call.elements, call.layouts)) {
    auto array = cast<RankedTensorType>(type);
    arrays.append({foreignType(element), array.getRank()});
    for (int64_t place : placesOf(layout, array.getRank()))
      arrays.push_back(array.isDynamicDim(place) ? -1 : array.getDimSize(place));
  }
  std::string attributes = encodeAttributes(call.attributes);
  int64_t name = sizeof(Descriptor) + arrays.size() * sizeof(int64_t);
  int64_t begin = llvm::alignTo(name + call.target.size() + 1, 16), size = attributes.size();
  SmallVector<int64_t> numbers = {0, int64_t(arguments.size()), int64_t(results.size()), name, begin, size};
  llvm::append_range(numbers, arrays);
  numbers.resize(llvm::divideCeil(begin + size, sizeof(int64_t)));
  char *bytes = reinterpret_cast<char *>(numbers.data());
  std::memcpy(bytes + name, call.target.c_str(), call.target.size() + 1);
  std::memcpy(bytes + begin, attributes.data(), size);
  return numbers;
}

//===- The executable --------------------------------------------------------------===//

static bool isEmpty(Type type) {
  auto array = cast<RankedTensorType>(type);
  return array.hasStaticShape() && array.getNumElements() == 0;
}

namespace {
/// The buffers and sizes of a call.
struct Interface {
  /// Says what the code depends on.
  std::string name;
  SmallVector<Executable::Binding> bindings;
  SmallVector<Value> sizes;
  /// By result; those without elements have no buffer.
  SmallVector<bool> isBound;
};
} // namespace

static Interface bind(ImplicitLocOpBuilder &b, Executable &executable, const ForeignCall &call, ValueRange arguments,
                      TypeRange results, ValueRange sizes) {
  SmallVector<int64_t> numbers = descriptorOf(call, arguments.getTypes(), results);
  auto type = RankedTensorType::get(numbers.size(), b.getI64Type());
  Value descriptor = arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef(numbers)));
  Interface made = {kExecutable.str(), {executable.addInput(descriptor, {})}, {}, {}};
  SmallVector<std::optional<unsigned>> inputs;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    SmallVector<Value> dynamic = dynamicSizes(b, argument);
    llvm::append_range(made.sizes, inOwnOrder(cast<RankedTensorType>(argument.getType()), call.layouts[i], dynamic));
    inputs.emplace_back();
    if (isEmpty(argument.getType()))
      continue;
    made.bindings.push_back(executable.addInput(argument, dynamic));
    inputs.back() = made.bindings.back().index;
  }
  made.name += "_" + std::to_string(made.bindings.size() - 1);
  for (auto [i, result] : llvm::enumerate(results)) {
    auto array = cast<RankedTensorType>(result);
    ValueRange dynamic = sizes.take_front(array.getNumDynamicDims());
    sizes = sizes.drop_front(dynamic.size());
    llvm::append_range(made.sizes, inOwnOrder(array, call.layouts[arguments.size() + i], dynamic));
    made.isBound.push_back(!isEmpty(array));
    if (!made.isBound.back())
      continue;
    std::optional<unsigned> tied = call.aliases[i] < 0 ? std::nullopt : inputs[call.aliases[i]];
    made.bindings.push_back(executable.addOutput(array, dynamic, tied));
    made.name += tied ? "_over" + std::to_string(*tied) : "_new";
  }
  for (Value size : made.sizes)
    executable.addConstant(size);
  made.name += "_" + std::to_string(made.sizes.size());
  return made;
}

SmallVector<Value> callForeign(ImplicitLocOpBuilder &b, const ForeignCall &call, ValueRange arguments,
                               TypeRange results, ValueRange sizes) {
  Executable executable;
  auto [name, bindings, allSizes, isBound] = bind(b, executable, call, arguments, results, sizes);
  std::optional<Executable::Binding> token;
  unsigned tokenOperand = 0;
  if (call.hasEffects) {
    auto type = RankedTensorType::get({}, b.getI32Type());
    Value order = arith::ConstantOp::create(b, DenseElementsAttr::get(type, b.getI32IntegerAttr(0)));
    tokenOperand = executable.addInput(order, {}).index;
    token = executable.addOutput(type, {});
    name += "_ordered";
  }
  // The first is the descriptor. The library knows the sizes of buffers.
  SmallVector<LibraryArray> arrays;
  for (Executable::Binding binding : bindings)
    arrays.push_back({binding, arrays.empty() ? b.getI64Type() : b.getI8Type()});
  std::string import = foreign::kImportPrefix + std::to_string(bindings.size()) + "_" + std::to_string(allSizes.size());
  LibraryFunction function = {import, name, unsigned(allSizes.size()), {}, token};
  SmallVector<Value> made, outputs = callLibrary(b, executable, function, arrays);
  if (token)
    markEffects(outputs.back().getDefiningOp(), tokenOperand);
  size_t next = 0;
  for (auto [i, result] : llvm::enumerate(results))
    made.push_back(
        isBound[i] ? outputs[next++]
                   : tensor::EmptyOp::create(b, cast<RankedTensorType>(result).getShape(), getElementTypeOrSelf(result))
                         .getResult());
  return made;
}

//===- The calls of a program ------------------------------------------------------===//

void numberForeignCalls(ModuleOp program) { numberCalls(program, kExecutable); }

SmallVector<Location> foreignLocations(ModuleOp program) { return callLocations(program, kExecutable); }

std::vector<std::string> foreignTargets(ModuleOp program) {
  std::set<std::string> targets;
  forEachDescribedCall(program, kExecutable, [&](Operation *, arith::ConstantOp constant) {
    SmallVector<int64_t> numbers(cast<DenseElementsAttr>(constant.getValue()).getValues<int64_t>());
    auto *descriptor = reinterpret_cast<const Descriptor *>(numbers.data());
    targets.insert(descriptor->at(descriptor->name));
  });
  return {targets.begin(), targets.end()};
}

} // namespace dovetail
