// Hessenberg and Schur forms, eigenvalues and eigenvectors of square matrices.
#include "Algorithms.h"
#include "Householder.h"
#include "Rotations.h"
#include "dialects/Linalg.h"
#include "dialects/Reduce.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Q^H A Q, zero below the first subdiagonal; the vectors of the reflections that are Q lie there.
struct Hessenberg {
  Value packed, taus;
};

/// Reflections from both sides, column by column (Golub & Van Loan 7.4.3; LAPACK's gehd2).
Hessenberg reduce(Algebra &e, Value a) {
  int64_t n = Algebra::sizeOf(a, 0);
  Value numbers = e.places(a, 0);
  auto outs = e.scan({a}, {e.slice(numbers, 0, 0, n - 1)}, [&](Algebra &e, ValueRange carries, ValueRange slices) {
    Value now = carries[0], k = slices[0], after = e.plus(k, e.place(1)), column = e.column(now, k);
    Reflection r = reflect(e, column, after);
    Value right = e.times(e.dot(now, 1, r.vector, 0), r.tau), isRest = e.less(k, numbers);
    Value left =
        e.sub(e.dot(e.conj(r.vector), 0, now, 0), e.times(e.conj(r.vector), e.dot(e.conj(r.vector), 0, right, 0)));
    // Columns done hold vectors of reflections.
    left = e.choose(isRest, e.times(left, e.conj(r.tau)), 0.0);
    Value change = e.add(e.outer(right, e.conj(r.vector), now), e.outer(r.vector, left, now));
    Value packed = e.choose(e.less(after, numbers), r.vector, column);
    packed = e.choose(e.same(numbers, after), e.as(r.beta, Algebra::elementOf(a)), packed);
    return Algebra::Values{e.with(e.sub(now, change), 1, k, packed), r.tau};
  });
  return {outs[0], outs[1]};
}

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

/// Of the last two rows of blocks that end at each place, the eigenvalue nearest to the last one (7.5.2).
Value shifts(Algebra &e, Value d, Value below, Value above) {
  Value a = shifted(e, d, 1), b = shifted(e, above, 1), c = shifted(e, below, 1);
  Value half = e.scale(e.sub(a, d), 0.5), root = e.root(e.add(e.mul(half, half), e.mul(b, c)));
  // The sum that does not cancel.
  Value turns = e.less(e.real(e.mul(e.conj(half), root)), e.number(e.real(d), 0));
  Value sum = e.add(half, e.choose(turns, e.neg(root), root)), isNone = e.same(sum, e.number(sum, 0));
  return e.sub(d, e.choose(isNone, e.zerosLike(d), e.div(e.mul(b, c), e.choose(isNone, e.number(sum, 1), sum))));
}

/// The element below the diagonal in each column, 0 in the last, where it counts.
Value subdiagonal(Algebra &e, Value h, Value smallest) {
  Value below = e.reduceSum(e.choose(e.isBetween(h, 1, 1), h, 0.0), {0});
  Value d = e.sumMagnitude(e.diagonalOf(h)), size = e.scale(e.add(d, shifted(e, d, -1)), Algebra::epsilonOf(h));
  return e.choose(e.less(e.greatest(size, smallest), e.sumMagnitude(below)), below, 0.0);
}

Value withSubdiagonal(Algebra &e, Value h, Value below) {
  return e.choose(e.isBetween(h, 1, 1), e.eachRow(below, h), e.upperPart(h));
}

