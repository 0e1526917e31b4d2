// Factorisations of matrices and solutions of linear equations: inference, batching, sizes and factor maps.
#include "Linalg.h"

using namespace mlir;

namespace dovetail {

//===- Factorisations ----------------------------------------------------------===//

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

static LogicalResult verifyRank(std::optional<Location> loc, StringRef name, Value x, int64_t least) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getRank() < least)
    return emitOptionalError(loc, "'", name, "' op operands must have at least ", least, " dimensions, got: ", type);
  return success();
}

static LogicalResult verifySquare(std::optional<Location> loc, StringRef name, Value x) {
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

/// The op over a batch that comes first in all operands.
static LogicalResult batchMatrices(Emitter &e, Operation *op, ValueRange operands, ArrayRef<int64_t> dims,
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

/// The batch of `a` is the batch of all operands and results; what comes after it is of no loop.
static FactorMap matricesFactorMap(Operation *op, Value a, int64_t matrixDims = 2) {
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

//===- Equations -----------------------------------------------------------------===//

/// Checks that two operands have one element type and one batch, of `numBatch` dimensions.
static LogicalResult verifyBatches(std::optional<Location> loc, StringRef name, Value x, Value y, int64_t numBatch,
                                   bool sameElement = true) {
  auto first = cast<RankedTensorType>(x.getType()), second = cast<RankedTensorType>(y.getType());
  if (sameElement && first.getElementType() != second.getElementType())
    return emitOptionalError(loc, "'", name, "' op operands must have one element type, got: ", first, " and ", second);
  auto batchOf = [&](RankedTensorType type) { return type.getShape().take_front(numBatch); };
  if (second.getRank() < numBatch || !llvm::all_of_zip(batchOf(first), batchOf(second), canBeEqual))
    return emitOptionalError(loc, "'", name, "' op operands must have one batch, got: ", first, " and ", second);
  return success();
}

static LogicalResult verifyEqual(std::optional<Location> loc, StringRef name, StringRef what, int64_t a, int64_t b) {
  if (!canBeEqual(a, b))
    return emitOptionalError(loc, "'", name, "' op ", what, " must be equal, got: ", a, " and ", b);
  return success();
}

static LogicalResult verifyRanks(std::optional<Location> loc, StringRef name, Value a, Value b, int64_t difference) {
  auto first = cast<RankedTensorType>(a.getType()), second = cast<RankedTensorType>(b.getType());
  if (first.getRank() - second.getRank() != difference)
    return emitOptionalError(loc, "'", name,
                             "' op right hand sides must be matrices in one batch with the others, got: ", first,
                             " and ", second);
  return success();
}

static ArrayRef<int64_t> shapeOf(Value x) { return cast<RankedTensorType>(x.getType()).getShape(); }

/// Folds a batch that only b, operand `last`, has into the side of b along which its equations differ.
static Value foldBatch(Emitter &e, Value b, int64_t dim, int64_t side) {
  // At this position it is merged with `side`, which comes before it.
  Value moved = e.moveDim(b, dim, side + 1);
  auto type = cast<RankedTensorType>(moved.getType());
  SmallVector<int64_t> shape(type.getShape());
  bool isDynamic = ShapedType::isDynamic(shape[side]) || ShapedType::isDynamic(shape[side + 1]);
  shape[side] = isDynamic ? ShapedType::kDynamic : shape[side] * shape[side + 1];
  shape.erase(shape.begin() + side + 1);
  SmallVector<Value> sizes;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    int64_t source = static_cast<int64_t>(d) > side ? d + 1 : d;
    Value here = e.size(moved, source);
    sizes.push_back(static_cast<int64_t>(d) == side ? e.make<arith::MulIOp>(here, e.size(moved, side + 1)) : here);
  }
  return e.reshape(moved, withShape(type, shape), sizes);
}

/// The batching of an equation: a batch of right hand sides of one matrix is more right hand sides of it. `side` is the
/// dimension of b, counted without the batch, along which its equations differ.
static LogicalResult batchEquations(Emitter &e, Operation *op, int64_t side, ValueRange operands,
                                    ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                                    SmallVectorImpl<int64_t> &resultDims) {
  if (llvm::any_of(dims.drop_back(), [](int64_t dim) { return dim != kUnbatched; }))
    return batchMatrices(e, op, operands, dims, results, resultDims);
  SmallVector<Value> folded(operands.drop_back());
  folded.push_back(foldBatch(e, operands.back(), dims.back(), side));
  Value x = cloneWith(e, op, folded, folded.back().getType())->getResult(0);
  RankedTensorType type = withDim(op->getResult(0).getType(), side + 1, e.batchSize);
  // The right hand sides without the batch are absent where only their type is known.
  Value moved = e.moveDim(operands.back(), dims.back(), side + 1);
  results.push_back(e.reshape(x, withShape(type, shapeOf(moved)), e.sizes(moved)));
  resultDims.push_back(side + 1);
  return success();
}

/// The matrices' batch, and the dimension along which equations differ, are loops.
static FactorMap equationsFactorMap(Operation *op, int64_t side) {
  FactorMap map = matricesFactorMap(op, op->getOperands().back());
  map.operands.back()[side] = map.results[0][side] = side;
  return map;
}

LogicalResult TriangularSolveOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  Value a = adaptor.getA(), b = adaptor.getB();
  if (failed(verifySquare(loc, name, a)) || failed(verifyRanks(loc, name, a, b, 0)) ||
      failed(verifyBatches(loc, name, a, b, shapeOf(a).size() - 2)) ||
      failed(verifyEqual(loc, name, "sizes of matrices and right hand sides", shapeOf(a).back(),
                         shapeOf(b).end()[adaptor.getLeftSide() ? -2 : -1])))
    return failure();
  types.push_back(b.getType());
  return success();
}

/// The dimension of b along which the equations differ.
static int64_t sideOf(Value b, bool isLeft) { return shapeOf(b).size() - (isLeft ? 1 : 2); }

LogicalResult TriangularSolveOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                       SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  return batchEquations(e, *this, sideOf(getB(), getLeftSide()), operands, dims, results, resultDims);
}

