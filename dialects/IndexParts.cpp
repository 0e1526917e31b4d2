// How devices divide gathers and scatters: the factors of their dimensions, and the op on a device's parts.
#include "Collective.h"
#include "Counting.h"
#include "Create.h"
#include "Index.h"
#include "IndexRules.h"
#include "Parts.h"
#include "Pointwise.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

namespace {

/// What the indices of one dimension of the array do.
struct IndexedDim {
  enum Kind {
    /// They select single elements. Each is within a part, or outside of it.
    Selects,
    /// The window is all of the dimension, and only 0 is within it: so it is with a part and a window of its size.
    Whole,
    /// They are those of the elements along a dimension of the indices, as in a batch.
    Counts,
    /// The window may be in two parts.
    Moves
  } kind;
  /// That dimension.
  int64_t counted = 0;
};

} // namespace

static SmallVector<IndexedDim> indexedDims(Value x, Value indices, ArrayRef<int64_t> dims, ArrayRef<int64_t> window) {
  auto type = cast<RankedTensorType>(x.getType()), indexType = cast<RankedTensorType>(indices.getType());
  SmallVector<IndexedDim> kinds;
  for (auto [position, dim, size] : llvm::enumerate(dims, window)) {
    int64_t available = type.getDimSize(dim);
    std::optional<int64_t> counted =
        size == 1 && available > 1 && !ShapedType::isDynamic(available) ? countedDim(indices, position) : std::nullopt;
    auto isSame = [&, counted = counted](const IndexedDim &other) {
      return other.kind == IndexedDim::Counts && other.counted == *counted;
    };
    if (size == available && size > 0)
      kinds.push_back({IndexedDim::Whole});
    else if (counted && indexType.getDimSize(*counted) == available && llvm::none_of(kinds, isSame))
      kinds.push_back({IndexedDim::Counts, *counted});
    else
      kinds.push_back({size == 1 ? IndexedDim::Selects : IndexedDim::Moves});
  }
  return kinds;
}

/// Whether sums over devices have elements of this type.
static bool isSummed(Type element) {
  return isa<ComplexType>(element) || element.getIntOrFloatBitWidth() >= (isa<FloatType>(element) ? 16 : 8);
}

FactorMap gatherFactorMap(Value x, Value indices, ArrayRef<int64_t> dims, ArrayRef<int64_t> window) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t numIndexed = cast<RankedTensorType>(indices.getType()).getRank() - 1;
  int64_t next = numIndexed + type.getRank();
  FactorMap map;
  Dims ofResult = llvm::to_vector(llvm::seq<int64_t>(0, next));
  Dims ofX = llvm::to_vector(llvm::seq<int64_t>(numIndexed, next));
  bool isBool = type.getElementType().isInteger(1);
  map.combiner = isBool ? FactorMap::Combiner::Or : FactorMap::Combiner::Sum;
  for (auto [dim, is] : llvm::zip_equal(dims, indexedDims(x, indices, dims, window))) {
    if (is.kind == IndexedDim::Whole) {
      map.indivisible.push_back(ofX[dim]);
      continue;
    }
    ofResult[numIndexed + dim] = ofX[dim] = FactorMap::kNone;
    if (is.kind == IndexedDim::Counts)
      map.indivisible.push_back(ofX[dim] = is.counted);
    // Outside of a part, windows read as zeros.
    else if (is.kind == IndexedDim::Selects && (isBool || isSummed(type.getElementType())))
      map.selected.push_back(ofX[dim] = next++);
  }
  Dims ofIndices = llvm::to_vector(llvm::seq<int64_t>(0, numIndexed));
  ofIndices.push_back(FactorMap::kNone);
  map.operands = {ofX, ofIndices};
  map.results = {ofResult};
  return map;
}

