// The text of ops of `stablehlo` that have bodies, and of constants.
#include "Stablehlo.h"

using namespace mlir;

namespace dovetail::stablehlo {

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &state) {
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseAttribute(value, "value", state.attributes))
    return failure();
  state.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &p) {
  p.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  p << ' ' << getValue();
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, operands))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (parser.resolveOperands(operands, types, place, state.operands))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, types))
    argument.type = type;
  state.addTypes(types);
  Region *cond = state.addRegion(), *body = state.addRegion();
  return failure(parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseKeyword("cond") ||
                 parser.parseRegion(*cond, arguments) || parser.parseKeyword("do") ||
                 parser.parseRegion(*body, arguments));
}

void WhileOp::print(OpAsmPrinter &p) {
  p << '(';
  llvm::interleaveComma(llvm::zip(getCond().getArguments(), getOperands()), p,
                        [&](auto pair) { p << std::get<0>(pair) << " = " << std::get<1>(pair); });
  p << ')';
  if (getNumOperands()) {
    p << " : ";
    llvm::interleaveComma(getOperandTypes(), p);
  }
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  p.printNewline();
  p << "cond ";
  p.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  p << " do ";
  // Both bodies have the same names of arguments in the text.
  p.shadowRegionArgs(getBody(), getCond().getArguments());
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// The body that applies one op to its two arguments.
static void fillApplied(OpAsmParser &parser, OperationName name, Type type, Location loc, Region &body) {
  auto scalar = RankedTensorType::get({}, cast<ShapedType>(type).getElementType());
  Block &block = body.emplaceBlock();
  block.addArguments({scalar, scalar}, {loc, loc});
  // The region has no op yet that it could tell the context by.
  OpBuilder b(parser.getContext());
  b.setInsertionPointToStart(&block);
  OperationState applied(loc, name);
  applied.addOperands(block.getArguments());
  applied.addTypes(scalar);
  ReturnOp::create(b, loc, b.create(applied)->getResults());
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  SMLoc place = parser.getCurrentLocation();
  do {
    if (parser.parseLParen() || parser.parseOperand(operands.emplace_back()) || parser.parseKeyword("init") ||
        parser.parseColon() || parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  std::optional<OperationName> applied;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    applied = *name;
  }
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual())
    return failure();
  FailureOr<SmallVector<int64_t>> dims = parseDims(parser);
  FunctionType type;
  if (failed(dims) || parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type))
    return failure();
  state.addAttribute("dimensions", parser.getBuilder().getDenseI64ArrayAttr(*dims));
  llvm::append_range(operands, inits);
  if (parser.resolveOperands(operands, type.getInputs(), place, state.operands))
    return failure();
  state.addTypes(type.getResults());
  Region *body = state.addRegion();
  if (applied) {
    fillApplied(parser, *applied, type.getInput(0), parser.getEncodedSourceLoc(place), *body);
    return success();
  }
  // Each pair of arguments is that of one operand.
  SmallVector<OpAsmParser::Argument> first, second;
  if (parser.parseKeyword("reducer"))
    return failure();
  for (size_t i = 0; i < inits.size(); ++i)
    if (parser.parseLParen() || parser.parseArgument(first.emplace_back(), true) || parser.parseComma() ||
        parser.parseArgument(second.emplace_back(), true) || parser.parseRParen())
      return failure();
  llvm::append_range(first, second);
  return parser.parseRegion(*body, first);
}

void ReduceOp::print(OpAsmPrinter &p) {
  llvm::interleaveComma(llvm::zip(getInputs(), getInitValues()), p,
                        [&](auto pair) { p << '(' << std::get<0>(pair) << " init: " << std::get<1>(pair) << ')'; });
  p << " across dimensions = ";
  printDims(p, getDimensions());
  p.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  p << " : " << FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
  p.printNewline();
  p << " reducer";
  unsigned count = getInputs().size();
  for (unsigned i = 0; i < count; ++i) {
    p << '(';
    p.printRegionArgument(getBody().getArgument(i));
    p << ", ";
    p.printRegionArgument(getBody().getArgument(count + i));
    p << ") ";
  }
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

} // namespace dovetail::stablehlo
