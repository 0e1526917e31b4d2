// Linear ops that move elements: verification, inference, transposes, batching and factor maps.
#include "Shape.h"
#include "CollectiveRules.h"
#include "Create.h"
#include "Folding.h"
#include "Inference.h"
#include "Parts.h"
#include "Pointwise.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Shape.cpp.inc"

namespace dovetail {

void registerShapeOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Shape.cpp.inc"
      >();
}

static LogicalResult sameElement(Operation *op, Type x, Type ans) {
  if (getElementTypeOrSelf(x) != getElementTypeOrSelf(ans))
    return op->emitOpError() << "must keep the element type, got: " << x << " and " << ans;
  return success();
}

/// The number of factors of the operand's dimensions, for factor maps in which the result has some of its own.
static FactorMap oneToOne(Operation *op, ArrayRef<int64_t> result, unsigned rank) {
  FactorMap map;
  map.operands.push_back(range(0, rank));
  map.operands.resize(op->getNumOperands());
  map.results.emplace_back(result);
  return map;
}

//===- reshape ---------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  auto from = getX().getType(), to = getType();
  if (failed(sameElement(*this, from, to)) || failed(verifySizes(*this, to, getSizes())))
    return failure();
  if (from.hasStaticShape() && to.hasStaticShape() && from.getNumElements() != to.getNumElements())
    return emitOpError() << "must keep the number of elements, got: " << from << " and " << to;
  return success();
}

OperandSets ReshapeOp::linearSets() { return {{0}}; }

LogicalResult ReshapeOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                   MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.reshape(cotangents[0], getX().getType(), e.sizes(getX()));
  return success();
}

LogicalResult ReshapeOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                               SmallVectorImpl<int64_t> &resultDims) {
  Value x = e.moveDim(operands[0], dims[0], 0);
  SmallVector<Value> sizes = e.sizesWithBatch(getType(), operands.drop_front(), 0);
  results.push_back(e.reshape(x, withDim(getType(), 0, e.batchSize), sizes));
  resultDims.push_back(0);
  return success();
}

SmallVector<DimGroup> dimGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<DimGroup> groups;
  auto isKnown = [](int64_t size) { return size > 0; };
  if (!llvm::all_of(from, isKnown) || !llvm::all_of(to, isKnown))
    return groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    if (from[i] != to[j] && (from[i] == 1 || to[j] == 1)) {
      ++(from[i] == 1 ? i : j);
      continue;
    }
    DimGroup &group = groups.emplace_back(DimGroup{i, i + 1, j, j + 1});
    int64_t elements = from[i], others = to[j];
    while (elements != others)
      if (elements < others)
        elements *= from[group.fromEnd++];
      else
        others *= to[group.toEnd++];
    i = group.fromEnd;
    j = group.toEnd;
  }
  return groups;
}

FactorMap ReshapeOp::factorMap() {
  ArrayRef<int64_t> from = getX().getType().getShape(), to = getType().getShape();
  SmallVector<int64_t> result(to.size(), FactorMap::kNone);
  // The leading dimensions of a group have one factor.
  for (const DimGroup &group : dimGroups(from, to))
    result[group.to] = group.from;
  // If not all sizes are known, the known ones at both ends that are equal have one.
  auto same = [](int64_t a, int64_t b) { return a == b && !ShapedType::isDynamic(a); };
  size_t head = 0, tail = 0, common = std::min(from.size(), to.size());
  for (; head < common && same(from[head], to[head]); ++head)
    result[head] = head;
  for (; tail < common - head && same(from[from.size() - 1 - tail], to[to.size() - 1 - tail]); ++tail)
    result[to.size() - 1 - tail] = from.size() - 1 - tail;
  return oneToOne(*this, result, from.size());
}

