// The parts that several elementary functions share, on the formats in which they are computed.
#ifndef DOVETAIL_SCALAR_KERNELS_H
#define DOVETAIL_SCALAR_KERNELS_H

#include "Builder.h"

namespace dovetail::scalar {

/// The number significand * 2^exponent.
struct Scaled {
  Real significand;
  Int exponent;
};

/// A positive finite number, subnormals included, with its significand in [1, 2). Zero gives an exponent below all
/// others.
Scaled normalize(Int magnitude);
/// The same with the significand in [sqrt(1/2), sqrt(2)].
Scaled centered(Int magnitude);
/// The nearest float, subnormals included, for a positive significand of moderate size and an exponent not far below
/// the least one.
Real ldexp(Scaled x);

/// exp(x) for |x| within a few units of the finite range; the significand is in [0.7, 1.42].
Scaled expParts(Real x);
/// The same for high + low, where low is small, and with the significand minus 1.
Scaled expPartsLess1(Real high, Real low);
/// exp(x) and 2^x in the format, for every x.
Real expOf(Real x);
Real exp2Of(Real x);
/// 2^r for |r| <= 1/2.
Real exp2Around(Real r);
/// expm1(x) = y * 2^k, where k is 0 for small x; x must be in (-80, overflow].
Scaled expm1Parts(Real x);
/// x * 2^k by adding to the exponent's bits: neither operand nor result may be zero (except for k = 0) or subnormal.
Real shiftExponent(Real x, Int k);

/// log(2^k (1 + f)) for 1 + f in [sqrt(1/2), sqrt(2)].
Real logOf(Real f, Real k);
/// log(2^k (1 + x)) for 0 <= x or x > -1, k = 0; log1p without its special values.
Real log1pOf(Real x, Int k);

/// The exact remainder with the sign of x, of the truncated quotient.
Real remOf(Real x, Real y);
/// Quotient and remainder of division that rounds down.
Real floorDivOf(Real x, Real y);
Real floorRemOf(Real x, Real y);

/// The nearest integer, ties to even.
Real roundEvenOf(Real x);

/// The splits of log(2): a multiple of the high part by an exponent is exact, with a bit to spare.
struct Ln2 {
  static Real high(Real like) { return like.constant(0x1.62e4p-1f, 0x1.62e42fefa4p-1); }
  static Real low(Real like) { return like.constant(0x1.7f7d1cp-20f, -0x1.8432a1b0e2634p-43); }
};

} // namespace dovetail::scalar

#endif // DOVETAIL_SCALAR_KERNELS_H
