// The LU factorization, and the ops derived from it.
#include "Algorithms.h"
#include "cpp/tensors/FitsLanes.h"
#include "dialects/Create.h"
#include "dialects/Linalg.h"
#include "dialects/Matrices.h"
#include "dialects/Reduce.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Columns after elimination, as rows; the order of the matrix's rows; and the row that each was exchanged with.
struct Factors {
  Value columns, order, pivots;
};

/// Elimination with partial pivoting (Golub & Van Loan 3.4.1) of the columns from `start` on, the first `numSteps` of
/// which have a pivot. A pivot of 0 has only zeros below, which stay.
Factors eliminate(Algebra &e, Value columns, Value start, Value numSteps) {
  Value order = e.places(columns, 1), steps = e.places(columns, 0);
  auto outs = e.scan({columns, order}, steps, [&](Algebra &e, ValueRange carries, ValueRange slices) {
    Value rows = carries[0], order = carries[1], j = slices[0], k = e.plus(j, start);
    Value column = e.row(rows, j), numbers = e.places(column, 0), sizes = e.sumMagnitude(column);
    Value candidates = e.choose(e.less(numbers, k), e.full(sizes, -1), sizes);
    Value best = e.make<ArgmaxOp>(RankedTensorType::get({}, Algebra::elementOf(k)), candidates, uint64_t(0));
    best = e.choose(e.less(k, numSteps), best, k);
    rows = e.exchanged(rows, 1, k, best);
    order = e.exchanged(order, 0, k, best);
    column = e.row(rows, j);
    Value pivot = e.element(column, k), isZero = e.same(pivot, e.number(pivot, 0));
    Value factors = e.over(column, e.choose(isZero, e.number(pivot, 1), pivot));
    factors = e.choose(e.less(k, numbers), factors, 0.0);
    Value next = e.column(rows, k), isNext = e.less(j, e.places(next, 0));
    rows = e.minus(rows, e.outer(e.choose(isNext, next, 0.0), factors, rows));
    Value packed = e.choose(e.less(k, numbers), factors, column);
    return Algebra::Values{e.with(rows, 0, j, packed), order, best};
  });
  return {outs[0], outs[1], outs[2]};
}

/// Blocks of columns; one product eliminates each from those after it (3.2.11).
Factors eliminateBlocks(Algebra &e, Value columns, int64_t numSteps) {
  int64_t n = wholeBlocks(Algebra::sizeOf(columns, 0)), m = wholeBlocks(Algebra::sizeOf(columns, 1));
  int64_t count = wholeBlocks(numSteps) / kBlock;
  Value all = e.padded(columns, {n, m}), order = e.places(m);
  auto outs = e.scan({all, order}, {e.places(count)}, [&](Algebra &e, ValueRange carries, ValueRange slices) {
    Value number = slices[0], start = e.times(number, e.place(kBlock)), end = e.plus(start, e.place(kBlock));
    Value block = e.at(e.reshaped(carries[0], {n / kBlock, kBlock, m}), 0, number);
    Factors factors = eliminate(e, block, start, e.place(numSteps));
    Value all = e.take(carries[0], 1, factors.order), order = e.take(carries[1], 0, factors.order);
    Value corner = e.transposed(e.at(factors.columns, 1, start, kBlock));
    Value top = e.at(all, 1, start, kBlock), isAfter = e.negation(e.less(e.placesIn(top, 0), end));
    Value solved = e.transposed(solveLower(e, corner, e.transposed(top), true));
    Value below = e.choose(e.less(e.placesIn(factors.columns, 1), end), e.zerosLike(factors.columns), factors.columns);
    all = e.minus(all, e.product(e.choose(isAfter, solved, 0.0), below));
    all = e.reshaped(e.with(e.reshaped(all, {n, m / kBlock, kBlock}), 1, number, e.choose(isAfter, solved, top)),
                     {n / kBlock, kBlock, m});
    return Algebra::Values{e.reshaped(e.with(all, 0, number, factors.columns), {n, m}), order, factors.pivots};
  });
  Value found = e.slice(e.slice(outs[0], 0, 0, Algebra::sizeOf(columns, 0)), 1, 0, Algebra::sizeOf(columns, 1));
  return {found, e.slice(outs[1], 0, 0, Algebra::sizeOf(columns, 1)),
          e.slice(e.reshaped(outs[2], {count * kBlock}), 0, 0, numSteps)};
}

