// The general contraction: inference, transposes, batching and factor map.
#include "Dot.h"
#include "Collective.h"
#include "Folding.h"
#include "Inference.h"
#include "Pointwise.h"
#include "Reduce.h"
#include "Shape.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Dot.cpp.inc"

namespace dovetail {

void registerDotOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Dot.cpp.inc"
      >();
}

using Dims = SmallVector<int64_t>;

/// The dimensions that are in neither list, increasing.
static Dims freeDims(Value x, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract) {
  Dims dims;
  for (int64_t d = 0; d < cast<RankedTensorType>(x.getType()).getRank(); ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
      dims.push_back(d);
  return dims;
}

LogicalResult DotGeneralOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(loc, "'dovetail.dot_general' op operands must have one element type, got: ", lhs, " and ",
                             rhs);
  auto check = [&](StringRef side, RankedTensorType type, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract) {
    Dims dims(batch);
    llvm::append_range(dims, contract);
    std::string what = (side + " batch and contracting dimensions").str();
    return verifyDims(loc, getOperationName(), what, dims, type.getRank(), false);
  };
  if (failed(check("left", lhs, adaptor.getLhsBatch(), adaptor.getLhsContract())) ||
      failed(check("right", rhs, adaptor.getRhsBatch(), adaptor.getRhsContract())))
    return failure();
  auto match = [&](StringRef kind, ArrayRef<int64_t> left, ArrayRef<int64_t> right) -> LogicalResult {
    if (left.size() != right.size())
      return emitOptionalError(loc, "'dovetail.dot_general' op must have as many ", kind,
                               " dimensions left and right, got: ", left.size(), " and ", right.size());
    for (auto [l, r] : llvm::zip_equal(left, right))
      if (!canBeEqual(lhs.getDimSize(l), rhs.getDimSize(r)))
        return emitOptionalError(loc, "'dovetail.dot_general' op ", kind, " sizes must match, got: ", lhs.getDimSize(l),
                                 " and ", rhs.getDimSize(r));
    return success();
  };
  if (failed(match("batch", adaptor.getLhsBatch(), adaptor.getRhsBatch())) ||
      failed(match("contracting", adaptor.getLhsContract(), adaptor.getRhsContract())))
    return failure();
  Dims shape;
  for (auto [l, r] : llvm::zip_equal(adaptor.getLhsBatch(), adaptor.getRhsBatch()))
    shape.push_back(lhs.isDynamicDim(l) ? rhs.getDimSize(r) : lhs.getDimSize(l));
  for (int64_t dim : freeDims(adaptor.getLhs(), adaptor.getLhsBatch(), adaptor.getLhsContract()))
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : freeDims(adaptor.getRhs(), adaptor.getRhsBatch(), adaptor.getRhsContract()))
    shape.push_back(rhs.getDimSize(dim));
  std::optional<Type> element = adaptor.getElement();
  types.push_back(RankedTensorType::get(shape, element ? *element : lhs.getElementType()));
  return success();
}

OperandSets DotGeneralOp::linearSets() { return {{0}, {1}}; }

/// The cotangent of one side: the result's cotangent contracted with the other side over that side's free dimensions.
/// `ctFree` are the dimensions of the cotangent that stem from the other side.
static Value cotangentOf(Emitter &e, Value x, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract, Value other,
                         ArrayRef<int64_t> otherBatch, ArrayRef<int64_t> otherContract, Value ct,
                         ArrayRef<int64_t> ctFree) {
  Type element = getElementTypeOrSelf(x), ctElement = getElementTypeOrSelf(ct);
  int64_t numBatch = batch.size();
  Value product = e.make<DotGeneralOp>(ct, e.convert(other, ctElement), range(0, numBatch), Dims(otherBatch),
                                       Dims(ctFree), freeDims(other, otherBatch, otherContract), TypeAttr());
  // Its dimensions: batch, the free ones of x, and the contracting ones in the order the other side has them.
  Dims position(cast<RankedTensorType>(x.getType()).getRank());
  int64_t next = 0;
  for (int64_t dim : batch)
    position[dim] = next++;
  for (int64_t dim : freeDims(x, batch, contract))
    position[dim] = next++;
  Dims order = range(0, contract.size());
  llvm::sort(order, [&](int64_t i, int64_t j) { return otherContract[i] < otherContract[j]; });
  for (int64_t i : order)
    position[contract[i]] = next++;
  return e.convert(e.transpose(product, position), element);
}

