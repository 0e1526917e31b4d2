// The scatters: inference, derivatives and batching.
#include "Create.h"
#include "Folding.h"
#include "Index.h"
#include "IndexFolds.h"
#include "IndexRules.h"
#include "Pointwise.h"
#include "Shape.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace dovetail {

LogicalResult inferScatter(std::optional<Location> loc, StringRef name, Value x, Value indices, Value updates,
                           ArrayRef<int64_t> dims, ArrayRef<int64_t> window, SmallVectorImpl<Type> &types) {
  auto xType = cast<RankedTensorType>(x.getType()), updateType = cast<RankedTensorType>(updates.getType());
  auto indexType = cast<RankedTensorType>(indices.getType());
  if (failed(verifyIndices(loc, name, xType, indexType, dims, window)))
    return failure();
  if (updateType.getElementType() != xType.getElementType())
    return emitOptionalError(loc, "'", name, "' op updates must have the operand's element type, got: ", updateType,
                             " and ", xType);
  int64_t numIndexed = indexType.getRank() - 1;
  if (updateType.getRank() != numIndexed + xType.getRank())
    return emitOptionalError(loc, "'", name, "' op updates must have ", numIndexed, " dimensions of indices and ",
                             xType.getRank(), " of a window, got: ", updateType);
  for (int64_t d = 0; d < numIndexed; ++d)
    if (!canBeEqual(updateType.getDimSize(d), indexType.getDimSize(d)))
      return emitOptionalError(loc, "'", name, "' op dimension ", d,
                               " must have one size in indices and updates, got: ", indexType, " and ", updateType);
  Dims sizes(xType.getShape());
  for (auto [dim, size] : llvm::zip_equal(dims, window))
    sizes[dim] = size;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!canBeEqual(updateType.getDimSize(numIndexed + d), size))
      return emitOptionalError(loc, "'", name, "' op updates must have the window's size ", size, " along dimension ",
                               d, " of the operand, got: ", updateType);
  types.push_back(xType);
  return success();
}

bool isOneWindow(Value indices) {
  return llvm::all_of(cast<RankedTensorType>(indices.getType()).getShape().drop_back(),
                      [](int64_t size) { return size == 1; });
}

BatchedScatter batchScatter(Emitter &e, ValueRange operands, ArrayRef<int64_t> batchDims, ArrayRef<int64_t> dims,
                            ArrayRef<int64_t> window) {
  Value indices = operands[1];
  int64_t numIndexed = Emitter::unbatched(indices, batchDims[1]).getRank() - 1;
  BatchedScatter batched;
  batched.x = e.batchAt(operands[0], batchDims[0], 0);
  batched.dims = shiftedByOne(dims);
  batched.window = Dims(window);
  if (batchDims[1] == kUnbatched) {
    // The batch is another dimension of the windows.
    batched.indices = indices;
    batched.updates = e.batchAt(operands[2], batchDims[2], numIndexed);
    return batched;
  }
  batched.indices = withBatchIndex(e, e.moveDim(indices, batchDims[1], 0));
  batched.updates = reshapedAt(e, e.batchAt(operands[2], batchDims[2], 0), 1 + numIndexed, true);
  batched.dims.insert(batched.dims.begin(), 0);
  batched.window.insert(batched.window.begin(), 1);
  return batched;
}

/// The elements of `x` at the windows of a scatter, in the shape of its updates: not all of them may state the sizes of
/// windows.
template <typename Op>
static Value gatherAs(Emitter &e, Op op, Value x, Value indices, Value updates) {
  Value found = e.make<GatherOp>(x, indices, op.getDims(), op.getWindow());
  RankedTensorType type = withElement(updates.getType(), getElementTypeOrSelf(found));
  return found.getType() == type ? found : e.reshape(found, type, e.sizes(updates));
}

//===- scatter_add -----------------------------------------------------------===//

OperandSets ScatterAddOp::linearSets() { return {{0, 2}}; }

LogicalResult ScatterAddOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                      MutableArrayRef<Value> operandCotangents) {
  if (!operands[0])
    operandCotangents[0] = cotangents[0];
  if (!operands[2])
    operandCotangents[2] = gatherAs(e, *this, cotangents[0], operands[1], getUpdates());
  return success();
}

/// Folds an add of a scatter-add into zeros: scatters into the other addend directly.
static LogicalResult addAtOnce(AddOp sum, PatternRewriter &rewriter) {
  for (auto [change, x] : {std::pair(sum.getX(), sum.getY()), std::pair(sum.getY(), sum.getX())}) {
    auto scatter = change.getDefiningOp<ScatterAddOp>();
    Attribute start;
    if (!scatter || !scatter->hasOneUse() || !matchPattern(scatter.getX(), m_Constant(&start)) || !isSplat(start, 0))
      continue;
    rewriter.replaceOpWithNewOp<ScatterAddOp>(sum, x, scatter.getIndices(), scatter.getUpdates(), scatter.getDims(),
                                              scatter.getWindow(), scatter.getUnique());
    return success();
  }
  return failure();
}

void ScatterAddOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(addAtOnce);
  addIndexFolds(patterns);
}

//===- scatter ---------------------------------------------------------------===//

OperandSets ScatterOp::linearSets() { return {{0, 2}}; }