FailureOr<Factors> factor(Algebra &e, Operation *op, Value a) {
  if (failed(requireSizes(op, a)))
    return failure();
  int64_t numSteps = std::min(Algebra::sizeOf(a, 0), Algebra::sizeOf(a, 1));
  Value columns = e.transposed(a);
  if (numSteps > kBlock)
    return eliminateBlocks(e, columns, numSteps);
  Factors factors = eliminate(e, columns, e.place(0), e.place(numSteps));
  factors.pivots = e.slice(factors.pivots, 0, 0, numSteps);
  return factors;
}

struct Lu : DecomposeOpInterface::ExternalModel<Lu, LuOp> {
  bool isInLanes(Operation *op) const { return fitsLanes(op); }
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    if (llvm::is_contained(Algebra::typeOf(operands[0]).getShape(), 0)) {
      Value none = e.places(0);
      results.append({operands[0], none, e.places(operands[0], 0)});
      return success();
    }
    FailureOr<Factors> factors = factor(e, op, operands[0]);
    if (failed(factors))
      return failure();
    results.append({e.transposed(factors->columns), factors->pivots, factors->order});
    return success();
  }
};

struct Det : DecomposeOpInterface::ExternalModel<Det, DetOp> {
  bool isInLanes(Operation *op) const { return fitsLanes(op); }
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    if (Algebra::sizeOf(operands[0], 0) == 0) {
      results.push_back(e.number(operands[0], 1));
      return success();
    }
    auto factors = LuOp::create(e.builder, e.loc, operands[0]);
    // Each exchange flips the sign.
    Value diagonal = e.diagonalOf(factors.getLu()), pivots = factors.getPivots();
    Value isExchanged = e.negation(e.same(pivots, e.places(pivots, 0)));
    results.push_back(e.make<ReduceProdOp>(e.choose(isExchanged, e.neg(diagonal), diagonal), ArrayRef<int64_t>{0}));
    return success();
  }
};

struct LuSolve : DecomposeOpInterface::ExternalModel<LuSolve, LuSolveOp> {
  bool isInLanes(Operation *op) const { return fitsLanes(op); }
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    Value lu = operands[1], order = operands[2], b = operands[3];
    bool isTransposed = cast<LuSolveOp>(op).getTransposeA();
    auto solved = [&](bool isLower, Value x) {
      return e.make<TriangularSolveOp>(lu, x, /*left_side=*/true, isLower, isTransposed, /*conjugate_a=*/false,
                                       /*unit_diagonal=*/isLower);
    };
    if (isTransposed)
      results.push_back(e.take(solved(true, solved(false, b)), 0, e.orderOf(order)));
    else
      results.push_back(solved(false, solved(true, e.take(b, 0, order))));
    return success();
  }
};

struct LuLogDet : DecomposeOpInterface::ExternalModel<LuLogDet, LuLogDetOp> {
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    Value diagonal = Matrices(emitter).diagonal(operands[1]);
    if (!Algebra::isComplex(diagonal))
      diagonal = e.magnitude(diagonal);
    results.push_back(e.reduceSum(e.make<LogOp>(diagonal), {0}));
    return success();
  }
};

} // namespace

void attachLuDecompositions(MLIRContext *context) {
  DetOp::attachInterface<Det>(*context);
  LuOp::attachInterface<Lu>(*context);
  LuLogDetOp::attachInterface<LuLogDet>(*context);
  LuSolveOp::attachInterface<LuSolve>(*context);
}

} // namespace dovetail
