// Ops that permute, reverse or join whole dimensions: inference, transposes, batching and factor maps.
#include "CollectiveRules.h"
#include "Create.h"
#include "Folding.h"
#include "Index.h"
#include "Parts.h"
#include "Pointwise.h"
#include "Shape.h"
#include "Size.h"

using namespace mlir;

namespace dovetail {

//===- transpose -------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (static_cast<int64_t>(permutation.size()) != type.getRank())
    return emitOptionalError(loc, "'dovetail.transpose' op permutation must name each of ", type.getRank(),
                             " dimensions, got: ", permutation.size());
  if (failed(verifyDims(loc, getOperationName(), "permutation", permutation, type.getRank(), false)))
    return failure();
  types.push_back(withShape(type, llvm::map_to_vector(permutation, [&](int64_t d) { return type.getDimSize(d); })));
  return success();
}

static SmallVector<int64_t> inverse(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    result[dim] = i;
  return result;
}

OperandSets TransposeOp::linearSets() { return {{0}}; }

LogicalResult TransposeOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                     MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.transpose(cotangents[0], inverse(getPermutation()));
  return success();
}

LogicalResult TransposeOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  SmallVector<int64_t> permutation = {dims[0]};
  for (int64_t dim : getPermutation())
    permutation.push_back(dim + (dim >= dims[0] ? 1 : 0));
  results.push_back(e.transpose(operands[0], permutation));
  resultDims.push_back(0);
  return success();
}

FactorMap TransposeOp::factorMap() {
  FactorMap map;
  map.operands.push_back(llvm::to_vector(llvm::seq<int64_t>(0, getType().getRank())));
  map.results.emplace_back(getPermutation());
  return map;
}

std::optional<Count> TransposeOp::count(Counting &counting, Places places) {
  return counting.through(getX(), getPermutation(), places);
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getType().getRank())))
    return getX();
  return resplat(adaptor.getX(), getType());
}

/// transpose(transpose(x)) is one transpose.
static LogicalResult mergeTransposes(TransposeOp op, PatternRewriter &rewriter) {
  auto inner = op.getX().getDefiningOp<TransposeOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> permutation =
      llvm::map_to_vector(op.getPermutation(), [&](int64_t dim) { return inner.getPermutation()[dim]; });
  rewriter.replaceOpWithNewOp<TransposeOp>(op, inner.getX(), permutation);
  return success();
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(mergeTransposes);
}

//===- reverse -----------------------------------------------------------------===//

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  types.push_back(type);
  return verifyDims(loc, getOperationName(), "dims", adaptor.getDims(), type.getRank(), false);
}

OperandSets ReverseOp::linearSets() { return {{0}}; }

LogicalResult ReverseOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                   MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.make<ReverseOp>(cotangents[0], getDims());
  return success();
}

LogicalResult ReverseOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                               SmallVectorImpl<int64_t> &resultDims) {
  SmallVector<int64_t> reversed =
      llvm::map_to_vector(getDims(), [&](int64_t dim) { return dim + (dim >= dims[0] ? 1 : 0); });
  results.push_back(e.make<ReverseOp>(operands[0], reversed));
  resultDims.push_back(dims[0]);
  return success();
}

FactorMap ReverseOp::factorMap() {
  FactorMap map = pointwiseFactorMap(*this);
  map.indivisible.assign(getDims().begin(), getDims().end());
  llvm::for_each(getDims(), [&](int64_t dim) { map.carry(dim); });
  return map;
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<SplatElementsAttr>(adaptor.getX()))
    return getX();
  // One element has no order.
  ArrayRef<int64_t> shape = getX().getType().getShape();
  SmallVector<int64_t> dims = llvm::filter_to_vector(getDims(), [&](int64_t dim) { return shape[dim] != 1; });
  if (dims.empty())
    return getX();
  if (dims.size() == getDims().size())
    return {};
  setDims(dims);
  return getResult();
}

//===- roll ----------------------------------------------------------------------===//

