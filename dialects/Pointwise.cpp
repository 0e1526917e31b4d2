// Folds, verifiers and registration of the pointwise ops.
#include "Pointwise.h"
#include "Folding.h"
#include <cmath>

using namespace mlir;

namespace dovetail {

static Value emitCompare(scalar::ScalarBuilder &b, CompareDirection direction, Value x, Value y) {
  switch (direction) {
  case CompareDirection::EQ:
    return scalar::equal(b, x, y);
  case CompareDirection::NE:
    return scalar::notEqual(b, x, y);
  case CompareDirection::LT:
    return scalar::less(b, x, y);
  case CompareDirection::LE:
    return scalar::lessOrEqual(b, x, y);
  case CompareDirection::GT:
    return scalar::less(b, y, x);
  case CompareDirection::GE:
    return scalar::lessOrEqual(b, y, x);
  }
  llvm_unreachable("comparison direction out of range");
}

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Pointwise.cpp.inc"

namespace dovetail {

void registerPointwiseOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Pointwise.cpp.inc"
      >();
}

LogicalResult BitcastOp::verify() {
  Type from = getX().getType().getElementType(), to = getAns().getType().getElementType();
  auto width = [](Type type) -> unsigned { return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0; };
  if (width(from) == 0 || width(from) != width(to))
    return emitOpError() << "element types must be real and have one width, got: " << from << " and " << to;
  return success();
}

LogicalResult ReducePrecisionOp::verify() {
  auto exponent = static_cast<int64_t>(getExponentBits()), mantissa = static_cast<int64_t>(getMantissaBits());
  if (exponent < 1 || mantissa < 0)
    return emitOpError() << "must keep at least 1 bit of the exponent and 0 of the mantissa, got: " << exponent
                         << " and " << mantissa;
  return success();
}

//===- Folds -----------------------------------------------------------------===//

// x + 0 is folded for floats too, although -0 + 0 is +0: a sum's sign of zero is not worth an addition per element.
OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getY(), 0))
    return getX();
  if (isSplat(adaptor.getX(), 0))
    return getY();
  return foldSplats(adaptor.getX(), adaptor.getY(), getType(), std::plus<>());
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getY(), 0))
    return getX();
  return foldSplats(adaptor.getX(), adaptor.getY(), getType(), std::minus<>());
}

// A product with zero is folded for integers only: 0 * inf is NaN.
OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getY(), 1))
    return getX();
  if (isSplat(adaptor.getX(), 1))
    return getY();
  if (getType().getElementType().isInteger()) {
    if (isSplat(adaptor.getX(), 0))
      return adaptor.getX();
    if (isSplat(adaptor.getY(), 0))
      return adaptor.getY();
  }
  return foldSplats(adaptor.getX(), adaptor.getY(), getType(), std::multiplies<>());
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getY(), 1))
    return getX();
  return foldFloatSplats(adaptor.getX(), adaptor.getY(), getType(), std::divides<>());
}

OpFoldResult IntegerPowOp::fold(FoldAdaptor) {
  if (getExponent() == 1)
    return getX();
  if (getExponent() == 0 && getType().hasStaticShape())
    return splatOf(getType(), 1);
  return {};
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getX() == getY())
    return getX();
  if (auto p = dyn_cast_or_null<SplatElementsAttr>(adaptor.getP()))
    return p.getSplatValue<bool>() ? getX() : getY();
  return {};
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  return foldConversion(adaptor.getX(), getType());
}

} // namespace dovetail