std::optional<Count> ReshapeOp::count(Counting &counting, Places places) {
  // Dimensions of size 1 come and go.
  auto others = [](RankedTensorType type) {
    auto all = llvm::seq<int64_t>(0, type.getRank());
    return llvm::filter_to_vector(all, [&](int64_t d) { return type.getDimSize(d) != 1; });
  };
  auto type = cast<RankedTensorType>(getX().getType());
  SmallVector<int64_t> from = others(type), to = others(getType());
  if (from.size() != to.size())
    return std::nullopt;
  SmallVector<std::optional<int64_t>> own(type.getRank(), 0);
  for (auto [before, after] : llvm::zip_equal(from, to)) {
    if (type.getDimSize(before) != getType().getDimSize(after))
      return std::nullopt;
    own[before] = places[after];
  }
  std::optional<Count> count = counting.of(getX(), own);
  if (count && count->dim)
    count->dim = to[llvm::find(from, *count->dim) - from.begin()];
  return count;
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType() && getType().hasStaticShape())
    return getX();
  if (OpFoldResult splat = resplat(adaptor.getX(), getType()))
    return splat;
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX()); dense && getType().hasStaticShape())
    return dense.reshape(getType());
  return {};
}

/// reshape(reshape(x)) is one reshape.
static LogicalResult mergeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getX().getDefiningOp<ReshapeOp>();
  if (!inner)
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getXMutable().assign(inner.getX()); });
  return success();
}

/// A reshape of a broadcast is a broadcast if it leaves the dimensions alone that the operand has.
static LogicalResult reshapeRepeated(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getX().getDefiningOp<BroadcastOp>();
  if (!inner || !inner.getType().hasStaticShape() || !op.getType().hasStaticShape())
    return failure();
  SmallVector<DimGroup> groups = dimGroups(inner.getType().getShape(), op.getType().getShape());
  SmallVector<int64_t> dims;
  for (size_t dim : inner.getDims()) {
    const auto *own = llvm::find_if(groups, [&](const DimGroup &group) { return group.from == dim; });
    if (own == groups.end() || own->fromEnd != dim + 1 || own->toEnd != own->to + 1)
      return failure();
    dims.push_back(own->to);
  }
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getX(), dims, op.getSizes());
  return success();
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(mergeReshapes);
  patterns.add(reshapeRepeated);
}

//===- broadcast ---------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto from = getX().getType(), to = getType();
  if (failed(sameElement(*this, from, to)) || failed(verifySizes(*this, to, getSizes())) ||
      failed(verifyDims(getLoc(), getOperationName(), "dims", getDims(), to.getRank(), true)))
    return failure();
  if (static_cast<int64_t>(getDims().size()) != from.getRank())
    return emitOpError() << "must have one of dims for each operand dimension, got: " << getDims().size() << " for "
                         << from;
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (!canBeEqual(from.getDimSize(i), to.getDimSize(dim)))
      return emitOpError() << "operand dimension " << i << " must have the size of result dimension " << dim
                           << ", got: " << from << " and " << to;
  return success();
}

OperandSets BroadcastOp::linearSets() { return {{0}}; }

LogicalResult BroadcastOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                     MutableArrayRef<Value> operandCotangents) {
  SmallVector<int64_t> added;
  for (int64_t dim : range(0, getType().getRank()))
    if (!llvm::is_contained(getDims(), dim))
      added.push_back(dim);
  operandCotangents[0] = e.reduceSum(cotangents[0], added);
  return success();
}

LogicalResult BroadcastOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  // The dims remain increasing. As far in front as that allows, which is where the batches of other ops are.
  int64_t from = dims[0], position = from == 0 ? 0 : getDims()[from - 1] + 1;
  SmallVector<int64_t> batchedDims = inserted(shifted(getDims(), position), from, position);
  results.push_back(e.broadcast(operands[0], batchedDims, withDim(getType(), position, e.batchSize),
                                e.sizesWithBatch(getType(), operands.drop_front(), position)));
  resultDims.push_back(position);
  return success();
}

FactorMap BroadcastOp::factorMap() {
  FactorMap map;
  map.operands.emplace_back(getDims());
  map.operands.resize((*this)->getNumOperands());
  map.results.push_back(range(0, getType().getRank()));
  return map;
}

