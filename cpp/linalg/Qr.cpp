// The QR factorization.
#include "Algorithms.h"
#include "Householder.h"
#include "dialects/Create.h"
#include "dialects/Linalg.h"
#include "dialects/Reduce.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Matrices are handled as their transposes, whose columns are contiguous.
struct Factors {
  Value packed, taus, order;
};

/// Moves the column with the largest remainder to the front (Golub & Van Loan 5.4.2). Recomputing the norms in each
/// step costs half as much as the step, and avoids cancellation.
void pivot(Algebra &e, Value step, Value &rows, Value &order) {
  Value isDone = e.either(e.less(e.placesIn(rows, 0), step), e.less(e.placesIn(rows, 1), step));
  Value rest = e.choose(isDone, e.zerosLike(rows), rows);
  Value scale = e.as(e.powerOfTwoBelow(e.maximum(e.sumMagnitude(rest))), Algebra::elementOf(rest));
  Value norms = e.reduceSum(e.squareMagnitude(e.over(rest, scale)), {1});
  norms = e.choose(e.less(e.places(norms, 0), step), e.full(norms, -1), norms);
  auto number = RankedTensorType::get({}, Algebra::elementOf(step));
  Value best = e.make<ArgmaxOp>(number, norms, uint64_t(0));
  rows = e.exchanged(rows, 0, step, best);
  order = e.exchanged(order, 0, step, best);
}

/// Reflections for the columns from `start` on, one after the other (5.2.2). `steps` are the indices of those to take.
Factors factorColumns(Algebra &e, Value columns, Value start, Value steps, bool isPivoting) {
  Value order = e.places(columns, 0);
  auto outs = e.scan({columns, order}, steps, [&](Algebra &e, ValueRange carries, ValueRange slices) {
    Value rows = carries[0], order = carries[1], j = slices[0], k = e.plus(j, start);
    if (isPivoting)
      pivot(e, j, rows, order);
    Value column = e.row(rows, j);
    Reflection r = reflect(e, column, k);
    Value products = e.times(e.dot(rows, 1, e.conj(r.vector), 0), e.conj(r.tau));
    products = e.choose(e.less(j, e.places(products, 0)), products, 0.0);
    rows = e.minus(rows, e.outer(products, r.vector, rows));
    Value numbers = e.places(column, 0);
    Value packed = e.choose(e.less(k, numbers), r.vector, column);
    packed = e.choose(e.same(numbers, k), e.as(r.beta, Algebra::elementOf(column)), packed);
    return Algebra::Values{e.with(rows, 0, j, packed), order, r.tau};
  });
  return {outs[0], outs[2], outs[1]};
}

/// Blocks of columns; one product applies each to those after it (5.2.3).
Factors factorBlocks(Algebra &e, Value columns, int64_t numSteps) {
  int64_t m = Algebra::sizeOf(columns, 1), n = wholeBlocks(Algebra::sizeOf(columns, 0));
  int64_t count = wholeBlocks(numSteps) / kBlock;
  Value blocks = e.reshaped(e.padded(columns, {n, m}), {n / kBlock, kBlock, m});
  auto outs = e.scan({blocks}, {e.places(count)}, [&](Algebra &e, ValueRange carries, ValueRange slices) {
    Value all = carries[0], start = e.times(slices[0], e.place(kBlock)), end = e.plus(start, e.place(kBlock));
    Factors factors = factorColumns(e, e.at(all, 0, slices[0]), start, e.places(kBlock), false);
    Value packed = factors.packed;
    Value distance = e.minus(e.minus(e.placesIn(packed, 1), e.placesIn(packed, 0)), start);
    Value vectors = e.choose(e.less(e.place(0), distance), packed, 0.0);
    vectors = e.choose(e.same(distance, e.place(0)), e.everywhere(e.number(packed, 1), packed), vectors);
    Value flat = e.reshaped(all, {n, m});
    Value changed = applyReflections(e, e.transposed(vectors), factors.taus, e.transposed(flat), true);
    flat = e.choose(e.less(e.placesIn(flat, 0), end), flat, e.transposed(changed));
    return Algebra::Values{e.with(e.reshaped(flat, {n / kBlock, kBlock, m}), 0, slices[0], packed), factors.taus};
  });
  Value packed = e.slice(e.reshaped(outs[0], {n, m}), 0, 0, Algebra::sizeOf(columns, 0));
  return {packed, e.slice(e.reshaped(outs[1], {count * kBlock}), 0, 0, numSteps), {}};
}

/// The factors in the form of LAPACK's geqrf, or geqp3.
FailureOr<Factors> factor(Algebra &e, Operation *op, Value a, bool isPivoting) {
  int64_t m = Algebra::sizeOf(a, 0), n = Algebra::sizeOf(a, 1), numSteps = std::min(m, n);
  if (failed(requireSizes(op, a)))
    return failure();
  Value columns = e.transposed(a);
  bool isBlocked = numSteps > kBlock && !isPivoting;
  Factors factors = isBlocked ? factorBlocks(e, columns, numSteps)
                              : factorColumns(e, columns, e.place(0), e.places(numSteps), isPivoting);
  factors.packed = e.transposed(factors.packed);
  return factors;
}

struct Geqrf : DecomposeOpInterface::ExternalModel<Geqrf, GeqrfOp> {
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    bool isPivoting = cast<GeqrfOp>(op).getPivoting();
    FailureOr<Factors> factors = factor(e, op, operands[0], isPivoting);
    if (failed(factors))
      return failure();
    results.append({factors->packed, factors->taus});
    if (isPivoting)
      results.push_back(factors->order);
    return success();
  }
};

struct Qr : DecomposeOpInterface::ExternalModel<Qr, QrOp> {
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    auto qr = cast<QrOp>(op);
    FailureOr<Factors> factors = factor(e, op, operands[0], qr.getPivoting());
    if (failed(factors))
      return failure();
    int64_t m = Algebra::sizeOf(operands[0], 0), k = std::min(m, Algebra::sizeOf(operands[0], 1));
    int64_t columns = qr.getFullMatrices() ? m : k;
    Value q = identity(e, operands[0], m, columns);
    if (k > 0)
      q = applyReflections(e, vectorsOf(e, e.slice(factors->packed, 1, 0, k), 0), factors->taus, q, false);
    results.append({q, e.upperPart(e.slice(factors->packed, 0, 0, columns))});
    if (qr.getPivoting())
      results.push_back(factors->order);
    return success();
  }
};

} // namespace

void attachQrDecompositions(MLIRContext *context) {
  GeqrfOp::attachInterface<Geqrf>(*context);
  QrOp::attachInterface<Qr>(*context);
}

} // namespace dovetail
