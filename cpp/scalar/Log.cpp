// Logarithms: log, log1p, logaddexp, and the split of a float into significand and exponent.
#include "Complex.h"
#include "Kernels.h"
#include "Ufuncs.h"

using namespace mlir;

namespace dovetail::scalar {

// (log((1+s)/(1-s)) - 2s) / s^3 in z = s^2 for 1+f = (1+s)/(1-s) in [sqrt(1/2), sqrt(2)], minimax in the relative
// error: degree 2, 2^-30.2; degree 6, 2^-59.4.
static constexpr float logSingle[] = {0x1.55557ap-1f, 0x1.995eccp-2f, 0x1.31e284p-2f};
static constexpr double logDouble[] = {0x1.5555555555593p-1, 0x1.999999997f9f8p-2, 0x1.249249422a303p-2,
                                       0x1.c71c51d80232ap-3, 0x1.74664996cfc59p-3, 0x1.39a09aa4ac92bp-3,
                                       0x1.2f11264509d3ap-3};
static constexpr Polynomial logTail = {logSingle, logDouble};

/// The bit pattern of a positive number, normalized: a subnormal is taken as an integer, whose exponent starts lower.
struct NormalBits {
  Int pattern;
  /// The correction of the pattern's exponent, minus `bias`.
  Int offset;
};

static NormalBits normalBits(Int magnitude, int bias) {
  Real integer = fractionToReal(magnitude);
  int64_t minNormal = int64_t(1) << integer.fractionBits();
  Bool subnormal = magnitude < minNormal;
  int lowest = integer.bias() - 1 + integer.fractionBits();
  return {select(subnormal, bits(integer), magnitude),
          select(subnormal, magnitude.constant(-lowest - bias), magnitude.constant(-bias))};
}

Scaled normalize(Int magnitude) {
  bool wide = magnitude.width() == 64;
  int fraction = wide ? 52 : 23, bias = wide ? 1023 : 127;
  NormalBits x = normalBits(magnitude, bias);
  Real significand = asReal((x.pattern & ((int64_t(1) << fraction) - 1)) | (int64_t(bias) << fraction));
  return {significand, shr(x.pattern, fraction) + x.offset};
}

/// The significand in [sqrt(1/2), sqrt(2)] and the exponent of a positive normal number.
static Scaled centeredNormal(Int pattern, Int offset) {
  bool wide = pattern.width() == 64;
  int fraction = wide ? 52 : 23;
  int64_t sqrtHalf = wide ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  int64_t bias = wide ? 1024 : 128;
  Int shifted = pattern + ((bias << fraction) - sqrtHalf);
  return {asReal((shifted & ((int64_t(1) << fraction) - 1)) + sqrtHalf), shr(shifted, fraction) + offset};
}

Scaled centered(Int magnitude) {
  NormalBits normal = normalBits(magnitude, magnitude.width() == 64 ? 1024 : 128);
  return centeredNormal(normal.pattern, normal.offset);
}

Real logOf(Real f, Real k) {
  Real s = f / (2.0 + f);
  Real z = s * s;
  Real half = 0.5 * f * f;
  Real low = s * (half + z * horner(z, logTail)) + k * Ln2::low(f);
  return k * Ln2::high(f) - ((half - low) - f);
}

static Real logReal(Real x) {
  Int pattern = bits(x);
  int64_t infinity = infinityBits(x);
  Scaled parts = centered(pattern);
  Real result = logOf(parts.significand - 1.0, toReal(parts.exponent));
  int64_t sign = x.pick(INT32_MIN, INT64_MIN);
  Real special = select(x == 0, x.constant(-std::numeric_limits<double>::infinity()), x);
  special = select(ult(pattern - (sign + 1), infinity), x.nan(), special);
  return select(ult(pattern - 1, infinity - 1), result, special);
}

Real log1pOf(Real x, Int k) {
  int fraction = x.fractionBits();
  Int pattern = bits(1.0 + x);
  Scaled parts = centeredNormal(pattern, pattern.constant(-x.bias() - 1));
  // 1 + f = 2^-e (1 + x), split so that f is rounded once; where x is huge, 1 + x already is x.
  Real scale = asReal(shl(pattern.constant(x.bias()) - parts.exponent, fraction));
  Real f = x * scale + (scale - 1.0);
  f = select(parts.exponent > fraction + 2, parts.significand - 1.0, f);
  return logOf(f, toReal(parts.exponent + k));
}

static Real log1pReal(Real x) {
  Real result = log1pOf(x, bits(x).constant(0));
  result = select(abs(x) < x.constant(0x1p-26f, 0x1p-55), x, result);
  Real special = select(x < -1, x.nan(), x);
  special = select(x == -1, x.constant(-std::numeric_limits<double>::infinity()), special);
  return select((x > -1) & (x < std::numeric_limits<double>::infinity()), result, special);
}

/// high + logOf1Plus(low - high) of two numbers; if that is undefined, as for two equal infinities, their sum.
static Value logOfSum(ScalarBuilder &b, Value x, Value y, llvm::function_ref<Real(Real)> logOf1Plus) {
  return onReals(b, {x, y}, [&](ArrayRef<Real> args) {
    Real x = args[0], y = args[1];
    Bool first = x > y;
    Real high = select(first, x, y), difference = select(first, y, x) - high;
    return select(isNan(difference), x + y, high + logOf1Plus(difference));
  });
}

Value logaddexp(ScalarBuilder &b, Value x, Value y) {
  return logOfSum(b, x, y, [](Real x) { return log1pReal(expOf(x)); });
}

Value logaddexp2(ScalarBuilder &b, Value x, Value y) {
  return logOfSum(b, x, y, [](Real x) { return log1pReal(exp2Of(x)) / x.constant(M_LN2); });
}

Value exponent(ScalarBuilder &b, Value x) {
  Real real = {{&b, isNarrow(x.getType()) ? widen(b, x) : x}};
  Int magnitude = magnitudeBits(real);
  Int result =
      select(ult(magnitude - 1, infinityBits(real) - 1), normalize(magnitude).exponent + 1, magnitude.constant(0));
  return real.isDouble() ? arith::TruncIOp::create(b, b.getI32Type(), result.v).getResult() : result.v;
}

Value ldexp(ScalarBuilder &b, Value x, Value k) {
  return onReal(b, x, [&](Real x) {
    Int magnitude = magnitudeBits(x), change = {{&b, k}};
    if (x.isDouble())
      change = {{&b, arith::ExtSIOp::create(b, b.getI64Type(), k)}};
    auto clamped = [](Int x, int64_t low, int64_t high) { return smin(smax(x, x.constant(low)), x.constant(high)); };
    // No exponent change leads further than from the smallest number to beyond the largest.
    change = clamped(change, -4 * x.bias(), 4 * x.bias());
    Scaled parts = normalize(magnitude);
    Int exponent = parts.exponent + change;
    Real result = ldexp({parts.significand, clamped(exponent, -x.bias() - x.fractionBits() - 1, x.bias())});
    result = select(exponent > x.bias(), x.infinity(), result);
    return select(ult(magnitude - 1, infinityBits(x) - 1), copysign(result, x), x);
  });
}

Value log(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexLog(b, x) : onReal(b, x, logReal);
}

Value log1p(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexLog1p(b, x) : onReal(b, x, log1pReal);
}

} // namespace dovetail::scalar
