// The Schur form of real matrices, by QR steps with two shifts in real arithmetic.
#include "Algorithms.h"
#include "Rotations.h"
#include "Schur.h"
#include "dialects/Reduce.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The diagonal of a Hessenberg matrix, its superdiagonal and its subdiagonal, each with 0 at the end.
struct Band {
  Value d, above, below;
};
Band bandOf(Algebra &e, Value h, Value below) {
  return {e.diagonalOf(h), e.reduceSum(e.choose(e.isBetween(h, -1, -1), h, 0.0), {1}), below};
}

Value isNone(Algebra &e, Value x) { return e.same(x, e.number(x, 0)); }
Value square(Algebra &e, Value x) { return e.times(x, x); }
Value orOne(Algebra &e, Value x) { return e.choose(isNone(e, x), e.number(x, 1), x); }

//===- Steps -----------------------------------------------------------------------===//

/// 1 - tau v v^T on three neighbours, with v = (1, second, third).
struct Reflection3 {
  Value tau, second, third;
};

/// The reflection that takes (x, y, z) to a multiple of (1, 0, 0) (LAPACK's larfg).
Reflection3 reflectionOf(Algebra &e, Value x, Value y, Value z) {
  Value most = e.greatest(e.magnitude(y), e.magnitude(z)), isDone = isNone(e, most);
  Value scale = e.powerOfTwoBelow(e.greatest(e.magnitude(x), most));
  x = e.over(x, scale);
  y = e.over(y, scale);
  z = e.over(z, scale);
  Value size = e.root(e.plus(square(e, x), e.plus(square(e, y), square(e, z))));
  Value beta = e.neg(e.withSignOf(size, x)), one = e.number(x, 1);
  Value tau = e.choose(isDone, e.number(x, 0), e.over(e.minus(beta, x), e.choose(isDone, one, beta)));
  Value distance = e.choose(isDone, one, e.minus(x, beta));
  return {tau, e.over(y, distance), e.over(z, distance)};
}

/// Two shifts re + i im and re - i im, or the same real one twice.
struct Shifts {
  Value re, im;
};

/// Eigenvalues of the last two rows of the blocks that end at each position (LAPACK's lahqr); others where these do not
/// help.
Shifts shifts(Algebra &e, Band h, Value isStuck) {
  Value a = shifted(e, h.d, 1), b = shifted(e, h.above, 1), c = shifted(e, h.below, 1), d = h.d;
  Value size = orOne(e, e.add(e.add(e.magnitude(a), e.magnitude(b)), e.add(e.magnitude(c), e.magnitude(d))));
  Value middle = e.scale(e.add(e.div(a, size), e.div(d, size)), 0.5), last = e.div(d, size);
  Value det = e.sub(e.mul(e.sub(e.div(a, size), middle), e.sub(last, middle)), e.mul(e.div(b, size), e.div(c, size)));
  Value root = e.root(e.magnitude(det)), isReal = e.less(det, e.number(det, 0));
  // Of two real eigenvalues, the one closest to the last element.
  Value isBelow = e.less(last, middle), nearest = e.choose(isBelow, e.sub(middle, root), e.add(middle, root));
  Value re = e.mul(e.choose(isReal, nearest, middle), size),
        im = e.mul(e.choose(isReal, e.zerosLike(root), root), size);
  Value beside = e.add(e.magnitude(c), e.magnitude(shifted(e, h.below, 2)));
  return {e.choose(isStuck, e.add(d, e.scale(beside, 0.75)), re), e.choose(isStuck, e.scale(beside, 0.6614), im)};
}