LogicalResult DotGeneralOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                      MutableArrayRef<Value> operandCotangents) {
  int64_t numBatch = getLhsBatch().size();
  int64_t leftFree = freeDims(getLhs(), getLhsBatch(), getLhsContract()).size();
  int64_t rightFree = freeDims(getRhs(), getRhsBatch(), getRhsContract()).size();
  if (!operands[0])
    operandCotangents[0] =
        cotangentOf(e, getLhs(), getLhsBatch(), getLhsContract(), operands[1], getRhsBatch(), getRhsContract(),
                    cotangents[0], range(numBatch + leftFree, numBatch + leftFree + rightFree));
  else
    operandCotangents[1] = cotangentOf(e, getRhs(), getRhsBatch(), getRhsContract(), operands[0], getLhsBatch(),
                                       getLhsContract(), cotangents[0], range(numBatch, numBatch + leftFree));
  return success();
}

LogicalResult DotGeneralOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                  SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  Dims lhsBatch = shifted(getLhsBatch(), dims[0]), rhsBatch = shifted(getRhsBatch(), dims[1]);
  Dims lhsContract = shifted(getLhsContract(), dims[0]), rhsContract = shifted(getRhsContract(), dims[1]);
  int64_t position = 0;
  if (dims[0] != kUnbatched && dims[1] != kUnbatched) {
    lhsBatch.insert(lhsBatch.begin(), dims[0]);
    rhsBatch.insert(rhsBatch.begin(), dims[1]);
  } else {
    // A batch of one side alone is another free dimension of that side.
    bool isLeft = dims[0] != kUnbatched;
    Dims left = freeDims(operands[0], lhsBatch, lhsContract), right = freeDims(operands[1], rhsBatch, rhsContract);
    position = lhsBatch.size() + (isLeft ? llvm::find(left, dims[0]) - left.begin()
                                         : left.size() + (llvm::find(right, dims[1]) - right.begin()));
  }
  results.push_back(
      e.make<DotGeneralOp>(operands[0], operands[1], lhsBatch, rhsBatch, lhsContract, rhsContract, getElementAttr()));
  resultDims.push_back(position);
  return success();
}

/// A transpose that only exchanges the two sides' free dimensions is the contraction with its sides exchanged.
static LogicalResult exchangeSides(TransposeOp op, PatternRewriter &rewriter) {
  auto dot = op.getX().getDefiningOp<DotGeneralOp>();
  if (!dot || !dot->hasOneUse() || isToBePartitioned(op))
    return failure();
  int64_t numBatch = dot.getLhsBatch().size();
  int64_t numLeft = freeDims(dot.getLhs(), dot.getLhsBatch(), dot.getLhsContract()).size();
  int64_t rank = op.getType().getRank();
  Dims exchanged = range(0, numBatch);
  llvm::append_range(exchanged, range(numBatch + numLeft, rank));
  llvm::append_range(exchanged, range(numBatch, numBatch + numLeft));
  if (op.getPermutation() != ArrayRef<int64_t>(exchanged))
    return failure();
  rewriter.replaceOpWithNewOp<DotGeneralOp>(op, dot.getRhs(), dot.getLhs(), dot.getRhsBatch(), dot.getLhsBatch(),
                                            dot.getRhsContract(), dot.getLhsContract(), dot.getElementAttr());
  return success();
}

