// Lowering of reductions: `linalg.generic` with reduction loops.
#include "dialects/Reduce.h"
#include "Accumulators.h"
#include "BroadcastRows.h"
#include "Contraction.h"
#include "Lowering.h"
#include "cpp/iree/Ops.h"
#include "cpp/iree/Quirks.h"
#include "cpp/tensors/MultiplyAdd.h"
#include "cpp/tensors/Target.h"

using namespace mlir;

namespace dovetail {

/// The iterator types of a reduction's loops, and the map to the result's dimensions.
static std::pair<SmallVector<utils::IteratorType>, AffineMap> reductionLoops(Builder &b, int64_t rank,
                                                                             ArrayRef<int64_t> dims) {
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  SmallVector<AffineExpr> kept;
  for (int64_t d = 0; d < rank; ++d) {
    if (llvm::is_contained(dims, d))
      loops[d] = utils::IteratorType::reduction;
    else
      kept.push_back(b.getAffineDimExpr(d));
  }
  return {loops, AffineMap::get(rank, 0, kept, b.getContext())};
}

static SmallVector<OpFoldResult> keptSizes(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> dims) {
  SmallVector<OpFoldResult> kept;
  for (auto [d, size] : llvm::enumerate(sizesOf(b, x)))
    if (!llvm::is_contained(dims, d))
      kept.push_back(size);
  return kept;
}

/// The number of elements that are reduced to one.
static int64_t numReduced(RankedTensorType type, ArrayRef<int64_t> dims) {
  int64_t terms = 1;
  for (int64_t dim : dims)
    if (type.isDynamicDim(dim) || llvm::MulOverflow(terms, type.getDimSize(dim), terms))
      return ShapedType::kDynamic;
  return terms;
}

/// `x`, of the dialect's element type `element`, reduced in one loop nest over `dims` in type `accumulator`, which is
/// that of the result.
static Value reducedAtOnce(ImplicitLocOpBuilder &b, ReduceOpInterface op, Value x, ArrayRef<int64_t> dims, Type element,
                           Type accumulator) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  auto [loops, resultMap] = reductionLoops(b, rank, dims);
  scalar::ScalarBuilder outer(b.getLoc(), b, accumulator);
  Value init = filled(b, keptSizes(b, x, dims), op.emitNeutral(outer));
  auto generic = linalg::GenericOp::create(b, init.getType(), x, init, {b.getMultiDimIdentityMap(rank), resultMap},
                                           loops, [&](OpBuilder &inner, Location loc, ValueRange args) {
                                             scalar::ScalarBuilder source(loc, inner, element);
                                             Value value = scalar::convert(source, args[0], accumulator);
                                             scalar::ScalarBuilder step(loc, inner, accumulator);
                                             linalg::YieldOp::create(step, op.emitStep(step, args[1], value));
                                           });
  return generic.getResult(0);
}

/// `x` with dimensions of sizes `replacement` instead of `count` from `first` on: one for several, or several for one.
static Value reshaped(ImplicitLocOpBuilder &b, Value x, int64_t first, int64_t count, ArrayRef<int64_t> replacement) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape().take_front(first));
  llvm::append_range(shape, replacement);
  llvm::append_range(shape, type.getShape().drop_front(first + count));
  bool isLonger = int64_t(replacement.size()) > count;
  int64_t together = isLonger ? replacement.size() : count;
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0, rank = std::max<int64_t>(shape.size(), type.getRank()); d < rank; ++d)
    if (d > first && d < first + together)
      groups.back().push_back(d);
    else
      groups.push_back({d});
  if (isLonger)
    return tensor::ExpandShapeOp::create(b, withShape(type, shape), x, groups);
  return tensor::CollapseShapeOp::create(b, withShape(type, shape), x, groups);
}

