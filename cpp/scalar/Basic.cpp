// Scalar code of the ops that are one or a few instructions: arithmetic, bits, parts of complex numbers, conversions.
#include "Basic.h"
#include "Complex.h"
#include "Narrow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;

namespace dovetail::scalar {

Type lowered(Type element) {
  if (auto type = dyn_cast<IntegerType>(element))
    return IntegerType::get(type.getContext(), type.getWidth());
  return element;
}

/// The op for the kind of number that `x` is.
template <typename Complex, typename Float, typename Int>
static Value byKind(ScalarBuilder &b, Value x, Value y) {
  if (isa<ComplexType>(x.getType()))
    return Complex::create(b, x, y);
  if (isRoundedHere(x.getType()))
    return narrow(b, Float::create(b, widen(b, x), widen(b, y)), x.getType());
  if (isa<FloatType>(x.getType()))
    return Float::create(b, x, y);
  return Int::create(b, x, y);
}

static Value constant(ScalarBuilder &b, Type type, double value) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Type element = complex.getElementType();
    return complex::ConstantOp::create(b, type,
                                       b.getArrayAttr({b.getFloatAttr(element, value), b.getFloatAttr(element, 0)}));
  }
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    if (value == 0 && !APFloat::semanticsHasZero(semantics))
      return arith::ConstantOp::create(b, b.getFloatAttr(type, APFloat::getNaN(semantics)));
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  }
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, static_cast<int64_t>(value)));
}

Value add(ScalarBuilder &b, Value x, Value y) {
  // On bools, + is or.
  if (x.getType().isInteger(1))
    return bitOr(b, x, y);
  return byKind<complex::AddOp, arith::AddFOp, arith::AddIOp>(b, x, y);
}

Value sub(ScalarBuilder &b, Value x, Value y) { return byKind<complex::SubOp, arith::SubFOp, arith::SubIOp>(b, x, y); }

Value mul(ScalarBuilder &b, Value x, Value y) {
  if (isa<ComplexType>(x.getType()))
    return complexMul(b, x, y);
  return byKind<complex::MulOp, arith::MulFOp, arith::MulIOp>(b, x, y);
}

Value neg(ScalarBuilder &b, Value x) {
  if (isa<ComplexType>(x.getType()))
    return complex::NegOp::create(b, x);
  if (isSmall(x.getType()))
    return narrow(b, arith::NegFOp::create(b, widen(b, x)), x.getType());
  if (isa<FloatType>(x.getType()))
    return arith::NegFOp::create(b, x);
  return arith::SubIOp::create(b, constant(b, x.getType(), 0), x);
}

Value bitNot(ScalarBuilder &b, Value x) {
  return arith::XOrIOp::create(b, x, arith::ConstantOp::create(b, b.getIntegerAttr(x.getType(), -1)));
}
Value bitAnd(ScalarBuilder &b, Value x, Value y) { return arith::AndIOp::create(b, x, y); }
Value bitOr(ScalarBuilder &b, Value x, Value y) { return arith::OrIOp::create(b, x, y); }
Value bitXor(ScalarBuilder &b, Value x, Value y) { return arith::XOrIOp::create(b, x, y); }

Value select(ScalarBuilder &b, Value p, Value x, Value y) {
  // Part by part: not every target selects complex numbers.
  if (isa<ComplexType>(x.getType()))
    return complex(b, select(b, p, real(b, x), real(b, y)), select(b, p, imag(b, x), imag(b, y)));
  return arith::SelectOp::create(b, p, x, y);
}

static Value compareFloat(ScalarBuilder &b, arith::CmpFPredicate predicate, Value x, Value y) {
  if (isSmall(x.getType())) {
    x = widen(b, x);
    y = widen(b, y);
  }
  return arith::CmpFOp::create(b, predicate, x, y);
}