LogicalResult RollOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t dimension = adaptor.getDimension();
  types.push_back(type);
  return verifyDims(loc, getOperationName(), "dimension", dimension, type.getRank(), false);
}

/// The same shift, from 0 to the size of the dimension.
static int64_t shiftWithin(int64_t shift, int64_t size) { return size == 0 ? 0 : (shift % size + size) % size; }

/// Of a dimension of unknown size: where it is cut is not known either, so that the place of each element is computed.
static Value rolledByIndices(Emitter &e, Value x, int64_t dimension, int64_t shift) {
  auto type = cast<RankedTensorType>(x.getType());
  Value size = e.size(x, dimension);
  auto places = RankedTensorType::get({ShapedType::kDynamic}, e.builder.getI64Type());
  Value number = FromIndexOp::create(e.builder, e.loc, withShape(places, {}), size);
  Value count = e.broadcast(number, {}, places, size);
  Value index = e.make<IotaOp>(places, 0, ValueRange(size));
  // The sign of a remainder is that of the dividend.
  index = e.make<RemOp>(e.sub(index, e.full(places, ValueRange(size), e.builder.getI64IntegerAttr(shift))), count);
  index = e.make<RemOp>(e.add(index, count), count);
  index = e.reshape(index, withDim(places, 1, 1), ValueRange(size));
  // The dimension of the indices comes first.
  SmallVector<int64_t> shape{type.getDimSize(dimension)}, permutation = range(1, type.getRank());
  permutation.insert(permutation.begin() + dimension, 0);
  SmallVector<Value> sizes{size};
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != dimension) {
      shape.push_back(type.getDimSize(d));
      if (type.isDynamicDim(d))
        sizes.push_back(e.size(x, d));
    }
  Value rows = e.make<GatherOp>(x, index, ArrayRef(dimension), ArrayRef<int64_t>(1));
  return e.make<TransposeOp>(e.reshape(rows, withShape(type, shape), sizes), permutation);
}

Value RollOp::emit(Emitter &e, Value x, int64_t dimension, int64_t shift) {
  int64_t size = cast<RankedTensorType>(x.getType()).getDimSize(dimension);
  if (ShapedType::isDynamic(size))
    return rolledByIndices(e, x, dimension, shift);
  shift = shiftWithin(shift, size);
  if (shift == 0)
    return x;
  Value last = sliceAlong(e, x, dimension, size - shift, shift);
  return e.make<ConcatenateOp>(ValueRange{last, sliceAlong(e, x, dimension, 0, size - shift)}, dimension);
}

OperandSets RollOp::linearSets() { return {{0}}; }

LogicalResult RollOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.make<RollOp>(cotangents[0], getDimension(), -static_cast<int64_t>(getShift()));
  return success();
}

LogicalResult RollOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<int64_t> &resultDims) {
  int64_t dimension = getDimension();
  results.push_back(e.make<RollOp>(operands[0], dimension + (dimension >= dims[0] ? 1 : 0), getShift()));
  resultDims.push_back(dims[0]);
  return success();
}

FactorMap RollOp::factorMap() {
  FactorMap map = pointwiseFactorMap(*this);
  map.indivisible.push_back(getDimension());
  return map;
}

/// The part of the device that is `distance` before this one, counted round.
static Value partBefore(Emitter &e, Value x, int64_t distance, const DividedFactor &divided) {
  int64_t count = productOf(divided.sizes);
  if (distance % count == 0)
    return x;
  SmallVector<int64_t> sources = range(0, count), targets;
  for (int64_t source : sources)
    targets.push_back((source + distance) % count);
  return e.make<PermuteOp>(x, divided.axes, divided.sizes, sources, targets);
}

