// Folds, verifiers and registration of the pointwise ops.
#include "Pointwise.h"
#include "DerivativeMarks.h"
#include "Folding.h"
#include "Inference.h"
#include "cpp/scalar/Ufuncs.h"
#include <cmath>

using namespace mlir;

namespace dovetail {

/// -1 or 1, also for zeros and NaN.
static Value signBit(Emitter &e, Value x) { return e.make<CopysignOp>(e.full(x, 1), x); }

/// x / ans for ans = hypot(x, y), from the ratio of the two, so that its derivative does not cancel; constant where ans
/// is infinite or 0, namely the mean of its limits with x and y positive.
static Value legOf(Emitter &e, Value x, Value y, Value ans) {
  Value infinite = e.full(ans, std::numeric_limits<double>::infinity()), one = e.full(ans, 1);
  Value isZero = e.equal(ans, e.full(ans, 0)), degenerate = e.make<OrOp>(isZero, e.equal(ans, infinite));
  Value isLesser = e.greater(e.make<AbsOp>(y), e.make<AbsOp>(x));
  Value high = e.select(degenerate, one, e.select(isLesser, y, x));
  Value ratio = e.div(e.select(degenerate, zero, e.select(isLesser, x, y)), high);
  Value greater = e.mul(e.sign(high), e.rsqrt(e.add(e.mul(ratio, ratio), 1.0)));
  Value leg = e.mul(e.select(isLesser, ratio, one), greater);
  return e.select(degenerate, e.select(isZero, e.full(ans, 0.5), zero), leg);
}

/// b^x / (b^x + b^y), from the smaller one's share, so that its derivative does not cancel; 1 for two equal infinities,
/// NaN if an operand is.
static Value shareOfSum(Emitter &e, Value x, Value y, double logOfBase = 1) {
  Value d = e.sub(x, y), isLost = e.make<CompareOp>(CompareDirection::NE, d, d);
  Value bothInfinite = e.both(isLost, e.equal(x, y));
  d = e.scale(e.select(bothInfinite, zero, d), logOfBase);
  Value isLesser = e.greater(e.full(d, 0), d);
  Value lesser = e.make<LogisticOp>(e.select(isLesser, d, e.neg(d)));
  return e.select(bothInfinite, e.full(d, 1), e.select(isLesser, lesser, e.sub(1.0, lesser)));
}

static Value emitCompare(scalar::ScalarBuilder &b, CompareDirection direction, Value x, Value y) {
  switch (direction) {
  case CompareDirection::EQ:
    return scalar::equal(b, x, y);
  case CompareDirection::NE:
    return scalar::notEqual(b, x, y);
  case CompareDirection::LT:
    return scalar::less(b, x, y);
  case CompareDirection::LE:
    return scalar::lessOrEqual(b, x, y);
  case CompareDirection::GT:
    return scalar::less(b, y, x);
  case CompareDirection::GE:
    return scalar::lessOrEqual(b, y, x);
  }
  llvm_unreachable("comparison direction out of range");
}

/// At 0 this is the derivative from the right, as in JAX: |x|^2 then has the derivatives of x^2.
static Value absTangent(Emitter &e, Value t, Value x) {
  if (isa<ComplexType>(getElementTypeOrSelf(x)))
    return e.real(e.mul(t, e.conj(e.sign(x))));
  return e.select(e.make<CompareOp>(CompareDirection::GE, x, e.zerosLike(x)), t, e.neg(t));
}

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Pointwise.cpp.inc"

namespace dovetail {

void registerPointwiseOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Pointwise.cpp.inc"
      >();
}

LogicalResult BitcastOp::verify() {
  Type from = getX().getType().getElementType(), to = getAns().getType().getElementType();
  auto width = [](Type type) -> unsigned { return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0; };
  if (width(from) == 0 || width(from) != width(to))
    return emitOpError() << "element types must be real and have one width, got: " << from << " and " << to;
  return success();
}

LogicalResult ReducePrecisionOp::verify() {
  auto exponent = static_cast<int64_t>(getExponentBits()), mantissa = static_cast<int64_t>(getMantissaBits());
  if (exponent < 1 || mantissa < 0)
    return emitOpError() << "must keep at least 1 bit of the exponent and 0 of the mantissa, got: " << exponent
                         << " and " << mantissa;
  return success();
}

void eraseDerivativeMarks(Operation *root) {
  root->walk([](StopGradientOp op) {
    op.getAns().replaceAllUsesWith(op.getX());
    op.erase();
  });
}

//===- Folds -----------------------------------------------------------------===//

// x + 0 is folded for floats too, although -0 + 0 is +0: a sum's sign of zero is not worth an addition per element.
OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getY(), 0))
    return getX();
  if (isSplat(adaptor.getX(), 0))
    return getY();
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getY(), 0))
    return getX();
  return {};
}

// A product with zero is folded for integers only: 0 * inf is NaN.
OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getY(), 1))
    return getX();
  if (isSplat(adaptor.getX(), 1))
    return getY();
  if (getType().getElementType().isInteger()) {
    if (isSplat(adaptor.getX(), 0))
      return adaptor.getX();
    if (isSplat(adaptor.getY(), 0))
      return adaptor.getY();
  }
  return {};
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getY(), 1))
    return getX();
  return {};
}

OpFoldResult IntegerPowOp::fold(FoldAdaptor) {
  if (getExponent() == 1)
    return getX();
  if (getExponent() == 0 && getType().hasStaticShape())
    return splatOf(getType(), 1);
  return {};
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getX() == getY())
    return getX();
  if (auto p = dyn_cast_or_null<SplatElementsAttr>(adaptor.getP()))
    return p.getSplatValue<bool>() ? getX() : getY();
  return {};
}

OpFoldResult ConvertOp::fold(FoldAdaptor) { return getX().getType() == getType() ? getX() : OpFoldResult(); }

std::optional<Count> AddOp::count(Counting &counting, Places places) {
  return counting.ofSum(getX(), getY(), 1, places);
}

std::optional<Count> SubOp::count(Counting &counting, Places places) {
  return counting.ofSum(getX(), getY(), -1, places);
}

std::optional<Count> ConvertOp::count(Counting &counting, Places places) { return counting.of(getX(), places); }

/// Whether x < y, if that is so everywhere or nowhere.
static std::optional<bool> isLess(const Count &x, const Count &y) {
  if (x.last < y.first)
    return true;
  return x.first >= y.last ? std::optional(false) : std::nullopt;
}

std::optional<Count> CompareOp::count(Counting &counting, Places places) {
  std::optional<Count> x = counting.of(getX(), places), y = counting.of(getY(), places);
  if (!x || !y)
    return std::nullopt;
  std::optional<bool> holds;
  if (getDirection() == CompareDirection::LT)
    holds = isLess(*x, *y);
  else if (getDirection() == CompareDirection::GT)
    holds = isLess(*y, *x);
  return holds ? std::optional(Count::everywhere(*holds)) : std::nullopt;
}

std::optional<Count> SelectOp::count(Counting &counting, Places places) {
  std::optional<Count> p = counting.of(getP(), places);
  return p && !p->dim ? counting.of(p->first ? getX() : getY(), places) : std::nullopt;
}

std::optional<Count> ClampOp::count(Counting &counting, Places places) {
  std::optional<Count> low = counting.of(getLo(), places), x = counting.of(getX(), places),
                       high = counting.of(getHi(), places);
  return low && x && high && low->last <= x->first && x->last <= high->first ? x : std::nullopt;
}

} // namespace dovetail
