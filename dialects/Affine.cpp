// Affine indices: their elements from the ops that compute them, and their ranges.
#include "Affine.h"
#include "Control.h"
#include "Create.h"
#include "Pointwise.h"
#include "Shape.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dovetail {

using Indices = std::optional<SmallVector<AffineIndex>>;

/// Vectors of indices are short.
static constexpr int64_t kMostElements = 16;

int64_t AffineIndex::coefficientOf(Value symbol) const {
  for (auto [known, coefficient] : terms)
    if (known == symbol)
      return coefficient;
  return 0;
}

AffineIndex &AffineIndex::add(const AffineIndex &other, int64_t factor) {
  constant += factor * other.constant;
  for (auto [symbol, coefficient] : other.terms) {
    auto *found = llvm::find_if(terms, [&](auto &term) { return term.first == symbol; });
    if (found == terms.end())
      terms.emplace_back(symbol, factor * coefficient);
    else
      found->second += factor * coefficient;
  }
  llvm::erase_if(terms, [](auto &term) { return term.second == 0; });
  return *this;
}

bool AffineIndex::operator==(const AffineIndex &other) const {
  AffineIndex difference = *this;
  difference.add(other, -1);
  return difference.constant == 0 && difference.terms.empty();
}

/// The counter of a loop that starts at a constant and grows by one.
static std::optional<IndexRange> rangeOfCounter(BlockArgument argument) {
  auto scan = dyn_cast_or_null<ScanOp>(argument.getOwner()->getParentOp());
  unsigned i = argument.getArgNumber();
  if (!scan || i >= scan.getInits().size() || int64_t(scan.getLength()) < 1)
    return std::nullopt;
  auto step = returned(scan.getBody())[i].getDefiningOp<AddOp>();
  Indices first = affineIndices(scan.getInits()[i]);
  if (!step || step.getX() != argument || !first || first->size() != 1 || !first->front().terms.empty())
    return std::nullopt;
  Indices increment = affineIndices(step.getY());
  if (!increment || increment->size() != 1 || !(increment->front() == AffineIndex{1, {}}))
    return std::nullopt;
  int64_t lowest = first->front().constant;
  return IndexRange{lowest, lowest + int64_t(scan.getLength()) - 1};
}

Value passedAs(BlockArgument argument) {
  Operation *op = argument.getOwner()->getParentOp();
  unsigned i = argument.getArgNumber();
  if (auto scan = dyn_cast_or_null<ScanOp>(op)) {
    unsigned first = scan.getInits().size() + scan.getXs().size();
    return i < first ? Value() : scan.getConsts()[i - first];
  }
  if (auto choice = dyn_cast_or_null<CaseOp>(op))
    return choice.getArgs()[i];
  return nullptr;
}

IndexRange rangeOf(Value symbol) {
  auto argument = cast<BlockArgument>(symbol);
  if (std::optional<IndexRange> counter = rangeOfCounter(argument))
    return *counter;
  if (Value passed = passedAs(argument))
    if (Indices indices = affineIndices(passed); indices && indices->size() == 1)
      return rangeOf(indices->front());
  return {};
}

IndexRange rangeOf(const AffineIndex &index) {
  IndexRange range{index.constant, index.constant};
  for (auto [symbol, coefficient] : index.terms) {
    IndexRange own = rangeOf(symbol);
    if (std::abs(coefficient) > IndexRange::kUnknown >> 20)
      return {};
    int64_t ends[] = {coefficient * own.lowest, coefficient * own.highest};
    range.lowest += std::min(ends[0], ends[1]);
    range.highest += std::max(ends[0], ends[1]);
  }
  return range;
}

//===- Elements by op -----------------------------------------------------------------===//

/// Applies `element` to each element of some values.
static Indices elementwise(ValueRange values, int64_t count,
                           function_ref<std::optional<AffineIndex>(ArrayRef<AffineIndex>)> element) {
  SmallVector<SmallVector<AffineIndex>> all;
  for (Value value : values) {
    Indices indices = affineIndices(value);
    if (!indices)
      return std::nullopt;
    all.push_back(std::move(*indices));
  }
  SmallVector<AffineIndex> results;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<AffineIndex> operands;
    for (auto &indices : all)
      operands.push_back(indices[i]);
    std::optional<AffineIndex> result = element(operands);
    if (!result)
      return std::nullopt;
    results.push_back(std::move(*result));
  }
  return results;
}

/// Whether a comparison holds, if that is the same for all values in the range of x - y.
static std::optional<bool> decided(CompareDirection direction, const AffineIndex &x, const AffineIndex &y) {
  AffineIndex difference = x;
  IndexRange range = rangeOf(difference.add(y, -1));
  auto always = [&](bool holds, bool fails) { return holds || fails ? std::optional<bool>(holds) : std::nullopt; };
  bool below = range.highest < 0, above = range.lowest > 0, equal = range.lowest == 0 && range.highest == 0;
  switch (direction) {
  case CompareDirection::LT:
    return always(below, range.lowest >= 0);
  case CompareDirection::LE:
    return always(range.highest <= 0, above);
  case CompareDirection::GT:
    return always(above, range.highest <= 0);
  case CompareDirection::GE:
    return always(range.lowest >= 0, below);
  case CompareDirection::EQ:
    return always(equal, below || above);
  case CompareDirection::NE:
    return always(below || above, equal);
  }
  return std::nullopt;
}