Value RollOp::emitPart(Emitter &e, ValueRange operands, ArrayRef<DividedFactor> factors, RankedTensorType) {
  Value x = operands[0];
  int64_t dimension = getDimension();
  const DividedFactor &divided = factors[dimension];
  if (!divided.first)
    return e.make<RollOp>(x, dimension, getShift());
  int64_t part = cast<RankedTensorType>(x.getType()).getDimSize(dimension), count = productOf(divided.sizes);
  int64_t size = divided.size, shift = shiftWithin(getShift(), size);
  if (part * count == size) {
    // The last elements of one part, and the first ones of the part after it.
    int64_t moved = shift % part, distance = shift / part;
    SmallVector<Value> pieces;
    if (moved > 0)
      pieces.push_back(partBefore(e, sliceAlong(e, x, dimension, part - moved, moved), distance + 1, divided));
    pieces.push_back(partBefore(e, sliceAlong(e, x, dimension, 0, part - moved), distance, divided));
    return e.make<ConcatenateOp>(pieces, dimension);
  }
  // The last part is shorter, so that elements move by different distances.
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape()), none(shape.size(), 0);
  Value all = e.make<AllGatherOp>(x, divided.axes, divided.sizes, dimension);
  shape[dimension] = part * count;
  all = sliceAlong(e, e.reshape(all, withShape(type, shape), e.sizes(x)), dimension, 0, size);
  Value nothing = e.zeros(withShape(type, {}), {});
  all = e.make<PadOp>(withShape(type, shape), emit(e, all, dimension, shift), nothing, none, none, e.sizes(x));
  Value start = e.reshape(divided.first, withDim(divided.first.getType(), 0, 1), {});
  return e.make<GatherOp>(all, start, ArrayRef(dimension), ArrayRef(part));
}

OpFoldResult RollOp::fold(FoldAdaptor adaptor) {
  int64_t size = getType().getDimSize(getDimension()), given = getShift();
  int64_t shift = ShapedType::isDynamic(size) ? given : shiftWithin(given, size);
  if (isa_and_nonnull<SplatElementsAttr>(adaptor.getX()) || shift == 0)
    return getX();
  if (shift == given)
    return {};
  setShift(shift);
  return getResult();
}

//===- concatenate ---------------------------------------------------------------===//

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  if (adaptor.getXs().empty())
    return emitOptionalError(loc, "'dovetail.concatenate' op must have an operand, got: none");
  auto first = cast<RankedTensorType>(adaptor.getXs()[0].getType());
  int64_t dimension = adaptor.getDimension(), total = 0;
  if (failed(verifyDims(loc, getOperationName(), "dimension", dimension, first.getRank(), false)))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  for (Value x : adaptor.getXs()) {
    auto type = cast<RankedTensorType>(x.getType());
    bool agree = type.getElementType() == first.getElementType() && type.getRank() == first.getRank();
    for (int64_t d = 0; agree && d < first.getRank(); ++d) {
      agree = d == dimension || canBeEqual(shape[d], type.getDimSize(d));
      if (d != dimension && ShapedType::isDynamic(shape[d]))
        shape[d] = type.getDimSize(d);
    }
    if (!agree)
      return emitOptionalError(loc, "'dovetail.concatenate' op operands must agree outside dimension ", dimension,
                               ", got: ", first, " and ", type);
    int64_t size = type.getDimSize(dimension);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(total))
      total = ShapedType::kDynamic;
    else if (llvm::AddOverflow(total, size, total))
      return emitOptionalError(loc,
                               "'dovetail.concatenate' op operands must fit into one array, got: more elements "
                               "along dimension ",
                               dimension, " than an index can count");
  }
  shape[dimension] = total;
  types.push_back(withShape(first, shape));
  return success();
}

OperandSets ConcatenateOp::linearSets() {
  auto all = llvm::seq<unsigned>(0, getXs().size());
  return {llvm::SmallVector<unsigned, 3>(all.begin(), all.end())};
}

/// The array of type `type` that begins at `offset` along one dimension of `x`.
static Value firstPart(Emitter &e, Value x, Type type, ValueRange sizes, int64_t dimension, int64_t offset) {
  int64_t rank = cast<RankedTensorType>(type).getRank();
  SmallVector<int64_t> starts(rank, 0), ones(rank, 1);
  starts[dimension] = offset;
  return e.make<SliceOp>(type, x, starts, ones, sizes);
}