/// A multiple of the first column of (H - s1)(H - s2), for the blocks of three or more rows that begin at each
/// position.
struct Start {
  Value first, second, third;
};
Start startOf(Algebra &e, Band h, Shifts s, Value hasThird) {
  Value next = shifted(e, h.d, -1), away = e.sub(h.d, s.re);
  Value size = orOne(e, e.add(e.add(e.magnitude(away), s.im), e.magnitude(h.below)));
  Value below = e.div(h.below, size);
  Value first = e.add(e.mul(below, h.above), e.add(e.mul(away, e.div(away, size)), e.mul(s.im, e.div(s.im, size))));
  Value second = e.mul(below, e.add(away, e.sub(next, s.re))), third = e.mul(below, shifted(e, h.below, -1));
  return {first, e.choose(hasThird, second, 0.0), e.choose(hasThird, third, 0.0)};
}

/// The rows of P H and, as far as these are carried, of P H P^T, for reflections P that chase a bulge down; and the
/// reflections.
struct Chase {
  Value rows, tau, second, third;
};

/// Three rows are carried. Each reflection is computed from the subdiagonal part that the previous one left. It is
/// applied to the rows from the left, then to them and the next row from the right: all that later reflections need.
Chase chase(Algebra &e, Value h, Value isStart, Start start, Value hasSecond, Value hasThird) {
  Value numbers = e.places(h, 0);
  auto rowAt = [&](int64_t i) { return e.row(h, e.place(i)); };
  auto outs =
      e.scan({rowAt(0), rowAt(1), rowAt(2)},
             {numbers, shifted(e, h, -3), isStart, start.first, start.second, start.third, hasSecond, hasThird},
             [&](Algebra &e, ValueRange carries, ValueRange slices) {
               Value k = slices[0], before = e.greatest(e.minus(k, e.place(1)), e.place(0)), isStart = slices[2];
               auto bulge = [&](unsigned i) { return e.choose(isStart, slices[3 + i], e.element(carries[i], before)); };
               Reflection3 p =
                   reflectionOf(e, bulge(0), e.choose(slices[6], bulge(1), 0.0), e.choose(slices[7], bulge(2), 0.0));
               Value sum = e.plus(carries[0], e.plus(e.times(carries[1], p.second), e.times(carries[2], p.third)));
               sum = e.times(sum, p.tau);
               Value second = e.minus(carries[1], e.times(sum, p.second)),
                     third = e.minus(carries[2], e.times(sum, p.third));
               Value v = e.choose(e.same(numbers, k), e.number(p.tau, 1), e.zerosLike(sum));
               v = e.choose(e.same(numbers, e.plus(k, e.place(1))), p.second, v);
               v = e.choose(e.same(numbers, e.plus(k, e.place(2))), p.third, v);
               auto turned = [&](Value row) { return e.minus(row, e.times(v, e.times(e.dot(row, 0, v, 0), p.tau))); };
               return Algebra::Values{
                   turned(second), turned(third), turned(slices[1]), turned(e.minus(carries[0], sum)), p.tau,
                   p.second,       p.third};
             });
  return {outs[3], outs[4], outs[5], outs[6]};
}

/// The columns of the rows that left before a reflection was made, and those of z, each after all reflections.
Schur applyFromRight(Algebra &e, Chase c, Value z) {
  int64_t n = Algebra::sizeOf(c.rows, 0);
  Value columns = e.transposed(c.rows);
  if (z)
    columns = e.joined({columns, e.transposed(z)}, 1);
  Value places = e.places(columns, 1), isOfZ = e.negation(e.less(places, e.place(n)));
  auto outs = e.scan({e.row(columns, e.place(0)), e.row(columns, e.place(1))},
                     {e.places(columns, 0), shifted(e, columns, -2), c.tau, c.second, c.third},
                     [&](Algebra &e, ValueRange carries, ValueRange slices) {
                       Value next = slices[1], second = slices[3], third = slices[4];
                       Value sum = e.plus(carries[0], e.plus(e.times(carries[1], second), e.times(next, third)));
                       Value isOpen = e.either(e.less(places, slices[0]), isOfZ);
                       sum = e.choose(isOpen, e.times(sum, slices[2]), 0.0);
                       return Algebra::Values{e.minus(carries[1], e.times(sum, second)),
                                              e.minus(next, e.times(sum, third)), e.minus(carries[0], sum)};
                     });
  Value found = e.transposed(outs[2]);
  return {e.slice(found, 0, 0, n), z ? e.slice(found, 0, n, n) : Value()};
}