Value BroadcastOp::emitPermuted(Emitter &e, ArrayRef<int64_t> permutation) {
  // The operand's dimensions are put in the order that the result then has, too.
  SmallVector<int64_t> order, dims;
  for (auto [i, dim] : llvm::enumerate(permutation))
    if (const auto *found = llvm::find(getDims(), dim); found != getDims().end()) {
      order.push_back(found - getDims().begin());
      dims.push_back(i);
    }
  Value x = llvm::is_sorted(order) ? getX() : e.transpose(getX(), order);
  return e.broadcast(x, dims, permuted(getType(), permutation), permutedSizes(getType(), getSizes(), permutation));
}

std::optional<Count> BroadcastOp::count(Counting &counting, Places places) {
  return counting.through(getX(), getDims(), places);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType() && getType().hasStaticShape())
    return getX();
  return resplat(adaptor.getX(), getType());
}

/// broadcast(broadcast(x)) is one broadcast.
static LogicalResult mergeBroadcasts(BroadcastOp op, PatternRewriter &rewriter) {
  auto inner = op.getX().getDefiningOp<BroadcastOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> dims = llvm::map_to_vector(inner.getDims(), [&](int64_t dim) { return op.getDims()[dim]; });
  rewriter.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(inner.getX());
    op.setDims(dims);
  });
  return success();
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(mergeBroadcasts);
}

//===- slice -------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  auto from = getX().getType(), to = getType();
  size_t rank = from.getRank();
  if (failed(sameElement(*this, from, to)) || failed(verifySizes(*this, to, getSizes())))
    return failure();
  if (getStarts().size() != rank || getStrides().size() != rank || to.getRank() != from.getRank())
    return emitOpError() << "must have one start, stride and size for each of " << rank
                         << " dimensions, got: " << getStarts().size() << ", " << getStrides().size() << " and "
                         << to.getRank();
  for (size_t d = 0; d < rank; ++d) {
    int64_t start = getStarts()[d], stride = getStrides()[d], size = to.getDimSize(d), available = from.getDimSize(d);
    if (start < 0 || stride < 1)
      return emitOpError() << "must start at 0 or later and have a positive stride, got: start " << start
                           << " and stride " << stride << " in dimension " << d;
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(available) || size == 0)
      continue;
    // Written so that no product can overflow.
    if (start >= available || size - 1 > (available - 1 - start) / stride)
      return emitOpError() << "must stay within dimension " << d << " of size " << available << ", got: " << size
                           << " elements from " << start << " with stride " << stride;
  }
  return success();
}

OperandSets SliceOp::linearSets() { return {{0}}; }

LogicalResult SliceOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                 MutableArrayRef<Value> operandCotangents) {
  auto type = getX().getType();
  Value nothing = e.zeros(RankedTensorType::get({}, type.getElementType()), {});
  SmallVector<int64_t> interior = llvm::map_to_vector(getStrides(), [](int64_t stride) { return stride - 1; });
  operandCotangents[0] = e.make<PadOp>(type, cotangents[0], nothing, getStarts(), interior, e.sizes(getX()));
  return success();
}

LogicalResult SliceOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                             SmallVectorImpl<int64_t> &resultDims) {
  int64_t position = dims[0];
  results.push_back(e.make<SliceOp>(withDim(getType(), position, e.batchSize), operands[0],
                                    inserted(getStarts(), position, 0), inserted(getStrides(), position, 1),
                                    e.sizesWithBatch(getType(), operands.drop_front(), position)));
  resultDims.push_back(position);
  return success();
}

/// Factors of an op that keeps some dimensions whole and cuts or extends the others.
static FactorMap wholeDims(Operation *op, llvm::function_ref<bool(int64_t)> isWhole) {
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  SmallVector<int64_t> result(rank, FactorMap::kNone);
  for (int64_t d = 0; d < rank; ++d)
    if (isWhole(d))
      result[d] = d;
  FactorMap map = oneToOne(op, result, rank);
  for (int64_t d = 0; d < rank; ++d)
    if (result[d] == FactorMap::kNone)
      map.carry(d);
  return map;
}

FactorMap SliceOp::factorMap() {
  return wholeDims(*this, [&](int64_t d) {
    int64_t size = getType().getDimSize(d);
    return getStarts()[d] == 0 && getStrides()[d] == 1 && size == getX().getType().getDimSize(d) &&
           !ShapedType::isDynamic(size);
  });
}