/// One QR step H - M = Q R, R Q + M of a complex Hessenberg matrix (7.4.2), of all blocks at once, each with its own
/// shift on M's diagonal. Rows are rotated one after the other; columns, of `h` and of `z`, as one recurrence.
std::pair<Value, Value> step(Algebra &e, Value h, Value z, Value below, Value shift) {
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

/// T and, unless `z` is null, z Q, of a complex Hessenberg matrix Q T Q^H with upper triangular T. Where no eigenvalue
/// shows for ten steps, one is made with another shift.
std::pair<Value, Value> iterate(Algebra &e, Value h, Value z) {
  int64_t n = Algebra::sizeOf(h, 0);
  Value size = e.maximum(e.sumMagnitude(h));
  Value smallest = e.scale(size, Algebra::tiniestOf(h) / Algebra::epsilonOf(h));
  auto countOpen = [](Algebra &e, Value below) {
    Value isOpen = e.negation(e.same(below, e.number(below, 0)));
    return e.sum(e.convert(isOpen, e.elementOf(e.place(0))));
  };
  Value below = subdiagonal(e, h, smallest);
  SmallVector<Value> inits = {withSubdiagonal(e, h, below), below, e.place(0), e.place(0)};
  if (z)
    inits.push_back(z);
  auto isRunning = [&](Algebra &e, ValueRange carries) {
    Value isOpen = e.less(e.place(0), countOpen(e, carries[1]));
    return e.both(isOpen, e.less(carries[2], e.place(30 * n)));
  };
  auto outs = e.repeat(inits, isRunning, [&](Algebra &e, ValueRange carries) {
    Value h = carries[0], below = carries[1], d = e.diagonalOf(h);
    Value above = e.reduceSum(e.choose(e.isBetween(h, -1, -1), h, 0.0), {1});
    Value other = e.add(d, e.as(e.scale(shifted(e, e.sumMagnitude(below), 1), 0.75), Algebra::elementOf(h)));
    Value isStuck = e.same(carries[3], e.place(10));
    Value shift = e.choose(isStuck, other, shifts(e, d, below, above));
    shift = fromEnds(e, shift, e.same(below, e.number(below, 0)));
    auto [next, vectors] = step(e, h, z ? Value(carries[4]) : Value(), below, shift);
    Value left = subdiagonal(e, next, smallest);
    Value shows = e.less(countOpen(e, left), countOpen(e, below));
    Value waited = e.choose(e.either(shows, isStuck), e.place(0), e.plus(carries[3], e.place(1)));
    Algebra::Values values = {withSubdiagonal(e, next, left), left, e.plus(carries[2], e.place(1)), waited};
    if (z)
      values.push_back(vectors);
    return values;
  });
  return {e.upperPart(outs[0]), z ? outs[4] : z};
}

/// Eigenvectors of an upper triangular matrix, as columns, with elements of at most 1: back substitution for all at
/// once, row by row (7.6.4; LAPACK's trevc). Differences of eigenvalues that vanish are made as large as rounding may
/// make them.
Value triangularVectors(Algebra &e, Value t) {
  Value d = e.diagonalOf(t), numbers = e.places(t, 0);
  Value least = e.greatest(e.scale(e.maximum(e.sumMagnitude(t)), Algebra::epsilonOf(t)),
                           e.number(e.real(d), Algebra::tiniestOf(t)));
  Type element = Algebra::elementOf(t);
  return e.scan(
      {e.zerosLike(t)}, {numbers, t},
      [&](Algebra &e, ValueRange carries, ValueRange slices) {
        Value i = slices[0], x = carries[0];
        Value row = e.choose(e.less(i, numbers), slices[1], 0.0);
        Value gaps = e.minus(d, e.element(slices[1], i));
        gaps = e.choose(e.less(e.sumMagnitude(gaps), least), e.as(least, element), gaps);
        Value found = e.choose(e.less(i, numbers), e.over(e.dot(row, 0, x, 0), gaps), 0.0);
        found = e.choose(e.same(numbers, i), e.number(element, 1), found);
        Value size = e.greatest(e.magnitude(found), e.number(e.real(found), 1));
        Value factors = e.as(e.over(e.number(size, 1), size), element);
        x = e.mul(x, e.eachRow(factors, x));
        return Algebra::Values{e.with(x, 0, i, e.mul(found, factors))};
      },
      /*reverse=*/true)[0];
}

/// Columns of norm 1 whose greatest element is real.
Value normalised(Algebra &e, Value v) {
  Type element = Algebra::elementOf(v);
  Value sizes = e.magnitude(v), most = e.make<ReduceMaxOp>(sizes, ArrayRef<int64_t>{0});
  v = e.over(v, e.eachRow(e.as(most, element), v));
  Value squares = e.squareMagnitude(v), norms = e.root(e.reduceSum(squares, {0}));
  auto number = RankedTensorType::get({Algebra::sizeOf(v, 1)}, Algebra::elementOf(e.place(0)));
  Value best = e.make<ArgmaxOp>(number, squares, uint64_t(0));
  Value greatest = e.reduceSum(e.choose(e.same(e.placesIn(v, 0), e.eachRow(best, v)), v, 0.0), {0});
  Value factors = e.div(e.conj(greatest), e.as(e.mul(e.magnitude(greatest), norms), element));
  v = e.mul(v, e.eachRow(factors, v));
  // Its imaginary part is exactly 0.
  Value isBest = e.same(e.placesIn(v, 0), e.eachRow(best, v));
  return e.choose(isBest, e.complex(e.real(v), zero), v);
}

LogicalResult check(Operation *op, Value a) {
  if (Algebra::typeOf(a).hasStaticShape())
    return success();
  return op->emitError() << "no algorithm for '" << op->getName() << "' of matrices whose sizes are not known";
}

/// t and z of a complex matrix z t z^H; z is null unless wanted.
std::pair<Value, Value> schur(Algebra &e, Value a, bool hasVectors) {
  int64_t n = Algebra::sizeOf(a, 0);
  if (n == 1)
    return {a, hasVectors ? identity(e, a, 1, 1) : Value()};
  Value scale = e.powerOfTwoBelow(e.maximum(e.sumMagnitude(a)));
  Hessenberg form = reduce(e, e.over(a, e.as(scale, Algebra::elementOf(a))));
  auto complexOf = [&](Value x) { return Algebra::isComplex(x) ? x : e.complex(x, zero); };
  Value z;
  if (hasVectors) {
    Value vectors = e.slice(vectorsOf(e, form.packed, 1), 1, 0, n - 1);
    z = complexOf(applyReflections(e, vectors, form.taus, identity(e, a, n, n), false));
  }
  auto [t, q] = iterate(e, complexOf(e.upperPart(form.packed, -1)), z);
  return {e.times(t, e.as(scale, Algebra::elementOf(t))), q};
}

struct EigModel : DecomposeOpInterface::ExternalModel<EigModel, EigOp> {
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    auto eig = cast<EigOp>(op);
    if (failed(check(op, operands[0])))
      return failure();
    Value isFinite = e.isAllFinite(operands[0]), a = e.choose(isFinite, operands[0], e.zerosLike(operands[0]));
    auto checked = [&](Value x) { return e.nanUnlessFinite(x, isFinite); };
    auto [t, z] = schur(e, a, eig.getLeft() || eig.getRight());
    Value w = e.diagonalOf(t);
    results.push_back(checked(Algebra::isComplex(w) ? w : e.complex(w, zero)));
    if (!z)
      return success();
    if (!Algebra::isComplex(t)) {
      t = e.complex(t, zero);
      z = e.complex(z, zero);
    }
    if (eig.getLeft()) {
      // Those of the adjoint, which is upper triangular backwards.
      Value y = e.backwards(triangularVectors(e, e.backwards(e.adjoint(t), {0, 1})), {0, 1});
      results.push_back(checked(normalised(e, e.product(z, y))));
    }
    if (eig.getRight())
      results.push_back(checked(normalised(e, e.product(z, triangularVectors(e, t)))));
    return success();
  }
};

