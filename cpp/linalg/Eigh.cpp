// Eigenvalues and eigenvectors of Hermitian matrices.
#include "Algorithms.h"
#include "Householder.h"
#include "Rotations.h"
#include "cpp/tensors/FitsLanes.h"
#include "dialects/Linalg.h"

using namespace mlir;

namespace dovetail {

namespace {

/// A matrix as Q T Q^H: T's diagonal and off-diagonal and, below them, the vectors of the reflections in Q.
struct Tridiagonal {
  Value packed, d, off, taus;
};

/// The Hermitian matrix with this lower triangle.
Value hermitian(Algebra &e, Value a) {
  Value below = e.lowerPart(a, 1), on = e.as(e.real(a), Algebra::elementOf(a));
  return e.choose(e.isBetween(a, 0, 0), on, e.add(below, e.adjoint(below)));
}

/// Reflections from both sides, column by column (Golub & Van Loan 8.3.1; LAPACK's sytd2 and hetd2). Each step updates
/// the whole matrix, by one product with a vector and one change of rank two.
Tridiagonal reduce(Algebra &e, Value lower) {
  Value a = hermitian(e, lower), numbers = e.places(a, 0);
  Type element = Algebra::elementOf(a);
  Value all = e.places(a, 0);
  int64_t n = Algebra::sizeOf(a, 0);
  auto outs = e.scan({a}, {e.slice(all, 0, 0, n - 1)}, [&](Algebra &e, ValueRange carries, ValueRange slices) {
    Value now = carries[0], k = slices[0], column = e.column(now, k), after = e.plus(k, e.place(1));
    Reflection r = reflect(e, column, after);
    Value p = e.times(e.dot(now, 1, r.vector, 0), r.tau);
    Value half = e.times(e.times(r.tau, e.dot(e.conj(p), 0, r.vector, 0)), e.number(element, 0.5));
    Value w = e.minus(p, e.times(r.vector, half));
    Value change = e.add(e.outer(r.vector, e.conj(w), now), e.outer(w, e.conj(r.vector), now));
    // Finished columns hold vectors of reflections.
    Value isRest = e.less(e.everywhere(k, e.placesIn(now, 1)), e.placesIn(now, 1));
    Value packed = e.choose(e.less(after, numbers), r.vector, column);
    packed = e.choose(e.same(numbers, after), e.as(r.beta, element), packed);
    Value next = e.with(e.choose(isRest, e.sub(now, change), now), 1, k, packed);
    return Algebra::Values{next, r.beta, r.tau};
  });
  return {outs[0], e.real(e.diagonalOf(outs[0])), outs[1], outs[2]};
}

/// True if an off-diagonal element is not negligible next to its neighbours d (8.3.5).
Value isLeft(Algebra &e, Value d, Value off) {
  Value size = e.add(e.magnitude(d), e.magnitude(shifted(e, d, -1)));
  return e.less(e.scale(size, Algebra::epsilonOf(d)), e.magnitude(off));
}

/// One step of the implicitly shifted QR iteration (8.3.2), for all blocks at once, each with its own shift: the new
/// diagonal and off-diagonal, and the rotations.
struct Sweep {
  Value d, off, c, s;
};
Sweep sweep(Algebra &e, Value d, Value off) {
  Value none = e.number(d, 0), isIn = e.negation(e.same(off, none));
  // Blocks may end at any position.
  Value shifts = wilkinsonShift(e, shifted(e, d, 1), shifted(e, off, 1), d);
  Value shift = fromEnds(e, shifts, e.negation(isIn));
  Value isFirst = e.same(shifted(e, off, 1), none);
  auto outs = e.scan({e.element(d, e.place(0)), e.element(off, e.place(0)), none, none},
                     {shifted(e, d, -1), shifted(e, off, -1), shift, isIn, isFirst},
                     [&](Algebra &e, ValueRange carries, ValueRange slices) {
                       Value p = carries[0], q = carries[1], t = slices[0], active = slices[3], first = slices[4];
                       Value x = e.choose(first, e.minus(p, slices[2]), carries[2]), z = e.choose(first, q, carries[3]);
                       Rotation r = rotationOf(e, e.choose(active, x, 1.0), e.choose(active, z, 0.0));
                       // With w = 2 c q + s (t - p): [c s; -s c] on [p q; q t] from both sides.
                       Value w = e.plus(e.scale(e.times(r.c, q), 2), e.times(r.s, e.minus(t, p))), sw = e.times(r.s, w);
                       Value beside = e.minus(e.times(r.c, w), q);
                       Value before = e.choose(active, r.r, carries[2]);
                       return Algebra::Values{e.minus(t, sw),
                                              e.times(r.c, slices[1]),
                                              beside,
                                              e.times(r.s, slices[1]),
                                              e.plus(p, sw),
                                              e.choose(first, e.number(p, 0), before),
                                              r.c,
                                              r.s};
                     });
  return {outs[4], shifted(e, outs[5], -1), outs[6], outs[7]};
}

/// Eigenvalues of a tridiagonal matrix, in no particular order, and, if wanted, eigenvectors as rows. Each eigenvalue
/// converges in about two steps; more than thirty have not been observed.
std::pair<Value, Value> iterate(Algebra &e, Value d, Value off, bool hasVectors) {
  int64_t n = Algebra::sizeOf(d, 0);
  SmallVector<Value> inits = {d, e.choose(isLeft(e, d, off), off, 0.0), e.place(0)};
  if (hasVectors)
    inits.push_back(identity(e, d, n, n));
  auto isRunning = [&](Algebra &e, ValueRange carries) {
    Value isOpen = e.any(e.negation(e.same(carries[1], e.number(carries[1], 0))));
    return e.both(isOpen, e.less(carries[2], e.place(30 * n)));
  };
  auto step = [&](Algebra &e, ValueRange carries) {
    Sweep next = sweep(e, carries[0], carries[1]);
    Value off = e.choose(isLeft(e, next.d, next.off), next.off, 0.0);
    Algebra::Values values = {next.d, off, e.plus(carries[2], e.place(1))};
    if (hasVectors)
      values.push_back(rotateChain(e, carries[3], 0, next.c, next.s));
    return values;
  };
  auto outs = e.repeat(inits, isRunning, step);
  return {outs[0], hasVectors ? outs[3] : Value()};
}

struct Eigh : DecomposeOpInterface::ExternalModel<Eigh, EighOp> {
  bool isInLanes(Operation *op) const { return !cast<EighOp>(op).getVectors() && fitsLanes(op); }
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    Value a = operands[0];
    bool hasVectors = cast<EighOp>(op).getVectors();
    if (failed(requireSizes(op, a)))
      return failure();
    if (Algebra::sizeOf(a, 0) == 1) {
      results.push_back(e.real(e.reshaped(a, {1})));
      if (hasVectors)
        results.push_back(e.nanUnlessFinite(e.full(a, 1), e.isAllFinite(a)));
      return success();
    }
    // Matrices that are not finite are replaced by zeros, and their results by NaN.
    Value lower = e.lowerPart(a), isFinite = e.isAllFinite(lower);
    lower = e.choose(isFinite, lower, e.zerosLike(lower));
    Value scale = e.powerOfTwoBelow(e.maximum(e.sumMagnitude(lower)));
    Tridiagonal t = reduce(e, e.over(lower, e.as(scale, Algebra::elementOf(a))));
    Value off = e.joined({t.off, e.filled(t.off, {1}, 0)}, 0);
    auto [w, rows] = iterate(e, t.d, off, hasVectors);
    Value order = e.orderOf(w);
    results.push_back(e.nanUnlessFinite(e.times(e.take(w, 0, order), scale), isFinite));
    if (!hasVectors)
      return success();
    Value v = e.as(e.transposed(e.take(rows, 0, order)), Algebra::elementOf(a));
    Value vectors = e.slice(vectorsOf(e, t.packed, 1), 1, 0, Algebra::sizeOf(a, 0) - 1);
    results.push_back(e.nanUnlessFinite(applyReflections(e, vectors, t.taus, v, false), isFinite));
    return success();
  }
};

struct TridiagonalReduction : DecomposeOpInterface::ExternalModel<TridiagonalReduction, TridiagonalOp> {
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    Value a = operands[0];
    bool isLower = cast<TridiagonalOp>(op).getLower();
    if (failed(requireSizes(op, a)))
      return failure();
    if (Algebra::sizeOf(a, 0) == 1) {
      Value none = e.filled(a, {0}, 0), t = e.real(a);
      results.append({e.as(t, Algebra::elementOf(a)), e.reshaped(t, {1}), e.real(none), none});
      return success();
    }
    // Reversing both dimensions turns the upper triangle into a lower one.
    auto turned = [&](Value x) { return isLower ? x : e.backwards(x, range(0, Algebra::typeOf(x).getRank())); };
    Tridiagonal t = reduce(e, turned(a));
    // The other triangle is the operand's.
    Value packed = e.choose(e.isBetween(a, 0, INT32_MAX), t.packed, turned(a));
    results.append({turned(packed), turned(t.d), turned(t.off), turned(t.taus)});
    return success();
  }
};

} // namespace

void attachEighDecompositions(MLIRContext *context) {
  EighOp::attachInterface<Eigh>(*context);
  TridiagonalOp::attachInterface<TridiagonalReduction>(*context);
}

} // namespace dovetail