/// The dimension to split, of those to be reduced, and the number of parts, which are reduced concurrently: if there
/// are too few results to occupy several threads. No parts if there is none.
static std::pair<int64_t, int64_t> partsOf(RankedTensorType type, ArrayRef<int64_t> dims) {
  int64_t terms = numReduced(type, dims);
  if (ShapedType::isDynamic(terms) || !type.hasStaticShape())
    return {0, 0};
  if (!terms || !isInParts(terms, type.getNumElements() / terms))
    return {0, 0};
  SmallVector<int64_t> order(dims);
  llvm::sort(order);
  for (int64_t dim : order)
    if (int64_t parts = partsOfReduction(type.getDimSize(dim)))
      return {dim, parts};
  return {0, 0};
}

/// The same as `reducedAtOnce`, in parts if that is faster.
static Value reduced(ImplicitLocOpBuilder &b, ReduceOpInterface op, Value x, ArrayRef<int64_t> dims, Type element,
                     Type accumulator) {
  auto type = cast<RankedTensorType>(x.getType());
  auto [split, parts] = partsOf(type, dims);
  if (!parts)
    return reducedAtOnce(b, op, x, dims, element, accumulator);
  x = reshaped(b, x, split, 1, {parts, type.getDimSize(split) / parts});
  SmallVector<int64_t> inner;
  int64_t kept = split;
  for (int64_t dim : dims) {
    inner.push_back(dim < split ? dim : dim + 1);
    kept -= dim < split;
  }
  Value ofParts = reducedAtOnce(b, op, x, inner, element, accumulator);
  return reducedAtOnce(b, op, ofParts, kept, accumulator, accumulator);
}

namespace {
/// Adjacent reduced dimensions, and their number of elements.
struct Run {
  int64_t first, count, size;
};
} // namespace

static SmallVector<Run> runsOf(RankedTensorType type, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  SmallVector<Run> runs;
  for (int64_t dim : sorted) {
    if (runs.empty() || runs.back().first + runs.back().count != dim)
      runs.push_back({dim, 0, 1});
    ++runs.back().count;
    runs.back().size *= type.getDimSize(dim);
  }
  return runs;
}

/// A reduction over `dims`, of dialect type `element`, in type `sum`; in blocks over dimensions that are not innermost:
/// each is of whole rows, one behind the other, and sums of floats are in the elements' type.
static Value reducedInBlocks(ImplicitLocOpBuilder &b, ReduceOpInterface op, Value x, ArrayRef<int64_t> dims,
                             Type element, Type sum) {
  auto type = cast<RankedTensorType>(x.getType());
  if (!type.hasStaticShape())
    return reduced(b, op, x, dims, element, sum);
  SmallVector<Run> runs = runsOf(type, dims);
  for (auto [first, count, size] : llvm::reverse(runs)) {
    int64_t block = blockAcross(size, type.getShape().drop_front(first + count));
    if (!block)
      continue;
    if (count > 1)
      x = reshaped(b, x, first, count, size);
    x = reshaped(b, x, first, 1, {size / block, block});
    Type narrow = accumulatorType(element);
    Value blocks = reduced(b, op, x, first + 1, element, narrow);
    SmallVector<int64_t> rest = {first};
    for (int64_t dim : dims)
      if (dim < first || dim >= first + count)
        rest.push_back(dim < first ? dim : dim - count + 1);
    return reduced(b, op, blocks, rest, narrow, sum);
  }
  return reduced(b, op, x, dims, element, sum);
}

/// Returns true if a reduction of an array of this type is worth more than one dispatch.
static bool isLarge(ReduceOpInterface op, RankedTensorType type) {
  constexpr int64_t manyElements = 1 << 16;
  return type.hasStaticShape() && type.getNumElements() >= manyElements && Target(op).isCpu();
}

/// Whether the time of a reduction is that of reading an array, which goes faster in the order of its elements.
static bool isFromMemory(ReduceOpInterface op, Value x) {
  constexpr int64_t manyElements = 1 << 20;
  auto type = cast<RankedTensorType>(x.getType());
  return isLarge(op, type) && type.getNumElements() >= manyElements && isStored(x);
}

