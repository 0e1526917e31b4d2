// The text of the dialect `sdy`.
#include "Sdy.h"
#include "Stablehlo.h"
#include "dialects/ShardingText.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "cpp/stablehlo/SdyDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "cpp/stablehlo/SdyAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "cpp/stablehlo/Sdy.cpp.inc"

namespace dovetail::sdy {

void SdyDialect::initialize() {
  // Other ops are rejected, with their names and places, where they are translated.
  allowUnknownOperations();
  allowUnknownTypes();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cpp/stablehlo/SdyAttributes.cpp.inc"
      >();
  addFamily<
#define GET_OP_LIST
#include "cpp/stablehlo/Sdy.cpp.inc"
      >();
}

Attribute SdyDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  StringRef mnemonic;
  Attribute parsed;
  OptionalParseResult result = generatedAttributeParser(parser, &mnemonic, type, parsed);
  if (result.has_value())
    return parsed;
  return OpaqueAttr::get(StringAttr::get(getContext(), getNamespace()), parser.getFullSymbolSpec(),
                         NoneType::get(getContext()));
}

void SdyDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

Type SdyDialect::parseType(DialectAsmParser &parser) const {
  return OpaqueType::get(StringAttr::get(getContext(), getNamespace()), parser.getFullSymbolSpec());
}

//===- Attributes --------------------------------------------------------------------===//

Attribute SdyMeshAttr::parse(AsmParser &parser, Type) {
  MeshAttr mesh;
  SmallVector<int64_t> ids;
  if (parser.parseLess() || parseMeshAxes(parser, mesh))
    return {};
  if (succeeded(parser.parseOptionalComma()) && (parser.parseKeyword("device_ids") || parser.parseEqual() ||
                                                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
                                                   return parser.parseInteger(ids.emplace_back());
                                                 })))
    return {};
  return parser.parseGreater() ? SdyMeshAttr() : get(parser.getContext(), mesh, ids);
}

void SdyMeshAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printMeshAxes(printer, getMesh());
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << ']';
  }
  printer << '>';
}

Attribute SdyShardingAttr::parse(AsmParser &parser, Type) {
  StringAttr name;
  Attribute mesh;
  SmallVector<DimShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    if (!(mesh = SdyMeshAttr::parse(parser, {})))
      return {};
  } else {
    if (parser.parseSymbolName(name))
      return {};
    mesh = FlatSymbolRefAttr::get(name);
  }
  if (parser.parseComma() || parseShardingAxes(parser, dims, replicated, unreduced) || parser.parseGreater())
    return {};
  return get(parser.getContext(), mesh, dims, replicated, unreduced);
}

void SdyShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (auto stated = dyn_cast<SdyMeshAttr>(getMesh())) {
    printer << "mesh";
    stated.print(printer);
  } else {
    printer << getMesh();
  }
  printer << ", ";
  printShardingAxes(printer, getDims(), getReplicated(), getUnreduced());
  printer << '>';
}

static FailureOr<SdyShardingsAttr> parseShardings(AsmParser &parser) {
  SmallVector<SdyShardingAttr> shardings;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
        auto sharding = dyn_cast_or_null<SdyShardingAttr>(SdyShardingAttr::parse(parser, {}));
        shardings.push_back(sharding);
        return success(sharding != nullptr);
      }))
    return failure();
  return SdyShardingsAttr::get(parser.getContext(), shardings);
}

static void printShardings(AsmPrinter &printer, SdyShardingsAttr shardings) {
  printer << '[';
  llvm::interleaveComma(shardings.getShardings(), printer, [&](SdyShardingAttr each) { each.print(printer); });
  printer << ']';
}

Attribute SdyShardingsAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<SdyShardingsAttr> shardings = parseShardings(parser);
  return failed(shardings) || parser.parseGreater() ? Attribute() : *shardings;
}

void SdyShardingsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printShardings(printer, *this);
  printer << '>';
}

Attribute SdyAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces,
                                     [&] { return parser.parseAttribute(axes.emplace_back()); }))
    return {};
  return get(parser.getContext(), axes);
}

void SdyAxesAttr::print(AsmPrinter &printer) const {
  printer << '{';
  llvm::interleaveComma(getAxes(), printer);
  printer << '}';
}

//===- Functions of parts ------------------------------------------------------------===//

ParseResult SdyManualComputationOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  SMLoc place = parser.getCurrentLocation();
  auto shardings = [&](StringRef name) -> ParseResult {
    if (parser.parseKeyword(name) || parser.parseEqual())
      return failure();
    FailureOr<SdyShardingsAttr> parsed = parseShardings(parser);
    if (failed(parsed))
      return failure();
    state.addAttribute(name, *parsed);
    return success();
  };
  if (parser.parseOperandList(operands, AsmParser::Delimiter::Paren) || shardings("in_shardings") ||
      shardings("out_shardings") || parser.parseKeyword("manual_axes") || parser.parseEqual())
    return failure();
  Attribute axes = SdyAxesAttr::parse(parser, {});
  FunctionType type;
  if (!axes || parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseRegion(*state.addRegion(), arguments) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) || parser.resolveOperands(operands, type.getInputs(), place, state.operands))
    return failure();
  state.addAttribute("manual_axes", axes);
  state.addTypes(type.getResults());
  return success();
}

void SdyManualComputationOp::print(OpAsmPrinter &p) {
  p << '(' << getTensors() << ") in_shardings=";
  printShardings(p, getInShardings());
  p << " out_shardings=";
  printShardings(p, getOutShardings());
  p << " manual_axes=";
  getManualAxes().print(p);
  p << " (";
  llvm::interleaveComma(getBody().getArguments(), p, [&](BlockArgument argument) { p.printRegionArgument(argument); });
  p << ") ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  p.printOptionalAttrDict((*this)->getAttrs(), {"in_shardings", "out_shardings", "manual_axes"});
  p << " : " << FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
}

} // namespace dovetail::sdy
