// Triangular, LU and tridiagonal solves, and what else the factors of a matrix give: inference and rules.
#include "Linalg.h"
#include "Matrices.h"
#include "MatrixOps.h"
#include "Reduce.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

/// Checks that two operands have the same element type and batch, of `numBatch` dimensions.
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

/// Collapses a batch that only b, operand `last`, has into the side of b along which its equations differ.
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

/// The batching of an equation: a batch of right-hand sides of one matrix is more right-hand sides of it. `side` is the
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
  // The right-hand sides without the batch are absent if only their type is known.
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
                         shapeOf(b).end()[isSet(adaptor.getLeftSideAttr(), false) ? -2 : -1])))
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

OperandSets TriangularSolveOp::linearSets() { return {{1}}; }

/// op(a) x = b gives op(a) dx = db - op(da) x, and x op(a) = b alike.
LogicalResult TriangularSolveOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents,
                                     SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  bool isLeft = getLeftSide();
  auto solve = [&](Value b) {
    return e.make<TriangularSolveOp>(primals[0], b, isLeft, getLower(), getTransposeA(), getConjugateA(),
                                     getUnitDiagonal());
  };
  Value x = solve(primals[1]);
  Value da = getUnitDiagonal() ? (getLower() ? e.strictlyLower(tangents[0]) : e.strictlyUpper(tangents[0]))
                               : (getLower() ? e.lower(tangents[0]) : e.upper(tangents[0]));
  if (getTransposeA())
    da = e.transposed(da);
  if (getConjugateA())
    da = e.conj(da);
  Value rest = e.sub(tangents[1], isLeft ? e.dot(da, x) : e.dot(x, da));
  results.push_back(x);
  resultTangents.push_back(rest ? solve(rest) : zero);
  return success();
}

LogicalResult TriangularSolveOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                           MutableArrayRef<Value> operandCotangents) {
  operandCotangents[1] = e.make<TriangularSolveOp>(operands[0], cotangents[0], getLeftSide(), getLower(),
                                                   !getTransposeA(), getConjugateA(), getUnitDiagonal());
  return success();
}

/// Checks that `lu` and `permutation` can be the results of `lu` for the matrices `a`.
static LogicalResult verifyFactors(std::optional<Location> loc, StringRef name, Value a, Value lu, Value permutation) {
  auto size = [&](StringRef what, Value x) {
    return verifyEqual(loc, name, what, shapeOf(a).back(), shapeOf(x).back());
  };
  if (failed(verifySquare(loc, name, a)) || failed(verifySquare(loc, name, lu)) ||
      failed(verifyRanks(loc, name, a, lu, 0)) || failed(verifyRanks(loc, name, a, permutation, 1)))
    return failure();
  int64_t numBatch = shapeOf(a).size() - 2;
  return success(succeeded(verifyBatches(loc, name, a, lu, numBatch)) &&
                 succeeded(verifyBatches(loc, name, a, permutation, numBatch, false)) &&
                 succeeded(size("sizes of matrices and factors", lu)) &&
                 succeeded(size("sizes of matrices and permutations", permutation)));
}

LogicalResult LuSolveOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  Value a = adaptor.getA(), b = adaptor.getB();
  if (failed(verifyFactors(loc, name, a, adaptor.getLu(), adaptor.getPermutation())) ||
      failed(verifyRanks(loc, name, a, b, 0)) || failed(verifyBatches(loc, name, a, b, shapeOf(a).size() - 2)) ||
      failed(verifyEqual(loc, name, "sizes of matrices and right hand sides", shapeOf(a).back(), shapeOf(b).end()[-2])))
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

OperandSets LuSolveOp::linearSets() { return {{3}}; }

/// dx = a^-1 (db - da x), with the same factors.
LogicalResult LuSolveOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents,
                             SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  auto solve = [&](Value b) { return e.make<LuSolveOp>(primals[0], primals[1], primals[2], b, getTransposeA()); };
  Value x = solve(primals[3]), da = getTransposeA() ? e.transposed(tangents[0]) : tangents[0];
  Value rest = e.sub(tangents[3], e.dot(da, x));
  results.push_back(x);
  resultTangents.push_back(rest ? solve(rest) : zero);
  return success();
}

