// Lowering of factorizations and solutions that a library computes, in programs that run in this process.
#include "Lowering.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/dispatch/ProductCall.h"
#include "cpp/iree/HostCall.h"
#include "cpp/iree/Ops.h"
#include "dialects/HostFunction.h"
#include "dialects/Linalg.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The dimensions of a matrix; those before them are of the batch.
constexpr unsigned kMatrixRank = 2;

/// The function of the library that computes an op, and its flags: see blas::Matrices.
struct Function {
  StringRef name;
  int64_t flags = 0;
};

/// Nothing where the host function computes the op.
using OptionalFunction = std::optional<Function>;

//===- Functions -------------------------------------------------------------------===//

OptionalFunction functionOf(CholeskyOp) { return Function{blas::kCholesky}; }
OptionalFunction functionOf(LuOp) { return Function{blas::kLu}; }
OptionalFunction functionOf(GeqrfOp op) {
  if (op.getPivoting())
    return std::nullopt;
  return Function{blas::kGeqrf};
}
OptionalFunction functionOf(QrOp op) {
  if (op.getPivoting())
    return std::nullopt;
  return Function{blas::kQr, op.getFullMatrices()};
}
OptionalFunction functionOf(EighOp op) { return Function{op.getVectors() ? blas::kEigh : blas::kEigvalsh}; }
OptionalFunction functionOf(SvdOp op) {
  return Function{op.getVectors() ? blas::kSvd : blas::kSvdvals, op.getFullMatrices()};
}
OptionalFunction functionOf(TriangularSolveOp op) {
  blas::Triangle triangle = {op.getLeftSide(), op.getLower(), op.getTransposeA(), op.getConjugateA(),
                             op.getUnitDiagonal()};
  return Function{blas::kTriangularSolve, triangle.bits()};
}
OptionalFunction functionOf(LuSolveOp op) { return Function{blas::kLuSolve, op.getTransposeA()}; }

//===- Results ---------------------------------------------------------------------===//

/// The type of an op's result as it is lowered, and its dynamic sizes.
LibraryResult resultOf(Value result, ArrayRef<OpFoldResult> sizes) {
  auto [shape, dynamic] = decomposeMixedValues(llvm::to_vector(sizes));
  return {RankedTensorType::get(shape, getElementTypeOrSelf(loweredType(result.getType()))), dynamic};
}

/// The results of a factorization of matrices of those sizes.
SmallVector<LibraryResult> resultsOf(ImplicitLocOpBuilder &b, Operation *op, const MatrixShapes &shapes,
                                     ArrayRef<OpFoldResult> sizes) {
  OpFoldResult m = sizes[sizes.size() - 2], n = sizes.back(), k;
  auto valueOf = [&](OpFoldResult size) { return getValueOrCreateConstantIndexOp(b, b.getLoc(), size); };
  auto rows = getConstantIntValue(m), columns = getConstantIntValue(n);
  if (rows && columns)
    k = b.getIndexAttr(std::min(*rows, *columns));
  else
    k = arith::MinUIOp::create(b, valueOf(m), valueOf(n)).getResult();
  SmallVector<LibraryResult> results;
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), shapes)) {
    SmallVector<OpFoldResult> all(sizes.drop_back(kMatrixRank));
    for (char dimension : StringRef(shape.dims))
      all.push_back(dimension == 'm' ? m : dimension == 'n' ? n : k);
    results.push_back(resultOf(result, all));
  }
  return results;
}

//===- Lowerings -------------------------------------------------------------------===//

/// A call for matrices of the size of those in `like`.
MatricesCall callLike(ImplicitLocOpBuilder &b, Value like, int64_t flags) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, like);
  ArrayRef<OpFoldResult> all = sizes;
  size_t rank = all.size();
  return {flags, productOf(b, all.drop_back(kMatrixRank)), all[rank - 2], all[rank - 1]};
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
    OptionalFunction function = functionOf(cast<Op>(op));
    if (function && hasProducts(getElementTypeOrSelf(operands[0])))
      call(cast<Op>(op), *function, b, operands, results);
    else
      lowerToHostCall(op, b, operands, results);
    return success();
  }

private:
  static void call(Op op, Function function, ImplicitLocOpBuilder &b, ValueRange operands,
                   SmallVectorImpl<Value> &results) {
    if constexpr (Op::template hasTrait<OpTrait::OneOperand>()) {
      SmallVector<LibraryResult> types =
          resultsOf(b, op, Op::resultShapes(typename Op::Adaptor(op)), sizesOf(b, operands[0]));
      results = callMatrices(b, function.name, callLike(b, operands[0], function.flags), operands, types);
    } else {
      // The factors say all of the matrix of an equation, and its right side is the last operand.
      ValueRange used = std::is_same_v<Op, LuSolveOp> ? operands.drop_front() : operands;
      Value right = operands.back();
      results = callMatrices(b, function.name, callLike(b, right, function.flags), used,
                             resultOf(op->getResult(0), sizesOf(b, right)));
    }
  }
};

template <typename... Ops>
void attachLibraryLowerings(MLIRContext *context) {
  (Ops::template attachInterface<LibraryLowering<Ops>>(*context), ...);
}

} // namespace

void attachFactorizationLowerings(MLIRContext *context) {
  attachLibraryLowerings<CholeskyOp, EighOp, GeqrfOp, LuOp, LuSolveOp, QrOp, SvdOp, TriangularSolveOp>(context);
}

} // namespace dovetail
