// The axes that the arrays of an op want its factors to be divided over.
#include "FactorAxes.h"
#include "dialects/Alone.h"

using namespace mlir;

namespace dovetail {

void Agreement::meet(ArrayRef<AxisRefAttr> others) {
  if (others.empty())
    return;
  if (!isKnown || (!isCut && startsWith(others, axes)))
    axes = Axes(others);
  else if (!startsWith(others, axes) && !startsWith(axes, others)) {
    axes = Axes(commonPrefix(axes, others));
    isCut = true;
  }
  isKnown = true;
}

bool isRepeating(const FactorMap &map) {
  return llvm::any_of(map.results, [&](ArrayRef<int64_t> factors) {
    return llvm::any_of(factors, [&](int64_t factor) {
      return factor != FactorMap::kNone &&
             llvm::none_of(map.operands, [&](ArrayRef<int64_t> others) { return llvm::is_contained(others, factor); });
    });
  });
}

bool isDividedBy(Operation *op, const FactorMap &map, int64_t factor, bool isEager) {
  if (!isDivisible(op, map, factor))
    return false;
  if (!isEager)
    return true;
  bool isShared =
      llvm::all_of(map.operands, [&](ArrayRef<int64_t> factors) { return llvm::is_contained(factors, factor); });
  return !op->hasTrait<ReplicatedAlone>() && (isShared || !op->hasTrait<WholeAlone>());
}

void forEachFactor(Operation *op, const FactorMap &map, function_ref<void(Value, int64_t, int64_t)> call) {
  auto each = [&](ValueRange values, ArrayRef<SmallVector<int64_t>> factorsOf) {
    for (auto [value, factors] : llvm::zip(values, factorsOf))
      if (isa<RankedTensorType>(value.getType()))
        for (auto [dim, factor] : llvm::enumerate(factors))
          call(value, dim, factor);
  };
  each(op->getResults(), map.results);
  each(op->getOperands(), map.operands);
}

/// The operand that decides along each dimension over which others disagree, and whether it decides between dimensions.
static std::pair<std::optional<unsigned>, bool> decidingOperand(Operation *op, bool isEager) {
  if (!isEager)
    return {};
  if (op->hasTrait<DecidesAlone<0>::Impl>())
    return {0, true};
  if (op->hasTrait<DecidesAlone<1>::Impl>())
    return {1, true};
  if (op->hasTrait<DecidesDimsAlone<1>::Impl>())
    return {1, false};
  return {};
}

WantedAxes::WantedAxes(MeshAttr mesh, Operation *op, const FactorMap &map, bool isEager, AxesOfDim axesOf)
    : wanted(numFactors(map)) {
  SmallVector<Agreement> found(wanted.size());
  forEachFactor(op, map, [&](Value value, int64_t dim, int64_t factor) {
    if (isDividedBy(op, map, factor, isEager))
      found[factor].meet(axesOf(value, dim));
  });
  auto [deciding, decidesAll] = decidingOperand(op, isEager);
  if (deciding)
    for (auto [dim, factor] : llvm::enumerate(map.operands[*deciding]))
      if (factor != FactorMap::kNone && found[factor].isCut)
        if (Axes axes = axesOf(op->getOperand(*deciding), dim); !axes.empty())
          found[factor].axes = axes;
  for (auto [factor, agreement] : llvm::enumerate(found)) {
    wanted[factor] = agreement.axes;
    while (!canDivide(mesh, op, map, factor, wanted[factor]))
      wanted[factor].pop_back();
  }
  sort(mesh, op, map, decidesAll ? deciding : std::nullopt, axesOf);
}

void WantedAxes::sort(MeshAttr mesh, Operation *op, const FactorMap &map, std::optional<unsigned> deciding,
                      AxesOfDim axesOf) {
  struct Source {
    int64_t elements = -1, index = 0;
  };
  SmallVector<Source> sources(wanted.size());
  SmallVector<bool> isDecided(wanted.size(), false);
  int64_t index = 0;
  auto collect = [&](ValueRange values, ArrayRef<SmallVector<int64_t>> factorsOf) {
    for (auto [value, factors] : llvm::zip(values, factorsOf)) {
      int64_t number = index++;
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type)
        continue;
      int64_t elements = type.hasStaticShape() ? type.getNumElements() : 0;
      for (auto [dim, factor] : llvm::enumerate(factors)) {
        if (factor == FactorMap::kNone || wanted[factor].empty() || !startsWith(axesOf(value, dim), wanted[factor]))
          continue;
        if (deciding && value == op->getOperand(*deciding))
          isDecided[factor] = true;
        if (elements > sources[factor].elements)
          sources[factor] = {elements, number};
      }
    }
  };
  collect(op->getOperands(), map.operands);
  collect(op->getResults(), map.results);
  bool isPointwise = op->hasTrait<OpTrait::Elementwise>();
  auto key = [&](int64_t factor) {
    return std::tuple(!isDecided[factor], -sources[factor].elements, isPointwise ? -mesh.sizeOf(wanted[factor]) : 0,
                      sources[factor].index);
  };
  order = llvm::to_vector(llvm::seq<int64_t>(wanted.size()));
  llvm::stable_sort(order, [&](int64_t a, int64_t b) { return key(a) < key(b); });
}

} // namespace dovetail
