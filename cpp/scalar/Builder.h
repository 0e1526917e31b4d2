// Typed handles over scalar values, so that the expansions of the elementary functions read as formulas.
//
// Two facts about the targets shape every expansion:
// - A compiler may contract a*b+c into a fused multiply-add (IREE does on x86 and CUDA), and Vulkan drivers simplify
//   (a+b)-a to b. So error terms are never recovered by Knuth's or Dekker's sums; instead `top` cuts a number after the
//   upper half of its significand, products of such numbers are exact, and the rest is x - top(x).
// - IREE's CPU runtime reads and writes subnormals as zero. So where they matter, they are read and made as integers.
#ifndef DOVETAIL_SCALAR_BUILDER_H
#define DOVETAIL_SCALAR_BUILDER_H

#include "Narrow.h"
#include "Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dovetail::scalar {

/// A value and the builder that continues it.
struct Handle {
  ScalarBuilder *b;
  mlir::Value v;
};

struct Bool : Handle {};

/// A signless integer.
struct Int : Handle {
  unsigned width() const { return v.getType().getIntOrFloatBitWidth(); }
  Int constant(int64_t value) const {
    return {{b, mlir::arith::ConstantOp::create(
                    *b, mlir::IntegerAttr::get(v.getType(), llvm::APInt(width(), value, true, true)))}};
  }
};

/// A float in one of the two formats in which functions are computed.
struct Real : Handle {
  bool isDouble() const { return v.getType().isF64(); }
  unsigned width() const { return isDouble() ? 64 : 32; }
  /// Stored bits of the significand.
  int fractionBits() const { return isDouble() ? 52 : 23; }
  int bias() const { return isDouble() ? 1023 : 127; }
  Real constant(double value) const {
    return {{b, mlir::arith::ConstantOp::create(*b, mlir::FloatAttr::get(v.getType(), value))}};
  }
  /// One of two constants, by format.
  Real constant(float single, double dbl) const { return constant(isDouble() ? dbl : single); }
  int64_t pick(int64_t single, int64_t dbl) const { return isDouble() ? dbl : single; }
  Real infinity() const { return constant(std::numeric_limits<double>::infinity()); }
  Real nan() const { return constant(std::numeric_limits<double>::quiet_NaN()); }
};

// Arithmetic.
#define DOVETAIL_BINARY(TYPE, OPERATOR, OP, SCALAR)                                                                    \
  inline TYPE operator OPERATOR(TYPE x, TYPE y) { return {{x.b, mlir::arith::OP::create(*x.b, x.v, y.v)}}; }           \
  inline TYPE operator OPERATOR(TYPE x, SCALAR y) { return x OPERATOR x.constant(y); }                                 \
  inline TYPE operator OPERATOR(SCALAR x, TYPE y) { return y.constant(x) OPERATOR y; }
DOVETAIL_BINARY(Real, +, AddFOp, double)
DOVETAIL_BINARY(Real, -, SubFOp, double)
DOVETAIL_BINARY(Real, *, MulFOp, double)
DOVETAIL_BINARY(Real, /, DivFOp, double)
DOVETAIL_BINARY(Int, +, AddIOp, int64_t)
DOVETAIL_BINARY(Int, -, SubIOp, int64_t)
DOVETAIL_BINARY(Int, *, MulIOp, int64_t)
DOVETAIL_BINARY(Int, &, AndIOp, int64_t)
DOVETAIL_BINARY(Int, |, OrIOp, int64_t)
DOVETAIL_BINARY(Int, ^, XOrIOp, int64_t)
#undef DOVETAIL_BINARY

inline Real operator-(Real x) { return {{x.b, mlir::arith::NegFOp::create(*x.b, x.v)}}; }
inline Int shl(Int x, Int n) { return {{x.b, mlir::arith::ShLIOp::create(*x.b, x.v, n.v)}}; }
inline Int shl(Int x, int64_t n) { return shl(x, x.constant(n)); }
/// Shift right, filling with zeros.
inline Int shr(Int x, Int n) { return {{x.b, mlir::arith::ShRUIOp::create(*x.b, x.v, n.v)}}; }
inline Int shr(Int x, int64_t n) { return shr(x, x.constant(n)); }
/// Shift right, filling with the sign.
inline Int sar(Int x, Int n) { return {{x.b, mlir::arith::ShRSIOp::create(*x.b, x.v, n.v)}}; }
inline Int sar(Int x, int64_t n) { return sar(x, x.constant(n)); }