/// A reduction of `x` over `dims` by `reduce`. If the rows do not consist of whole vectors, the part that does and the
/// remainder are reduced separately.
static Value byVectors(ImplicitLocOpBuilder &b, ReduceOpInterface op, Value x, ArrayRef<int64_t> dims, Type element,
                       function_ref<Value(Value)> reduce) {
  constexpr int64_t longRow = 64, longRowAcross = 128;
  auto type = cast<RankedTensorType>(x.getType());
  int64_t last = type.getRank() - 1;
  bool isAcross = !llvm::is_contained(dims, last);
  int64_t unit = isAcross ? 2 * kLanes : kLanes, least = isAcross ? longRowAcross : longRow;
  if (!isLarge(op, type) || !isStored(x))
    return reduce(x);
  int64_t size = type.getDimSize(last), rest = size % unit;
  if (size < least || rest == 0)
    return reduce(x);
  Value whole = reduce(sliced(b, x, last, 0, size - rest));
  auto result = cast<RankedTensorType>(whole.getType());
  int64_t column = result.getRank() - 1;
  if (isAcross) {
    // The last columns fill a vector together with some that are reduced twice.
    Value others = sliced(b, reduce(sliced(b, x, last, size - unit, unit)), column, unit - rest, rest);
    return tensor::ConcatOp::create(b, column, ValueRange{whole, others});
  }
  Value others = reduce(sliced(b, x, last, size - rest, rest));
  AffineMap map = b.getMultiDimIdentityMap(result.getRank());
  return parallelLoops(b, sizesOf(b, whole), result.getElementType(), {whole, others}, {map, map},
                       [&](OpBuilder &inner, Location loc, ValueRange args) {
                         scalar::ScalarBuilder step(loc, inner, element);
                         return op.emitStep(step, args[0], args[1]);
                       });
}

/// A reduction of `x` over `dims`, of dialect type `element`, in type `accumulator`.
static Value reducedWithin(ImplicitLocOpBuilder &b, ReduceOpInterface op, Value x, ArrayRef<int64_t> dims, Type element,
                           Type accumulator) {
  return byVectors(b, op, x, dims, accumulator, [&](Value x) {
    bool isInBlocks = accumulator != accumulatorType(element) || isFromMemory(op, x);
    return isInBlocks ? reducedInBlocks(b, op, x, dims, element, accumulator)
                      : reduced(b, op, x, dims, element, accumulator);
  });
}

/// The same, for a reduction over rows and outer dimensions: reduces the rows first, since the code generator would
/// otherwise traverse the array in strips.
static Value rowsFirst(ImplicitLocOpBuilder &b, ReduceOpInterface op, Value x, Type element, Type accumulator) {
  constexpr int64_t longRow = 16;
  auto type = cast<RankedTensorType>(x.getType());
  ArrayRef<int64_t> dims = op.getDims();
  if (isLarge(op, type)) {
    SmallVector<Run> runs = runsOf(type, dims);
    Run rows = runs.back();
    if (runs.size() > 1 && rows.first + rows.count == type.getRank() && rows.size >= longRow) {
      SmallVector<int64_t> outer, inner;
      for (int64_t dim : dims)
        (dim < rows.first ? outer : inner).push_back(dim);
      Value ofRows = reducedWithin(b, op, x, inner, element, accumulator);
      return reducedWithin(b, op, ofRows, outer, accumulator, accumulator);
    }
  }
  return reducedWithin(b, op, x, dims, element, accumulator);
}

/// A complex sum by its parts, in type `accumulator`.
static Value sumOfParts(ImplicitLocOpBuilder &b, ReduceOpInterface op, Value x, ComplexType element, Type accumulator) {
  Type real = element.getElementType();
  return joined(b, element, [&](bool isImaginary) {
    Value part = mapElements(b, x, real, [&](OpBuilder &inner, Location loc, Value value) {
      scalar::ScalarBuilder builder(loc, inner, element);
      return isImaginary ? scalar::imag(builder, value) : scalar::real(builder, value);
    });
    return converted(b, rowsFirst(b, op, part, real, accumulator), accumulator, real);
  });
}

