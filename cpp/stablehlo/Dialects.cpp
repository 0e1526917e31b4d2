// Registration of the dialects that come with StableHLO, and their attributes.
#include "Sdy.h"
#include "Stablehlo.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "cpp/stablehlo/ChloDialect.cpp.inc"
#include "cpp/stablehlo/Dialect.cpp.inc"
#include "cpp/stablehlo/Enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "cpp/stablehlo/Attributes.cpp.inc"

namespace dovetail::stablehlo {

void registerStablehloOps(StablehloDialect &);
void registerChloOps(chlo::ChloDialect &);

/// An attribute of which only the text is known.
static Attribute opaque(DialectAsmParser &parser, Dialect &dialect) {
  return OpaqueAttr::get(StringAttr::get(dialect.getContext(), dialect.getNamespace()), parser.getFullSymbolSpec(),
                         NoneType::get(dialect.getContext()));
}

void StablehloDialect::initialize() {
  // Other ops are read in their generic form, and rejected, with their names and places, where they are translated.
  allowUnknownOperations();
  allowUnknownTypes();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cpp/stablehlo/Attributes.cpp.inc"
      >();
  registerStablehloOps(*this);
}

Attribute StablehloDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  StringRef mnemonic;
  Attribute parsed;
  OptionalParseResult result = generatedAttributeParser(parser, &mnemonic, type, parsed);
  return result.has_value() ? parsed : opaque(parser, *const_cast<StablehloDialect *>(this));
}

void StablehloDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

Type StablehloDialect::parseType(DialectAsmParser &parser) const {
  return OpaqueType::get(StringAttr::get(getContext(), getNamespace()), parser.getFullSymbolSpec());
}

namespace {
/// A dialect of which programs have attributes, whose text is kept.
template <typename Self>
struct AttributesOf : Dialect {
  explicit AttributesOf(MLIRContext *context) : Dialect(Self::getDialectNamespace(), context, TypeID::get<Self>()) {
    allowUnknownOperations();
    allowUnknownTypes();
  }
  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    return opaque(parser, *const_cast<AttributesOf *>(this));
  }
};

struct MhloDialect : AttributesOf<MhloDialect> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MhloDialect)
  using AttributesOf::AttributesOf;
  static StringRef getDialectNamespace() { return "mhlo"; }
};
struct JaxDialect : AttributesOf<JaxDialect> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(JaxDialect)
  using AttributesOf::AttributesOf;
  static StringRef getDialectNamespace() { return "jax"; }
};
} // namespace

void registerStablehlo(DialectRegistry &registry) {
  registry.insert<StablehloDialect, chlo::ChloDialect, MhloDialect, JaxDialect, sdy::SdyDialect>();
}

//===- Text of attributes --------------------------------------------------------===//

FailureOr<SmallVector<int64_t>> parseDims(AsmParser &parser) {
  SmallVector<int64_t> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parser.parseInteger(dims.emplace_back()); }))
    return failure();
  return dims;
}

void printDims(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer);
  printer << ']';
}

/// One list of a convolution's dimensions, in which `batch` and `feature` are letters.
static ParseResult parseLabels(AsmParser &parser, StringRef batch, StringRef feature, SmallVector<int64_t> &labels) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    int64_t label;
    OptionalParseResult number = parser.parseOptionalInteger(label);
    if (number.has_value()) {
      labels.push_back(label);
      return *number;
    }
    bool isBatch = succeeded(parser.parseOptionalKeyword(batch));
    labels.push_back(isBatch ? kBatch : kFeature);
    return isBatch ? success() : parser.parseKeyword(feature);
  });
}

static void printLabels(AsmPrinter &printer, StringRef batch, StringRef feature, ArrayRef<int64_t> labels) {
  printer << '[';
  llvm::interleaveComma(labels, printer, [&](int64_t label) {
    if (label >= 0)
      printer << label;
    else
      printer << (label == kBatch ? batch : feature);
  });
  printer << ']';
}

ParseResult parseConvNumbers(AsmParser &parser, ConvNumbersAttr &numbers) {
  SmallVector<int64_t> lhs, rhs, ans;
  if (parseLabels(parser, "b", "f", lhs) || parser.parseKeyword("x") || parseLabels(parser, "o", "i", rhs) ||
      parser.parseArrow() || parseLabels(parser, "b", "f", ans))
    return failure();
  numbers = ConvNumbersAttr::get(parser.getContext(), lhs, rhs, ans);
  return success();
}

void printConvNumbers(AsmPrinter &printer, ConvNumbersAttr numbers) {
  printLabels(printer, "b", "f", numbers.getLhs());
  printer << 'x';
  printLabels(printer, "o", "i", numbers.getRhs());
  printer << "->";
  printLabels(printer, "b", "f", numbers.getAns());
}

Attribute ConvNumbersAttr::parse(AsmParser &parser, Type) {
  ConvNumbersAttr numbers;
  if (parser.parseLess() || parseConvNumbers(parser, numbers) || parser.parseGreater())
    return {};
  return numbers;
}

void ConvNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printConvNumbers(printer, *this);
  printer << '>';
}

} // namespace dovetail::stablehlo

namespace dovetail::chlo {
void ChloDialect::initialize() {
  allowUnknownOperations();
  stablehlo::registerChloOps(*this);
}
} // namespace dovetail::chlo
