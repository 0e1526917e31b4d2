// Constant folding of splat arrays; larger constants are left to the code generator.
#include "Folding.h"
#include "Dialect.h"
#include "cpp/scalar/Builder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace dovetail {

static APFloat rounded(double value, FloatType type) {
  APFloat result(value);
  bool lost;
  result.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  return result;
}

TypedAttr extremeOf(Type element, bool isHighest) {
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &format = type.getFloatSemantics();
    if (!APFloat::semanticsHasSignedRepr(format))
      return {};
    return FloatAttr::get(element, APFloat::semanticsHasInf(format) ? APFloat::getInf(format, !isHighest)
                                                                    : APFloat::getLargest(format, !isHighest));
  }
  auto type = dyn_cast<IntegerType>(element);
  if (!type)
    return {};
  unsigned width = type.getWidth();
  if (width == 1 || type.isUnsigned())
    return IntegerAttr::get(type, isHighest ? APInt::getMaxValue(width) : APInt::getMinValue(width));
  return IntegerAttr::get(type, isHighest ? APInt::getSignedMaxValue(width) : APInt::getSignedMinValue(width));
}

DenseElementsAttr splatOf(RankedTensorType type, double value) {
  Type element = type.getElementType();
  if (auto floatType = dyn_cast<FloatType>(element))
    return DenseElementsAttr::get(type, rounded(value, floatType));
  if (auto complexType = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complexType.getElementType());
    return DenseElementsAttr::get(type, std::complex<APFloat>(rounded(value, part), rounded(0, part)));
  }
  return DenseElementsAttr::get(type, Builder(type.getContext()).getIntegerAttr(element, static_cast<int64_t>(value)));
}

bool isSplat(Attribute value, double expected) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(value);
  if (!splat)
    return false;
  Type element = splat.getElementType();
  if (isa<FloatType>(element))
    return splat.getSplatValue<APFloat>().convertToDouble() == expected;
  if (isa<ComplexType>(element)) {
    auto value = splat.getSplatValue<std::complex<APFloat>>();
    return value.real().convertToDouble() == expected && value.imag().isZero();
  }
  return splat.getSplatValue<APInt>() == static_cast<uint64_t>(expected);
}

OpFoldResult resplat(Attribute like, RankedTensorType type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(like);
  if (!splat || !type.hasStaticShape())
    return {};
  return splat.resizeSplat(type);
}

/// Whether a constant is a number of a kind that scalar code folds.
static bool isNumber(Attribute value) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(value);
  return splat && splat.getNumElements() && splat.getElementType().isIntOrFloat();
}

static bool isFinite(Attribute value) {
  auto number = dyn_cast<FloatAttr>(value);
  return !number || number.getValue().isFinite();
}

/// The element of a splat, as the constants of scalar code: integers are signless.
static TypedAttr elementOf(Attribute splat) {
  auto element = cast<DenseElementsAttr>(splat).getSplatValue<TypedAttr>();
  if (auto integer = dyn_cast<IntegerAttr>(element))
    return IntegerAttr::get(scalar::lowered(integer.getType()), integer.getValue());
  return element;
}

/// What an op of scalar code computes; null if it does not fold.
static Attribute folded(Operation &op, const DenseMap<Value, Attribute> &known) {
  SmallVector<Attribute> operands;
  for (Value operand : op.getOperands())
    operands.push_back(known.lookup(operand));
  SmallVector<OpFoldResult> results;
  if (op.getNumResults() != 1 || failed(op.fold(operands, results)) || results.size() != 1)
    return {};
  auto value = dyn_cast<Value>(results.front());
  return value ? known.lookup(value) : cast<Attribute>(results.front());
}

Attribute foldPointwise(Operation *op, ArrayRef<Attribute> operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat() || operands.empty() ||
      !llvm::all_of(operands, isNumber))
    return {};
  Block block;
  OpBuilder inner(op->getContext());
  inner.setInsertionPointToStart(&block);
  scalar::ScalarBuilder builder(op->getLoc(), inner, getElementTypeOrSelf(op->getOperand(0)));
  SmallVector<Value> scalars;
  for (Attribute operand : operands)
    scalars.push_back(arith::ConstantOp::create(builder, elementOf(operand)));
  Value result = cast<PointwiseOpInterface>(op).emitScalar(builder, scalars);
  DenseMap<Value, Attribute> known;
  for (Operation &step : block) {
    Attribute value = folded(step, known);
    if (!value)
      return {};
    known[step.getResult(0)] = value;
  }
  Attribute element = known.lookup(result);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(element))
    return DenseElementsAttr::get(type, integer.getValue());
  bool wasFinite = llvm::all_of(operands, [](Attribute each) { return isFinite(elementOf(each)); });
  // It may also be poison.
  if (!isa_and_nonnull<FloatAttr>(element) || (wasFinite && !isFinite(element)))
    return {};
  return DenseElementsAttr::get(type, element);
}

} // namespace dovetail
