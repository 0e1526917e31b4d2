// Integers that count along a dimension: from the ops that compute them, through those that make valid indices of them.
#include "Counting.h"
#include "Create.h"
#include "Pointwise.h"
#include "Shape.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Integers that are `first` plus the index along a dimension, or `first` everywhere if there is no dimension.
struct Count {
  int64_t first = 0;
  std::optional<int64_t> dim = std::nullopt;
  /// The highest of them.
  int64_t last = 0;
};

/// Where an array is read: at an index along a dimension, or everywhere.
using Places = SmallVector<std::optional<int64_t>>;

class Counting {
public:
  std::optional<Count> of(Value value, const Places &places);

private:
  std::optional<Count> ofConstant(DenseIntElementsAttr elements, const Places &places);
  std::optional<Count> ofConcatenate(ConcatenateOp op, const Places &places);
  std::optional<Count> ofReshape(ReshapeOp op, const Places &places);
  std::optional<Count> ofSelect(SelectOp op, const Places &places);
  std::optional<Count> ofClamp(ClampOp op, const Places &places);
  std::optional<Count> ofSum(Value x, Value y, int64_t sign, const Places &places);
  /// The count along an operand, whose dimension i is `dims[i]` of the result.
  std::optional<Count> through(Value x, ArrayRef<int64_t> dims, const Places &places);

  /// The ops that are still looked at.
  int64_t remaining = 64;
};

} // namespace

/// The number of elements of a constant that are looked at.
static constexpr int64_t kMostElements = 1 << 16;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static Count along(std::optional<int64_t> dim, int64_t first, int64_t size) {
  return size > 1 && dim ? Count{first, dim, first + size - 1} : Count{first, std::nullopt, first};
}

/// Whether x < y, if that is so everywhere or nowhere.
static std::optional<bool> isLess(const Count &x, const Count &y) {
  if (x.last < y.first)
    return true;
  return x.first >= y.last ? std::optional(false) : std::nullopt;
}

std::optional<Count> Counting::of(Value value, const Places &places) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !isa<IntegerType>(type.getElementType()) || --remaining < 0)
    return std::nullopt;
  if (DenseIntElementsAttr elements; matchPattern(value, m_Constant(&elements)))
    return ofConstant(elements, places);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<Count>>(op)
      .Case([&](IotaOp op) -> std::optional<Count> {
        int64_t dim = op.getDimension();
        return places[dim] ? along(std::nullopt, *places[dim], 1) : along(dim, 0, type.getDimSize(dim));
      })
      .Case([&](BroadcastOp op) { return through(op.getX(), op.getDims(), places); })
      .Case([&](TransposeOp op) { return through(op.getX(), op.getPermutation(), places); })
      .Case([&](ReshapeOp op) { return ofReshape(op, places); })
      .Case([&](ConvertOp op) -> std::optional<Count> {
        std::optional<Count> count = of(op.getX(), places);
        unsigned bits = type.getElementTypeBitWidth();
        return count && count->first >= 0 && (bits > 32 || count->last < int64_t(1) << (bits - 1)) ? count
                                                                                                   : std::nullopt;
      })
      .Case([&](ConcatenateOp op) { return ofConcatenate(op, places); })
      .Case([&](SelectOp op) { return ofSelect(op, places); })
      .Case([&](ClampOp op) { return ofClamp(op, places); })
      .Case([&](AddOp op) { return ofSum(op.getX(), op.getY(), 1, places); })
      .Case([&](SubOp op) { return ofSum(op.getX(), op.getY(), -1, places); })
      .Default(std::optional<Count>());
}

std::optional<Count> Counting::ofConstant(DenseIntElementsAttr elements, const Places &places) {
  auto type = elements.getType();
  if (elements.getNumElements() == 0 || type.getElementTypeBitWidth() > 64)
    return std::nullopt;
  if (elements.isSplat())
    return along(std::nullopt, elements.getSplatValue<APInt>().getSExtValue(), 1);
  if (elements.getNumElements() > kMostElements)
    return std::nullopt;
  ArrayRef<int64_t> shape = type.getShape();
  // Which dimension it counts shows where the number first changes.
  std::optional<int64_t> first, dim;
  for (auto [flat, element] : llvm::enumerate(elements.getValues<APInt>())) {
    SmallVector<int64_t> index(shape.size());
    int64_t rest = flat;
    bool isRead = true;
    for (int64_t d = shape.size() - 1; d >= 0; --d) {
      index[d] = rest % shape[d];
      rest /= shape[d];
      isRead &= !places[d] || *places[d] == index[d];
    }
    if (!isRead)
      continue;
    int64_t number = element.getSExtValue();
    if (!first)
      first = number;
    if (number != *first && !dim) {
      for (int64_t d = 0, rank = shape.size(); d < rank; ++d)
        if (!places[d] && index[d] == 1 && !dim)
          dim = d;
      if (!dim)
        return std::nullopt;
    }
    if (number != *first + (dim ? index[*dim] : 0))
      return std::nullopt;
  }
  return along(dim, *first, dim ? shape[*dim] : 1);
}