// Comparisons: floats ordered (false for NaN) but for !=, integers signed but for ult.
#define DOVETAIL_COMPARE(OPERATOR, FLOAT, INTEGER)                                                                     \
  inline Bool operator OPERATOR(Real x, Real y) {                                                                      \
    return {{x.b, mlir::arith::CmpFOp::create(*x.b, mlir::arith::CmpFPredicate::FLOAT, x.v, y.v)}};                    \
  }                                                                                                                    \
  inline Bool operator OPERATOR(Int x, Int y) {                                                                        \
    return {{x.b, mlir::arith::CmpIOp::create(*x.b, mlir::arith::CmpIPredicate::INTEGER, x.v, y.v)}};                  \
  }                                                                                                                    \
  inline Bool operator OPERATOR(Real x, double y) { return x OPERATOR x.constant(y); }                                 \
  inline Bool operator OPERATOR(Int x, int64_t y) { return x OPERATOR x.constant(y); }
DOVETAIL_COMPARE(==, OEQ, eq)
DOVETAIL_COMPARE(!=, UNE, ne)
DOVETAIL_COMPARE(<, OLT, slt)
DOVETAIL_COMPARE(<=, OLE, sle)
DOVETAIL_COMPARE(>, OGT, sgt)
DOVETAIL_COMPARE(>=, OGE, sge)
#undef DOVETAIL_COMPARE

inline Bool ult(Int x, Int y) {
  return {{x.b, mlir::arith::CmpIOp::create(*x.b, mlir::arith::CmpIPredicate::ult, x.v, y.v)}};
}
inline Bool ult(Int x, int64_t y) { return ult(x, x.constant(y)); }
inline Int umin(Int x, Int y) { return {{x.b, mlir::arith::MinUIOp::create(*x.b, x.v, y.v)}}; }
inline Int smin(Int x, Int y) { return {{x.b, mlir::arith::MinSIOp::create(*x.b, x.v, y.v)}}; }
inline Int smax(Int x, Int y) { return {{x.b, mlir::arith::MaxSIOp::create(*x.b, x.v, y.v)}}; }
inline Bool isNan(Real x) { return x != x; }

inline Bool operator&(Bool x, Bool y) { return {{x.b, mlir::arith::AndIOp::create(*x.b, x.v, y.v)}}; }
inline Bool operator|(Bool x, Bool y) { return {{x.b, mlir::arith::OrIOp::create(*x.b, x.v, y.v)}}; }
inline Bool operator!(Bool x) {
  return {{x.b, mlir::arith::XOrIOp::create(*x.b, x.v, mlir::arith::ConstantIntOp::create(*x.b, 1, 1))}};
}
inline Bool operator^(Bool x, Bool y) { return {{x.b, mlir::arith::XOrIOp::create(*x.b, x.v, y.v)}}; }

template <typename T>
T select(Bool condition, T x, T y) {
  return {{x.b, mlir::arith::SelectOp::create(*x.b, condition.v, x.v, y.v)}};
}
inline Real select(Bool condition, Real x, double y) { return select(condition, x, x.constant(y)); }
inline Real select(Bool condition, double x, Real y) { return select(condition, y.constant(x), y); }

// Sign and magnitude.
inline Real abs(Real x) { return {{x.b, mlir::math::AbsFOp::create(*x.b, x.v)}}; }
inline Real copysign(Real x, Real sign) { return {{x.b, mlir::math::CopySignOp::create(*x.b, x.v, sign.v)}}; }

// Bit patterns.
inline Int bits(Real x) { return {{x.b, mlir::arith::BitcastOp::create(*x.b, x.b->getIntegerType(x.width()), x.v)}}; }
inline Real asReal(Int x) {
  mlir::Type type = x.width() == 64 ? mlir::Type(x.b->getF64Type()) : mlir::Type(x.b->getF32Type());
  return {{x.b, mlir::arith::BitcastOp::create(*x.b, type, x.v)}};
}
/// The bit pattern of 2^exponent in the format of `like`.
inline int64_t powerBits(Real like, int exponent) { return int64_t(like.bias() + exponent) << like.fractionBits(); }
inline int64_t infinityBits(Real like) { return powerBits(like, like.bias() + 1); }
/// The bit pattern without the sign.
inline Int magnitudeBits(Real x) { return bits(x) & (x.pick(INT32_MAX, INT64_MAX)); }
/// The pattern that holds the sign of x only.
inline Int signBit(Real x) { return bits(x) & x.pick(INT32_MIN, INT64_MIN); }
/// The upper half of the significand, 12 of 24 or 26 of 53 bits: the product of two such numbers is exact.
inline Real top(Real x) { return asReal(bits(x) & (x.isDouble() ? -(int64_t(1) << 27) : -(int64_t(1) << 12))); }

