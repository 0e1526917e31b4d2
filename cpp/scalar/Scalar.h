// Scalar code of every pointwise op, in terms of arith and the math ops that are exact on all targets.
#ifndef DOVETAIL_SCALAR_SCALAR_H
#define DOVETAIL_SCALAR_SCALAR_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cstdint>

namespace dovetail::scalar {

/// Builds scalar code at one location.
struct ScalarBuilder : mlir::ImplicitLocOpBuilder {
  ScalarBuilder(mlir::Location loc, mlir::OpBuilder &builder, mlir::Type elementType)
      : ImplicitLocOpBuilder(loc, builder), elementType(elementType) {}

  /// The dialect's element type of the op's first operand. Integer functions read the signedness from it, which lowered
  /// (signless) values have lost; float functions only look at the type of the value.
  mlir::Type elementType;
};

// Each function is named as its op. Arguments and results are scalars of float, signless integer or complex type.
// f16, bf16 and the f8 types are computed in f32. Complex arguments go to Complex.h.

// Exponentials and logarithms.
mlir::Value exp(ScalarBuilder &b, mlir::Value x);
mlir::Value exp2(ScalarBuilder &b, mlir::Value x);
mlir::Value expm1(ScalarBuilder &b, mlir::Value x);
mlir::Value log(ScalarBuilder &b, mlir::Value x);
mlir::Value log1p(ScalarBuilder &b, mlir::Value x);
mlir::Value logistic(ScalarBuilder &b, mlir::Value x);

// Powers and roots.
mlir::Value sqrt(ScalarBuilder &b, mlir::Value x);
mlir::Value rsqrt(ScalarBuilder &b, mlir::Value x);
mlir::Value cbrt(ScalarBuilder &b, mlir::Value x);
/// x to the y. Integers wrap around; a negative integer exponent gives the truncated reciprocal.
mlir::Value pow(ScalarBuilder &b, mlir::Value x, mlir::Value y);
/// x to a power known at compile time, by repeated squaring, for floats, integers and complex numbers.
mlir::Value integerPow(ScalarBuilder &b, mlir::Value x, int64_t exponent);

// Trigonometric functions, exact reduction for arguments of any size.
mlir::Value sin(ScalarBuilder &b, mlir::Value x);
mlir::Value cos(ScalarBuilder &b, mlir::Value x);
mlir::Value tan(ScalarBuilder &b, mlir::Value x);
mlir::Value asin(ScalarBuilder &b, mlir::Value x);
mlir::Value acos(ScalarBuilder &b, mlir::Value x);
mlir::Value atan(ScalarBuilder &b, mlir::Value x);
mlir::Value atan2(ScalarBuilder &b, mlir::Value y, mlir::Value x);

// Hyperbolic functions.
mlir::Value sinh(ScalarBuilder &b, mlir::Value x);
mlir::Value cosh(ScalarBuilder &b, mlir::Value x);
mlir::Value tanh(ScalarBuilder &b, mlir::Value x);
mlir::Value asinh(ScalarBuilder &b, mlir::Value x);
mlir::Value acosh(ScalarBuilder &b, mlir::Value x);
mlir::Value atanh(ScalarBuilder &b, mlir::Value x);

// Error functions.
mlir::Value erf(ScalarBuilder &b, mlir::Value x);
mlir::Value erfc(ScalarBuilder &b, mlir::Value x);
mlir::Value erf_inv(ScalarBuilder &b, mlir::Value x);

// Gamma functions.
mlir::Value lgamma(ScalarBuilder &b, mlir::Value x);
mlir::Value digamma(ScalarBuilder &b, mlir::Value x);
/// The n-th derivative of digamma.
mlir::Value polygamma(ScalarBuilder &b, mlir::Value n, mlir::Value x);
/// The sum of (q + k)^-s over k = 0, 1, ...
mlir::Value zeta(ScalarBuilder &b, mlir::Value s, mlir::Value q);

// Regularized incomplete integrals: of t^(a-1) exp(-t) below x and above it, of t^(a-1) (1-t)^(b-1) below x.
mlir::Value igamma(ScalarBuilder &b, mlir::Value a, mlir::Value x);
mlir::Value igammac(ScalarBuilder &b, mlir::Value a, mlir::Value x);
/// The derivative with respect to a of the x at which igamma(a, x) has a fixed value.
mlir::Value random_gamma_grad(ScalarBuilder &b, mlir::Value a, mlir::Value x);
mlir::Value betainc(ScalarBuilder &b, mlir::Value p, mlir::Value q, mlir::Value x);

// Modified Bessel functions times exp(-|x|).
mlir::Value bessel_i0e(ScalarBuilder &b, mlir::Value x);
mlir::Value bessel_i1e(ScalarBuilder &b, mlir::Value x);

// Rounding, sign and order.
mlir::Value floor(ScalarBuilder &b, mlir::Value x);
mlir::Value ceil(ScalarBuilder &b, mlir::Value x);
/// To the nearest integer, ties to even.
mlir::Value round_even(ScalarBuilder &b, mlir::Value x);
/// To the nearest integer, ties away from zero.
mlir::Value round_away(ScalarBuilder &b, mlir::Value x);
/// -1, 0 or 1 (floats keep zeros and NaN; complex numbers give x/|x|, and 0 at 0).
mlir::Value sign(ScalarBuilder &b, mlir::Value x);
/// The magnitude; that of a complex number is real.
mlir::Value abs(ScalarBuilder &b, mlir::Value x);
/// Rounds to the nearest number with this many bits of exponent and fraction, ties to even.
mlir::Value reducePrecision(ScalarBuilder &b, mlir::Value x, int64_t exponentBits, int64_t mantissaBits);
mlir::Value is_finite(ScalarBuilder &b, mlir::Value x);
mlir::Value nextafter(ScalarBuilder &b, mlir::Value x, mlir::Value y);
/// Floats propagate NaN and order -0 before +0.
mlir::Value max(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value min(ScalarBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value clamp(ScalarBuilder &b, mlir::Value low, mlir::Value x, mlir::Value high);

// Division. Integers truncate, x/0 is all ones, x%0 is x, and the most negative integer over -1 wraps around.
mlir::Value div(ScalarBuilder &b, mlir::Value x, mlir::Value y);
/// The remainder has the sign of the dividend; floats give the exact remainder for any ratio of magnitudes.
mlir::Value rem(ScalarBuilder &b, mlir::Value x, mlir::Value y);

// Bits of integers. A shift by the width or more gives zero, or the sign for the arithmetic one.
mlir::Value shift_left(ScalarBuilder &b, mlir::Value x, mlir::Value amount);
mlir::Value shift_right_logical(ScalarBuilder &b, mlir::Value x, mlir::Value amount);
mlir::Value shift_right_arithmetic(ScalarBuilder &b, mlir::Value x, mlir::Value amount);
mlir::Value population_count(ScalarBuilder &b, mlir::Value x);
mlir::Value count_leading_zeros(ScalarBuilder &b, mlir::Value x);

} // namespace dovetail::scalar

#endif // DOVETAIL_SCALAR_SCALAR_H