/// One step with two implicit shifts (Francis, The QR transformation, 1961; Golub & Van Loan 7.5.1) of all blocks of
/// three or more rows at once, each with its own shifts.
Schur step(Algebra &e, Schur now, Value below, Value isStuck) {
  Band h = bandOf(e, now.t, below);
  Value isEnd = isNone(e, below), hasSecond = e.negation(isEnd);
  Value hasThird = e.both(hasSecond, e.negation(isNone(e, shifted(e, below, -1))));
  Shifts s = shifts(e, h, isStuck);
  s = {fromEnds(e, s.re, isEnd), fromEnds(e, s.im, isEnd)};
  Start start = startOf(e, h, s, hasThird);
  Chase chased = chase(e, now.t, isNone(e, shifted(e, below, 1)), start, hasSecond, hasThird);
  return applyFromRight(e, chased, now.z);
}

//===- Blocks of two rows -------------------------------------------------------------===//

/// Plane rotations of neighbours, one for each pair, at the position of its first element: (x, y) becomes (c x + s y, c
/// y - conj(s) x). Elsewhere c is 1 and s is 0; no two pairs share an element.
struct PairRotations {
  Value c, s;
};

/// Rotates the columns of t and z, and, by the adjoint, the rows of t.
Schur rotatePairs(Algebra &e, Schur form, PairRotations r) {
  Value before = e.choose(e.same(e.places(r.c, 0), e.place(0)), e.number(r.c, 1), shifted(e, r.c, 1));
  Value both = e.as(e.mul(r.c, before), Algebra::elementOf(form.t));
  auto along = [&](Value x, int64_t dim, Value s) {
    auto spread = [&](Value vector) { return e.spread(vector, {dim}, x); };
    Value first = e.add(e.mul(spread(both), x), e.mul(spread(s), shifted(e, x, -1, dim)));
    return e.sub(first, e.mul(spread(shifted(e, e.conj(s), 1)), shifted(e, x, 1, dim)));
  };
  return {along(along(form.t, 1, r.s), 0, e.conj(r.s)), form.z ? along(form.z, 1, r.s) : Value()};
}

/// True if two numbers have the same sign; 0 counts as positive.
Value haveOneSign(Algebra &e, Value x, Value y) { return e.same(e.less(x, e.number(x, 0)), e.less(y, e.number(y, 0))); }

/// The rotation of a block [a b; c d]: if an eigenvalue is clearly real, it moves to the front; otherwise both diagonal
/// elements become equal.
struct Splits {
  PairRotations rotations;
  Value isReal;
};
Splits splitsOf(Algebra &e, Band h, Value isPair) {
  Value b = h.above, c = h.below, p = e.scale(e.sub(h.d, shifted(e, h.d, -1)), 0.5);
  Value scale = orOne(e, e.greatest(e.magnitude(p), e.greatest(e.magnitude(b), e.magnitude(c))));
  p = e.div(p, scale);
  b = e.div(b, scale);
  c = e.div(c, scale);
  Value product = e.mul(b, c), z = e.add(square(e, p), product);
  Value isReal = e.both(isPair, e.atMost(e.number(z, 4 * Algebra::epsilonOf(z)), z));
  Value root = e.root(e.choose(isReal, z, 0.0));
  Rotation ofReal = rotationOf(e, e.add(p, e.withSignOf(root, p)), c);
  // Half of the angle of (b + c, -2 p).
  Value sum = e.add(b, c), size = e.root(e.add(square(e, sum), e.scale(square(e, p), 4)));
  Value part = e.choose(isNone(e, size), e.number(size, 1), e.div(e.magnitude(sum), orOne(e, size)));
  Value cosine = e.root(e.scale(e.add(part, e.full(part, 1)), 0.5));
  Value sine = e.div(p, e.mul(orOne(e, size), cosine));
  sine = e.choose(e.less(sum, e.number(sum, 0)), sine, e.neg(sine));
  return {{e.choose(isPair, e.choose(isReal, ofReal.c, cosine), 1.0),
           e.choose(isPair, e.choose(isReal, ofReal.s, sine), 0.0)},
          isReal};
}

