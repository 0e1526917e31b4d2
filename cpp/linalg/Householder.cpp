// Householder reflections, and products of many of them.
#include "Householder.h"
#include "Algorithms.h"

using namespace mlir;

namespace dovetail {

Reflection reflect(Algebra &e, Value x, Value i) {
  Type element = Algebra::elementOf(x);
  Value alpha = e.element(x, i), numbers = e.places(x, 0), isBelow = e.less(i, numbers);
  Value below = e.choose(isBelow, x, 0.0), atOrBelow = e.choose(e.less(numbers, i), e.zerosLike(x), x);
  Value size = e.norm(atOrBelow), re = e.real(alpha);
  Value beta = e.neg(e.withSignOf(size, re));
  // The vector already has that direction; the other values computed here are not used in that case.
  Value isDone = e.same(e.maximum(e.sumMagnitude(below)), e.number(size, 0));
  if (Algebra::isComplex(x))
    isDone = e.both(isDone, e.same(e.imag(alpha), e.number(size, 0)));
  beta = e.choose(isDone, re, beta);
  Value divisor = e.as(e.choose(isDone, e.number(size, 1), beta), element);
  Value tau = e.choose(isDone, e.number(alpha, 0), e.over(e.minus(e.as(beta, element), alpha), divisor));
  Value distance = e.choose(isDone, e.number(alpha, 1), e.minus(alpha, e.as(beta, element)));
  Value vector = e.with(e.over(below, distance), 0, i, e.number(x, 1));
  return {vector, tau, beta};
}

Value vectorsOf(Algebra &e, Value packed, int64_t offset) {
  Value below = e.lowerPart(packed, offset + 1);
  return e.choose(e.isBetween(packed, offset, offset), e.everywhere(e.number(packed, 1), packed), below);
}

Value applyReflections(Algebra &e, Value vectors, Value taus, Value x, bool isAdjoint) {
  // A reflection that is the identity has no vector.
  Value isPresent = e.negation(e.same(taus, e.number(taus, 0)));
  Value v = e.choose(e.eachRow(isPresent, vectors), vectors, 0.0);
  Value inverses = e.over(e.everywhere(e.number(taus, 1), taus), e.choose(isPresent, taus, 1.0));
  Value products = e.dot(e.conj(v), 0, v, 0), inner = e.dot(e.conj(v), 0, x, 0);
  Value t = e.choose(e.isBetween(products, 0, 0), e.eachColumn(inverses, products), products);
  Value found = isAdjoint ? solveLower(e, e.adjoint(t), inner, false) : solveUpper(e, t, inner, false);
  return e.minus(x, e.product(v, found));
}

Value identity(Algebra &e, Value like, int64_t rows, int64_t columns) {
  return e.identityLike(e.filled(like, {rows, columns}, 0));
}

} // namespace dovetail
