// The ops of `stablehlo`: the parts of their text that are not stated with them.
#include "Stablehlo.h"

using namespace mlir;

namespace dovetail::stablehlo {

ParseResult parseConvNumbers(AsmParser &parser, ConvNumbersAttr &numbers);
void printConvNumbers(AsmPrinter &printer, ConvNumbersAttr numbers);
static void printConvNumbers(OpAsmPrinter &p, Operation *, ConvNumbersAttr numbers) { printConvNumbers(p, numbers); }

//===- Types -----------------------------------------------------------------------===//

/// The types of operands and of the result, in this order: one for all, or that of a function.
static ParseResult parseTypesOf(OpAsmParser &parser, ArrayRef<Type *> types) {
  Type type;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  auto function = dyn_cast<FunctionType>(type);
  if (!function) {
    for (Type *each : types)
      *each = type;
    return success();
  }
  if (function.getNumInputs() + 1 != types.size() || function.getNumResults() != 1)
    return parser.emitError(place) << "expected the types of " << types.size() - 1 << " operands and a result";
  for (auto [each, input] : llvm::zip(types, function.getInputs()))
    *each = input;
  *types.back() = function.getResult(0);
  return success();
}

static void printTypesOf(OpAsmPrinter &p, ArrayRef<Type> types) {
  if (llvm::all_equal(types)) {
    p << types.front();
    return;
  }
  p << FunctionType::get(types.front().getContext(), types.drop_back(), types.back());
}

template <typename... Types>
static ParseResult parseTypes(OpAsmParser &parser, Types &...types) {
  return parseTypesOf(parser, {&types...});
}
template <typename... Types>
static void printTypes(OpAsmPrinter &p, Operation *, Types... types) {
  printTypesOf(p, {types...});
}

static ParseResult parseComplexTypes(OpAsmParser &parser, Type &lhs, Type &rhs, Type &result) {
  if (parseTypes(parser, lhs, rhs, result))
    return failure();
  auto array = dyn_cast<RankedTensorType>(lhs);
  auto complex = array ? dyn_cast<ComplexType>(array.getElementType()) : ComplexType();
  if (complex)
    lhs = rhs = array.clone(complex.getElementType());
  return success();
}
static void printComplexTypes(OpAsmPrinter &p, Operation *, Type lhs, Type rhs, Type result) { p << result; }

static ParseResult parseSelectTypes(OpAsmParser &parser, Type &pred, Type &onTrue, Type &onFalse, Type &result) {
  Type first;
  if (parser.parseType(first))
    return failure();
  if (auto function = dyn_cast<FunctionType>(first)) {
    if (function.getNumInputs() != 3 || function.getNumResults() != 1)
      return parser.emitError(parser.getNameLoc()) << "expected the types of three operands and a result";
    pred = function.getInput(0), onTrue = function.getInput(1), onFalse = function.getInput(2);
    result = function.getResult(0);
    return success();
  }
  pred = first;
  if (parser.parseComma() || parser.parseType(result))
    return failure();
  onTrue = onFalse = result;
  return success();
}
static void printSelectTypes(OpAsmPrinter &p, Operation *op, Type pred, Type, Type, Type result) {
  p << pred << ", " << result;
}

static ParseResult parsePairwiseTypes(OpAsmParser &parser, SmallVectorImpl<Type> &operands,
                                      SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}
static void printPairwiseTypes(OpAsmPrinter &p, Operation *, TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, p);
}

//===- Operands and attributes -------------------------------------------------------===//

