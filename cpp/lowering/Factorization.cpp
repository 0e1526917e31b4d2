// Lowering of factorizations and solutions that a library computes, in programs that run in this process.
#include "Lowering.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/dispatch/ProductCall.h"
#include "cpp/iree/HostCall.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Target.h"
#include "dialects/HostFunction.h"
#include "dialects/Linalg.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The dimensions of a matrix; those before them are of the batch.
constexpr unsigned kMatrixRank = 2;

/// A call for matrices of the size of those in `like`.
MatricesCall callLike(ImplicitLocOpBuilder &b, Value like, int64_t flags = 0) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, like);
  ArrayRef<OpFoldResult> all = sizes;
  size_t rank = all.size();
  return {flags, productOf(b, all.drop_back(kMatrixRank)), all[rank - 2], all[rank - 1]};
}

/// The type of an op's result as it is lowered, and its dynamic sizes.
LibraryResult resultLike(ImplicitLocOpBuilder &b, Value result, ArrayRef<OpFoldResult> sizes) {
  auto [shape, dynamic] = decomposeMixedValues(llvm::to_vector(sizes));
  return {RankedTensorType::get(shape, getElementTypeOrSelf(loweredType(result.getType()))), dynamic};
}

/// An op that the library computes. If its elements are others than the library's, its host function does.
template <typename Op>
struct LibraryLowering : LowerOpInterface::ExternalModel<LibraryLowering<Op>, Op> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    if (!isForHost(op))
      return op->emitError() << "no lowering for '" << op->getName() << "'";
    if (isInDispatch(b))
      return failure();
    if (hasProducts(getElementTypeOrSelf(operands[0])))
      call(cast<Op>(op), b, operands, results);
    else
      lowerToHostCall(op, b, operands, results);
    return success();
  }

private:
  static void call(Op op, ImplicitLocOpBuilder &b, ValueRange operands, SmallVectorImpl<Value> &results);
};

template <>
void LibraryLowering<CholeskyOp>::call(CholeskyOp op, ImplicitLocOpBuilder &b, ValueRange operands,
                                       SmallVectorImpl<Value> &results) {
  LibraryResult l = resultLike(b, op.getL(), sizesOf(b, operands[0]));
  results = callMatrices(b, {blas::kCholesky, "cholesky"}, callLike(b, operands[0]), operands[0], l);
}

template <>
void LibraryLowering<LuOp>::call(LuOp op, ImplicitLocOpBuilder &b, ValueRange operands,
                                 SmallVectorImpl<Value> &results) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, operands[0]), rows(ArrayRef(sizes).drop_back()), pivots(rows);
  auto type = cast<RankedTensorType>(op.getPivots().getType());
  if (ShapedType::isDynamic(type.getShape().back())) {
    Value m = getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[sizes.size() - 2]),
          n = getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes.back());
    pivots.back() = arith::MinUIOp::create(b, m, n).getResult();
  } else {
    pivots.back() = b.getIndexAttr(type.getShape().back());
  }
  results = callMatrices(b, {blas::kLu, "lu"}, callLike(b, operands[0]), operands[0],
                         {resultLike(b, op.getLu(), sizes), resultLike(b, op.getPivots(), pivots),
                          resultLike(b, op.getPermutation(), rows)});
}

template <>
void LibraryLowering<TriangularSolveOp>::call(TriangularSolveOp op, ImplicitLocOpBuilder &b, ValueRange operands,
                                              SmallVectorImpl<Value> &results) {
  blas::Triangle triangle = {op.getLeftSide(), op.getLower(), op.getTransposeA(), op.getConjugateA(),
                             op.getUnitDiagonal()};
  results = callMatrices(b, {blas::kTriangularSolve, "triangular_solve"}, callLike(b, operands[1], triangle.bits()),
                         operands, resultLike(b, op->getResult(0), sizesOf(b, operands[1])));
}

template <>
void LibraryLowering<LuSolveOp>::call(LuSolveOp op, ImplicitLocOpBuilder &b, ValueRange operands,
                                      SmallVectorImpl<Value> &results) {
  // The factors say all of the matrix.
  Value used[] = {operands[1], operands[2], operands[3]};
  results = callMatrices(b, {blas::kLuSolve, "lu_solve"}, callLike(b, operands[3], op.getTransposeA()), used,
                         resultLike(b, op->getResult(0), sizesOf(b, operands[3])));
}

} // namespace

void attachFactorizationLowerings(MLIRContext *context) {
  CholeskyOp::attachInterface<LibraryLowering<CholeskyOp>>(*context);
  LuOp::attachInterface<LibraryLowering<LuOp>>(*context);
  LuSolveOp::attachInterface<LibraryLowering<LuSolveOp>>(*context);
  TriangularSolveOp::attachInterface<LibraryLowering<TriangularSolveOp>>(*context);
}

} // namespace dovetail
