// Division and bits of integers, and the choice between kinds of numbers for division.
#include "Complex.h"
#include "Kernels.h"
#include "Ufuncs.h"

using namespace mlir;

namespace dovetail::scalar {

namespace {
/// A division whose divisor is replaced by 1 where the processor would trap, or the result would be undefined.
struct SafeDivision {
  Int x, y;
  Bool byZero;
};
} // namespace

static SafeDivision safeDivision(ScalarBuilder &b, Value x, Value y) {
  Int dividend = {{&b, x}}, divisor = {{&b, y}};
  Bool byZero = divisor == 0, unsafe = byZero;
  if (!b.elementType.isUnsignedInteger()) {
    int64_t least = int64_t(uint64_t(-1) << (dividend.width() - 1));
    unsafe = unsafe | ((dividend == least) & (divisor == -1));
  }
  return {dividend, select(unsafe, divisor.constant(1), divisor), byZero};
}

Value div(ScalarBuilder &b, Value x, Value y) {
  if (isa<ComplexType>(x.getType()))
    return complexDiv(b, x, y);
  if (isa<FloatType>(x.getType()))
    return onReals(b, {x, y}, [](ArrayRef<Real> args) { return args[0] / args[1]; });
  SafeDivision safe = safeDivision(b, x, y);
  Value quotient = b.elementType.isUnsignedInteger() ? arith::DivUIOp::create(b, x, safe.y.v).getResult()
                                                     : arith::DivSIOp::create(b, x, safe.y.v).getResult();
  return select(safe.byZero, safe.x.constant(-1), Int{{&b, quotient}}).v;
}

Value rem(ScalarBuilder &b, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return onReals(b, {x, y}, [](ArrayRef<Real> args) { return remOf(args[0], args[1]); });
  SafeDivision safe = safeDivision(b, x, y);
  if (b.elementType.isUnsignedInteger())
    return select(safe.byZero, safe.x, Int{{&b, arith::RemUIOp::create(b, x, safe.y.v)}}).v;
  // Not arith.remsi, which MLIR's conversion to SPIR-V gets wrong for the smallest integer.
  Int quotient = {{&b, arith::DivSIOp::create(b, x, safe.y.v)}};
  return select(safe.byZero, safe.x, safe.x - quotient * safe.y).v;
}

Value floor_div(ScalarBuilder &b, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return onReals(b, {x, y}, [](ArrayRef<Real> args) { return floorDivOf(args[0], args[1]); });
  Int quotient = {{&b, div(b, x, y)}}, dividend = {{&b, x}}, divisor = {{&b, y}};
  if (b.elementType.isUnsignedInteger())
    return quotient.v;
  Bool inexact = dividend != quotient * divisor, negative = ((dividend ^ divisor) < 0) | (divisor == 0);
  return select(inexact & negative, quotient - 1, quotient).v;
}

Value floor_rem(ScalarBuilder &b, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return onReals(b, {x, y}, [](ArrayRef<Real> args) { return floorRemOf(args[0], args[1]); });
  Int divisor = {{&b, y}};
  // All numbers divide by 1 without remainder.
  divisor = select(divisor == 0, divisor.constant(1), divisor);
  Int rest = {{&b, rem(b, x, divisor.v)}};
  if (b.elementType.isUnsignedInteger())
    return rest.v;
  return select((rest != 0) & ((rest ^ divisor) < 0), rest + divisor, rest).v;
}

Value shift_left(ScalarBuilder &b, Value x, Value amount) {
  Int value = {{&b, x}}, n = {{&b, amount}};
  return select(ult(n, value.width()), shl(value, n), value.constant(0)).v;
}

Value shift_right_logical(ScalarBuilder &b, Value x, Value amount) {
  Int value = {{&b, x}}, n = {{&b, amount}};
  return select(ult(n, value.width()), shr(value, n), value.constant(0)).v;
}

Value shift_right_arithmetic(ScalarBuilder &b, Value x, Value amount) {
  Int value = {{&b, x}}, n = {{&b, amount}};
  Int last = value.constant(value.width() - 1);
  return sar(value, umin(n, last)).v;
}

Value population_count(ScalarBuilder &b, Value x) { return math::CtPopOp::create(b, x); }

Value count_leading_zeros(ScalarBuilder &b, Value x) {
  // SPIR-V counts in 32 bits only.
  auto count = [&](Value x) { return Int{{&b, math::CountLeadingZerosOp::create(b, x)}}; };
  Int value = {{&b, x}};
  if (value.width() == 32)
    return count(x).v;
  Type word = b.getI32Type();
  if (value.width() < 32) {
    Int extended = count(arith::ExtUIOp::create(b, word, x)) - (32 - value.width());
    return arith::TruncIOp::create(b, x.getType(), extended.v);
  }
  Int high = {{&b, arith::TruncIOp::create(b, word, shr(value, 32).v)}};
  Int low = {{&b, arith::TruncIOp::create(b, word, x)}};
  return arith::ExtUIOp::create(b, x.getType(), select(high == 0, count(low.v) + 32, count(high.v)).v);
}

} // namespace dovetail::scalar