FactorMap scatterFactorMap(Value x, Value indices, ArrayRef<int64_t> dims, ArrayRef<int64_t> window,
                           FactorMap::Combiner combiner) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rank = type.getRank(), numIndexed = cast<RankedTensorType>(indices.getType()).getRank() - 1;
  FactorMap map;
  Dims ofArray = llvm::to_vector(llvm::seq<int64_t>(0, rank)), ofWindow = ofArray;
  Dims ofIndices(numIndexed + 1, FactorMap::kNone);
  if (combiner == FactorMap::Combiner::Sum && !isSummed(type.getElementType()))
    combiner = FactorMap::Combiner::None;
  // Each device may apply its updates, if what they make of the array can be combined. Otherwise updates of one
  // position may come from anywhere.
  map.combiner = combiner;
  for (int64_t d = 0; combiner != FactorMap::Combiner::None && d < numIndexed; ++d)
    ofIndices[d] = rank + d;
  for (auto [dim, is] : llvm::zip_equal(dims, indexedDims(x, indices, dims, window))) {
    if (is.kind == IndexedDim::Moves) {
      ofArray[dim] = FactorMap::kNone;
      map.carried.push_back({0, dim, 0, dim});
    } else {
      map.indivisible.push_back(dim);
    }
    if (is.kind != IndexedDim::Whole)
      ofWindow[dim] = FactorMap::kNone;
    if (is.kind == IndexedDim::Counts)
      ofIndices[is.counted] = dim;
  }
  for (int64_t factor : ofIndices)
    if (factor >= rank) {
      map.reduced.push_back(factor);
      map.indivisible.push_back(factor);
    }
  Dims ofUpdates(ArrayRef(ofIndices).drop_back());
  llvm::append_range(ofUpdates, ofWindow);
  map.operands = {ofArray, ofIndices, ofUpdates};
  map.results = {ofArray};
  return map;
}

/// `indices` with others at a position of the last dimension: those of the elements along another one.
static Value withCounts(Emitter &e, Value indices, int64_t position, int64_t dim) {
  auto type = cast<RankedTensorType>(indices.getType());
  int64_t last = type.getRank() - 1, count = type.getDimSize(last);
  Dims column(type.getShape());
  column[last] = 1;
  Value counts = e.make<IotaOp>(withShape(type, column), dim, ValueRange());
  SmallVector<Value> columns{counts};
  if (position > 0)
    columns.insert(columns.begin(), sliceAlong(e, indices, last, 0, position));
  if (position + 1 < count)
    columns.push_back(sliceAlong(e, indices, last, position + 1, count - position - 1));
  return columns.size() == 1 ? counts : e.make<ConcatenateOp>(columns, last);
}

/// `indices` minus these scalars, null for zero, one for each position of the last dimension.
static Value countedFrom(Emitter &e, Value indices, ArrayRef<Value> firsts) {
  auto element = cast<IntegerType>(getElementTypeOrSelf(indices));
  bool isWide = element.getWidth() > 32 || (element.isUnsigned() && element.getWidth() == 32);
  Type wide = isWide ? e.builder.getI64Type() : e.builder.getI32Type();
  if (element != wide)
    indices = e.convert(indices, wide);
  auto one = RankedTensorType::get({1}, wide);
  SmallVector<Value> starts = llvm::map_to_vector(firsts, [&](Value first) {
    return first ? e.reshape(isWide ? e.convert(first, wide) : first, one, {}) : e.zeros(one, {});
  });
  Value all = starts.size() == 1 ? starts[0] : e.make<ConcatenateOp>(starts, 0);
  auto type = cast<RankedTensorType>(indices.getType());
  return e.sub(indices, e.broadcast(all, {type.getRank() - 1}, type, e.sizes(indices)));
}

IndicesOfPart indicesOfPart(Emitter &e, Operation *op, ValueRange parts, ArrayRef<int64_t> dims,
                            ArrayRef<int64_t> window, const FactorMap &map, ArrayRef<DividedFactor> divided) {
  IndicesOfPart part{parts[1], Dims(window)};
  auto kinds = indexedDims(op->getOperand(0), op->getOperand(1), dims, window);
  SmallVector<Value> firsts(dims.size());
  for (auto [position, dim, is] : llvm::enumerate(dims, kinds)) {
    int64_t factor = map.operands[0][dim];
    Value first = factor == FactorMap::kNone ? Value() : divided[factor].first;
    if (!first)
      continue;
    if (is.kind == IndexedDim::Whole)
      part.window[position] = cast<RankedTensorType>(parts[0].getType()).getDimSize(dim);
    else if (is.kind == IndexedDim::Selects)
      firsts[position] = first;
    else
      // What pads the indices is not known.
      part.indices = withCounts(e, part.indices, position, is.counted);
  }
  if (llvm::any_of(firsts, [](Value first) { return first; }))
    part.indices = countedFrom(e, part.indices, firsts);
  return part;
}

Value scatteredOnce(Emitter &e, Value x, const FactorMap &map, ArrayRef<DividedFactor> divided) {
  // An extreme may count twice.
  if (map.combiner != FactorMap::Combiner::Sum)
    return x;
  for (int64_t factor : map.reduced)
    if (Value first = divided[factor].first) {
      Value isFirst = e.equal(first, e.zerosLike(first));
      x = e.select(forEachElement(e, isFirst, x), x, e.zerosLike(x));
    }
  return x;
}

} // namespace dovetail
