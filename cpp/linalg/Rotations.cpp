// Chains of plane rotations, from which iterations for eigenvalues and singular values are built.
#include "Rotations.h"
#include "dialects/Cumulative.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

Rotation rotationOf(Algebra &e, Value x, Value z) {
  // Scaled by a power of two, so that nothing overflows and scaling is exact.
  Value scale = e.powerOfTwoBelow(e.greatest(e.magnitude(x), e.magnitude(z)));
  Value p = e.over(x, scale), q = e.over(z, scale);
  Value r = e.root(e.plus(e.times(p, p), e.times(q, q))), none = e.number(r, 0), isNone = e.same(r, none);
  Value divisor = e.choose(isNone, e.number(r, 1), r);
  return {e.choose(isNone, e.number(r, 1), e.over(p, divisor)), e.over(q, divisor), e.times(r, scale)};
}

Value shifted(Algebra &e, Value x, int64_t by, int64_t dim) {
  SmallVector<int64_t> low(Algebra::typeOf(x).getRank(), 0), interior(low);
  low[dim] = by;
  return e.make<PadOp>(Algebra::typeOf(x), x, e.number(x, 0), low, interior, e.sizes(x));
}

Value rotateChain(Algebra &e, Value x, int64_t dim, Value c, Value s) {
  Value isFirst = e.same(e.places(c, 0), e.place(0));
  Value before = e.choose(isFirst, e.number(c, 1), shifted(e, c, 1)), sBefore = shifted(e, s, 1);
  auto along = [&](Value vector) { return e.spread(vector, {dim}, x); };
  Value first = e.make<LinearRecurrenceOp>(along(e.neg(e.conj(sBefore))), e.mul(along(before), x), dim, false);
  return e.add(e.mul(along(c), first), e.mul(along(s), shifted(e, x, -1, dim)));
}

Value wilkinsonShift(Algebra &e, Value a, Value b, Value c) {
  Value half = e.scale(e.sub(a, c), 0.5), root = e.root(e.add(e.mul(half, half), e.mul(b, b)));
  Value sum = e.add(half, e.withSignOf(root, half)), isNone = e.same(sum, e.number(sum, 0));
  Value divisor = e.choose(isNone, e.number(sum, 1), sum);
  return e.sub(c, e.choose(isNone, e.zerosLike(c), e.div(e.mul(b, b), divisor)));
}

Value fromEnds(Algebra &e, Value x, Value isEnd) {
  return e.scan(
      {e.number(x, 0)}, {x, isEnd},
      [&](Algebra &e, ValueRange carries, ValueRange slices) {
        Value found = e.choose(slices[1], slices[0], carries[0]);
        return Algebra::Values{found, found};
      },
      /*reverse=*/true)[1];
}

} // namespace dovetail
