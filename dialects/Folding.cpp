// Constant folding of splat arrays; larger constants are left to the code generator.
#include "Folding.h"
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

OpFoldResult foldConversion(Attribute value, RankedTensorType type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(value);
  if (!splat || !type.hasStaticShape())
    return {};
  Type from = splat.getElementType(), to = type.getElementType();
  auto floatTo = dyn_cast<FloatType>(to);
  bool lost;
  // Some of these types have no NaN or no zero; the conversion code decides on the replacement.
  if (floatTo && floatTo.getWidth() <= 8)
    return {};
  if (isa<FloatType>(from) && floatTo) {
    APFloat element = splat.getSplatValue<APFloat>();
    element.convert(floatTo.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return DenseElementsAttr::get(type, element);
  }
  if (from.isInteger() && floatTo) {
    APFloat element(floatTo.getFloatSemantics());
    bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
    element.convertFromAPInt(splat.getSplatValue<APInt>(), !isUnsigned, APFloat::rmNearestTiesToEven);
    return DenseElementsAttr::get(type, element);
  }
  if (from.isInteger() && to.isInteger() && !to.isInteger(1)) {
    APInt element = splat.getSplatValue<APInt>();
    bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
    unsigned width = to.getIntOrFloatBitWidth();
    return DenseElementsAttr::get(type, isUnsigned ? element.zextOrTrunc(width) : element.sextOrTrunc(width));
  }
  return {};
}

} // namespace dovetail
