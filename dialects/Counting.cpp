// Integers that count along a dimension: of constants, and through ops by their rules.
#include "Counting.h"
#include "Dialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

/// The number of elements of a constant that are looked at.
static constexpr int64_t kMostElements = 1 << 16;

static int64_t numberOf(const APInt &element) {
  return element.getBitWidth() == 1 ? element.getZExtValue() : element.getSExtValue();
}

/// Whether an integer type has all of these numbers.
static bool hasAll(IntegerType type, const Count &count) {
  unsigned width = type.getWidth(), bits = width == 1 || type.isUnsigned() ? width : width - 1;
  int64_t least = bits == width ? 0 : llvm::minIntN(width);
  return count.first >= least && (bits > 62 || count.last < int64_t(1) << bits);
}

std::optional<Count> Counting::of(Value value, Places places) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !isa<IntegerType>(type.getElementType()) || --remaining < 0)
    return std::nullopt;
  std::optional<Count> count;
  if (DenseIntElementsAttr elements; matchPattern(value, m_Constant(&elements)))
    count = ofConstant(elements, places);
  else if (auto op = value.getDefiningOp<CountOpInterface>())
    count = op.count(*this, places);
  // Others wrap around, or saturate.
  return count && hasAll(cast<IntegerType>(type.getElementType()), *count) ? count : std::nullopt;
}

std::optional<Count> Counting::ofConstant(DenseIntElementsAttr elements, Places places) {
  auto type = elements.getType();
  if (elements.getNumElements() == 0 || type.getElementTypeBitWidth() > 64)
    return std::nullopt;
  if (elements.isSplat())
    return Count::everywhere(numberOf(elements.getSplatValue<APInt>()));
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
    int64_t number = numberOf(element);
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
  return dim ? Count::along(*dim, *first, shape[*dim]) : Count::everywhere(*first);
}

std::optional<Count> Counting::through(Value x, ArrayRef<int64_t> dims, Places places) {
  SmallVector<std::optional<int64_t>> own(dims.size());
  for (auto [place, dim] : llvm::zip_equal(own, dims))
    place = places[dim];
  std::optional<Count> count = of(x, own);
  if (count && count->dim)
    count->dim = dims[*count->dim];
  return count;
}

std::optional<Count> Counting::ofSum(Value x, Value y, int64_t sign, Places places) {
  std::optional<Count> a = of(x, places), b = of(y, places);
  if (!a || !b || b->dim)
    return std::nullopt;
  int64_t first, last;
  auto overflows = [&](int64_t x, int64_t &sum) {
    return sign > 0 ? llvm::AddOverflow(x, b->first, sum) : llvm::SubOverflow(x, b->first, sum);
  };
  if (overflows(a->first, first) || overflows(a->last, last))
    return std::nullopt;
  return Count{first, a->dim, last};
}

std::optional<int64_t> countedDim(Value indices, int64_t position) {
  auto type = dyn_cast<RankedTensorType>(indices.getType());
  if (!type || type.getRank() < 2)
    return std::nullopt;
  SmallVector<std::optional<int64_t>> places(type.getRank());
  places.back() = position;
  std::optional<Count> count = Counting().of(indices, places);
  return count && count->first == 0 ? count->dim : std::nullopt;
}

} // namespace dovetail
