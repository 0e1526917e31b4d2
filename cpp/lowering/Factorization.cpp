// Lowering of factorizations and solutions that a kernel, or a library in programs that run in this process, computes.
#include "SmallMatrices.h"
#include "cpp/dispatch/BlasCall.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/iree/HostCall.h"
#include "cpp/iree/Ops.h"
#include "cpp/linalg/Algorithms.h"
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
OptionalFunction functionOf(DetOp) { return std::nullopt; }
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
MatrixResult resultOf(Value result, ArrayRef<OpFoldResult> sizes) {
  auto [shape, dynamic] = decomposeMixedValues(llvm::to_vector(sizes));
  return {RankedTensorType::get(shape, getElementTypeOrSelf(loweredType(result.getType()))), dynamic};
}

/// The results of a factorization of matrices of those sizes.
SmallVector<MatrixResult> resultsOfFactorization(ImplicitLocOpBuilder &b, Operation *op, const MatrixShapes &shapes,
                                                 ArrayRef<OpFoldResult> sizes) {
  OpFoldResult m = sizes[sizes.size() - 2], n = sizes.back(), k;
  auto valueOf = [&](OpFoldResult size) { return getValueOrCreateConstantIndexOp(b, b.getLoc(), size); };
  auto rows = getConstantIntValue(m), columns = getConstantIntValue(n);
  if (rows && columns)
    k = b.getIndexAttr(std::min(*rows, *columns));
  else
    k = arith::MinUIOp::create(b, valueOf(m), valueOf(n)).getResult();
  SmallVector<MatrixResult> results;
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

/// An op on matrices, of which kernels compute batches of small ones. The library computes others; if their elements
/// are not the library's, their host function does.
template <typename Op>
struct FactorizationLowering : LowerOpInterface::ExternalModel<FactorizationLowering<Op>, Op> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    bool isInLanes = cast<DecomposeOpInterface>(op).isInLanes();
    if (!isInLanes && !isForHost(op))
      return op->emitError() << "no lowering for '" << op->getName() << "'";
    if (isInDispatch(b))
      return failure();
    OptionalFunction function = functionOf(cast<Op>(op));
    if (isInLanes)
      lowerInLanes(op, b, operands, resultsOf(cast<Op>(op), b, operands), results);
    else if (function && hasProducts(getElementTypeOrSelf(operands[0])))
      call(*function, b, operands, resultsOf(cast<Op>(op), b, operands), results);
    else
      lowerToHostCall(op, b, operands, results);
    return success();
  }

private:
  static constexpr bool isEquation = !Op::template hasTrait<OpTrait::OneOperand>();

  static SmallVector<MatrixResult> resultsOf(Op op, ImplicitLocOpBuilder &b, ValueRange operands) {
    if constexpr (isEquation)
      return {resultOf(op->getResult(0), sizesOf(b, operands.back()))};
    else
      return resultsOfFactorization(b, op, Op::resultShapes(typename Op::Adaptor(op)), sizesOf(b, operands[0]));
  }

  static void call(Function function, ImplicitLocOpBuilder &b, ValueRange operands, ArrayRef<MatrixResult> types,
                   SmallVectorImpl<Value> &results) {
    // The factors say all of the matrix of an equation; its right sides, the last operand, say the sizes.
    ValueRange used = std::is_same_v<Op, LuSolveOp> ? operands.drop_front() : operands;
    results = callMatrices(b, function.name, callLike(b, operands.back(), function.flags), used, types);
  }
};

template <typename... Ops>
void attachLowerings(MLIRContext *context) {
  (Ops::template attachInterface<FactorizationLowering<Ops>>(*context), ...);
}

} // namespace

void attachFactorizationLowerings(MLIRContext *context) {
  attachLowerings<CholeskyOp, DetOp, EighOp, GeqrfOp, LuOp, LuSolveOp, QrOp, SvdOp, TriangularSolveOp>(context);
}

} // namespace dovetail