/// x, whose last bit must be zero, hidden from the rearrangement of sums: a driver turned k*a + (k*b + c) into k*(a+b)
/// + c.
inline Real opaque(Real x) { return asReal(bits(x) & int64_t(-2)); }

// Conversions. Integers travel through i32, which every target converts quickly.
/// The 32-bit integer equal to an integral x, extended to the width of x.
inline Int toInt(Real x) {
  mlir::Value v = mlir::arith::FPToSIOp::create(*x.b, x.b->getI32Type(), x.v);
  return {{x.b, x.isDouble() ? mlir::arith::ExtSIOp::create(*x.b, x.b->getI64Type(), v).getResult() : v}};
}
/// The float of an integer that fits 32 bits.
inline Real toReal(Int x) {
  bool wide = x.width() == 64;
  mlir::Value v = wide ? mlir::arith::TruncIOp::create(*x.b, x.b->getI32Type(), x.v).getResult() : x.v;
  mlir::Type type = wide ? mlir::Type(x.b->getF64Type()) : mlir::Type(x.b->getF32Type());
  return {{x.b, mlir::arith::SIToFPOp::create(*x.b, type, v)}};
}
/// The float of an integer in [0, 2^fractionBits), exact.
inline Real fractionToReal(Int x) {
  bool wide = x.width() == 64;
  double unit = wide ? 0x1p52 : 0x1p23;
  return asReal(x | (wide ? 0x4330000000000000 : 0x4b000000)) - unit;
}
inline Real floor(Real x) { return {{x.b, mlir::math::FloorOp::create(*x.b, x.v)}}; }
/// Whether x is an integer or infinite; not said for NaN. LLVM would compare x to trunc(x) instead, which processors
/// without such an instruction call, and IREE does not link.
inline Bool isIntegral(Real x) { return bits(floor(x)) == bits(x); }
/// A nearest integer; which one for halves is not said. (IREE expands math.roundeven into thirty instructions.)
inline Real nearestInteger(Real x) { return floor(x + 0.5); }
inline Real squareRoot(Real x) { return {{x.b, mlir::math::SqrtOp::create(*x.b, x.v)}}; }

/// The coefficients of a polynomial in both formats, lowest degree first.
struct Polynomial {
  llvm::ArrayRef<float> single;
  llvm::ArrayRef<double> dbl;
};

/// Horner's rule.
inline Real horner(Real x, const Polynomial &p) {
  size_t degree = (x.isDouble() ? p.dbl.size() : p.single.size()) - 1;
  auto coefficient = [&](size_t i) { return x.constant(x.isDouble() ? p.dbl[i] : double(p.single[i])); };
  Real sum = coefficient(degree);
  while (degree-- > 0)
    sum = sum * x + coefficient(degree);
  return sum;
}

/// Computes `formula` on floats, in f32 where the arguments are narrower, and rounds to the type of the arguments.
inline mlir::Value onReals(ScalarBuilder &b, llvm::ArrayRef<mlir::Value> args,
                           llvm::function_ref<Real(llvm::ArrayRef<Real>)> formula) {
  mlir::Type type = args[0].getType();
  llvm::SmallVector<Real> reals;
  for (mlir::Value arg : args)
    reals.push_back({{&b, isNarrow(type) ? widen(b, arg) : arg}});
  mlir::Value result = formula(reals).v;
  return isNarrow(type) ? narrow(b, result, type) : result;
}
inline mlir::Value onReal(ScalarBuilder &b, mlir::Value x, llvm::function_ref<Real(Real)> formula) {
  return onReals(b, {x}, [&](llvm::ArrayRef<Real> args) { return formula(args[0]); });
}

} // namespace dovetail::scalar

#endif // DOVETAIL_SCALAR_BUILDER_H
