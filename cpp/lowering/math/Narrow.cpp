// Conversions between f32 and the narrower float types.
//
// The 8-bit formats are taken apart here, since IREE's own conversions take the negative NaN of f8E4M3FN for -480 and
// flush what should round up to the least normal number.
#include "Narrow.h"
#include "Builder.h"

#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace dovetail::scalar {

namespace {
/// An 8-bit float format, and how its patterns relate to those of f32.
struct Format {
  explicit Format(Type type) {
    auto floatType = cast<FloatType>(type);
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    fractionBits = floatType.getFPMantissaWidth() - 1;
    leastExponent = llvm::APFloat::semanticsMinExponent(semantics);
    hasInfinity = llvm::APFloat::semanticsHasInf(semantics);
    oneZero = isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
  }

  /// By how many bits the fraction of f32 is longer.
  int shift() const { return 23 - fractionBits; }
  /// What is added to the exponent for f32.
  int64_t rebias() const { return 127 - (1 - leastExponent); }
  /// The exponent of the last bit of subnormals.
  int unit() const { return leastExponent - fractionBits; }
  int64_t infinity() const { return 0x80 - (int64_t(1) << fractionBits); }
  int64_t nan() const { return oneZero ? 0x80 : hasInfinity ? infinity() + 2 : 0x7f; }
  /// The magnitude of everything that is too large: infinity or NaN.
  int64_t overflow() const { return hasInfinity ? infinity() : nan(); }

  int fractionBits, leastExponent;
  bool hasInfinity;
  /// The pattern of -0 is the only NaN.
  bool oneZero;
};
} // namespace

bool isNarrow(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32; }

Value widen(ScalarBuilder &b, Value x) {
  if (x.getType().getIntOrFloatBitWidth() != 8)
    return arith::ExtFOp::create(b, b.getF32Type(), x);
  Format format(x.getType());
  Value byte = arith::BitcastOp::create(b, b.getI8Type(), x);
  Int pattern = {{&b, arith::ExtUIOp::create(b, b.getI32Type(), byte)}};
  Int magnitude = pattern & 0x7f, shifted = shl(magnitude, format.shift());
  Int normal = shifted + (format.rebias() << 23);
  Int subnormal = bits(fractionToReal(magnitude) * std::ldexp(1.0, format.unit()));
  Int result = select(magnitude < (int64_t(1) << format.fractionBits), subnormal, normal);
  constexpr int64_t infinity = 0x7f800000, nan = 0x7fc00000;
  if (format.hasInfinity)
    result = select(magnitude < format.infinity(), result, shifted | infinity);
  else
    result = select((format.oneZero ? pattern : magnitude) == format.nan(), result.constant(nan), result);
  return asReal(result | shl(pattern & 0x80, 24)).v;
}

Value narrow(ScalarBuilder &b, Value x, Type type) {
  if (type.getIntOrFloatBitWidth() != 8)
    return arith::TruncFOp::create(b, type, x);
  Format format(type);
  Real value = {{&b, x}};
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
  Int sign = shr(signBit(value), 24), signedResult = result | sign;
  if (format.oneZero)
    signedResult = select((result & 0x7f) == 0, result, signedResult);
  Value byte = arith::TruncIOp::create(b, b.getI8Type(), signedResult.v);
  return arith::BitcastOp::create(b, type, byte);
}

} // namespace dovetail::scalar
