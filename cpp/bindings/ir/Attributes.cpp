// Attributes of ops to and from plain Python values.
#include "Attributes.h"
#include "Context.h"
#include "Function.h"
#include "Shardings.h"
#include "cpp/dispatch/ForeignCall.h"
#include "dialects/Dialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace mlir;
namespace nb = nanobind;

namespace dovetail {

static Attribute toArray(nb::tuple value) {
  auto bytes = nb::cast<nb::bytes>(value[0]);
  auto shape = nb::cast<std::vector<int64_t>>(value[2]);
  auto type = cast<RankedTensorType>(arrayType(shape, nb::cast<std::string>(value[1])));
  ArrayRef<char> data(bytes.c_str(), bytes.size());
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bits(data.begin(), data.end());
    return DenseElementsAttr::get(type, bits);
  }
  std::string lowBits;
  unsigned width = type.getElementType().isInteger() ? type.getElementTypeBitWidth() : 8;
  if (width < 8) {
    // NumPy does not define the other bits of a byte.
    for (char byte : data)
      lowBits.push_back(byte & ((1 << width) - 1));
    data = lowBits;
  }
  bool isSplat;
  if (!DenseElementsAttr::isValidRawBuffer(type, data, isSplat))
    throw CompilerError("constant must have as many bytes as its type says", "", 0);
  return DenseElementsAttr::getFromRawBuffer(type, data);
}

/// What a foreign function gets: a str or bytes, a dict, (bytes, dtype name) for a number, and (bytes, dtype name,
/// shape) for an array.
static Attribute toForeign(nb::handle value) {
  Builder b(&context());
  if (nb::isinstance<nb::str>(value))
    return b.getStringAttr(nb::cast<std::string>(value));
  if (nb::isinstance<nb::bytes>(value)) {
    auto bytes = nb::cast<nb::bytes>(value);
    return b.getStringAttr(StringRef(bytes.c_str(), bytes.size()));
  }
  if (nb::isinstance<nb::dict>(value)) {
    NamedAttrList entries;
    for (auto [key, entry] : nb::cast<nb::dict>(value))
      entries.append(nb::cast<std::string>(key), toForeign(entry));
    return entries.getDictionary(&context());
  }
  auto parts = nb::cast<nb::tuple>(value);
  if (nb::len(parts) == 3)
    return toArray(parts);
  auto scalar = cast<DenseElementsAttr>(toArray(nb::make_tuple(parts[0], parts[1], nb::make_tuple())));
  // Complex numbers have no attributes of their own.
  return isa<ComplexType>(scalar.getElementType()) ? Attribute(scalar) : scalar.getSplatValue<Attribute>();
}

nb::bytes encodeForeign(nb::dict values) {
  std::string encoded = encodeAttributes(cast<DictionaryAttr>(toForeign(values)));
  return nb::bytes(encoded.data(), encoded.size());
}

static Attribute toAttribute(const std::string &name, nb::handle value) {
  Builder b(&context());
  if (nb::isinstance<nb::dict>(value))
    return toForeign(value);
  if (llvm::is_contained({"factors", "input_layouts", "output_layouts"}, name)) {
    SmallVector<Attribute> layouts;
    for (nb::handle layout : value)
      layouts.push_back(b.getDenseI64ArrayAttr(nb::cast<std::vector<int64_t>>(layout)));
    return b.getArrayAttr(layouts);
  }
  if (nb::isinstance<MeshHandle>(value))
    return nb::cast<MeshHandle &>(value).attribute;
  if (nb::isinstance<ShardingHandle>(value))
    return nb::cast<ShardingHandle &>(value).attribute;
  if (llvm::is_contained({"in", "out"}, name)) {
    SmallVector<Attribute> shardings;
    for (nb::handle sharding : value)
      shardings.push_back(nb::cast<ShardingHandle &>(sharding).attribute);
    return b.getArrayAttr(shardings);
  }
  if (value.is_none())
    return b.getUnitAttr();
  if (nb::isinstance<nb::bool_>(value))
    return b.getBoolAttr(nb::cast<bool>(value));
  if (nb::isinstance<nb::int_>(value))
    return b.getI64IntegerAttr(nb::cast<int64_t>(value));
  if (nb::isinstance<nb::float_>(value))
    return b.getF64FloatAttr(nb::cast<double>(value));
  if (name == "bwd" && nb::isinstance<nb::str>(value))
    return b.getStringAttr(nb::cast<std::string>(value));
  if (llvm::is_contained({"axis", "label", "batch_rule", "function", "effect", "kind", "memory", "primitive", "rules",
                          "vmap_method", "target"},
                         name))
    return b.getStringAttr(nb::cast<std::string>(value));
  if (llvm::is_contained({"axes", "mesh_axes", "closed"}, name)) {
    auto names = nb::cast<std::vector<std::string>>(value);
    return b.getStrArrayAttr(SmallVector<StringRef>(names.begin(), names.end()));
  }
  if (name == "policy") {
    SmallVector<Attribute> entries;
    for (const auto &texts : nb::cast<std::vector<std::vector<std::string>>>(value))
      entries.push_back(b.getStrArrayAttr(SmallVector<StringRef>(texts.begin(), texts.end())));
    return b.getArrayAttr(entries);
  }
  if (nb::isinstance<nb::str>(value)) {
    std::string keyword = nb::cast<std::string>(value);
    return parseAttribute("#dovetail<" + name + " " + keyword + ">", &context());
  }
  if (nb::isinstance<Function>(value))
    return FlatSymbolRefAttr::get(nb::cast<Function &>(value).op().getSymNameAttr());
  if (nb::isinstance<nb::tuple>(value) && nb::len(value) == 3 && nb::isinstance<nb::bytes>(value[0]))
    return toArray(nb::cast<nb::tuple>(value));
  if (name == "operandSegmentSizes")
    return b.getDenseI32ArrayAttr(nb::cast<std::vector<int32_t>>(value));
  if (nb::isinstance<nb::tuple>(value) || nb::isinstance<nb::list>(value))
    return b.getDenseI64ArrayAttr(nb::cast<std::vector<int64_t>>(value));
  if (nb::hasattr(value, "itemsize"))
    return TypeAttr::get(elementType(nb::cast<std::string>(value.attr("name"))));
  throw CompilerError("attribute '" + name + "' has a value of a kind that ops do not take", "", 0);
}

