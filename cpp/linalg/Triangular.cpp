// Triangular systems of equations.
#include "Algorithms.h"
#include "Rotations.h"
#include "cpp/tensors/FitsLanes.h"
#include "dialects/Linalg.h"

using namespace mlir;

namespace dovetail {

/// Forward substitution, row by row (Golub & Van Loan, Matrix Computations, 4th ed., 3.1.1). Each row is a product with
/// all of x, whose later rows are still zero.
static Value substitute(Algebra &e, Value l, Value b, bool isUnit) {
  return e.scan({e.zerosLike(b)}, {e.places(l, 0), l, b}, [&](Algebra &e, ValueRange carries, ValueRange slices) {
    Value i = slices[0], x = carries[0];
    Value before = e.choose(e.less(e.places(slices[1], 0), i), slices[1], 0.0);
    Value found = e.minus(slices[2], e.dot(before, 0, x, 0));
    if (!isUnit)
      found = e.over(found, e.element(slices[1], i));
    return Algebra::Values{e.with(x, 0, i, found)};
  })[0];
}

/// Block by block (3.1.4): one matrix product computes the contribution of all earlier blocks.
static Value substituteBlocks(Algebra &e, Value l, Value b, bool isUnit) {
  int64_t n = Algebra::sizeOf(l, 0), m = Algebra::sizeOf(b, 1), whole = wholeBlocks(n), count = whole / kBlock;
  // The padding rows are those of the identity.
  Value rows = e.padded(l, {whole, whole});
  if (whole != n)
    rows = e.choose(e.both(e.isBetween(rows, 0, 0), e.compare(CompareDirection::GE, e.placesIn(rows, 0), e.place(n))),
                    e.number(rows, 1), rows);
  Value blocks = e.reshaped(rows, {count, kBlock, whole}), of = e.reshaped(e.padded(b, {whole, m}), {count, kBlock, m});
  Value none = e.filled(b, {count, kBlock, m}, 0);
  Value x = e.scan({none}, {e.places(count), blocks, of}, [&](Algebra &e, ValueRange carries, ValueRange slices) {
    Value start = e.times(slices[0], e.place(kBlock)), rows = slices[1];
    Value before = e.choose(e.less(e.placesIn(rows, 1), start), rows, 0.0);
    Value rest = e.minus(slices[2], e.product(before, e.reshaped(carries[0], {whole, m})));
    Value found = substitute(e, e.at(rows, 1, start, kBlock), rest, isUnit);
    return Algebra::Values{e.with(carries[0], 0, slices[0], found)};
  })[0];
  return e.slice(e.reshaped(x, {whole, m}), 0, 0, n);
}

Value solveLower(Algebra &e, Value l, Value b, bool isUnit) {
  bool isStatic = Algebra::typeOf(l).hasStaticShape() && Algebra::typeOf(b).hasStaticShape();
  return isStatic && Algebra::sizeOf(l, 0) > kBlock ? substituteBlocks(e, l, b, isUnit) : substitute(e, l, b, isUnit);
}

Value solveUpper(Algebra &e, Value u, Value b, bool isUnit) {
  return e.backwards(solveLower(e, e.backwards(u, {0, 1}), e.backwards(b, {0}), isUnit), {0});
}

namespace {

struct TriangularSolve : DecomposeOpInterface::ExternalModel<TriangularSolve, TriangularSolveOp> {
  bool isInLanes(Operation *op) const { return fitsLanes(op); }
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    auto solve = cast<TriangularSolveOp>(op);
    Algebra e(emitter);
    Value a = operands[0], b = operands[1];
    bool isLower = solve.getLower();
    if (solve.getConjugateA())
      a = e.conj(a);
    // x op(a) = b is op(a)^T x^T = b^T.
    if (solve.getTransposeA() == solve.getLeftSide()) {
      a = e.transposed(a);
      isLower = !isLower;
    }
    if (!solve.getLeftSide())
      b = e.transposed(b);
    Value x = isLower ? solveLower(e, a, b, solve.getUnitDiagonal()) : solveUpper(e, a, b, solve.getUnitDiagonal());
    results.push_back(solve.getLeftSide() ? x : e.transposed(x));
    return success();
  }
};

/// Elimination with partial pivoting, row by row, and substitution (LAPACK's gtsv).
struct TridiagonalSolve : DecomposeOpInterface::ExternalModel<TridiagonalSolve, TridiagonalSolveOp> {
  static unsigned numBatchDims(Operation *op) { return Algebra::typeOf(op->getOperand(0)).getRank() - 1; }