static Value compareOrdered(ScalarBuilder &b, Value x, Value y, arith::CmpFPredicate real,
                            arith::CmpIPredicate signedInt, arith::CmpIPredicate unsignedInt) {
  if (isa<FloatType>(x.getType()))
    return compareFloat(b, real, x, y);
  bool isUnsigned = b.elementType.isUnsignedInteger() || b.elementType.isInteger(1);
  return arith::CmpIOp::create(b, isUnsigned ? unsignedInt : signedInt, x, y);
}

Value equal(ScalarBuilder &b, Value x, Value y) {
  if (isa<ComplexType>(x.getType()))
    return bitAnd(b, equal(b, real(b, x), real(b, y)), equal(b, imag(b, x), imag(b, y)));
  using I = arith::CmpIPredicate;
  return compareOrdered(b, x, y, arith::CmpFPredicate::OEQ, I::eq, I::eq);
}
Value notEqual(ScalarBuilder &b, Value x, Value y) {
  if (isa<ComplexType>(x.getType()))
    return bitOr(b, notEqual(b, real(b, x), real(b, y)), notEqual(b, imag(b, x), imag(b, y)));
  using I = arith::CmpIPredicate;
  return compareOrdered(b, x, y, arith::CmpFPredicate::UNE, I::ne, I::ne);
}
Value less(ScalarBuilder &b, Value x, Value y) {
  using I = arith::CmpIPredicate;
  return compareOrdered(b, x, y, arith::CmpFPredicate::OLT, I::slt, I::ult);
}
Value lessOrEqual(ScalarBuilder &b, Value x, Value y) {
  using I = arith::CmpIPredicate;
  return compareOrdered(b, x, y, arith::CmpFPredicate::OLE, I::sle, I::ule);
}

Value complex(ScalarBuilder &b, Value re, Value im) {
  return complex::CreateOp::create(b, ComplexType::get(re.getType()), re, im);
}
Value real(ScalarBuilder &b, Value x) { return complex::ReOp::create(b, x); }
Value imag(ScalarBuilder &b, Value x) { return complex::ImOp::create(b, x); }
Value conj(ScalarBuilder &b, Value x) { return complex(b, real(b, x), arith::NegFOp::create(b, imag(b, x))); }

/// Saturating, with NaN as zero: the bounds are the outermost floats that truncate into the integer type.
static Value floatToInt(ScalarBuilder &b, Value x, IntegerType to) {
  if (isNarrow(x.getType()))
    x = widen(b, x);
  auto from = cast<FloatType>(x.getType());
  bool isUnsigned = to.isUnsigned();
  unsigned width = to.getWidth();
  Type result = lowered(to);
  APInt least = isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  APInt greatest = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  auto bound = [&](const APInt &value) {
    APFloat converted(from.getFloatSemantics());
    converted.convertFromAPInt(value, !isUnsigned, APFloat::rmTowardZero);
    return arith::ConstantOp::create(b, b.getFloatAttr(from, converted)).getResult();
  };
  auto integer = [&](const APInt &value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(result, value)).getResult();
  };
  Value low = bound(least), high = bound(greatest), nothing = arith::ConstantOp::create(b, b.getFloatAttr(from, 0));
  Value isLow = compareFloat(b, arith::CmpFPredicate::OLE, x, low);
  Value isHigh = compareFloat(b, arith::CmpFPredicate::OGE, x, high);
  Value isNan = compareFloat(b, arith::CmpFPredicate::UNO, x, x);
  // Out-of-range values are replaced before the conversion, which would be undefined for them.
  Value outside = bitOr(b, bitOr(b, isLow, isHigh), isNan);
  Value inside = select(b, outside, nothing, x);
  Value truncated = isUnsigned ? arith::FPToUIOp::create(b, result, inside).getResult()
                               : arith::FPToSIOp::create(b, result, inside).getResult();
  // Bounds that are integers of the float type truncate to themselves; the greatest may not be representable.
  truncated = select(b, isLow, integer(least), truncated);
  return select(b, isHigh, integer(greatest), truncated);
}

