// The singular value decomposition.
#include "Algorithms.h"
#include "Householder.h"
#include "Rotations.h"
#include "dialects/Linalg.h"

using namespace mlir;

namespace dovetail {

namespace {

/// A matrix as Q B P^H: Q and P are products of reflections, whose vectors are rows here; B is upper bidiagonal, given
/// by its diagonal, and by its superdiagonal followed by 0.
struct Bidiagonal {
  Value d, off, leftVectors, leftTaus, rightVectors, rightTaus;
};

/// Reflections from both sides, of a column and a row in each step (Golub & Van Loan 5.4.8; LAPACK's gebd2), of a
/// matrix with no more columns than rows. Finished parts are not read again, and therefore not kept.
Bidiagonal reduce(Algebra &e, Value a) {
  auto outs = e.scan({a}, {e.places(a, 1)}, [&](Algebra &e, ValueRange carries, ValueRange slices) {
    Value now = carries[0], k = slices[0];
    Reflection left = reflect(e, e.column(now, k), k);
    Value rows = e.times(e.dot(e.conj(left.vector), 0, now, 0), e.conj(left.tau));
    Reflection right = reflect(e, e.conj(e.sub(e.row(now, k), rows)), e.plus(k, e.place(1)));
    Value columns = e.sub(e.dot(now, 1, right.vector, 0), e.times(left.vector, e.dot(rows, 0, right.vector, 0)));
    columns = e.times(columns, right.tau);
    Value change = e.add(e.outer(left.vector, rows, now), e.outer(columns, e.conj(right.vector), now));
    return Algebra::Values{e.sub(now, change), left.beta, right.beta, left.vector, left.tau, right.vector, right.tau};
  });
  return {outs[1], outs[2], outs[3], outs[4], outs[5], outs[6]};
}

/// One step of the implicitly shifted QR iteration on B^T B (8.6.1), for all blocks at once: the new diagonal and
/// superdiagonal, then the rotations from the right and from the left.
struct Sweep {
  Value d, off, rightC, rightS, leftC, leftS;
};

/// The vector whose second element the first rotation of a block eliminates, for a block that begins at each position.
/// The shift is the eigenvalue of the trailing 2 x 2 block of B^T B closest to its last element. A block with a
/// singular value of zero gets no shift, and deflates it in one step (Demmel & Kahan, Accurate singular values of
/// bidiagonal matrices, 1990).
Value starts(Algebra &e, Value d, Value off, Value tolerance) {
  Value before = shifted(e, d, 1), beside = shifted(e, off, 1), further = shifted(e, off, 2);
  Value last = e.add(e.mul(d, d), e.mul(beside, beside));
  Value shift = wilkinsonShift(e, e.add(e.mul(before, before), e.mul(further, further)), e.mul(before, beside), last);
  Value isEnd = e.same(off, e.number(off, 0)), isZero = e.atMost(e.magnitude(d), tolerance);
  auto outs = e.scan(
      {e.number(d, 0), e.number(d, 0)}, {d, shift, isEnd, isZero},
      [&](Algebra &e, ValueRange carries, ValueRange slices) {
        Value none = e.number(slices[0], 0), one = e.number(slices[0], 1), isEnd = slices[2];
        Value shift = e.choose(isEnd, slices[1], carries[0]);
        Value zeros = e.plus(e.choose(isEnd, none, carries[1]), e.choose(slices[3], one, none));
        Value isShifted = e.same(zeros, none);
        Value start = e.minus(slices[0], e.over(e.choose(isShifted, shift, none), e.choose(isShifted, slices[0], one)));
        return Algebra::Values{shift, zeros, start};
      },
      /*reverse=*/true);
  return outs[2];
}

Sweep sweep(Algebra &e, Value d, Value off, Value tolerance) {
  Value none = e.number(d, 0), isIn = e.negation(e.same(off, none)), isFirst = e.same(shifted(e, off, 1), none);
  auto outs = e.scan({e.element(d, e.place(0)), e.element(off, e.place(0)), none, none},
                     {shifted(e, d, -1), shifted(e, off, -1), starts(e, d, off, tolerance), isIn, isFirst},
                     [&](Algebra &e, ValueRange carries, ValueRange slices) {
                       Value p = carries[0], q = carries[1], t = slices[0], active = slices[3], first = slices[4];
                       Value none = e.number(p, 0), one = e.number(p, 1);
                       Value y = e.choose(first, slices[2], carries[2]), z = e.choose(first, q, carries[3]);
                       Rotation right = rotationOf(e, e.choose(active, y, one), e.choose(active, z, none));
                       Value f = e.plus(e.times(right.c, p), e.times(right.s, q)), g = e.times(right.s, t);
                       Value beside = e.minus(e.times(right.c, q), e.times(right.s, p)), next = e.times(right.c, t);
                       Rotation left = rotationOf(e, e.choose(active, f, one), e.choose(active, g, none));
                       Value before = e.choose(first, none, e.choose(active, right.r, carries[2]));
                       return Algebra::Values{e.minus(e.times(left.c, next), e.times(left.s, beside)),
                                              e.times(left.c, slices[1]),
                                              e.plus(e.times(left.c, beside), e.times(left.s, next)),
                                              e.times(left.s, slices[1]),
                                              e.choose(active, left.r, f),
                                              before,
                                              right.c,
                                              right.s,
                                              left.c,
                                              left.s};
                     });
  return {outs[4], shifted(e, outs[5], -1), outs[6], outs[7], outs[8], outs[9]};
}

/// Singular values of a bidiagonal matrix, in no particular order and of any sign, and left and right vectors as rows.
struct Values {
  Value d, left, right;
};
Values iterate(Algebra &e, Value d, Value off, bool hasVectors) {
  int64_t n = Algebra::sizeOf(d, 0);
  Value most = e.greatest(e.maximum(e.magnitude(d)), e.maximum(e.magnitude(off)));
  Value tolerance = e.scale(most, Algebra::epsilonOf(d));
  auto kept = [&](Algebra &e, Value off) { return e.choose(e.less(tolerance, e.magnitude(off)), off, 0.0); };
  SmallVector<Value> inits = {d, kept(e, off), e.place(0)};
  if (hasVectors)
    inits.append(2, identity(e, d, n, n));
  auto isRunning = [&](Algebra &e, ValueRange carries) {
    Value isOpen = e.any(e.negation(e.same(carries[1], e.number(carries[1], 0))));
    return e.both(isOpen, e.less(carries[2], e.place(30 * n)));
  };
  auto outs = e.repeat(inits, isRunning, [&](Algebra &e, ValueRange carries) {
    Sweep next = sweep(e, carries[0], carries[1], tolerance);
    Algebra::Values values = {next.d, kept(e, next.off), e.plus(carries[2], e.place(1))};
    if (hasVectors)
      values.append({rotateChain(e, carries[3], 0, next.leftC, next.leftS),
                     rotateChain(e, carries[4], 0, next.rightC, next.rightS)});
    return values;
  });
  return {outs[0], hasVectors ? outs[3] : Value(), hasVectors ? outs[4] : Value()};
}

/// u, the singular values and v of a matrix with no more columns than rows.
struct Svd {
  Value u, s, v;
};
Svd decomposeTall(Algebra &e, Value a, bool isFull, bool hasVectors) {
  int64_t m = Algebra::sizeOf(a, 0), n = Algebra::sizeOf(a, 1);
  Type element = Algebra::elementOf(a);
  // Matrices that are not finite are replaced by zeros, and their results by NaN.
  Value isFinite = e.isAllFinite(a), clean = e.choose(isFinite, a, e.zerosLike(a));
  Value scale = e.powerOfTwoBelow(e.maximum(e.sumMagnitude(clean)));
  Bidiagonal b = reduce(e, e.over(clean, e.as(scale, element)));
  Values values = iterate(e, b.d, b.off, hasVectors);
  Value s = e.magnitude(values.d), order = e.orderOf(e.neg(s));
  auto checked = [&](Value x) { return e.nanUnlessFinite(x, isFinite); };
  Value sorted = checked(e.times(e.take(s, 0, order), scale));
  if (!hasVectors)
    return {{}, sorted, {}};
  Value isNegative = e.less(values.d, e.number(values.d, 0));
  Value right = e.choose(e.eachColumn(isNegative, values.right), e.neg(values.right), values.right);
  Value v = e.as(e.transposed(e.take(right, 0, order)), element);
  v = applyReflections(e, e.transposed(b.rightVectors), b.rightTaus, v, false);
  int64_t columns = isFull ? m : n;
  Value u = e.padded(e.as(e.transposed(e.take(values.left, 0, order)), element), {m, columns});
  if (columns > n)
    u = e.choose(e.both(e.isBetween(u, 0, 0), e.negation(e.less(e.placesIn(u, 0), e.place(n)))), e.number(u, 1), u);
  u = applyReflections(e, e.transposed(b.leftVectors), b.leftTaus, u, false);
  return {checked(u), sorted, checked(v)};
}

struct SvdModel : DecomposeOpInterface::ExternalModel<SvdModel, SvdOp> {
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    auto svd = cast<SvdOp>(op);
    Value a = operands[0];
    if (failed(requireSizes(op, a)))
      return failure();
    int64_t m = Algebra::sizeOf(a, 0), n = Algebra::sizeOf(a, 1), k = std::min(m, n);
    if (k == 0) {
      results.push_back(e.real(e.filled(a, {0}, 0)));
      if (svd.getVectors())
        results.append(
            {identity(e, a, m, svd.getFullMatrices() ? m : k), identity(e, a, svd.getFullMatrices() ? n : k, n)});
      return success();
    }
    // a^H = v diag(s) u^H.
    bool isWide = m < n;
    Svd found = decomposeTall(e, isWide ? e.adjoint(a) : a, svd.getFullMatrices(), svd.getVectors());
    results.push_back(found.s);
    if (svd.getVectors())
      results.append({isWide ? found.v : found.u, e.adjoint(isWide ? found.u : found.v)});
    return success();
  }
};

} // namespace

void attachSvdDecompositions(MLIRContext *context) { SvdOp::attachInterface<SvdModel>(*context); }

} // namespace dovetail