  /// The rows of U, with up to three elements each, followed by the right-hand sides.
  static Algebra::Values eliminate(Algebra &e, ValueRange operands, bool isPerturbed) {
    Value dl = operands[0], d = operands[1], du = operands[2], b = operands[3];
    Value isLast =
        e.negation(e.less(e.plus(e.places(d, 0), e.place(1)), e.full(e.places(d, 0), Algebra::sizeOf(d, 0))));
    du = e.choose(isLast, e.zerosLike(du), du);
    Value least = e.scale(e.maximum(e.greatest(e.sumMagnitude(d), e.greatest(e.sumMagnitude(dl), e.sumMagnitude(du)))),
                          Algebra::epsilonOf(d));
    // The row after the last is that of the identity.
    Value next = e.choose(isLast, e.number(d, 1), shifted(e, d, -1));
    auto outs =
        e.scan({e.element(d, e.place(0)), e.element(du, e.place(0)), e.row(b, e.place(0))},
               {shifted(e, dl, -1), next, shifted(e, du, -1), shifted(e, b, -1)},
               [&](Algebra &e, ValueRange carries, ValueRange slices) {
                 Value p = carries[0], q = carries[1], l = slices[0], t = slices[1], u = slices[2],
                       none = e.number(p, 0);
                 Value isKept = e.negation(e.less(e.sumMagnitude(p), e.sumMagnitude(l)));
                 Value pivot = e.choose(isKept, p, l), other = e.choose(isKept, l, p);
                 if (isPerturbed) {
                   Value isSmall = e.less(e.sumMagnitude(pivot), least);
                   pivot = e.choose(isSmall, e.as(e.withSignOf(least, e.real(pivot)), Algebra::elementOf(p)), pivot);
                 }
                 Value second = e.choose(isKept, q, t), third = e.choose(isKept, none, u);
                 Value right = e.choose(isKept, carries[2], slices[3]), rest = e.choose(isKept, slices[3], carries[2]);
                 Value factor = e.choose(e.same(other, none), none, e.over(other, pivot));
                 return Algebra::Values{e.minus(e.choose(isKept, t, q), e.times(factor, second)),
                                        e.minus(e.choose(isKept, u, none), e.times(factor, third)),
                                        e.minus(rest, e.times(right, factor)),
                                        pivot,
                                        second,
                                        third,
                                        right};
               });
    return {outs[3], outs[4], outs[5], outs[6]};
  }

  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    if (failed(requireSizes(op, operands[1])))
      return failure();
    Algebra::Values rows = eliminate(e, operands, cast<TridiagonalSolveOp>(op).getPerturbSingular());
    Value none = e.zerosLike(e.row(operands[3], e.place(0)));
    auto outs = e.scan(
        {none, none}, rows,
        [&](Algebra &e, ValueRange carries, ValueRange slices) {
          Value known = e.add(e.times(carries[0], slices[1]), e.times(carries[1], slices[2]));
          Value x = e.over(e.sub(slices[3], known), slices[0]);
          return Algebra::Values{x, carries[0], x};
        },
        /*reverse=*/true);
    results.push_back(outs[2]);
    return success();
  }
};

} // namespace

void attachTriangularDecompositions(MLIRContext *context) {
  TridiagonalSolveOp::attachInterface<TridiagonalSolve>(*context);
  TriangularSolveOp::attachInterface<TriangularSolve>(*context);
}

} // namespace dovetail