/// Marks the elements of the updates that reach the result and are not overwritten by later ones.
static Value lastUpdates(Emitter &e, ScatterOp op, Value indices) {
  auto updates = op.getUpdates().getType();
  int64_t numIndexed = updates.getRank() - op.getX().getType().getRank();
  Type element = e.builder.getI32Type();
  // Every window is filled with its number; the numbers that remain afterwards belong to the last ones.
  Dims counted(updates.getShape().take_front(numIndexed));
  int64_t count = 1;
  Value countValue = e.make<arith::ConstantIndexOp>(1);
  for (auto [d, size] : llvm::enumerate(counted)) {
    count = ShapedType::isDynamic(size) || ShapedType::isDynamic(count) ? ShapedType::kDynamic : count * size;
    countValue = e.make<arith::MulIOp>(countValue, e.size(indices, d));
  }
  SmallVector<Value> countSizes, batchSizes;
  if (ShapedType::isDynamic(count))
    countSizes.push_back(countValue);
  for (auto [d, size] : llvm::enumerate(counted))
    if (ShapedType::isDynamic(size))
      batchSizes.push_back(e.size(indices, d));
  Value line = e.make<IotaOp>(RankedTensorType::get({count}, element), 0, countSizes);
  Value numbers = e.reshape(line, RankedTensorType::get(counted, element), batchSizes);
  auto numberType = withElement(updates, element);
  Value spread =
      e.broadcast(numbers, llvm::to_vector(llvm::seq<int64_t>(0, numIndexed)), numberType, e.sizes(op.getUpdates()));
  Value nothing = e.zeros(withElement(op.getX().getType(), element), e.sizes(op.getX()));
  Value placed = e.make<ScatterOp>(nothing, indices, spread, op.getDims(), op.getWindow(), false);
  return e.equal(gatherAs(e, op, placed, indices, op.getUpdates()), spread);
}

LogicalResult ScatterOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                   MutableArrayRef<Value> operandCotangents) {
  Value ct = cotangents[0], indices = operands[1];
  if (!operands[0]) {
    Value nothing = e.zeros(getUpdates().getType(), e.sizes(getUpdates()));
    operandCotangents[0] = e.make<ScatterOp>(ct, indices, nothing, getDims(), getWindow(), isUnique());
  }
  if (operands[2])
    return success();
  Value read = gatherAs(e, *this, ct, indices, getUpdates());
  operandCotangents[2] = isUnique() ? read : e.select(lastUpdates(e, *this, indices), read, zero);
  return success();
}

//===- scatter_mul -----------------------------------------------------------===//

OperandSets ScatterMulOp::linearSets() { return {{0}}; }

LogicalResult ScatterMulOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                      MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] =
      e.make<ScatterMulOp>(cotangents[0], operands[1], operands[2], getDims(), getWindow(), getUnique());
  return success();
}

LogicalResult ScatterMulOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Value x = primals[0], indices = primals[1], updates = primals[2];
  results.push_back(e.make<ScatterMulOp>(x, indices, updates, getDims(), getWindow(), getUnique()));
  Value tangent =
      tangents[0] ? e.make<ScatterMulOp>(tangents[0], indices, updates, getDims(), getWindow(), getUnique()) : zero;
  if (tangents[2]) {
    if (!isUnique())
      return emitError() << "no derivative of 'dovetail.scatter_mul' by updates that may overlap; promise unique "
                            "indices if they do not";
    Value read = gatherAs(e, *this, x, indices, updates);
    Value nothing = e.zeros(getX().getType(), e.sizes(x));
    Value change = e.mul(tangents[2], read);
    tangent = e.add(tangent, e.make<ScatterAddOp>(nothing, indices, change, getDims(), getWindow(), true));
  }
  resultTangents.push_back(tangent);
  return success();
}

//===- scatter_min, scatter_max ------------------------------------------------===//

/// Ties share the tangent: it is the mean of those of all that equal the result.
template <typename Op>
static LogicalResult jvpOfExtreme(Op op, Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                  SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Value x = primals[0], indices = primals[1], updates = primals[2];
  ArrayRef<int64_t> dims = op.getDims(), window = op.getWindow();
  Value ans = e.make<Op>(x, indices, updates, dims, window, op.getUnique());
  results.push_back(ans);
  Value found = gatherAs(e, op, ans, indices, updates);
  Value isX = e.equal(x, ans), isUpdate = e.equal(updates, found);
  auto sum = [&](Value ofX, Value ofUpdates) {
    if (!ofX)
      ofX = e.zeros(op.getX().getType(), e.sizes(x));
    return ofUpdates ? e.make<ScatterAddOp>(ofX, indices, ofUpdates, dims, window, op.getUnique()) : ofX;
  };
  Value count = sum(e.select(isX, e.full(x, 1), zero), e.select(isUpdate, e.full(updates, 1), zero));
  Value total = sum(e.select(isX, tangents[0], zero), e.select(isUpdate, tangents[2], zero));
  resultTangents.push_back(e.div(total, count));
  return success();
}

LogicalResult ScatterMinOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpOfExtreme(*this, e, primals, tangents, results, resultTangents);
}

LogicalResult ScatterMaxOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpOfExtreme(*this, e, primals, tangents, results, resultTangents);
}

} // namespace dovetail
