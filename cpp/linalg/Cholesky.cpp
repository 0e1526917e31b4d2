// The Cholesky factorization.
#include "Algorithms.h"
#include "cpp/tensors/FitsLanes.h"
#include "dialects/Linalg.h"

using namespace mlir;

namespace dovetail {

/// Columns of L from `start` on, as rows, computed column by column from the reduced columns of `a` (Golub & Van Loan
/// 4.2.5).
static Value factorColumns(Algebra &e, Value rest, Value start) {
  Value numbers = e.plus(e.places(rest, 0), start);
  return e.scan({e.zerosLike(rest)}, {e.places(rest, 0), numbers, rest},
                [&](Algebra &e, ValueRange carries, ValueRange slices) {
                  Value rows = carries[0], here = e.conj(e.column(rows, slices[1]));
                  Value column = e.minus(slices[2], e.dot(here, 0, rows, 0));
                  Value pivot = e.root(e.real(e.element(column, slices[1])));
                  Value places = e.places(column, 0), isAbove = e.less(places, slices[1]);
                  pivot = e.everywhere(e.as(pivot, Algebra::elementOf(column)), column);
                  // Imaginary parts on the diagonal of `a` count as zero, as in LAPACK.
                  column = e.choose(e.same(places, slices[1]), pivot, e.over(column, pivot));
                  return Algebra::Values{e.with(rows, 0, slices[0], e.choose(isAbove, e.zerosLike(column), column))};
                })[0];
}

/// L of a = L L^H, as its transpose, in blocks of columns: one product subtracts the contribution of all earlier
/// columns (4.2.9). Only the lower triangle of `a` is read. A negative pivot gives NaN, in it and in everything that
/// depends on it.
static Value factor(Algebra &e, Value a) {
  Value columns = e.transposed(a);
  int64_t n = Algebra::sizeOf(a, 0);
  if (ShapedType::isDynamic(n) || n <= kBlock)
    return factorColumns(e, columns, e.place(0));
  int64_t whole = wholeBlocks(n), count = whole / kBlock;
  columns = e.padded(columns, {whole, whole});
  if (whole != n)
    columns = e.choose(
        e.both(e.isBetween(columns, 0, 0), e.compare(CompareDirection::GE, e.placesIn(columns, 0), e.place(n))),
        e.number(columns, 1), columns);
  Value none = e.filled(a, {count, kBlock, whole}, 0);
  Value l = e.scan({none}, {e.places(count), e.reshaped(columns, {count, kBlock, whole})},
                   [&](Algebra &e, ValueRange carries, ValueRange slices) {
                     Value start = e.times(slices[0], e.place(kBlock));
                     Value before = e.reshaped(carries[0], {whole, whole});
                     Value here = e.conj(e.at(before, 1, start, kBlock));
                     Value rest = e.minus(slices[1], e.dot(here, 0, before, 0));
                     return Algebra::Values{e.with(carries[0], 0, slices[0], factorColumns(e, rest, start))};
                   })[0];
  return e.slice(e.slice(e.reshaped(l, {whole, whole}), 0, 0, n), 1, 0, n);
}

namespace {

struct Cholesky : DecomposeOpInterface::ExternalModel<Cholesky, CholeskyOp> {
  bool isInLanes(Operation *op) const { return fitsLanes(op); }
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    Value l = e.transposed(factor(e, operands[0]));
    // If the factorization fails, all of it is NaN.
    Value isDone = e.isAllFinite(e.diagonalOf(l));
    results.push_back(e.lowerPart(e.nanUnlessFinite(l, isDone)));
    return success();
  }
};

} // namespace

void attachCholeskyDecompositions(MLIRContext *context) { CholeskyOp::attachInterface<Cholesky>(*context); }

} // namespace dovetail