static Value floatToFloat(ScalarBuilder &b, Value x, FloatType to) {
  auto from = cast<FloatType>(x.getType());
  if (from == to)
    return x;
  // f16 and bf16 are promoted to f32 together, and f8 formats to f32 with any other.
  FloatType single = b.getF32Type();
  if (isNarrow(from) && (to.getWidth() <= 16 || isSmall(from)))
    return floatToFloat(b, widen(b, x), to);
  if (isRoundedHere(to) || (isNarrow(to) && from == single))
    return narrow(b, floatToFloat(b, x, single), to);
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(b, to, x);
  return arith::TruncFOp::create(b, to, x);
}

Value convert(ScalarBuilder &b, Value x, Type to) {
  Type from = b.elementType;
  if (from == to)
    return x;
  if (to.isInteger(1))
    return notEqual(b, x, constant(b, x.getType(), 0));
  if (auto complexTo = dyn_cast<ComplexType>(to)) {
    auto element = cast<FloatType>(complexTo.getElementType());
    if (isa<ComplexType>(from))
      return complex(b, floatToFloat(b, real(b, x), element), floatToFloat(b, imag(b, x), element));
    return complex(b, convert(b, x, element), constant(b, element, 0));
  }
  if (auto complexFrom = dyn_cast<ComplexType>(from)) {
    ScalarBuilder part(b.getLoc(), b, complexFrom.getElementType());
    return convert(part, real(b, x), to);
  }
  if (auto floatTo = dyn_cast<FloatType>(to)) {
    if (isa<FloatType>(from))
      return floatToFloat(b, x, floatTo);
    bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
    // Narrow floats are rounded once, from a type that represents the integer exactly enough.
    FloatType wide = floatTo.getWidth() < 32 ? FloatType(b.getF32Type()) : floatTo;
    Value converted =
        isUnsigned ? arith::UIToFPOp::create(b, wide, x).getResult() : arith::SIToFPOp::create(b, wide, x).getResult();
    return floatToFloat(b, converted, floatTo);
  }
  auto intTo = cast<IntegerType>(to);
  if (isa<FloatType>(from))
    return floatToInt(b, x, intTo);
  auto intFrom = cast<IntegerType>(from);
  if (intFrom.getWidth() == intTo.getWidth())
    return x;
  if (intFrom.getWidth() > intTo.getWidth())
    return arith::TruncIOp::create(b, lowered(to), x);
  if (intFrom.isUnsigned() || intFrom.getWidth() == 1)
    return arith::ExtUIOp::create(b, lowered(to), x);
  return arith::ExtSIOp::create(b, lowered(to), x);
}

Value bitcast(ScalarBuilder &b, Value x, Type to) {
  Type target = lowered(to);
  if (x.getType() == target)
    return x;
  return arith::BitcastOp::create(b, target, x);
}

Value zero(ScalarBuilder &b) { return constant(b, lowered(b.elementType), 0); }
Value one(ScalarBuilder &b) { return constant(b, lowered(b.elementType), 1); }
Value allOnes(ScalarBuilder &b) { return arith::ConstantOp::create(b, b.getIntegerAttr(lowered(b.elementType), -1)); }

static Value extreme(ScalarBuilder &b, bool greatest) {
  Type type = lowered(b.elementType);
  if (auto pair = dyn_cast<ComplexType>(type)) {
    ScalarBuilder part(b.getLoc(), b, pair.getElementType());
    Value end = extreme(part, greatest);
    return complex(b, end, end);
  }
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    bool hasInfinity = APFloat::semanticsHasInf(semantics);
    APFloat value = hasInfinity ? APFloat::getInf(semantics, !greatest) : APFloat::getLargest(semantics, !greatest);
    if (!greatest && !APFloat::semanticsHasSignedRepr(semantics))
      value = APFloat::getSmallest(semantics);
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = b.elementType.isUnsignedInteger() || width == 1;
  APInt value = isUnsigned ? (greatest ? APInt::getMaxValue(width) : APInt::getZero(width))
                           : (greatest ? APInt::getSignedMaxValue(width) : APInt::getSignedMinValue(width));
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}
Value lowest(ScalarBuilder &b) { return extreme(b, false); }
Value highest(ScalarBuilder &b) { return extreme(b, true); }

} // namespace dovetail::scalar