int64_t SliceOp::indexAlong(int64_t dim) { return getType().getDimSize(dim) == 1 ? getStarts()[dim] : -1; }

Value SliceOp::emitFromComponent(Emitter &e, Value component, int64_t dim) {
  SmallVector<int64_t> starts(getStarts()), strides(getStrides());
  starts[dim] = 0;
  strides[dim] = 1;
  return e.make<SliceOp>(getType(), component, starts, strides, getSizes());
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType() && getType().hasStaticShape())
    return getX();
  return resplat(adaptor.getX(), getType());
}

//===- pad ---------------------------------------------------------------------===//

LogicalResult PadOp::verify() {
  auto from = getX().getType(), to = getType();
  size_t rank = from.getRank();
  if (failed(sameElement(*this, from, to)) || failed(sameElement(*this, getValue().getType(), to)) ||
      failed(verifySizes(*this, to, getSizes())))
    return failure();
  if (getValue().getType().getRank() != 0)
    return emitOpError() << "padding value must have rank 0, got: " << getValue().getType();
  if (getLow().size() != rank || getInterior().size() != rank || to.getRank() != from.getRank())
    return emitOpError() << "must have one low, interior and size for each of " << rank
                         << " dimensions, got: " << getLow().size() << ", " << getInterior().size() << " and "
                         << to.getRank();
  for (int64_t interior : getInterior())
    if (interior < 0)
      return emitOpError() << "interior padding must not be negative, got: " << interior;
  return success();
}

OperandSets PadOp::linearSets() { return {{0, 1}}; }

LogicalResult PadOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                               MutableArrayRef<Value> operandCotangents) {
  Value ct = cotangents[0];
  auto type = getX().getType(), whole = getType();
  SmallVector<int64_t> unpadded = llvm::map_to_vector(getLow(), [](int64_t low) { return -low; });
  SmallVector<int64_t> strides = llvm::map_to_vector(getInterior(), [](int64_t interior) { return interior + 1; });
  SmallVector<int64_t> none(type.getRank(), 0), all = range(0, type.getRank());
  SmallVector<Value> sizes = e.sizes(getX());
  Value nothing = e.zeros(RankedTensorType::get({}, type.getElementType()), {});

  // Moves the operand's first element to 0, makes room for all of it, and picks every stride-th element.
  SmallVector<int64_t> spread(type.getShape());
  for (auto [d, size] : llvm::enumerate(spread))
    if (!ShapedType::isDynamic(size))
      size = size == 0 ? 0 : (size - 1) * strides[d] + 1;
  SmallVector<Value> spreadSizes;
  for (auto [i, d] : llvm::enumerate(llvm::make_filter_range(all, [&](int64_t d) { return type.isDynamicDim(d); })))
    spreadSizes.push_back(e.spreadSize(sizes[i], strides[d]));
  Value moved = e.make<PadOp>(withShape(type, spread), ct, nothing, unpadded, none, spreadSizes);
  Value picked = e.make<SliceOp>(type, moved, none, strides, sizes);
  if (!operands[0])
    operandCotangents[0] = picked;
  if (operands[1])
    return success();
  // The padding value gets the sum over everything except the operand.
  Value operandPart = e.make<PadOp>(whole, picked, nothing, getLow(), getInterior(), e.sizes(ct));
  operandCotangents[1] = e.reduceSum(e.sub(ct, operandPart), all);
  return success();
}

