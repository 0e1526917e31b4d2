// Conversions between f32 and the narrower float types. The small formats are decoded here, since IREE's own
// conversions take the negative NaN of f8E4M3FN for -480, and flush values that should round up to the least normal
// number.
#include "Narrow.h"
#include "Builder.h"

#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace dovetail::scalar {

namespace {
/// A float format of 8 bits or less with a fraction, and how its patterns relate to those of f32.
struct Format {
  explicit Format(Type type) {
    auto floatType = cast<FloatType>(type);
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    width = floatType.getWidth();
    fractionBits = floatType.getFPMantissaWidth() - 1;
    leastExponent = llvm::APFloat::semanticsMinExponent(semantics);
    hasInfinity = llvm::APFloat::semanticsHasInf(semantics);
    hasNan = llvm::APFloat::semanticsHasNaN(semantics);
    oneZero = isa<Float8E4M3B11FNUZType, Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
  }

  /// The number of bits by which the fraction of f32 is longer.
  int shift() const { return 23 - fractionBits; }
  /// The difference of the exponent biases, added to get that of f32.
  int64_t rebias() const { return 127 - (1 - leastExponent); }
  /// The exponent of the last bit of subnormals.
  int unit() const { return leastExponent - fractionBits; }
  int64_t sign() const { return int64_t(1) << (width - 1); }
  int64_t largest() const { return sign() - 1; }
  int64_t infinity() const { return sign() - (int64_t(1) << fractionBits); }
  /// If there is no NaN, that of the other sign's zero.
  int64_t nan() const {
    if (oneZero || !hasNan)
      return sign();
    return hasInfinity ? infinity() + (int64_t(1) << (fractionBits - 1)) : largest();
  }
  /// The magnitude of everything that is too large.
  int64_t overflow() const { return hasInfinity ? infinity() : hasNan ? nan() : largest(); }

  unsigned width;
  int fractionBits, leastExponent;
  bool hasInfinity, hasNan;
  /// The pattern of -0 is the only NaN.
  bool oneZero;
};
} // namespace

constexpr int64_t singleNan = 0x7fc00000, halfOfOne = 0x00400000;

/// The f32 value of a byte that holds a power of two's exponent, or NaN if all bits are set.
static Value widenExponent(Int byte) {
  Int result = select(byte == 0, byte.constant(halfOfOne), shl(byte, 23));
  return asReal(select(byte == 0xff, byte.constant(singleNan), result)).v;
}

/// The exponent of the nearest power of two, the upper one on a tie; all bits set unless the value is positive and
/// finite.
static Int narrowExponent(Real value) {
  Int pattern = bits(value), normal = shr(pattern + halfOfOne, 23), none = pattern.constant(0xff);
  Int subnormal = select(pattern > halfOfOne, pattern.constant(1), pattern.constant(0));
  Int result = select(pattern < (int64_t(1) << 23), subnormal, normal);
  return select(ult(pattern - 1, none.constant(0x7f7fffff)), result, none);
}

bool isSmall(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 8; }

bool isRoundedHere(Type type) { return isSmall(type) || type.isBF16(); }

bool isNarrow(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32; }

Value widen(ScalarBuilder &b, Value x) {
  if (!isSmall(x.getType()))
    return arith::ExtFOp::create(b, b.getF32Type(), x);
  Value code = arith::BitcastOp::create(b, b.getIntegerType(x.getType().getIntOrFloatBitWidth()), x);
  Int pattern = {{&b, arith::ExtUIOp::create(b, b.getI32Type(), code)}};
  if (isa<Float8E8M0FNUType>(x.getType()))
    return widenExponent(pattern);
  Format format(x.getType());
  Int magnitude = pattern & format.largest(), shifted = shl(magnitude, format.shift());
  Int normal = shifted + (format.rebias() << 23);
  Int subnormal = bits(fractionToReal(magnitude) * std::ldexp(1.0, format.unit()));
  Int result = select(magnitude < (int64_t(1) << format.fractionBits), subnormal, normal);
  constexpr int64_t infinity = 0x7f800000;
  if (format.hasInfinity)
    result = select(magnitude < format.infinity(), result, shifted | infinity);
  else if (format.hasNan)
    result = select((format.oneZero ? pattern : magnitude) == format.nan(), result.constant(singleNan), result);
  return asReal(result | shl(pattern & format.sign(), 32 - format.width)).v;
}

/// The upper half of an f32, rounded to nearest even by carries. IREE computes whole regions of bf16 arithmetic in f32,
/// and folds a truncation followed by an extension to the original f32. It does not do this to integers.
static Value narrowHalf(ScalarBuilder &b, Real value, Type type) {
  Int pattern = bits(value), odd = shr(pattern, 16) & 1;
  Int rounded = select(isNan(value), pattern | halfOfOne, pattern + odd + 0x7fff);
  return arith::BitcastOp::create(b, type, arith::TruncIOp::create(b, b.getI16Type(), shr(rounded, 16).v));
}

Value narrow(ScalarBuilder &b, Value x, Type type) {
  Real value = {{&b, x}};
  if (type.isBF16())
    return narrowHalf(b, value, type);
  if (!isSmall(type))
    return arith::TruncFOp::create(b, type, x);
  auto coded = [&](Int pattern) {
    Value code = arith::TruncIOp::create(b, b.getIntegerType(type.getIntOrFloatBitWidth()), pattern.v);
    return arith::BitcastOp::create(b, type, code).getResult();
  };
  if (isa<Float8E8M0FNUType>(type))
    return coded(narrowExponent(value));
  Format format(type);
  Int magnitude = magnitudeBits(value);
  // Rounded to nearest even by carries, and in the subnormal range by an addition that leaves the integer in the last
  // bits.
  int64_t half = int64_t(1) << (format.shift() - 1);
  Int odd = shr(magnitude, format.shift()) & 1;
  Int normal = shr(magnitude + odd + (half - 1), format.shift()) - (format.rebias() << format.fractionBits);
  Real unit = value.constant(std::ldexp(1.0, 23 + format.unit()));
  Int subnormal = bits(asReal(magnitude) + unit) - bits(unit);
  Int result = select(magnitude < powerBits(value, format.leastExponent), subnormal, normal);
  result = umin(result, result.constant(format.overflow()));
  result = select(isNan(value), result.constant(format.nan()), result);
  Int sign = shr(signBit(value), 32 - format.width), signedResult = format.hasNan ? result | sign : result ^ sign;
  if (format.oneZero)
    signedResult = select((result & format.largest()) == 0, result, signedResult);
  return coded(signedResult);
}

} // namespace dovetail::scalar