/// Returns true for an array whose rows are sums of vectors: what it is computed from is read in the order of its own
/// elements, and it is no product. Of a product the code generator takes the sum for a contraction, which it computes
/// element by element if the accumulator has the same type.
static bool hasRowsOfVectors(Value x) {
  Operation *op = x.getDefiningOp();
  if (!isa_and_nonnull<linalg::LinalgOp>(op))
    return isStored(x);
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || isa_and_nonnull<arith::MulFOp>(generic.getBody()->getTerminator()->getOperand(0).getDefiningOp()))
    return false;
  for (OpOperand *input : generic.getDpsInputOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(input);
    if (map.isIdentity() ? !isStored(input->get()) : map.isFunctionOfDim(map.getNumDims() - 1))
      return false;
  }
  return true;
}

Value lowerReduce(ImplicitLocOpBuilder &b, ReduceOpInterface op, Value x) {
  Type element = getElementTypeOrSelf(op->getOperand(0));
  auto type = cast<RankedTensorType>(x.getType());
  if (type.hasStaticShape() && type.getNumElements() == 0) {
    scalar::ScalarBuilder outer(b.getLoc(), b, element);
    return filledAlone(b, keptSizes(b, x, op.getDims()), op.emitNeutral(outer));
  }
  bool isShort = type.hasStaticShape() && type.getNumElements() <= kMostOfShortSum;
  if (isa<LinearOpInterface>(*op) && !isShort)
    x = unrounded(b, x);
  int64_t terms = numReduced(type, op.getDims());
  Type narrow = reductionType(op, element, terms);
  if (Value reduced = reducedFromFewer(b, op, x, element, narrow))
    return converted(b, reduced, narrow, element);
  bool isRow = op.getDims() == ArrayRef<int64_t>(type.getRank() - 1) && isa<FloatType>(element) && hasRowsOfVectors(x);
  Type accumulator = reductionType(op, element, terms, isRow);
  if (auto complex = dyn_cast<ComplexType>(element))
    if (Type part = reductionType(op, complex.getElementType(), terms); part != complex.getElementType())
      return sumOfParts(b, op, x, complex, part);
  return converted(b, rowsFirst(b, op, x, element, accumulator), accumulator, element);
}

SmallVector<Value, 2> extremeOf(scalar::ScalarBuilder &b, bool isMaximum, Indexed best, Indexed candidate) {
  Value isBetter =
      isMaximum ? scalar::less(b, best.value, candidate.value) : scalar::less(b, candidate.value, best.value);
  Value isTie = scalar::equal(b, candidate.value, best.value);
  if (isa<FloatType>(b.elementType)) {
    Value isNan = scalar::notEqual(b, candidate.value, candidate.value);
    Value wasNan = scalar::notEqual(b, best.value, best.value);
    isBetter = scalar::bitOr(b, isBetter, scalar::bitAnd(b, isNan, scalar::bitNot(b, wasNan)));
    isTie = scalar::bitOr(b, isTie, scalar::bitAnd(b, isNan, wasNan));
  }
  Value isEarlier = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, candidate.index, best.index);
  Value take = scalar::bitOr(b, isBetter, scalar::bitAnd(b, isTie, isEarlier));
  return {scalar::select(b, take, candidate.value, best.value), scalar::select(b, take, candidate.index, best.index)};
}

