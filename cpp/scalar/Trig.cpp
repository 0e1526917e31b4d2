// Trigonometric functions: exact argument reduction (Payne and Hanek) and sin, cos, tan.
#include "Complex.h"
#include "Kernels.h"

using namespace mlir;

namespace dovetail::scalar {

// (sin r - r) / r^3 in z = r^2 on |r| <= pi/4, minimax in the relative error: degree 2, 2^-27.9; degree 5, 2^-57.8.
static constexpr float sinSingle[] = {-0x1.555546p-3f, 0x1.110776p-7f, -0x1.995302p-13f};
static constexpr double sinDouble[] = {-0x1.5555555555548p-3, 0x1.111111110f730p-7,   -0x1.a01a019be93aep-13,
                                       0x1.71de355567d7bp-19, -0x1.ae5e4bfacb501p-26, 0x1.5d8b98c645cb6p-33};
static constexpr Polynomial sinTail = {sinSingle, sinDouble};

// (cos r - 1 + r^2/2) / r^4 in z = r^2 on |r| <= pi/4, minimax in the relative error: degree 2, 2^-33; degree 5,
// 2^-63.9.
static constexpr float cosSingle[] = {0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e838p-16f};
static constexpr double cosDouble[] = {0x1.555555555554bp-5,   -0x1.6c16c16c1500dp-10, 0x1.a01a019c8dc7ep-16,
                                       -0x1.27e4f7f03fdd3p-22, 0x1.1ee9daba49dc9p-29,  -0x1.8fa5e094640b1p-37};
static constexpr Polynomial cosTail = {cosSingle, cosDouble};

// The bits of 2/pi after width + 2 zeros, in words of that width.
static constexpr uint32_t twoOverPi32[] = {0x0,        0x28be60db, 0x9391054a, 0x7f09d5f4,
                                           0x7d4d3770, 0x36d8a566, 0x4f10e410, 0x7f9458ea};
static constexpr uint64_t twoOverPi64[] = {0x0,
                                           0x28be60db9391054a,
                                           0x7f09d5f47d4d3770,
                                           0x36d8a5664f10e410,
                                           0x7f9458eaf7aef158,
                                           0x6dc91b8e909374b8,
                                           0x1924bba82746487,
                                           0x3f877ac72c4a69cf,
                                           0xba208d7d4baed121,
                                           0x3a671c09ad17df90,
                                           0x4e64758e60d4ce7d,
                                           0x272117e2ef7e4a0e,
                                           0xc7fe25fff7816603,
                                           0xfbcbc462d6829b47,
                                           0xdb4d9fb3c9f2c26d,
                                           0xd3d18fd9a797fa8b,
                                           0x5d49eeb1faf97c5e,
                                           0xcf41ce7de294a4ba,
                                           0x9afed7ec47e35742,
                                           0x1580cc11bf1edaea};

namespace {
/// |x| = (high + low) + quadrant * pi/2 with |high + low| <= pi/4; `high` has a short significand or is x itself.
struct Reduced {
  Int quadrant;
  Real high, low;
};
/// A number modulo 4 in two words: the quadrant in the two highest bits, and the fraction.
struct FixedPoint {
  Int high, low;
};
} // namespace

/// Three consecutive words of 2/pi from bit `index` on.
static llvm::SmallVector<Int> windowOfTwoOverPi(Int index) {
  bool wide = index.width() == 64;
  int width = index.width();
  llvm::SmallVector<Int> words;
  if (wide)
    for (uint64_t word : twoOverPi64)
      words.push_back(index.constant(int64_t(word)));
  else
    for (uint32_t word : twoOverPi32)
      words.push_back(index.constant(int32_t(word)));

  // A barrel shifter: step by step the words move down by a power of two. Words past the end are never wanted.
  constexpr size_t needed = 4;
  for (int step = wide ? 16 : 4; step > 0; step /= 2) {
    Bool moves = (index & (int64_t(step) * width)) != 0;
    size_t remaining = std::min(words.size(), needed + step - 1);
    for (size_t i = 0; i < remaining; ++i)
      if (i + step < words.size())
        words[i] = select(moves, words[i + step], words[i]);
    words.resize(remaining, words.back());
  }
  Int shift = index & (width - 1), rest = shift ^ (width - 1);
  llvm::SmallVector<Int> window;
  for (int i = 0; i < 3; ++i)
    window.push_back(shl(words[i], shift) | shr(shr(words[i + 1], 1), rest));
  return window;
}

/// The upper and the lower word of the 64-bit product of two 32-bit words, from halves: the code generator has no
/// `arith.mului_extended` for vectors of several dimensions, and not every device has 64-bit words.
static std::pair<Int, Int> multiply32(Int x, Int y) {
  Int x0 = x & 0xffff, x1 = shr(x, 16), y0 = y & 0xffff, y1 = shr(y, 16);
  Int middle = x1 * y0 + shr(x0 * y0, 16), other = x0 * y1 + (middle & 0xffff);
  return {x1 * y1 + shr(middle, 16) + shr(other, 16), x * y};
}

/// Words 1 and 2 of m * (w0, w1, w2), counted from the most significant of four; word 0 is a multiple of 4.
static FixedPoint multiply(Int m, llvm::ArrayRef<Int> w) {
  if (m.width() == 32) {
    auto [high1, low1] = multiply32(m, w[1]);
    Int low = low1 + multiply32(m, w[2]).first;
    Int carry = {{m.b, arith::ExtUIOp::create(*m.b, m.v.getType(), ult(low, low1).v)}};
    return {m * w[0] + high1 + carry, low};
  }
  // Vector units multiply 32 x 32 bits to 64, so the words are split. The product with w2 may be a few units short.
  constexpr int64_t mask = 0xffffffff;
  Int mHigh = shr(m, 32), mLow = m & mask;
  Int w1High = shr(w[1], 32), w1Low = w[1] & mask;
  Int w2High = shr(w[2], 32), w2Low = w[2] & mask;
  Int below = mHigh * w2High + shr(mHigh * w2Low, 32) + shr(mLow * w2High, 32);
  Int bottom = mLow * w1Low;
  Int middle1 = mHigh * w1Low + shr(bottom, 32);
  Int middle2 = mLow * w1High + (middle1 & mask);
  Int low1 = shl(middle2, 32) | (bottom & mask);
  Int low = low1 + below;
  Int carry = {{m.b, arith::ExtUIOp::create(*m.b, m.v.getType(), ult(low, low1).v)}};
  return {m * w[0] + mHigh * w1High + shr(middle1, 32) + shr(middle2, 32) + carry, low};
}

static Reduced reduce(Real x) {
  int width = x.width(), fraction = x.fractionBits();
  Int pattern = magnitudeBits(x);
  // x = m 2^(e+1-width) with the highest bit of m set.
  Int m = shl(pattern, width - 1 - fraction) | (x.isDouble() ? INT64_MIN : INT32_MIN);
  Int index = shr(pattern, fraction) - (x.bias() - 1);
  FixedPoint turns = multiply(m, windowOfTwoOverPi(index));
  Int quadrant = shr(turns.high + (int64_t(1) << (width - 3)), width - 2);
  Int high = shl(turns.high, 2) | shr(turns.low, width - 2);
  Int low = shl(turns.low, 2);

  // The signed fraction in three parts without rounding, in units of the last place of `high`. The first part is
  // rounded to nearest, lest a small fraction becomes a difference of large parts.
  int shortBits = x.pick(12, 26), middleBits = width - shortBits;
  int64_t half = int64_t(1) << (middleBits - 1);
  Real first = toReal(sar(sar(high, middleBits - 1) + 1, 1)) * (2.0 * double(half));
  Real second = fractionToReal((high + half) & (2 * half - 1)) - double(half);
  Real third = fractionToReal(shr(low, width - fraction)) * std::ldexp(1.0, -fraction);
  // Its product with pi/2, again in two parts.
  Real shortPart = top(first + (second + third));
  Real longPart = ((first - shortPart) + second) + third;
  double unit = std::ldexp(1.0, -width);
  Real piHigh = x.constant(0x1.922p0f * float(unit), 0x1.921fb58p0 * unit);
  Real piLow = x.constant(-0x1.2aeef4p-18f * float(unit), -0x1.dde973dcb3b3ap-27 * unit);
  Real productLow = shortPart * piLow + longPart * (0x1.921fb54442d18p0 * unit);

  Real magnitude = abs(x);
  Bool small = magnitude < x.constant(0x1.921fb4p-1f, 0x1.921fb54442d18p-1);
  return {select(small, quadrant.constant(0), quadrant), select(small, magnitude, shortPart * piHigh),
          select(small, x.constant(0.0), productLow)};
}

namespace {
struct SinCos {
  Real sin, cos;
};
} // namespace

/// sin and cos of the reduced argument, without the quadrant.
static SinCos sinCosOf(const Reduced &x) {
  Real r = x.high + x.low;
  Real z = r * r;
  Real sin = x.high + (x.low + r * z * horner(z, sinTail));
  // 1 - r^2/2 is rounded once, for the square of the upper half of r is exact.
  Real half = top(r), rest = (x.high - half) + x.low;
  Real cos = (1.0 - 0.5 * half * half) + (z * z * horner(z, cosTail) - 0.5 * rest * (r + half));
  return {sin, cos};
}

/// x with the sign flipped where the pattern `sign` has its highest bit set.
static Real flipSign(Real x, Int sign) { return asReal(bits(x) ^ sign); }

/// The common result of all functions for infinities and NaN.
static Real orNan(Real x, Real result) { return select(ult(magnitudeBits(x), infinityBits(x)), result, x.nan()); }

/// Keeps tiny arguments, which arithmetic might flush to zero.
static Real orTiny(Real x, Real result) { return select(abs(x) < x.constant(0x1p-13f, 0x1p-27), x, result); }

static Real sinReal(Real x) {
  Reduced reduced = reduce(x);
  SinCos value = sinCosOf(reduced);
  Real magnitude = select((reduced.quadrant & 1) != 0, value.cos, value.sin);
  Int sign = shl(reduced.quadrant & 2, x.width() - 2) ^ signBit(x);
  return orNan(x, orTiny(x, flipSign(magnitude, sign)));
}

static Real cosReal(Real x) {
  Reduced reduced = reduce(x);
  SinCos value = sinCosOf(reduced);
  Real magnitude = select((reduced.quadrant & 1) != 0, value.sin, value.cos);
  Int sign = shl((reduced.quadrant + 1) & 2, x.width() - 2);
  return orNan(x, flipSign(magnitude, sign));
}

static Real tanReal(Real x) {
  Reduced reduced = reduce(x);
  SinCos value = sinCosOf(reduced);
  Bool odd = (reduced.quadrant & 1) != 0;
  Real magnitude = select(odd, value.cos, value.sin) / select(odd, value.sin, value.cos);
  Int sign = shl(reduced.quadrant & 1, x.width() - 1) ^ signBit(x);
  return orNan(x, orTiny(x, flipSign(magnitude, sign)));
}

Value sin(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexSin(b, x) : onReal(b, x, sinReal);
}

Value cos(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexCos(b, x) : onReal(b, x, cosReal);
}

Value tan(ScalarBuilder &b, Value x) {
  return isa<ComplexType>(x.getType()) ? complexTan(b, x) : onReal(b, x, tanReal);
}

} // namespace dovetail::scalar