static ParseResult parseOperandsBeforeAttribute(OpAsmParser &parser,
                                                SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult result = parser.parseOptionalOperand(operand);
    if (!result.has_value())
      return success();
    if (*result || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}
static void printOperandsBeforeAttribute(OpAsmPrinter &p, Operation *, OperandRange operands) {
  for (Value operand : operands)
    p << operand << ", ";
}

static ParseResult parseFormat(OpAsmParser &parser, IntegerAttr &exponent, IntegerAttr &mantissa) {
  StringRef text;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&text))
    return failure();
  int32_t bits[2];
  auto [first, second] = text.split('m');
  if (!first.consume_front("e") || first.getAsInteger(10, bits[0]) || second.getAsInteger(10, bits[1]))
    return parser.emitError(place) << "expected a format such as e5m10";
  exponent = parser.getBuilder().getI32IntegerAttr(bits[0]);
  mantissa = parser.getBuilder().getI32IntegerAttr(bits[1]);
  return success();
}
static void printFormat(OpAsmPrinter &p, Operation *, IntegerAttr exponent, IntegerAttr mantissa) {
  p << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

static ParseResult parseRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts, DenseI64ArrayAttr &limits,
                               DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> from, to, by;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
        by.push_back(1);
        if (parser.parseInteger(from.emplace_back()) || parser.parseColon() || parser.parseInteger(to.emplace_back()))
          return failure();
        return succeeded(parser.parseOptionalColon()) ? parser.parseInteger(by.back()) : success();
      }))
    return failure();
  Builder &b = parser.getBuilder();
  starts = b.getDenseI64ArrayAttr(from), limits = b.getDenseI64ArrayAttr(to), strides = b.getDenseI64ArrayAttr(by);
  return success();
}
static void printRanges(OpAsmPrinter &p, Operation *, DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                        DenseI64ArrayAttr strides) {
  p << '[';
  llvm::interleaveComma(llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()), p, [&](auto range) {
    auto [from, to, by] = range;
    p << from << ':' << to;
    if (by != 1)
      p << ':' << by;
  });
  p << ']';
}

static ParseResult parseContraction(OpAsmParser &parser, DotNumbersAttr &numbers) {
  SmallVector<int64_t> batch[2], contract[2];
  auto pair = [&](SmallVector<int64_t>(&lists)[2]) -> ParseResult {
    if (parser.parseEqual())
      return failure();
    auto lhs = parseDims(parser);
    if (failed(lhs) || parser.parseKeyword("x"))
      return failure();
    auto rhs = parseDims(parser);
    if (failed(rhs))
      return failure();
    lists[0] = *lhs, lists[1] = *rhs;
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) && (pair(batch) || parser.parseComma()))
    return failure();
  if (parser.parseKeyword("contracting_dims") || pair(contract))
    return failure();
  numbers = DotNumbersAttr::get(parser.getContext(), batch[0], batch[1], contract[0], contract[1]);
  return success();
}
static void printContraction(OpAsmPrinter &p, Operation *, DotNumbersAttr numbers) {
  auto pair = [&](StringRef name, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
    p << name << " = ";
    printDims(p, lhs);
    p << " x ";
    printDims(p, rhs);
  };
  if (!numbers.getLhsBatchingDimensions().empty()) {
    pair("batching_dims", numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions());
    p << ", ";
  }
  pair("contracting_dims", numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions());
}

static ParseResult parsePrecisionsAndAlgorithm(OpAsmParser &parser, ArrayAttr &precisions,
                                               DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("algorithm"))) {
      if (parser.parseEqual() || parser.parseCustomAttributeWithFallback(algorithm))
        return failure();
      continue;
    }
    SmallVector<Attribute> parsed;
    if (parser.parseKeyword("precision") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
          StringRef name;
          SMLoc place = parser.getCurrentLocation();
          if (parser.parseKeyword(&name))
            return failure();
          std::optional<Precision> precision = symbolizePrecision(name);
          if (!precision)
            return parser.emitError(place) << "precision must be DEFAULT, HIGH or HIGHEST, got: " << name;
          parsed.push_back(PrecisionAttr::get(parser.getContext(), *precision));
          return success();
        }))
      return failure();
    precisions = parser.getBuilder().getArrayAttr(parsed);
  }
  return success();
}
static void printPrecisionsAndAlgorithm(OpAsmPrinter &p, Operation *, ArrayAttr precisions,
                                        DotAlgorithmAttr algorithm) {
  if (precisions && !precisions.empty()) {
    p << ", precision = [";
    llvm::interleaveComma(precisions.getAsRange<PrecisionAttr>(), p,
                          [&](PrecisionAttr precision) { p << stringifyPrecision(precision.getValue()); });
    p << ']';
  }
  if (algorithm) {
    p << ", algorithm = ";
    p.printStrippedAttrOrType(algorithm);
  }
}
static ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &precisions) {
  DotAlgorithmAttr algorithm;
  return parsePrecisionsAndAlgorithm(parser, precisions, algorithm);
}
static void printPrecisions(OpAsmPrinter &p, Operation *op, ArrayAttr precisions) {
  printPrecisionsAndAlgorithm(p, op, precisions, {});
}