/// The size of operands `first` and after along the dimension that is joined.
static Value sizeFrom(Emitter &e, ConcatenateOp op, unsigned first) {
  Value total;
  for (Value x : op.getXs().drop_front(first)) {
    Value size = e.size(x, op.getDimension());
    total = total ? e.make<arith::AddIOp>(total, size) : size;
  }
  return total;
}

/// Operand `i`'s part of `x`, whose offset is dynamic: slices start at static positions only, but counted from the end,
/// the operands from `i` on come first.
static Value partAfterDynamic(Emitter &e, ConcatenateOp op, unsigned i, Value x) {
  auto type = cast<RankedTensorType>(op.getXs()[i].getType());
  int64_t dimension = op.getDimension(), suffix = 0;
  for (Type operand : op.getXs().drop_front(i).getTypes()) {
    int64_t size = cast<RankedTensorType>(operand).getDimSize(dimension);
    suffix = ShapedType::isDynamic(size) || ShapedType::isDynamic(suffix) ? ShapedType::kDynamic : suffix + size;
  }
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = suffix;
  SmallVector<Value> suffixSizes;
  for (auto [d, size] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(size))
      suffixSizes.push_back(static_cast<int64_t>(d) == dimension ? sizeFrom(e, op, i) : e.size(op.getXs()[i], d));
  Value last = firstPart(e, e.make<ReverseOp>(x, dimension), withShape(type, shape), suffixSizes, dimension, 0);
  return firstPart(e, e.make<ReverseOp>(last, dimension), type, e.sizes(op.getXs()[i]), dimension, 0);
}

Value ConcatenateOp::resultSize(Emitter &e, ValueRange, unsigned, int64_t) { return sizeFrom(e, *this, 0); }

LogicalResult ConcatenateOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                       MutableArrayRef<Value> operandCotangents) {
  int64_t dimension = getDimension(), offset = 0;
  for (auto [i, x] : llvm::enumerate(getXs())) {
    if (!operands[i])
      operandCotangents[i] = ShapedType::isDynamic(offset)
                                 ? partAfterDynamic(e, *this, i, cotangents[0])
                                 : firstPart(e, cotangents[0], x.getType(), e.sizes(x), dimension, offset);
    int64_t size = cast<RankedTensorType>(x.getType()).getDimSize(dimension);
    offset = ShapedType::isDynamic(size) || ShapedType::isDynamic(offset) ? ShapedType::kDynamic : offset + size;
  }
  return success();
}

LogicalResult ConcatenateOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                   SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  int64_t position;
  SmallVector<Value> batched = e.aligned(operands, dims, position);
  int64_t dimension = getDimension();
  results.push_back(e.make<ConcatenateOp>(batched, dimension + (dimension >= position ? 1 : 0)));
  resultDims.push_back(position);
  return success();
}

FactorMap ConcatenateOp::factorMap() {
  FactorMap map = pointwiseFactorMap(*this);
  for (auto &factors : map.operands)
    factors[getDimension()] = FactorMap::kNone;
  map.results[0][getDimension()] = FactorMap::kNone;
  map.carry(getDimension());
  return map;
}

std::optional<Count> ConcatenateOp::count(Counting &counting, Places places) {
  int64_t dim = getDimension();
  if (!places[dim])
    return std::nullopt;
  SmallVector<std::optional<int64_t>> own(places);
  for (Value x : getXs()) {
    int64_t size = cast<RankedTensorType>(x.getType()).getDimSize(dim);
    if (*own[dim] < size)
      return counting.of(x, own);
    *own[dim] -= size;
  }
  return std::nullopt;
}

int64_t ConcatenateOp::joinedDim() {
  int64_t dim = getDimension();
  auto isOne = [&](Value x) { return cast<RankedTensorType>(x.getType()).getDimSize(dim) == 1; };
  return llvm::all_of(getXs(), isOne) ? dim : -1;
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor) {
  return getXs().size() == 1 ? OpFoldResult(getXs()[0]) : OpFoldResult();
}

} // namespace dovetail