/// Blocks of two rows in the form of LAPACK's lanv2.
Schur standardized(Algebra &e, Schur form) {
  Band h = bandOf(e, form.t, subdiagonalOf(e, form.t));
  Splits splits = splitsOf(e, h, e.negation(isNone(e, h.below)));
  form = rotatePairs(e, form, splits.rotations);
  Value below = e.choose(e.either(splits.isReal, isNone(e, h.below)), e.number(h.d, 0), subdiagonalOf(e, form.t));
  Value isPair = e.negation(isNone(e, below)), isSecond = e.negation(isNone(e, shifted(e, below, 1)));
  Value d = e.diagonalOf(form.t), middle = e.scale(e.add(d, shifted(e, d, -1)), 0.5);
  d = e.choose(isPair, middle, e.choose(isSecond, shifted(e, middle, 1), d));
  form.t = e.choose(e.isBetween(form.t, 0, 0), e.eachRow(d, form.t), withSubdiagonal(e, form.t, below));
  // Off-diagonal elements of equal sign with equal diagonal elements: the eigenvalues are real after all.
  h = bandOf(e, form.t, below);
  Value isReal = e.both(isPair, e.either(haveOneSign(e, h.above, below), isNone(e, h.above)));
  Value b = e.root(e.magnitude(h.above)), c = e.root(e.magnitude(below));
  Rotation r = rotationOf(e, e.choose(isReal, b, 1.0), e.choose(isReal, c, 0.0));
  form = rotatePairs(e, form, {r.c, r.s});
  return {withSubdiagonal(e, form.t, e.choose(isReal, e.number(below, 0), below)), form.z};
}

} // namespace

Schur realSchur(Algebra &e, Schur start) {
  // Blocks of two rows are split at the end.
  auto isOpen = [](Algebra &e, Value below) {
    return e.negation(e.either(isNone(e, below), isNone(e, shifted(e, below, -1))));
  };
  if (Algebra::sizeOf(start.t, 0) > 2)
    start = iterate(e, start, {isOpen, step});
  return standardized(e, start);
}

Schur complexOfReal(Algebra &e, Schur form) {
  auto complexOf = [&](Value x) { return x ? e.complex(x, zero) : x; };
  if (Algebra::sizeOf(form.t, 0) == 1)
    return {complexOf(form.t), complexOf(form.z)};
  Band h = bandOf(e, form.t, subdiagonalOf(e, form.t));
  Value isPair = e.negation(isNone(e, h.below));
  Value b = e.root(e.magnitude(h.above)), c = e.root(e.magnitude(h.below)),
        frequency = e.choose(isPair, e.mul(b, c), 0.0);
  // Moves the eigenvalue a + i sqrt(|b c|) to the front, whose vector is (sqrt(|b|), i sqrt(|c|)) with the sign of b.
  Rotation r = rotationOf(e, e.choose(isPair, b, 1.0), e.choose(isPair, e.withSignOf(c, h.above), 0.0));
  form = rotatePairs(e, {complexOf(form.t), complexOf(form.z)}, {r.c, e.complex(zero, r.s)});
  Value d = e.complex(h.d, e.sub(frequency, shifted(e, frequency, 1)));
  return {e.choose(e.isBetween(form.t, 0, 0), e.eachRow(d, form.t), e.upperPart(form.t)), form.z};
}

} // namespace dovetail