namespace {

/// The first place in each row of the row's extreme, which is NaN if it has one, as elements of `index`. The extremes
/// come first: vectors find those, and then their places, while a pair of both is carried element by element.
Value placesOfExtremes(ImplicitLocOpBuilder &b, Value x, Type element, Type index, bool isMaximum) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rank = type.getRank(), row = rank - 1;
  Type place = b.getIntegerType(llvm::isInt<32>(type.getDimSize(row)) ? 32 : 64);
  auto [loops, rows] = reductionLoops(b, rank, row);
  AffineMap all = b.getMultiDimIdentityMap(rank);
  SmallVector<OpFoldResult> sizes = keptSizes(b, x, row);
  scalar::ScalarBuilder values(b.getLoc(), b, element);
  Value worst = filled(b, sizes, isMaximum ? scalar::lowest(values) : scalar::highest(values));
  auto extremes = linalg::GenericOp::create(
      b, worst.getType(), x, worst, {all, rows}, loops, [&](OpBuilder &inner, Location loc, ValueRange args) {
        scalar::ScalarBuilder step(loc, inner, element);
        Value extreme = isMaximum ? scalar::max(step, args[1], args[0]) : scalar::min(step, args[1], args[0]);
        linalg::YieldOp::create(step, extreme);
      });
  scalar::ScalarBuilder ofPlaces(b.getLoc(), b, place);
  Value none = filled(b, sizes, scalar::highest(ofPlaces));
  auto found = linalg::GenericOp::create(
      b, none.getType(), ValueRange{x, extremes.getResult(0)}, none, {all, rows, rows}, loops,
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        scalar::ScalarBuilder step(loc, inner, element);
        Value isExtreme = scalar::equal(step, args[0], args[1]);
        if (isa<FloatType>(element))
          isExtreme = scalar::bitOr(step, isExtreme, scalar::notEqual(step, args[0], args[0]));
        scalar::ScalarBuilder ofPlaces(loc, inner, place);
        Value here = arith::IndexCastOp::create(step, place, linalg::IndexOp::create(step, row));
        here = arith::SelectOp::create(step, isExtreme, here, scalar::highest(ofPlaces));
        linalg::YieldOp::create(step, scalar::min(ofPlaces, args[2], here));
      });
  return converted(b, found.getResult(0), place, index);
}

/// Carries the extreme element and its index.
template <typename Op, bool isMaximum>
struct ArgReduceLowering : LowerOpInterface::ExternalModel<ArgReduceLowering<Op, isMaximum>, Op> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto arg = cast<Op>(op);
    Value x = operands[0];
    Type element = getElementTypeOrSelf(arg.getX());
    Type indexElement = getElementTypeOrSelf(arg.getAns());
    int64_t dimension = arg.getDimension(), rank = cast<RankedTensorType>(x.getType()).getRank();
    constexpr int64_t longRow = 32;
    bool isByRows = dimension == rank - 1 && Target(op).isCpu();
    if (isByRows && cast<RankedTensorType>(x.getType()).getDimSize(dimension) >= longRow) {
      results.push_back(placesOfExtremes(b, x, element, indexElement, isMaximum));
      return success();
    }
    auto [loops, resultMap] = reductionLoops(b, rank, dimension);
    SmallVector<OpFoldResult> sizes = keptSizes(b, x, dimension);
    scalar::ScalarBuilder values(b.getLoc(), b, element);
    Value worst = isMaximum ? scalar::lowest(values) : scalar::highest(values);
    scalar::ScalarBuilder indices(b.getLoc(), b, indexElement);
    Value initValue = filled(b, sizes, worst), initIndex = filled(b, sizes, scalar::zero(indices));
    auto generic = linalg::GenericOp::create(
        b, TypeRange{initValue.getType(), initIndex.getType()}, x, ValueRange{initValue, initIndex},
        {b.getMultiDimIdentityMap(rank), resultMap, resultMap}, loops,
        [&](OpBuilder &inner, Location loc, ValueRange args) {
          scalar::ScalarBuilder builder(loc, inner, element);
          Value index = linalg::IndexOp::create(builder, dimension);
          index = arith::IndexCastOp::create(builder, args[2].getType(), index);
          linalg::YieldOp::create(builder, extremeOf(builder, isMaximum, {args[1], args[2]}, {args[0], index}));
        });
    results.push_back(generic.getResult(1));
    return success();
  }
};

} // namespace

void attachReduceLowerings(MLIRContext *context) {
  ArgmaxOp::attachInterface<ArgReduceLowering<ArgmaxOp, true>>(*context);
  ArgminOp::attachInterface<ArgReduceLowering<ArgminOp, false>>(*context);
}

} // namespace dovetail