static ParseResult parseTarget(OpAsmParser &parser, StringAttr &target) { return parser.parseSymbolName(target); }
static void printTarget(OpAsmPrinter &p, Operation *, StringAttr target) { p.printSymbolName(target.getValue()); }

static ParseResult parseWindow(OpAsmParser &parser, DenseI64ArrayAttr &strides, DenseIntElementsAttr &padding,
                               DenseI64ArrayAttr &lhsDilation, DenseI64ArrayAttr &rhsDilation,
                               DenseBoolArrayAttr &reversal) {
  Builder &b = parser.getBuilder();
  StringRef key;
  auto list = [&](DenseI64ArrayAttr &attribute) -> ParseResult {
    auto dims = parseDims(parser);
    if (failed(dims))
      return failure();
    attribute = b.getDenseI64ArrayAttr(*dims);
    return success();
  };
  auto pads = [&]() -> ParseResult {
    SmallVector<int64_t> flat;
    int64_t rows = 0;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
          auto pair = parseDims(parser);
          if (failed(pair))
            return failure();
          llvm::append_range(flat, *pair);
          ++rows;
          return success();
        }))
      return failure();
    padding = DenseIntElementsAttr::get(RankedTensorType::get({rows, 2}, b.getI64Type()), flat);
    return success();
  };
  auto flags = [&]() -> ParseResult {
    SmallVector<bool> bits;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
          int64_t number;
          OptionalParseResult parsed = parser.parseOptionalInteger(number);
          if (parsed.has_value()) {
            bits.push_back(number != 0);
            return *parsed;
          }
          bool isSet = succeeded(parser.parseOptionalKeyword("true"));
          bits.push_back(isSet);
          return isSet ? success() : parser.parseKeyword("false");
        }))
      return failure();
    reversal = b.getDenseBoolArrayAttr(bits);
    return success();
  };
  while (succeeded(parser.parseOptionalKeyword(&key))) {
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseEqual())
      return failure();
    ParseResult parsed = key == "stride"       ? list(strides)
                         : key == "lhs_dilate" ? list(lhsDilation)
                         : key == "rhs_dilate" ? list(rhsDilation)
                         : key == "pad"        ? pads()
                         : key == "reverse"    ? flags()
                                               : parser.emitError(place) << "the window has no property " << key;
    if (parsed)
      return failure();
    if (failed(parser.parseOptionalComma()))
      break;
  }
  return success();
}
static void printWindow(OpAsmPrinter &p, Operation *, DenseI64ArrayAttr strides, DenseIntElementsAttr padding,
                        DenseI64ArrayAttr lhsDilation, DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal) {
  StringRef separator;
  auto entry = [&](StringRef name, DenseI64ArrayAttr list) {
    if (!list)
      return;
    p << separator << name << " = ";
    printDims(p, list);
    separator = ", ";
  };
  entry("stride", strides);
  if (padding) {
    p << separator << "pad = [";
    auto values = llvm::to_vector(padding.getValues<int64_t>());
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      p << (i ? ", [" : "[") << values[i] << ", " << values[i + 1] << ']';
    p << ']';
    separator = ", ";
  }
  entry("lhs_dilate", lhsDilation);
  entry("rhs_dilate", rhsDilation);
  if (reversal) {
    p << separator << "reverse = [";
    llvm::interleaveComma(reversal.asArrayRef(), p, [&](bool isSet) { p << (isSet ? "true" : "false"); });
    p << ']';
  }
}

} // namespace dovetail::stablehlo

#define GET_OP_CLASSES
#include "cpp/stablehlo/Ops.cpp.inc"

namespace dovetail::stablehlo {

void registerStablehloOps(StablehloDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "cpp/stablehlo/Ops.cpp.inc"
      >();
}

} // namespace dovetail::stablehlo