std::optional<Count> Counting::through(Value x, ArrayRef<int64_t> dims, const Places &places) {
  Places own(dims.size());
  for (auto [place, dim] : llvm::zip_equal(own, dims))
    place = places[dim];
  std::optional<Count> count = of(x, own);
  if (count && count->dim)
    count->dim = dims[*count->dim];
  return count;
}

std::optional<Count> Counting::ofReshape(ReshapeOp op, const Places &places) {
  // Dimensions of size 1 come and go.
  auto others = [](Value value) {
    auto all = llvm::seq<int64_t>(0, typeOf(value).getRank());
    return llvm::filter_to_vector(all, [&](int64_t d) { return typeOf(value).getDimSize(d) != 1; });
  };
  SmallVector<int64_t> from = others(op.getX()), to = others(op.getAns());
  if (from.size() != to.size())
    return std::nullopt;
  Places own(typeOf(op.getX()).getRank(), 0);
  for (auto [before, after] : llvm::zip_equal(from, to)) {
    if (typeOf(op.getX()).getDimSize(before) != typeOf(op.getAns()).getDimSize(after))
      return std::nullopt;
    own[before] = places[after];
  }
  std::optional<Count> count = of(op.getX(), own);
  if (count && count->dim)
    count->dim = to[llvm::find(from, *count->dim) - from.begin()];
  return count;
}

std::optional<Count> Counting::ofConcatenate(ConcatenateOp op, const Places &places) {
  int64_t dim = op.getDimension();
  if (!places[dim])
    return std::nullopt;
  Places own(places);
  for (Value x : op.getXs()) {
    int64_t size = typeOf(x).getDimSize(dim);
    if (*own[dim] < size)
      return of(x, own);
    *own[dim] -= size;
  }
  return std::nullopt;
}

std::optional<Count> Counting::ofSelect(SelectOp op, const Places &places) {
  auto compare = op.getP().getDefiningOp<CompareOp>();
  if (!compare)
    return std::nullopt;
  std::optional<Count> x = of(compare.getX(), places), y = of(compare.getY(), places);
  if (!x || !y)
    return std::nullopt;
  std::optional<bool> holds;
  switch (compare.getDirection()) {
  case CompareDirection::LT:
    holds = isLess(*x, *y);
    break;
  case CompareDirection::GT:
    holds = isLess(*y, *x);
    break;
  default:
    break;
  }
  return holds ? of(*holds ? op.getX() : op.getY(), places) : std::nullopt;
}

std::optional<Count> Counting::ofClamp(ClampOp op, const Places &places) {
  std::optional<Count> low = of(op.getLo(), places), x = of(op.getX(), places), high = of(op.getHi(), places);
  return low && x && high && low->last <= x->first && x->last <= high->first ? x : std::nullopt;
}

std::optional<Count> Counting::ofSum(Value x, Value y, int64_t sign, const Places &places) {
  std::optional<Count> a = of(x, places), b = of(y, places);
  if (!a || !b || b->dim)
    return std::nullopt;
  // Numbers that may not fit an element type are not followed.
  constexpr int64_t kMost = (int64_t(1) << 31) - 1;
  int64_t change = sign * b->first;
  if (std::abs(change) > kMost || std::abs(a->first) > kMost || a->first + change < 0 || a->last + change > kMost)
    return std::nullopt;
  return Count{a->first + change, a->dim, a->last + change};
}

std::optional<int64_t> countedDim(Value indices, int64_t position) {
  auto type = dyn_cast<RankedTensorType>(indices.getType());
  if (!type || type.getRank() < 2)
    return std::nullopt;
  Places places(type.getRank());
  places.back() = position;
  std::optional<Count> count = Counting().of(indices, places);
  return count && count->first == 0 ? count->dim : std::nullopt;
}

} // namespace dovetail
