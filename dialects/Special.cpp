// Formulas, missing derivatives and registration of the special functions.
#include "Special.h"
#include "Inference.h"
#include "Pointwise.h"
#include <cmath>

using namespace mlir;

namespace dovetail {

/// i0e(x) - sign(x) i1e(x) - i1e(x)/x, where i1e(x)/x is 1/2 at 0.
static Value derivativeOfI1e(Emitter &e, Value x, Value ans) {
  Value isZero = e.equal(x, e.full(x, 0)), divisor = e.select(isZero, e.full(x, 1), x);
  Value ratio = e.select(isZero, e.full(x, 0.5), e.div(ans, divisor));
  return e.sub(e.sub(e.make<BesselI0eOp>(x), e.mul(e.sign(x), ans)), ratio);
}

/// The density of the gamma distribution.
static Value gammaDensity(Emitter &e, Value a, Value x) {
  Value power = e.mul(e.add(a, -1.0), e.make<LogOp>(x));
  return e.exp(e.sub(e.sub(power, x), e.make<LgammaOp>(a)));
}

/// The density of the beta distribution.
static Value betaDensity(Emitter &e, Value a, Value b, Value x) {
  Value powers = e.add(e.mul(e.add(a, -1.0), e.make<LogOp>(x)), e.mul(e.add(b, -1.0), e.make<Log1pOp>(e.neg(x))));
  Value gammas = e.add(e.make<LgammaOp>(a), e.make<LgammaOp>(b));
  return e.exp(e.add(powers, e.sub(e.make<LgammaOp>(e.add(a, b)), gammas)));
}

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Special.cpp.inc"

namespace dovetail {

void registerSpecialOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Special.cpp.inc"
      >();
}

/// The jvp of a pointwise op that has no derivative with respect to the operands in `missing`.
template <typename Op>
static LogicalResult jvpUnlessBy(ArrayRef<unsigned> missing, Op op, Emitter &e, ValueRange primals,
                                 ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                                 SmallVectorImpl<Value> &resultTangents) {
  for (unsigned i : missing)
    if (tangents[i])
      return op.emitError() << "no derivative of '" << op->getName() << "' by operand " << i;
  Value ans = cloneWith(e, op, primals, op->getResultTypes())->getResult(0), sum;
  for (auto [i, tangent] : llvm::enumerate(tangents))
    if (tangent)
      sum = e.add(sum, op.tangent(e, i, tangent, primals, ans));
  results.push_back(ans);
  resultTangents.push_back(sum);
  return success();
}

LogicalResult PolygammaOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                               SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpUnlessBy({0}, *this, e, primals, tangents, results, resultTangents);
}

LogicalResult ZetaOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                          SmallVectorImpl<Value> &resultTangents) {
  return jvpUnlessBy({0}, *this, e, primals, tangents, results, resultTangents);
}

LogicalResult BetaincOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                             SmallVectorImpl<Value> &resultTangents) {
  return jvpUnlessBy({0, 1}, *this, e, primals, tangents, results, resultTangents);
}

LogicalResult RandomGammaGradOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                     SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpUnlessBy({0, 1}, *this, e, primals, tangents, results, resultTangents);
}

} // namespace dovetail