std::vector<Function> regionsOf(nb::dict values) {
  std::vector<Function> functions;
  if (values.contains("regions"))
    for (nb::handle function : values["regions"])
      functions.push_back(nb::cast<Function &>(function));
  return functions;
}

NamedAttrList toAttributes(nb::dict values) {
  NamedAttrList attributes;
  for (auto [key, value] : values) {
    std::string name = nb::cast<std::string>(key);
    if (name == "regions")
      continue;
    attributes.append(name, toAttribute(name, value));
  }
  return attributes;
}

static nb::object fromElements(DenseElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  nb::list shape;
  for (int64_t size : type.getShape())
    shape.append(size);
  std::string data;
  if (type.getElementType().isInteger(1)) {
    if (value.isSplat())
      data.push_back(value.getSplatValue<bool>());
    else
      for (bool bit : value.getValues<bool>())
        data.push_back(bit);
  } else {
    ArrayRef<char> raw = value.getRawData();
    data.assign(raw.begin(), raw.end());
  }
  return nb::make_tuple(nb::bytes(data.data(), data.size()), elementName(type.getElementType()), nb::tuple(shape),
                        value.isSplat());
}

static nb::object fromAttribute(Attribute value) {
  if (auto boolean = dyn_cast<BoolAttr>(value))
    return nb::bool_(boolean.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return nb::int_(integer.getInt());
  if (auto real = dyn_cast<FloatAttr>(value))
    return nb::float_(real.getValueAsDouble());
  if (auto type = dyn_cast<TypeAttr>(value))
    return nb::str(elementName(type.getValue()).c_str());
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(value))
    return nb::str(symbol.getValue().str().c_str());
  if (auto direction = dyn_cast<CompareDirectionAttr>(value))
    return nb::str(stringifyCompareDirection(direction.getValue()).str().c_str());
  auto toTuple = [](auto numbers) {
    nb::list list;
    for (auto number : numbers)
      list.append(number);
    return nb::tuple(list);
  };
  if (auto text = dyn_cast<StringAttr>(value))
    return nb::str(text.str().c_str());
  if (auto list = dyn_cast<ArrayAttr>(value))
    return toTuple(llvm::map_range(list, fromAttribute));
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(value))
    return toTuple(numbers.asArrayRef());
  if (auto numbers = dyn_cast<DenseI32ArrayAttr>(value))
    return toTuple(numbers.asArrayRef());
  if (auto elements = dyn_cast<DenseElementsAttr>(value))
    return fromElements(elements);
  if (auto entries = dyn_cast<DictionaryAttr>(value)) {
    std::string encoded = encodeAttributes(entries);
    return nb::bytes(encoded.data(), encoded.size());
  }
  if (auto sharding = dyn_cast<ShardingAttr>(value))
    return nb::cast(ShardingHandle{sharding});
  if (auto mesh = dyn_cast<MeshAttr>(value))
    return nb::cast(MeshHandle{mesh});
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return nb::str(text.c_str());
}

nb::dict fromAttributes(Operation *op) {
  // Those whose names have a dialect's prefix are marks for passes.
  return fromAttributes(llvm::filter_to_vector(
      op->getAttrs(), [](NamedAttribute attribute) { return !attribute.getName().strref().contains('.'); }));
}

nb::dict fromAttributes(ArrayRef<NamedAttribute> attributes) {
  nb::dict values;
  for (NamedAttribute attribute : attributes)
    values[attribute.getName().str().c_str()] = fromAttribute(attribute.getValue());
  return values;
}

} // namespace dovetail