static Indices selected(SelectOp op, int64_t count) {
  auto compare = op.getP().getDefiningOp<CompareOp>();
  if (!compare)
    return std::nullopt;
  return elementwise({compare.getX(), compare.getY(), op.getX(), op.getY()}, count,
                     [&](ArrayRef<AffineIndex> x) -> std::optional<AffineIndex> {
                       std::optional<bool> holds = decided(compare.getDirection(), x[0], x[1]);
                       return holds ? std::optional(x[*holds ? 2 : 3]) : std::nullopt;
                     });
}

static std::optional<AffineIndex> clamped(ArrayRef<AffineIndex> x) {
  if (decided(CompareDirection::LE, x[0], x[1]) == true && decided(CompareDirection::LE, x[1], x[2]) == true)
    return x[1];
  return std::nullopt;
}

/// A product one of whose operands is constant.
static std::optional<AffineIndex> product(ArrayRef<AffineIndex> x) {
  unsigned known = x[0].terms.empty() ? 0 : 1;
  if (!x[known].terms.empty())
    return std::nullopt;
  return AffineIndex().add(x[1 - known], x[known].constant);
}

static Indices elementsOfOp(Operation *op, int64_t count) {
  auto sum = [](int64_t sign) {
    return [sign](ArrayRef<AffineIndex> x) { return std::optional(AffineIndex(x[0]).add(x[1], sign)); };
  };
  return TypeSwitch<Operation *, Indices>(op)
      .Case([&](AddOp op) { return elementwise(op->getOperands(), count, sum(1)); })
      .Case([&](SubOp op) { return elementwise(op->getOperands(), count, sum(-1)); })
      .Case([&](MulOp op) { return elementwise(op->getOperands(), count, product); })
      .Case([&](ClampOp op) { return elementwise(op->getOperands(), count, clamped); })
      .Case([&](SelectOp op) { return selected(op, count); })
      .Case([&](ReshapeOp op) { return affineIndices(op.getX()); })
      .Case([&](ConvertOp op) { return affineIndices(op.getX()); })
      .Case([&](BroadcastOp op) -> Indices {
        Indices scalar = affineIndices(op.getX());
        if (!scalar || (scalar->size() != 1 && int64_t(scalar->size()) != count))
          return std::nullopt;
        return scalar->size() == 1 ? SmallVector<AffineIndex>(count, scalar->front()) : *scalar;
      })
      .Case([&](ConcatenateOp op) -> Indices {
        SmallVector<AffineIndex> all;
        for (Value x : op.getXs()) {
          Indices part = affineIndices(x);
          if (!part)
            return std::nullopt;
          llvm::append_range(all, *part);
        }
        return all;
      })
      .Default(Indices());
}

Indices affineIndices(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() > kMostElements || type.getRank() > 1 ||
      !isa<IntegerType>(type.getElementType()) || type.getElementTypeBitWidth() < 32)
    return std::nullopt;
  DenseIntElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    SmallVector<AffineIndex> known;
    for (const APInt &element : constant)
      known.push_back({element.getSExtValue(), {}});
    return known;
  }
  if (Operation *op = value.getDefiningOp())
    return elementsOfOp(op, type.getNumElements());
  if (type.getNumElements() != 1)
    return std::nullopt;
  return SmallVector<AffineIndex>{{0, {{value, 1}}}};
}

std::optional<int64_t> decidedNumber(Value value) {
  if (Indices indices = affineIndices(value))
    return indices->size() == 1 && indices->front().terms.empty() ? std::optional(indices->front().constant)
                                                                  : std::nullopt;
  if (auto convert = value.getDefiningOp<ConvertOp>())
    return decidedNumber(convert.getX());
  auto compare = value.getDefiningOp<CompareOp>();
  if (!compare)
    return std::nullopt;
  Indices x = affineIndices(compare.getX()), y = affineIndices(compare.getY());
  if (!x || !y || x->size() != 1)
    return std::nullopt;
  std::optional<bool> holds = decided(compare.getDirection(), x->front(), y->front());
  return holds ? std::optional<int64_t>(*holds) : std::nullopt;
}

//===- Emission -------------------------------------------------------------------------===//

Value emitIndices(Emitter &e, ArrayRef<AffineIndex> indices, Type element, function_ref<Value(Value)> valueOf) {
  int64_t count = indices.size();
  auto vector = RankedTensorType::get({count}, element);
  auto constant = [&](function_ref<int64_t(const AffineIndex &)> number) {
    auto numbers = llvm::map_to_vector(
        indices, [&](auto &index) { return APInt(element.getIntOrFloatBitWidth(), number(index), true); });
    return e.make<ConstantOp>(DenseElementsAttr::get(vector, numbers));
  };
  Value sum = constant([](const AffineIndex &index) { return index.constant; });
  llvm::SetVector<Value> symbols;
  for (const AffineIndex &index : indices)
    for (auto [symbol, coefficient] : index.terms)
      symbols.insert(symbol);
  for (Value symbol : symbols) {
    Value number = e.convert(valueOf(symbol), element);
    Value scaled = e.make<MulOp>(e.broadcast(number, {}, vector, {}),
                                 constant([&](const AffineIndex &index) { return index.coefficientOf(symbol); }));
    sum = e.make<AddOp>(sum, scaled);
  }
  return sum;
}

} // namespace dovetail
