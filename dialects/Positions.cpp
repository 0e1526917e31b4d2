// Affine functions of positions, from the ops that compute them.
#include "Positions.h"
#include "Create.h"
#include "Pointwise.h"
#include "Shape.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The largest numbers of which products do not overflow.
constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

/// Follows an element through the ops that compute it. Each op takes the position of an element of its result, which is
/// an affine function of the position that was asked for, along each dimension.
struct Search {
  /// How far the position that was asked for goes, along each dimension.
  ArrayRef<int64_t> sizes;
  /// Values that are still looked at: one that is used twice is seen twice.
  int64_t left = 64;

  using Index = std::optional<PositionIndex>;
  using Place = SmallVector<PositionIndex>;

  PositionIndex number(int64_t constant) const { return {constant, SmallVector<int64_t>(sizes.size(), 0)}; }

  static bool isNumber(const PositionIndex &index) {
    return llvm::all_of(index.steps, [](int64_t step) { return step == 0; });
  }

  static PositionIndex sum(PositionIndex x, const PositionIndex &y, int64_t factor) {
    x.constant += factor * y.constant;
    for (auto [step, other] : llvm::zip_equal(x.steps, y.steps))
      step += factor * other;
    return x;
  }

  Index element(Value x, const Place &place) {
    auto type = dyn_cast<RankedTensorType>(x.getType());
    if (!type || !type.hasStaticShape() || !isa<IntegerType>(type.getElementType()) ||
        type.getElementTypeBitWidth() < 32 || --left < 0)
      return std::nullopt;
    DenseIntElementsAttr constant;
    Operation *op = x.getDefiningOp();
    Index index = matchPattern(x, m_Constant(&constant)) ? ofConstant(constant, place) : op ? ofOp(op, place) : Index();
    return index && fits(*index, cast<IntegerType>(type.getElementType())) ? index : Index();
  }

  /// Whether the elements are numbers of their type, so that none of them has wrapped around.
  bool fits(const PositionIndex &index, IntegerType type) const {
    int64_t least = index.constant, most = index.constant;
    for (auto [step, size] : llvm::zip_equal(index.steps, sizes)) {
      if (step > kMost || step < -kMost || size > kMost)
        return false;
      (step < 0 ? least : most) += step * std::max<int64_t>(size - 1, 0);
    }
    return least >= (type.isUnsigned() ? 0 : -kMost) && most <= kMost;
  }

  /// Elements that are as far from each other as their positions.
  Index ofConstant(DenseIntElementsAttr elements, const Place &place) {
    bool isUnsigned = cast<IntegerType>(elements.getElementType()).isUnsigned();
    auto valueOf = [&](const APInt &element) {
      return int64_t(isUnsigned ? element.getZExtValue() : element.getSExtValue());
    };
    if (elements.isSplat())
      return number(valueOf(elements.getSplatValue<APInt>()));
    auto shape = cast<RankedTensorType>(elements.getType()).getShape();
    int64_t base = 0, stride = elements.getNumElements();
    SmallVector<int64_t> strides;
    for (auto [size, index] : llvm::zip_equal(shape, place)) {
      stride /= size;
      strides.push_back(stride);
      if (isNumber(index))
        base += stride * index.constant;
    }
    auto values = elements.getValues<APInt>();
    PositionIndex found = number(valueOf(values[base]));
    SmallVector<int64_t> steps(shape.size(), 0);
    for (auto [d, size] : llvm::enumerate(shape))
      if (size > 1 && !isNumber(place[d]))
        steps[d] = valueOf(values[base + strides[d]]) - found.constant;
    int64_t first = found.constant;
    for (int64_t n = 0, e = elements.getNumElements(); n < e; ++n) {
      int64_t expected = first;
      bool isRead = true;
      for (auto [d, size] : llvm::enumerate(shape)) {
        int64_t at = n / strides[d] % size;
        isRead &= !isNumber(place[d]) || at == place[d].constant;
        expected += steps[d] * at;
      }
      if (isRead && valueOf(values[n]) != expected)
        return std::nullopt;
    }
    for (auto [step, index] : llvm::zip_equal(steps, place))
      if (!isNumber(index))
        found = sum(found, index, step);
    return found;
  }

  Index ofOp(Operation *op, const Place &place) {
    return TypeSwitch<Operation *, Index>(op)
        .Case([&](IotaOp op) { return place[op.getDimension()]; })
        .Case([&](ConvertOp op) { return element(op.getX(), place); })
        .Case([&](AddOp op) { return ofSum(op.getX(), op.getY(), 1, place); })
        .Case([&](SubOp op) { return ofSum(op.getX(), op.getY(), -1, place); })
        .Case([&](MulOp op) { return ofProduct(op.getX(), op.getY(), place); })
        .Case([&](BroadcastOp op) { return ofBroadcast(op, place); })
        .Case([&](ReshapeOp op) { return ofReshape(op, place); })
        .Case([&](ConcatenateOp op) { return ofConcatenation(op, place); })
        .Default(Index());
  }

  Index ofSum(Value x, Value y, int64_t factor, const Place &place) {
    Index first = element(x, place), second = first ? element(y, place) : std::nullopt;
    return second ? Index(sum(*first, *second, factor)) : std::nullopt;
  }

  Index ofProduct(Value x, Value y, const Place &place) {
    Index first = element(x, place), second = first ? element(y, place) : std::nullopt;
    if (!second || (!isNumber(*first) && !isNumber(*second)))
      return std::nullopt;
    bool isFactor = isNumber(*first);
    return sum(number(0), isFactor ? *second : *first, (isFactor ? first : second)->constant);
  }

  Index ofBroadcast(BroadcastOp op, const Place &place) {
    Place inside;
    for (auto [dim, size] : llvm::zip_equal(op.getDims(), cast<RankedTensorType>(op.getX().getType()).getShape()))
      inside.push_back(size == 1 ? number(0) : place[dim]);
    return element(op.getX(), inside);
  }

  /// One that inserts or removes dimensions of size 1.
  Index ofReshape(ReshapeOp op, const Place &place) {
    auto from = cast<RankedTensorType>(op.getX().getType()).getShape(), to = op.getType().getShape();
    auto longer = [](int64_t size) { return size != 1; };
    if (!llvm::equal(llvm::make_filter_range(from, longer), llvm::make_filter_range(to, longer)))
      return std::nullopt;
    Place inside;
    int64_t next = 0;
    for (int64_t size : from) {
      if (size == 1) {
        inside.push_back(number(0));
        continue;
      }
      while (to[next] == 1)
        ++next;
      inside.push_back(place[next++]);
    }
    return element(op.getX(), inside);
  }

  Index ofConcatenation(ConcatenateOp op, const Place &place) {
    int64_t dimension = op.getDimension();
    if (!isNumber(place[dimension]))
      return std::nullopt;
    Place inside = place;
    for (Value part : op.getXs()) {
      auto type = dyn_cast<RankedTensorType>(part.getType());
      int64_t size = type.getDimSize(dimension);
      if (ShapedType::isDynamic(size))
        return std::nullopt;
      if (inside[dimension].constant < size)
        return element(part, inside);
      inside[dimension].constant -= size;
    }
    return std::nullopt;
  }
};

} // namespace

std::optional<PositionIndex> indexByPosition(Value vectors, int64_t component) {
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(vectors.getType()).getShape().drop_back();
  Search search{sizes};
  Search::Place place;
  for (size_t d = 0; d < sizes.size(); ++d) {
    place.push_back(search.number(0));
    place.back().steps[d] = 1;
  }
  place.push_back(search.number(component));
  return search.element(vectors, place);
}

} // namespace dovetail