struct SchurModel : DecomposeOpInterface::ExternalModel<SchurModel, SchurOp> {
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    if (failed(check(op, operands[0])))
      return failure();
    if (!Algebra::isComplex(operands[0]))
      return op->emitError() << "no algorithm for '" << op->getName()
                             << "' of real matrices: that of a complex matrix is triangular; convert it first";
    Value isFinite = e.isAllFinite(operands[0]), a = e.choose(isFinite, operands[0], e.zerosLike(operands[0]));
    auto [t, z] = schur(e, a, cast<SchurOp>(op).getVectors());
    results.push_back(e.nanUnlessFinite(t, isFinite));
    if (z)
      results.push_back(e.nanUnlessFinite(z, isFinite));
    return success();
  }
};

struct HessenbergModel : DecomposeOpInterface::ExternalModel<HessenbergModel, HessenbergOp> {
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    if (failed(check(op, operands[0])))
      return failure();
    if (Algebra::sizeOf(operands[0], 0) == 1) {
      results.append({operands[0], e.filled(operands[0], {0}, 0)});
      return success();
    }
    Hessenberg form = reduce(e, operands[0]);
    results.append({form.packed, form.taus});
    return success();
  }
};

} // namespace

void attachEigDecompositions(MLIRContext *context) {
  EigOp::attachInterface<EigModel>(*context);
  HessenbergOp::attachInterface<HessenbergModel>(*context);
  SchurOp::attachInterface<SchurModel>(*context);
}

} // namespace dovetail
