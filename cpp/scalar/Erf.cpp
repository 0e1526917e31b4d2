// Error functions: erf and erfc.
#include "Kernels.h"

using namespace mlir;

namespace dovetail::scalar {

// erf(x)/x - 1 in z = x^2 on |x| <= 0.86, minimax in the relative error of erf: degree 6, 2^-30.1; degree 12, 2^-56.3.
static constexpr float erfSingle[] = {0x1.06eba8p-3f, -0x1.812742p-2f,  0x1.ce2e0ap-4f, -0x1.b80f7p-6f,
                                      0x1.54cbbep-8f, -0x1.aa067ap-11f, 0x1.5a8f14p-14f};
static constexpr double erfDouble[] = {0x1.06eba8214db69p-3,   -0x1.812746b037a3cp-2,  0x1.ce2f21a04802cp-4,
                                       -0x1.b82ce31494565p-6,  0x1.565bcd77abebap-8,   -0x1.c02dcd01d4778p-11,
                                       0x1.f9a6ec3e040b6p-14,  -0x1.f53242c9b2ecfp-17, 0x1.c04317e0b80f9p-20,
                                       -0x1.a6d3369ba0fa9p-23, 0x1.7d35568cfd63bp-25,  -0x1.18bd85acbfe1ap-26,
                                       0x1.dc23c261bd98cp-29};
static constexpr Polynomial erfTail = {erfSingle, erfDouble};

// (x + 5/2) exp(x^2) erfc(x) in t = (x - 5/2) / (x + 5/2) for x from 0.86 to where erfc underflows, minimax in the
// relative error: degree 8, 2^-30.4; degree 20, 2^-57.5.
static constexpr float erfcSingle[] = {0x1.0dd508p+0f,  -0x1.9bfb54p-1f, 0x1.d0cee2p-2f,
                                       -0x1.5eb8a4p-3f, 0x1.d0a4dcp-6f,  0x1.12cbe2p-7f,
                                       -0x1.3a9076p-8f, -0x1.a985cp-12f, 0x1.486df2p-11f};
static constexpr double erfcDouble[] = {0x1.0dd50785280a5p+0,   -0x1.9bfb53c4039d8p-1,  0x1.d0cedcb8c905fp-2,
                                        -0x1.5eb8eba1dfa60p-3,  0x1.d0acf691eaf70p-6,   0x1.1305f564c67a6p-7,
                                        -0x1.3bcdce330a1c3p-8,  -0x1.cc8b104655dc9p-12, 0x1.7069efd56084dp-11,
                                        0x1.e91e5d798c69cp-15,  -0x1.d84acd552e7d0p-14, -0x1.47ab6b695bb37p-16,
                                        0x1.31e741e1584efp-16,  0x1.c545518497ee0p-18,  -0x1.332e534657a0ep-19,
                                        -0x1.0bcae10994378p-19, -0x1.792854f5f7d77p-24, 0x1.3393006617c74p-21,
                                        0x1.584dfe6a790fdp-23,  -0x1.d87baaeea19e3p-23, 0x1.7d0409a8e16d0p-25};
static constexpr Polynomial erfcFactor = {erfcSingle, erfcDouble};

/// erfc(x) for x from 0.86 to where it underflows.
static Scaled erfcParts(Real x) {
  // u = 1 / (x + 5/2) in two parts, as t = 1 - 5u magnifies its error.
  Real d = x + 2.5, u = 1.0 / d;
  Real dHigh = top(d), dLow = x - (dHigh - 2.5);
  Real uHigh = top(u), uLow = ((1.0 - uHigh * dHigh) - uHigh * dLow) * u;
  Real t = (1.0 - 5.0 * uHigh) - 5.0 * uLow;
  // The polynomial, and its product with u, again in two parts: the products of high parts are exact.
  Real constant = t.constant(erfcSingle[0], erfcDouble[0]);
  Real tail = t * horner(t, {erfcFactor.single.drop_front(), erfcFactor.dbl.drop_front()});
  Real sum = constant + tail, sumHigh = top(sum), sumLow = (constant - sumHigh) + tail;
  Real factorHigh = uHigh * sumHigh, factorLow = uHigh * sumLow + uLow * sum;
  // exp(-x^2) with x^2 = high^2 + (x - high)(x + high), whose first term is exact.
  Real high = top(x);
  Real square = high * high, rest = (x - high) * (x + high);
  Scaled e = expPartsLess1(-square, -rest);
  return {factorHigh + (factorLow + (factorHigh + factorLow) * e.significand), e.exponent};
}

/// erfc(x) for x from 0.86 to 6, with the error of a few units that 1 - erfc(x) hardly shows.
static Real erfcRounded(Real x) {
  Real u = 1.0 / (x + 2.5);
  Scaled e = expParts(-(x * x));
  return u * horner((x - 2.5) * u, erfcFactor) * shiftExponent(e.significand, e.exponent);
}

/// erf(x) - x for |x| <= 0.86.
static Real erfRest(Real x) { return x * horner(x * x, erfTail); }

static Real erfReal(Real x) {
  Real magnitude = abs(x);
  Real largest = x.constant(4.0f, 6.0);
  Bool inside = magnitude < largest;
  Real far = 1.0 - erfcRounded(select(inside, magnitude, largest));
  Real result = select(magnitude < 0.86, x + erfRest(x), copysign(select(inside, far, 1.0), x));
  // Tiny arguments are scaled up, subnormal ones by way of their integer value, so that neither they nor the product
  // with 2/sqrt(pi) are flushed to zero.
  Int pattern = magnitudeBits(x);
  int lift = 64, unit = 1 - x.bias() - x.fractionBits();
  Real lifted = select(pattern < powerBits(x, 1 - x.bias()), fractionToReal(pattern) * std::ldexp(1.0, unit + lift),
                       magnitude * std::ldexp(1.0, lift));
  Real tiny = ldexp({lifted + lifted * 0x1.06eba8214db69p-3, pattern.constant(-lift)});
  result = select(ult(pattern - 1, powerBits(x, -lift) - 1), copysign(tiny, x), result);
  return select(isNan(x), x, result);
}

static Real erfcReal(Real x) {
  Real magnitude = abs(x);
  Real largest = x.constant(10.1f, 27.3);
  Bool inside = magnitude < largest;
  Real far = ldexp(erfcParts(select(inside, magnitude, largest)));
  far = select(x < 0, 2.0 - far, far);
  Real result = select(magnitude < 0.86, (1.0 - x) - erfRest(x), far);
  return select(isNan(x), x, result);
}

Value erf(ScalarBuilder &b, Value x) { return onReal(b, x, erfReal); }
Value erfc(ScalarBuilder &b, Value x) { return onReal(b, x, erfcReal); }

} // namespace dovetail::scalar