LogicalResult PadOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                           SmallVectorImpl<int64_t> &resultDims) {
  int64_t position = dims[0] == kUnbatched ? 0 : dims[0];
  auto type = withDim(getType(), position, e.batchSize);
  Value x = e.batchAt(operands[0], dims[0], position);
  SmallVector<Value> sizes = e.sizesWithBatch(getType(), operands.drop_front(2), position);
  auto pad = [&](Value x, Value value) {
    return e.make<PadOp>(type, x, value, inserted(getLow(), position, 0), inserted(getInterior(), position, 0), sizes);
  };
  resultDims.push_back(position);
  if (dims[1] == kUnbatched) {
    results.push_back(pad(x, operands[1]));
    return success();
  }
  // Each batch element has its own padding value: where the padded mask is false, take that value.
  auto maskType = withElement(x.getType(), boolElement(type));
  auto scalarMask = RankedTensorType::get({}, boolElement(type));
  auto bools = [&](RankedTensorType type, ValueRange sizes, bool value) {
    return e.full(type, sizes, cast<TypedAttr>(Attribute(e.builder.getBoolAttr(value))));
  };
  Value mask = e.make<PadOp>(withElement(type, boolElement(type)), bools(maskType, e.sizes(x), true),
                             bools(scalarMask, {}, false), inserted(getLow(), position, 0),
                             inserted(getInterior(), position, 0), sizes);
  Value nothing = e.zeros(RankedTensorType::get({}, type.getElementType()), {});
  Value values = e.broadcast(operands[1], {position}, type, sizes);
  results.push_back(e.make<SelectOp>(mask, pad(x, nothing), values));
  return success();
}

// A shift by one needs one element of a neighbour.
FactorMap PadOp::factorMap() {
  FactorMap map = wholeDims(*this, [&](int64_t d) {
    int64_t size = getType().getDimSize(d);
    return std::abs(getLow()[d]) <= 1 && getInterior()[d] == 0 && size == getX().getType().getDimSize(d) &&
           !ShapedType::isDynamic(size);
  });
  for (auto [d, factor] : llvm::enumerate(map.results[0]))
    if (factor != FactorMap::kNone && getLow()[d] != 0)
      map.indivisible.push_back(factor);
  return map;
}

/// A part that is shifted by one element along a dimension: the neighbour sends one, or `value` takes its place.
static Value shiftedPart(Emitter &e, Value x, Value value, int64_t dimension, bool isForward,
                         const DividedFactor &divided) {
  int64_t size = cast<RankedTensorType>(x.getType()).getDimSize(dimension), count = productOf(divided.sizes);
  if (!isForward && size * count != divided.size)
    x = withoutPadding(e, x, dimension, divided.first, divided.size, value);
  auto lower = llvm::to_vector(llvm::seq<int64_t>(0, count - 1)), upper = llvm::to_vector(llvm::seq<int64_t>(1, count));
  Value edge = sliceAlong(e, x, dimension, isForward ? size - 1 : 0, 1);
  Value received =
      e.make<PermuteOp>(edge, divided.axes, divided.sizes, isForward ? lower : upper, isForward ? upper : lower);
  Value number = e.make<AxisIndexOp>(divided.axes, divided.sizes);
  Value isAtEnd = e.equal(number, e.full(number, static_cast<double>(isForward ? 0 : count - 1)));
  received = e.select(forEachElement(e, isAtEnd, edge), forEachElement(e, value, edge), received);
  if (size == 1)
    return received;
  Value rest = sliceAlong(e, x, dimension, isForward ? 0 : 1, size - 1);
  return e.make<ConcatenateOp>(isForward ? ValueRange{received, rest} : ValueRange{rest, received}, dimension);
}

Value PadOp::emitPart(Emitter &e, ValueRange operands, ArrayRef<DividedFactor> factors, RankedTensorType type) {
  Value x = operands[0];
  SmallVector<int64_t> low(getLow());
  for (auto [d, factor] : llvm::enumerate(factorMap().results[0]))
    if (factor != FactorMap::kNone && low[d] != 0 && factors[factor].first)
      x = shiftedPart(e, x, operands[1], d, std::exchange(low[d], 0) > 0, factors[factor]);
  return e.make<PadOp>(type, x, operands[1], low, getInterior(), operands.drop_front(2));
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  bool isIdentity = getX().getType() == getType() && getType().hasStaticShape() &&
                    llvm::all_of(getLow(), [](int64_t low) { return low == 0; }) &&
                    llvm::all_of(getInterior(), [](int64_t interior) { return interior == 0; });
  return isIdentity ? OpFoldResult(getX()) : OpFoldResult();
}

} // namespace dovetail