/// The operand that `x` broadcasts along dimension `dim`; or null.
static Value repeatedAlong(Value x, int64_t dim, PatternRewriter &rewriter) {
  auto repeat = x.getDefiningOp<BroadcastOp>();
  if (!repeat || llvm::is_contained(repeat.getDims(), dim))
    return nullptr;
  RankedTensorType type = Emitter::unbatched(repeat, dim);
  Dims dims = llvm::map_to_vector(repeat.getDims(), [&](int64_t d) { return d > dim ? d - 1 : d; });
  SmallVector<Value> sizes(repeat.getSizes());
  if (repeat.getType().isDynamicDim(dim))
    sizes.erase(sizes.begin() + llvm::count_if(repeat.getType().getShape().take_front(dim), ShapedType::isDynamic));
  return Emitter(rewriter, repeat.getLoc()).broadcast(repeat.getX(), dims, type, sizes);
}

/// The dimensions without `dim`, which the operand has lost if `isDropped`.
static Dims withoutDim(ArrayRef<int64_t> dims, int64_t dim, bool isDropped) {
  Dims left;
  for (int64_t d : dims)
    if (d != dim)
      left.push_back(isDropped && d > dim ? d - 1 : d);
  return left;
}

/// Turns a batch dimension along which one side is broadcast into a free dimension of the other.
static LogicalResult dropRepeatedBatch(DotGeneralOp op, PatternRewriter &rewriter) {
  for (auto [k, l, r] : llvm::enumerate(op.getLhsBatch(), op.getRhsBatch())) {
    if (op.getLhs().getType().getDimSize(l) != op.getRhs().getType().getDimSize(r))
      continue;
    Value lhs = repeatedAlong(op.getLhs(), l, rewriter), rhs = lhs ? Value() : repeatedAlong(op.getRhs(), r, rewriter);
    if (!lhs && !rhs)
      continue;
    bool isLeft = bool(lhs);
    Dims lhsBatch = withoutDim(op.getLhsBatch(), l, isLeft), rhsBatch = withoutDim(op.getRhsBatch(), r, !isLeft);
    Dims lhsContract = withoutDim(op.getLhsContract(), l, isLeft);
    Dims rhsContract = withoutDim(op.getRhsContract(), r, !isLeft);
    lhs = isLeft ? lhs : Value(op.getLhs());
    rhs = isLeft ? Value(op.getRhs()) : rhs;
    Dims left = freeDims(lhs, lhsBatch, lhsContract), right = freeDims(rhs, rhsBatch, rhsContract);
    int64_t position = lhsBatch.size() + (isLeft ? left.size() + (llvm::find(right, r) - right.begin())
                                                 : llvm::find(left, l) - left.begin());
    Emitter e(rewriter, op.getLoc());
    Value dot = e.make<DotGeneralOp>(lhs, rhs, lhsBatch, rhsBatch, lhsContract, rhsContract, op.getElementAttr());
    rewriter.replaceOp(op, e.moveDim(dot, position, k));
    return success();
  }
  return failure();
}

static bool isZero(Value x) {
  if (auto repeat = x.getDefiningOp<BroadcastOp>())
    x = repeat.getX();
  Attribute value;
  return matchPattern(x, m_Constant(&value)) && isSplat(value, 0);
}

/// `x` where `p` holds, which is given for its dimensions `dims`, and zero elsewhere.
static Value zeroElsewhere(Emitter &e, Value p, ArrayRef<int64_t> dims, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  Type element = getElementTypeOrSelf(p);
  return e.select(e.broadcast(p, dims, withElement(type, element), e.sizes(x)), x, e.zerosLike(x));
}

