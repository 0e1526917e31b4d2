// Hessenberg and Schur forms: reductions, and the iteration for complex matrices.
#include "Schur.h"
#include "Algorithms.h"
#include "Householder.h"
#include "Rotations.h"
#include "dialects/Linalg.h"
#include "dialects/Reduce.h"

using namespace mlir;

namespace dovetail {

Hessenberg reduceToHessenberg(Algebra &e, Value a) {
  int64_t n = Algebra::sizeOf(a, 0);
  Value numbers = e.places(a, 0);
  auto outs = e.scan({a}, {e.slice(numbers, 0, 0, n - 1)}, [&](Algebra &e, ValueRange carries, ValueRange slices) {
    Value now = carries[0], k = slices[0], after = e.plus(k, e.place(1)), column = e.column(now, k);
    Reflection r = reflect(e, column, after);
    Value right = e.times(e.dot(now, 1, r.vector, 0), r.tau), isRest = e.less(k, numbers);
    Value left =
        e.sub(e.dot(e.conj(r.vector), 0, now, 0), e.times(e.conj(r.vector), e.dot(e.conj(r.vector), 0, right, 0)));
    // Finished columns hold vectors of reflections.
    left = e.choose(isRest, e.times(left, e.conj(r.tau)), 0.0);
    Value change = e.add(e.outer(right, e.conj(r.vector), now), e.outer(r.vector, left, now));
    Value packed = e.choose(e.less(after, numbers), r.vector, column);
    packed = e.choose(e.same(numbers, after), e.as(r.beta, Algebra::elementOf(a)), packed);
    return Algebra::Values{e.with(e.sub(now, change), 1, k, packed), r.tau};
  });
  return {outs[0], outs[1]};
}

Value subdiagonalOf(Algebra &e, Value h) { return e.reduceSum(e.choose(e.isBetween(h, 1, 1), h, 0.0), {0}); }

Value withSubdiagonal(Algebra &e, Value h, Value below) {
  return e.choose(e.isBetween(h, 1, 1), e.eachRow(below, h), e.upperPart(h));
}

/// The subdiagonal, with 0 for negligible elements.
static Value keptSubdiagonal(Algebra &e, Value h, Value smallest) {
  Value below = subdiagonalOf(e, h), d = e.sumMagnitude(e.diagonalOf(h));
  Value size = e.scale(e.add(d, shifted(e, d, -1)), Algebra::epsilonOf(h));
  return e.choose(e.less(e.greatest(size, smallest), e.sumMagnitude(below)), below, 0.0);
}

Schur iterate(Algebra &e, Schur start, Iteration iteration) {
  int64_t n = Algebra::sizeOf(start.t, 0);
  Value size = e.maximum(e.sumMagnitude(start.t));
  Value smallest = e.scale(size, Algebra::tiniestOf(start.t) / Algebra::epsilonOf(start.t));
  auto countOpen = [&](Algebra &e, Value below) {
    return e.sum(e.convert(iteration.isOpen(e, below), Algebra::elementOf(e.place(0))));
  };
  Value below = keptSubdiagonal(e, start.t, smallest);
  SmallVector<Value> inits = {withSubdiagonal(e, start.t, below), below, e.place(0), e.place(0)};
  if (start.z)
    inits.push_back(start.z);
  auto isRunning = [&](Algebra &e, ValueRange carries) {
    Value isOpen = e.less(e.place(0), countOpen(e, carries[1]));
    return e.both(isOpen, e.less(carries[2], e.place(30 * n)));
  };
  auto outs = e.repeat(inits, isRunning, [&](Algebra &e, ValueRange carries) {
    Value below = carries[1], isStuck = e.same(carries[3], e.place(10));
    Schur next = iteration.step(e, {carries[0], start.z ? Value(carries[4]) : Value()}, below, isStuck);
    Value left = keptSubdiagonal(e, next.t, smallest);
    Value shows = e.less(countOpen(e, left), countOpen(e, below));
    Value waited = e.choose(e.either(shows, isStuck), e.place(0), e.plus(carries[3], e.place(1)));
    Algebra::Values values = {withSubdiagonal(e, next.t, left), left, e.plus(carries[2], e.place(1)), waited};
    if (start.z)
      values.push_back(next.z);
    return values;
  });
  return {outs[0], start.z ? outs[4] : Value()};
}

namespace {

/// A rotation with real c: [c s; -conj(s) c] takes (f, g) to (r, 0) (LAPACK's lartg).
struct ComplexRotation {
  Value c, s;
};
ComplexRotation rotationOfComplex(Algebra &e, Value f, Value g) {
  Value sizeOfF = e.magnitude(f), sizeOfG = e.magnitude(g), none = e.number(sizeOfF, 0), one = e.number(sizeOfF, 1);
  Rotation sizes = rotationOf(e, sizeOfF, sizeOfG);
  Type element = Algebra::elementOf(f);
  auto phase = [&](Value x, Value size) {
    Value isNone = e.same(size, none);
    return e.choose(isNone, e.number(element, 1), e.over(x, e.as(e.choose(isNone, one, size), element)));
  };
  return {sizes.c, e.times(e.times(phase(f, sizeOfF), e.conj(phase(g, sizeOfG))), e.as(sizes.s, element))};
}

/// The eigenvalue of the trailing 2 x 2 block closest to its last element (7.5.2), for blocks that end at each
/// position.
Value shifts(Algebra &e, Value d, Value below, Value above) {
  Value a = shifted(e, d, 1), b = shifted(e, above, 1), c = shifted(e, below, 1);
  Value half = e.scale(e.sub(a, d), 0.5), root = e.root(e.add(e.mul(half, half), e.mul(b, c)));
  // The sum that does not cancel.
  Value turns = e.less(e.real(e.mul(e.conj(half), root)), e.number(e.real(d), 0));
  Value sum = e.add(half, e.choose(turns, e.neg(root), root)), isNone = e.same(sum, e.number(sum, 0));
  return e.sub(d, e.choose(isNone, e.zerosLike(d), e.div(e.mul(b, c), e.choose(isNone, e.number(sum, 1), sum))));
}

/// One QR step H - M = Q R, R Q + M of a complex Hessenberg matrix (7.4.2), of all blocks at once, each with its own
/// shift on M's diagonal. Rows are rotated one after the other; columns, of `h` and of `z`, as one recurrence.
Schur step(Algebra &e, Value h, Value z, Value below, Value shift) {
  Value rest = e.sub(withSubdiagonal(e, h, below), e.diagonal(shift, h));
  auto outs = e.scan({e.row(rest, e.place(0))}, {e.places(h, 0), shifted(e, rest, -1)},
                     [&](Algebra &e, ValueRange carries, ValueRange slices) {
                       Value row = carries[0], next = slices[1], k = slices[0];
                       ComplexRotation r = rotationOfComplex(e, e.element(row, k), e.element(next, k));
                       Value c = e.as(r.c, Algebra::elementOf(row));
                       Value second = e.sub(e.times(next, c), e.times(row, e.conj(r.s)));
                       return Algebra::Values{second, e.add(e.times(row, c), e.times(next, r.s)), c, r.s};
                     });
  Value s = e.conj(outs[3]);
  Value turned = rotateChain(e, outs[1], 1, outs[2], s);
  return {e.add(turned, e.diagonal(shift, h)), z ? rotateChain(e, z, 1, outs[2], s) : z};
}

} // namespace

Schur complexSchur(Algebra &e, Schur start) {
  auto isOpen = [](Algebra &e, Value below) { return e.negation(e.same(below, e.number(below, 0))); };
  auto next = [](Algebra &e, Schur now, Value below, Value isStuck) {
    Value d = e.diagonalOf(now.t), above = e.reduceSum(e.choose(e.isBetween(now.t, -1, -1), now.t, 0.0), {1});
    Value other = e.add(d, e.as(e.scale(shifted(e, e.sumMagnitude(below), 1), 0.75), Algebra::elementOf(d)));
    Value shift = e.choose(isStuck, other, shifts(e, d, below, above));
    return step(e, now.t, now.z, below, fromEnds(e, shift, e.same(below, e.number(below, 0))));
  };
  Schur form = iterate(e, start, {isOpen, next});
  return {e.upperPart(form.t), form.z};
}

Schur schurOf(Algebra &e, Value a, bool hasVectors) {
  int64_t n = Algebra::sizeOf(a, 0);
  if (n == 1)
    return {a, hasVectors ? identity(e, a, 1, 1) : Value()};
  Type element = Algebra::elementOf(a);
  Value scale = e.powerOfTwoBelow(e.maximum(e.sumMagnitude(a)));
  Hessenberg form = reduceToHessenberg(e, e.over(a, e.as(scale, element)));
  Value z;
  if (hasVectors) {
    Value vectors = e.slice(vectorsOf(e, form.packed, 1), 1, 0, n - 1);
    z = applyReflections(e, vectors, form.taus, identity(e, a, n, n), false);
  }
  Schur start = {e.upperPart(form.packed, -1), z};
  auto [t, q] = Algebra::isComplex(a) ? complexSchur(e, start) : realSchur(e, start);
  return {e.times(t, e.as(scale, element)), q};
}

namespace {

struct SchurModel : DecomposeOpInterface::ExternalModel<SchurModel, SchurOp> {
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    if (failed(requireSizes(op, operands[0])))
      return failure();
    Value isFinite = e.isAllFinite(operands[0]), a = e.choose(isFinite, operands[0], e.zerosLike(operands[0]));
    auto [t, z] = schurOf(e, a, cast<SchurOp>(op).getVectors());
    results.push_back(e.nanUnlessFinite(t, isFinite));
    if (z)
      results.push_back(e.nanUnlessFinite(z, isFinite));
    return success();
  }
};

struct HessenbergModel : DecomposeOpInterface::ExternalModel<HessenbergModel, HessenbergOp> {
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    if (failed(requireSizes(op, operands[0])))
      return failure();
    if (Algebra::sizeOf(operands[0], 0) == 1) {
      results.append({operands[0], e.filled(operands[0], {0}, 0)});
      return success();
    }
    Hessenberg form = reduceToHessenberg(e, operands[0]);
    results.append({form.packed, form.taus});
    return success();
  }
};

} // namespace

void attachSchurDecompositions(MLIRContext *context) {
  HessenbergOp::attachInterface<HessenbergModel>(*context);
  SchurOp::attachInterface<SchurModel>(*context);
}

} // namespace dovetail