LogicalResult LuSolveOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                   MutableArrayRef<Value> operandCotangents) {
  operandCotangents[3] = e.make<LuSolveOp>(operands[0], operands[1], operands[2], cotangents[0], !getTransposeA());
  return success();
}

LogicalResult LuLogDetOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  Value a = adaptor.getA();
  if (failed(verifyFactors(loc, getOperationName(), a, adaptor.getLu(), adaptor.getPermutation())))
    return failure();
  types.push_back(withShape(a.getType(), shapeOf(a).drop_back(2)));
  return success();
}

LogicalResult LuLogDetOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  return batchMatrices(e, *this, operands, dims, results, resultDims);
}

FactorMap LuLogDetOp::factorMap() { return matricesFactorMap(*this, getA()); }

Value LuLogDetOp::resultSize(Emitter &e, ValueRange, unsigned, int64_t dimension) { return e.size(getA(), dimension); }

/// d log det(a) = tr(a^-1 da) (Jacobi's formula). The inverse, which all tangents share, is that of the transpose: its
/// elements are those by which the tangents' are multiplied.
LogicalResult LuLogDetOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents,
                              SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  Value a = primals[0], lu = primals[1], permutation = primals[2];
  results.push_back(e.make<LuLogDetOp>(a, lu, permutation));
  Value inverse = e.make<LuSolveOp>(a, lu, permutation, e.identity(a), /*transpose_a=*/true);
  int64_t rank = Matrices::rankOf(a);
  resultTangents.push_back(e.reduceSum(e.mul(inverse, tangents[0]), {rank - 2, rank - 1}));
  return success();
}

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

OperandSets TridiagonalSolveOp::linearSets() { return {{3}}; }

/// Row i of `x` is row i - `down` of the result, along the last but one dimension or the last one; others are zero.
static Value movedBy(Matrices &e, Value x, int64_t down, int64_t fromEnd) {
  if (!x)
    return x;
  RankedTensorType type = Matrices::typeOf(x);
  SmallVector<int64_t> low(type.getRank(), 0), interior(type.getRank(), 0);
  low[type.getRank() - fromEnd] = down;
  Value none = e.full(RankedTensorType::get({}, type.getElementType()), {}, 0);
  return e.make<PadOp>(type, x, none, low, interior, e.sizes(x));
}

/// The product of a tridiagonal matrix and `x`; a null diagonal is zero.
static Value tridiagonalProduct(Matrices &e, Value dl, Value d, Value du, Value x) {
  auto times = [&](Value diagonal, Value rows) { return diagonal ? e.mul(e.asColumns(diagonal, x), rows) : zero; };
  // The factors of dl[0] and du[m - 1] are zero.
  Value below = dl ? times(dl, movedBy(e, x, 1, 2)) : zero, above = du ? times(du, movedBy(e, x, -1, 2)) : zero;
  return e.add(times(d, x), e.add(below, above));
}

LogicalResult TridiagonalSolveOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents,
                                      SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  auto solve = [&](Value b) {
    return e.make<TridiagonalSolveOp>(primals[0], primals[1], primals[2], b, getPerturbSingular());
  };
  Value x = solve(primals[3]);
  Value rest = e.sub(tangents[3], tridiagonalProduct(e, tangents[0], tangents[1], tangents[2], x));
  results.push_back(x);
  resultTangents.push_back(rest ? solve(rest) : zero);
  return success();
}

LogicalResult TridiagonalSolveOp::transpose(Emitter &plain, ValueRange operands, ArrayRef<Value> cotangents,
                                            MutableArrayRef<Value> operandCotangents) {
  Matrices e(plain);
  operandCotangents[3] = e.make<TridiagonalSolveOp>(
      movedBy(e, operands[2], 1, 1), operands[1], movedBy(e, operands[0], -1, 1), cotangents[0], getPerturbSingular());
  return success();
}

} // namespace dovetail
