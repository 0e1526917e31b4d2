// Factorizations of matrices and solutions of linear equations: inference, batching, sizes and factor maps.
#include "Linalg.h"
#include "Inference.h"
#include "MatrixOps.h"

using namespace mlir;

namespace dovetail {

//===- Factorizations ----------------------------------------------------------===//

static MatrixShapes shapesOfGeqrf(bool pivoting) {
  MatrixShapes shapes = {{"mn", MatrixShape::Same}, {"k", MatrixShape::Same}};
  if (pivoting)
    shapes.push_back({"n", MatrixShape::Index});
  return shapes;
}

static MatrixShapes shapesOfQr(bool full, bool pivoting) {
  MatrixShapes shapes = {{full ? "mm" : "mk", MatrixShape::Same}, {full ? "mn" : "kn", MatrixShape::Same}};
  if (pivoting)
    shapes.push_back({"n", MatrixShape::Index});
  return shapes;
}

static MatrixShapes shapesOfEigh(bool vectors) {
  MatrixShapes shapes(1 + vectors, {"mm", MatrixShape::Same});
  shapes[0] = {"m", MatrixShape::Real};
  return shapes;
}

static MatrixShapes shapesOfSchur(bool vectors) { return MatrixShapes(1 + vectors, {"mm", MatrixShape::Same}); }

static MatrixShapes shapesOfSvd(bool full, bool vectors) {
  MatrixShapes shapes = {{"k", MatrixShape::Real}};
  if (vectors)
    shapes.append({{full ? "mm" : "mk", MatrixShape::Same}, {full ? "nn" : "kn", MatrixShape::Same}});
  return shapes;
}

static MatrixShapes shapesOfEig(bool left, bool right) {
  MatrixShapes shapes(1 + left + right, {"mm", MatrixShape::Complex});
  shapes[0].dims = "m";
  return shapes;
}

static Type elementOf(Type element, MatrixShape::Elements elements) {
  switch (elements) {
  case MatrixShape::Same:
    return element;
  case MatrixShape::Real:
    return realElement(element);
  case MatrixShape::Complex:
    return ComplexType::get(realElement(element));
  case MatrixShape::Index:
    return IntegerType::get(element.getContext(), 32);
  }
  llvm_unreachable("all kinds of elements are above");
}

LogicalResult verifyRank(std::optional<Location> loc, StringRef name, Value x, int64_t least) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getRank() < least)
    return emitOptionalError(loc, "'", name, "' op operands must have at least ", least, " dimensions, got: ", type);
  return success();
}

LogicalResult verifySquare(std::optional<Location> loc, StringRef name, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  if (failed(verifyRank(loc, name, x, 2)))
    return failure();
  ArrayRef<int64_t> sizes = type.getShape().take_back(2);
  if (!canBeEqual(sizes[0], sizes[1]))
    return emitOptionalError(loc, "'", name, "' op matrices must be square, got: ", type);
  return success();
}

static int64_t lesser(int64_t m, int64_t n) {
  if (m == 0 || n == 0)
    return 0;
  return ShapedType::isDynamic(m) || ShapedType::isDynamic(n) ? ShapedType::kDynamic : std::min(m, n);
}

static LogicalResult inferMatrices(std::optional<Location> loc, StringRef name, Value a, bool isSquare,
                                   const MatrixShapes &shapes, SmallVectorImpl<Type> &types) {
  if (failed(isSquare ? verifySquare(loc, name, a) : verifyRank(loc, name, a, 2)))
    return failure();
  auto type = cast<RankedTensorType>(a.getType());
  int64_t m = type.getShape().end()[-2], n = type.getShape().back();
  if (isSquare)
    m = n = ShapedType::isDynamic(m) ? n : m;
  int64_t e = ShapedType::isDynamic(m) ? m : std::max<int64_t>(m - 1, 0);
  for (auto [dims, elements] : shapes) {
    SmallVector<int64_t> shape(type.getShape().drop_back(2));
    for (char dim : StringRef(dims))
      shape.push_back(dim == 'm' ? m : dim == 'n' ? n : dim == 'k' ? lesser(m, n) : e);
    types.push_back(RankedTensorType::get(shape, elementOf(type.getElementType(), elements)));
  }
  return success();
}

static Value sizeOfMatrices(Emitter &e, Value a, MatrixShape shape, int64_t dimension) {
  int64_t numBatch = cast<RankedTensorType>(a.getType()).getRank() - 2;
  if (dimension < numBatch)
    return e.size(a, dimension);
  Value m = e.size(a, numBatch), n = e.size(a, numBatch + 1);
  auto constant = [&](int64_t value) { return e.make<arith::ConstantIndexOp>(value); };
  switch (shape.dims[dimension - numBatch]) {
  case 'm':
    return m;
  case 'n':
    return n;
  case 'k':
    return e.make<arith::MinSIOp>(m, n);
  default:
    return e.make<arith::MaxSIOp>(e.make<arith::SubIOp>(m, constant(1)), constant(0));
  }
}

LogicalResult batchMatrices(Emitter &e, Operation *op, ValueRange operands, ArrayRef<int64_t> dims,
                            SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  SmallVector<Value> batched;
  for (auto [operand, dim] : llvm::zip_equal(operands, dims))
    batched.push_back(e.batchAt(operand, dim, 0));
  auto types =
      llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Type { return withDim(type, 0, e.batchSize); });
  llvm::append_range(results, cloneWith(e, op, batched, types)->getResults());
  resultDims.append(types.size(), 0);
  return success();
}

FactorMap matricesFactorMap(Operation *op, Value a, int64_t matrixDims) {
  FactorMap map = pointwiseFactorMap(op);
  int64_t numBatch = cast<RankedTensorType>(a.getType()).getRank() - matrixDims;
  for (auto *tensors : {&map.operands, &map.results})
    for (auto &factors : *tensors)
      for (int64_t &factor : MutableArrayRef(factors).drop_front(numBatch))
        factor = FactorMap::kNone;
  return map;
}

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Linalg.cpp.inc"

namespace dovetail {

void registerLinalgOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Linalg.cpp.inc"
      >();
}

} // namespace dovetail
