// Lowering of ops on batches of small matrices to kernels, for which each lane of vectors holds one.
#include "SmallMatrices.h"
#include "cpp/dispatch/lanes/Algorithms.h"
#include "dialects/Linalg.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dovetail {

namespace {

using lanes::Lanes;
using lanes::Matrix;

/// What is computed of the matrices that a kernel reads.
using Compute = std::function<SmallVector<Matrix>(Lanes &, ArrayRef<Matrix>)>;

/// A kernel: the operands that it reads, what tells it from others of the op, and its code.
struct Kernel {
  SmallVector<unsigned> operands;
  std::string flags;
  Compute compute;
};

Kernel kernelOf(CholeskyOp) {
  return {{0}, "", [](Lanes &lanes, ArrayRef<Matrix> read) -> SmallVector<Matrix> {
            return {lanes::cholesky(lanes, read[0])};
          }};
}

Kernel kernelOf(LuOp) {
  return {{0}, "", [](Lanes &lanes, ArrayRef<Matrix> read) -> SmallVector<Matrix> {
            auto lu = lanes::Lu::of(lanes, read[0]);
            return {lu.factors, lu.pivots, lu.permutation};
          }};
}

Kernel kernelOf(DetOp) {
  return {{0}, "", [](Lanes &lanes, ArrayRef<Matrix> read) -> SmallVector<Matrix> {
            return {lanes::Lu::of(lanes, read[0]).determinant(lanes)};
          }};
}

// Factorizing the matrix again takes less time than reading its factors.
Kernel kernelOf(LuSolveOp op) {
  bool isTransposed = op.getTransposeA();
  return {{0, 3}, isTransposed ? "_t" : "", [=](Lanes &lanes, ArrayRef<Matrix> read) -> SmallVector<Matrix> {
            return {lanes::Lu::of(lanes, read[0]).solve(lanes, read[1], isTransposed)};
          }};
}

Kernel kernelOf(TriangularSolveOp op) {
  bool isLeft = op.getLeftSide(), isLower = op.getLower(), hasUnitDiagonal = op.getUnitDiagonal(),
       isTransposed = op.getTransposeA();
  std::string flags = "_";
  for (bool flag : {isLeft, isLower, isTransposed, hasUnitDiagonal})
    flags += flag ? "1" : "0";
  return {{0, 1}, flags, [=](Lanes &lanes, ArrayRef<Matrix> read) -> SmallVector<Matrix> {
            // From x a = b follows a^T x^T = b^T.
            lanes::Triangle triangle = {read[0], isLower, isTransposed == isLeft, hasUnitDiagonal};
            if (isLeft)
              return {triangle.solve(lanes, read[1])};
            return {lanes::transposed(triangle.solve(lanes, lanes::transposed(read[1])))};
          }};
}

Kernel kernelOf(EighOp) {
  return {{0}, "", [](Lanes &lanes, ArrayRef<Matrix> read) -> SmallVector<Matrix> {
            return {lanes::eigenvalues(lanes, read[0])};
          }};
}

} // namespace

void lowerInLanes(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands, ArrayRef<MatrixResult> types,
                  SmallVectorImpl<Value> &results) {
  Kernel kernel =
      llvm::TypeSwitch<Operation *, Kernel>(op).Case<CholeskyOp, DetOp, EighOp, LuOp, LuSolveOp, TriangularSolveOp>(
          [](auto op) { return kernelOf(op); });
  SmallVector<Value> read;
  auto numBatchDims = cast<RankedTensorType>(operands[0].getType()).getRank() - 2;
  std::string name;
  llvm::raw_string_ostream text(name);
  text << op->getName().stripDialect() << kernel.flags << "_" << getElementTypeOrSelf(operands[0]);
  for (unsigned operand : kernel.operands) {
    read.push_back(operands[operand]);
    for (int64_t size : cast<RankedTensorType>(read.back().getType()).getShape().take_back(2))
      text << "_" << size;
  }
  SmallVector<OpFoldResult> sizes = sizesOf(b, operands[0]);
  OpFoldResult count = productOf(b, ArrayRef(sizes).take_front(numBatchDims));
  SmallVector<lanes::Result> written;
  for (const MatrixResult &result : types) {
    ArrayRef<int64_t> shape = result.type.getShape().drop_front(numBatchDims);
    written.push_back(
        {result.type, result.sizes, shape.empty() ? 1 : shape.front(), shape.size() > 1 ? shape.back() : 1});
  }
  Kernels kernels(op->getParentOfType<ModuleOp>());
  results = lanes::run(b, kernels, name, count, read, written, kernel.compute);
}

} // namespace dovetail