/// Turns a sum over a batch dimension into a contraction. This also holds if only some elements of the batch count:
/// both sides are zero in the others, so that not even infinities contribute.
static LogicalResult contractSummedBatch(ReduceSumOp op, PatternRewriter &rewriter) {
  Value x = op.getX();
  auto chosen = x.getDefiningOp<SelectOp>();
  if (chosen)
    x = chosen.getX();
  auto dot = x.getDefiningOp<DotGeneralOp>();
  if (!dot || !dot->hasOneUse() || (chosen && (!chosen->hasOneUse() || !isZero(chosen.getY()))))
    return failure();
  int64_t numBatch = dot.getLhsBatch().size();
  auto isBatch = [&](int64_t dim) { return dim < numBatch; };
  if (op.getDims().empty() || !llvm::all_of(op.getDims(), isBatch))
    return failure();
  auto mask = chosen ? chosen.getP().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (chosen && (!mask || !llvm::all_of(mask.getDims(), isBatch)))
    return failure();
  Emitter e(rewriter, op.getLoc());
  Value lhs = dot.getLhs(), rhs = dot.getRhs();
  if (mask)
    for (auto [side, batch] : {std::pair(&lhs, dot.getLhsBatch()), std::pair(&rhs, dot.getRhsBatch())})
      *side = zeroElsewhere(e, mask.getX(), llvm::map_to_vector(mask.getDims(), [&](int64_t d) { return batch[d]; }),
                            *side);
  Dims lhsBatch, rhsBatch, lhsContract(dot.getLhsContract()), rhsContract(dot.getRhsContract());
  for (auto [k, l, r] : llvm::enumerate(dot.getLhsBatch(), dot.getRhsBatch())) {
    bool isSummed = llvm::is_contained(op.getDims(), int64_t(k));
    (isSummed ? lhsContract : lhsBatch).push_back(l);
    (isSummed ? rhsContract : rhsBatch).push_back(r);
  }
  rewriter.replaceOp(
      op, e.make<DotGeneralOp>(lhs, rhs, lhsBatch, rhsBatch, lhsContract, rhsContract, dot.getElementAttr()));
  return success();
}

/// Whether `m` is the largest of the elements of `z` along the dimensions other than `kept`, or no less.
static bool isMaximum(Value m, Value z, ArrayRef<int64_t> kept) {
  if (auto larger = m.getDefiningOp<MaxOp>())
    return isMaximum(larger.getX(), z, kept) || isMaximum(larger.getY(), z, kept);
  auto largest = m.getDefiningOp<ReduceMaxOp>();
  return largest && largest.getX() == z && freeDims(z, largest.getDims(), {}) == Dims(kept);
}

/// The sums of the weights `x`, for the dimensions `dims`, if these are the quotients of exponential functions by their
/// sums: the largest of these, at least in theory, is 1. Or null.
static Value sumOfWeights(Value x, Dims &dims) {
  auto quotient = x.getDefiningOp<DivOp>();
  auto repeated = quotient ? quotient.getY().getDefiningOp<BroadcastOp>() : BroadcastOp();
  auto sum = repeated ? repeated.getX().getDefiningOp<ReduceSumOp>() : ReduceSumOp();
  if (!sum || sum.getX() != quotient.getX() || freeDims(sum.getX(), sum.getDims(), {}) != Dims(repeated.getDims()))
    return nullptr;
  auto terms = quotient.getX().getDefiningOp<ExpOp>();
  auto shifted = terms ? terms.getX().getDefiningOp<SubOp>() : SubOp();
  auto shift = shifted ? shifted.getY().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!shift || shift.getDims() != repeated.getDims() || !isMaximum(shift.getX(), shifted.getX(), shift.getDims()))
    return nullptr;
  dims = Dims(repeated.getDims());
  return sum;
}

static int64_t sizeOf(Value x, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t d : dims) {
    int64_t extent = cast<RankedTensorType>(x.getType()).getDimSize(d);
    if (ShapedType::isDynamic(extent))
      return extent;
    size *= extent;
  }
  return size;
}