FactorMap TriangularSolveOp::factorMap() { return equationsFactorMap(*this, sideOf(getB(), getLeftSide())); }

Value TriangularSolveOp::resultSize(Emitter &e, ValueRange, unsigned, int64_t dimension) {
  return e.size(getB(), dimension);
}

LogicalResult LuSolveOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  Value a = adaptor.getA(), lu = adaptor.getLu(), permutation = adaptor.getPermutation(), b = adaptor.getB();
  auto size = [&](StringRef what, Value x, int64_t fromEnd) {
    return verifyEqual(loc, name, what, shapeOf(a).back(), shapeOf(x).end()[fromEnd]);
  };
  if (failed(verifySquare(loc, name, a)) || failed(verifySquare(loc, name, lu)) ||
      failed(verifyRanks(loc, name, a, lu, 0)) || failed(verifyRanks(loc, name, a, permutation, 1)) ||
      failed(verifyRanks(loc, name, a, b, 0)))
    return failure();
  int64_t numBatch = shapeOf(a).size() - 2;
  if (failed(verifyBatches(loc, name, a, lu, numBatch)) ||
      failed(verifyBatches(loc, name, a, permutation, numBatch, false)) ||
      failed(verifyBatches(loc, name, a, b, numBatch)) || failed(size("sizes of matrices and factors", lu, -1)) ||
      failed(size("sizes of matrices and permutations", permutation, -1)) ||
      failed(size("sizes of matrices and right hand sides", b, -2)))
    return failure();
  types.push_back(b.getType());
  return success();
}

LogicalResult LuSolveOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                               SmallVectorImpl<int64_t> &resultDims) {
  return batchEquations(e, *this, sideOf(getB(), true), operands, dims, results, resultDims);
}

FactorMap LuSolveOp::factorMap() { return equationsFactorMap(*this, sideOf(getB(), true)); }

Value LuSolveOp::resultSize(Emitter &e, ValueRange, unsigned, int64_t dimension) { return e.size(getB(), dimension); }

LogicalResult TridiagonalSolveOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                   SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  Value d = adaptor.getD(), b = adaptor.getB();
  if (failed(verifyRank(loc, name, d, 1)) || failed(verifyRanks(loc, name, d, b, -1)) ||
      failed(verifyBatches(loc, name, d, b, shapeOf(d).size() - 1)) ||
      failed(verifyEqual(loc, name, "sizes of matrices and right hand sides", shapeOf(d).back(), shapeOf(b).end()[-2])))
    return failure();
  types.push_back(b.getType());
  return success();
}

LogicalResult TridiagonalSolveOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                        SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  return batchEquations(e, *this, sideOf(getB(), true), operands, dims, results, resultDims);
}

FactorMap TridiagonalSolveOp::factorMap() { return equationsFactorMap(*this, sideOf(getB(), true)); }

Value TridiagonalSolveOp::resultSize(Emitter &e, ValueRange, unsigned, int64_t dimension) {
  return e.size(getB(), dimension);
}

} // namespace dovetail
