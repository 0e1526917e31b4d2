// Eigenvalues and eigenvectors of square matrices.
#include "Algorithms.h"
#include "Schur.h"
#include "dialects/Linalg.h"
#include "dialects/Reduce.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Eigenvectors of an upper triangular matrix, as columns, with elements of at most 1: back substitution for all at
/// once, row by row (7.6.4; LAPACK's trevc). Vanishing differences of eigenvalues are replaced by the largest ones that
/// rounding may cause.
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

/// Columns of norm 1 whose largest element is real.
Value normalized(Algebra &e, Value v) {
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

struct EigModel : DecomposeOpInterface::ExternalModel<EigModel, EigOp> {
  LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange operands, SmallVectorImpl<Value> &results) const {
    Algebra e(emitter);
    auto eig = cast<EigOp>(op);
    if (failed(requireSizes(op, operands[0])))
      return failure();
    Value isFinite = e.isAllFinite(operands[0]), a = e.choose(isFinite, operands[0], e.zerosLike(operands[0]));
    auto checked = [&](Value x) { return e.nanUnlessFinite(x, isFinite); };
    Schur form = schurOf(e, a, eig.getLeft() || eig.getRight());
    auto [t, z] = Algebra::isComplex(a) ? form : complexOfReal(e, form);
    results.push_back(checked(e.diagonalOf(t)));
    if (!z)
      return success();
    if (eig.getLeft()) {
      // Eigenvectors of the adjoint, which is upper triangular when reversed.
      Value y = e.backwards(triangularVectors(e, e.backwards(e.adjoint(t), {0, 1})), {0, 1});
      results.push_back(checked(normalized(e, e.product(z, y))));
    }
    if (eig.getRight())
      results.push_back(checked(normalized(e, e.product(z, triangularVectors(e, t)))));
    return success();
  }
};

} // namespace

void attachEigDecompositions(MLIRContext *context) { EigOp::attachInterface<EigModel>(*context); }

} // namespace dovetail