/// Divides a sum with the weights of a softmax after it has been taken, so that the weights need no array of their own.
/// The terms are at most 1, and so are no less exact than their quotients; the range of f16 is too small for their sum.
static LogicalResult divideAfterProduct(DotGeneralOp op, PatternRewriter &rewriter) {
  Type element = op.getType().getElementType();
  if (op.getElementAttr() || element.isF16() || !isa<FloatType>(element))
    return failure();
  Dims left = freeDims(op.getLhs(), op.getLhsBatch(), op.getLhsContract());
  Dims right = freeDims(op.getRhs(), op.getRhsBatch(), op.getRhsContract());
  for (bool isLeft : {true, false}) {
    Value side = isLeft ? op.getLhs() : op.getRhs();
    ArrayRef<int64_t> batch = isLeft ? op.getLhsBatch() : op.getRhsBatch();
    Dims dims, contract(isLeft ? op.getLhsContract() : op.getRhsContract());
    Value sums = side.hasOneUse() ? sumOfWeights(side, dims) : nullptr;
    if (!sums || llvm::any_of(dims, [&](int64_t d) { return llvm::is_contained(contract, d); }))
      continue;
    int64_t depth = sizeOf(side, contract), width = isLeft ? sizeOf(op.getRhs(), right) : sizeOf(op.getLhs(), left);
    if (!ShapedType::isDynamic(depth) && !ShapedType::isDynamic(width) && depth < width)
      continue;
    // Dimensions of the side in the result, where they are in the same order.
    Dims places = llvm::map_to_vector(dims, [&](int64_t d) -> int64_t {
      if (auto *found = llvm::find(batch, d); found != batch.end())
        return found - batch.begin();
      const Dims &free = isLeft ? left : right;
      return batch.size() + (isLeft ? 0 : left.size()) + (llvm::find(free, d) - free.begin());
    });
    if (!llvm::is_sorted(places))
      continue;
    Emitter e(rewriter, op.getLoc());
    Value terms = side.getDefiningOp<DivOp>().getX();
    Value product =
        e.make<DotGeneralOp>(isLeft ? terms : Value(op.getLhs()), isLeft ? Value(op.getRhs()) : terms, op.getLhsBatch(),
                             op.getRhsBatch(), op.getLhsContract(), op.getRhsContract(), TypeAttr());
    rewriter.replaceOp(op, e.div(product, e.broadcast(sums, places, op.getType(), e.sizes(product))));
    return success();
  }
  return failure();
}

void DotGeneralOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(divideAfterProduct);
  patterns.add(exchangeSides);
  patterns.add(dropRepeatedBatch);
  patterns.add(contractSummedBatch);
}

FactorMap DotGeneralOp::factorMap() {
  FactorMap map;
  Dims lhs(getLhs().getType().getRank()), rhs(getRhs().getType().getRank()), result;
  int64_t next = 0;
  for (auto [l, r] : llvm::zip_equal(getLhsBatch(), getRhsBatch()))
    result.push_back(lhs[l] = rhs[r] = next++);
  for (int64_t dim : freeDims(getLhs(), getLhsBatch(), getLhsContract()))
    result.push_back(lhs[dim] = next++);
  for (int64_t dim : freeDims(getRhs(), getRhsBatch(), getRhsContract()))
    result.push_back(rhs[dim] = next++);
  for (auto [l, r] : llvm::zip_equal(getLhsContract(), getRhsContract()))
    map.reduced.push_back(lhs[l] = rhs[r] = next++);
  map.combiner = FactorMap::Combiner::Sum;
  map.operands = {lhs, rhs};
  map.results = {result};
  return map;
}

/// Makes the operand of a contraction that of the transposition which it is a result of.
static void absorbTransposition(DotGeneralOp op, bool isLeft) {
  auto transpose = op->getOperand(isLeft ? 0 : 1).getDefiningOp<TransposeOp>();
  if (!transpose)
    return;
  ArrayRef<int64_t> batch = isLeft ? op.getLhsBatch() : op.getRhsBatch(),
                    contract = isLeft ? op.getLhsContract() : op.getRhsContract(), order = transpose.getPermutation();
  SmallVector<int64_t> free;
  for (auto [d, from] : llvm::enumerate(order))
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
      free.push_back(from);
  if (!llvm::is_sorted(free))
    return;
  auto before = [&](ArrayRef<int64_t> dims) { return llvm::map_to_vector(dims, [&](int64_t d) { return order[d]; }); };
  SmallVector<int64_t> newBatch = before(batch), newContract = before(contract);
  op->setOperand(isLeft ? 0 : 1, transpose.getX());
  if (isLeft) {
    op.setLhsBatch(newBatch);
    op.setLhsContract(newContract);
  } else {
    op.setRhsBatch(newBatch);
    op.setRhsContract(newContract);
  }
  if (transpose->use_empty())
    transpose->erase();
}

void absorbTranspositions(Operation *root) {
  root->walk([](DotGeneralOp op) {
    for (bool isLeft : {true, false})
      absorbTransposition(op, isLeft);
  });
}

} // namespace dovetail
