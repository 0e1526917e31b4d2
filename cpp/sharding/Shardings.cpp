// Shardings of values and factors, and their cost.
#include "Shardings.h"
#include "cpp/cost/Cost.h"
#include "dialects/Collective.h"

using namespace mlir;

namespace dovetail {

bool startsWith(ArrayRef<AxisRefAttr> axes, ArrayRef<AxisRefAttr> prefix) {
  return axes.size() >= prefix.size() && axes.take_front(prefix.size()) == prefix;
}

ArrayRef<AxisRefAttr> commonPrefix(ArrayRef<AxisRefAttr> a, ArrayRef<AxisRefAttr> b) {
  size_t length = 0;
  while (length < std::min(a.size(), b.size()) && a[length] == b[length])
    ++length;
  return a.take_front(length);
}

AxesOfEach axesOf(ShardingAttr sharding) {
  return llvm::map_to_vector(sharding.getDims(), [](DimShardingAttr dim) { return Axes(dim.getAxes()); });
}

ShardingAttr shardingOf(MeshAttr mesh, ArrayRef<Axes> dims) {
  MLIRContext *context = mesh.getContext();
  auto parts =
      llvm::map_to_vector(dims, [&](const Axes &axes) { return DimShardingAttr::get(context, axes, false, 0); });
  return ShardingAttr::get(context, mesh, parts, {}, {});
}

ShardingAttr withSums(ShardingAttr sharding, ArrayRef<AxisRefAttr> replicated, ArrayRef<AxisRefAttr> unreduced) {
  return ShardingAttr::get(sharding.getContext(), sharding.getMesh(), sharding.getDims(), replicated, unreduced);
}

bool isOver(ShardingAttr sharding, ArrayRef<AxisRefAttr> axes) {
  auto isNamed = [&](AxisRefAttr axis) {
    return llvm::any_of(axes, [&](AxisRefAttr other) { return other.getName() == axis.getName(); });
  };
  return llvm::any_of(sharding.getUnreduced(), isNamed) ||
         llvm::any_of(sharding.getDims(), [&](DimShardingAttr dim) { return llvm::any_of(dim.getAxes(), isNamed); });
}

Axes wholeAxes(ArrayRef<StringAttr> names) {
  return llvm::map_to_vector<2>(names, [](StringAttr axis) { return AxisRefAttr::get(axis.getContext(), axis, 0, 0); });
}

Axes wholeAxes(ArrayAttr names) { return names ? wholeAxes(llvm::to_vector(names.getAsRange<StringAttr>())) : Axes(); }

ArrayAttr namesOf(MLIRContext *context, ArrayRef<AxisRefAttr> axes) {
  return ArrayAttr::get(context,
                        llvm::map_to_vector(axes, [](AxisRefAttr axis) -> Attribute { return axis.getName(); }));
}

SmallVector<int64_t> sizesOf(MeshAttr mesh, ArrayRef<AxisRefAttr> axes) {
  return llvm::map_to_vector(axes, [&](AxisRefAttr axis) { return mesh.sizeOf(axis); });
}

ShardingAttr replicatedAs(MeshAttr mesh, Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array ? ShardingAttr::replicated(mesh, array.getRank()) : ShardingAttr();
}

Type localType(Type type, ShardingAttr sharding) {
  return sharding ? sharding.localType(cast<RankedTensorType>(type)) : type;
}

bool isEven(MeshAttr mesh, int64_t size, ArrayRef<AxisRefAttr> axes) {
  return axes.empty() || size % mesh.sizeOf(axes) == 0;
}

ShardingAttr dividing(ShardingAttr sharding, RankedTensorType type) {
  AxesOfEach dims = axesOf(sharding);
  for (auto [axes, size] : llvm::zip_equal(dims, type.getShape()))
    if (size == 0 || ShapedType::isDynamic(size))
      axes.clear();
    else
      axes.erase(llvm::find_if(axes, [](AxisRefAttr axis) { return !axis.isWhole(); }), axes.end());
  return withSums(shardingOf(sharding.getMesh(), dims), {}, sharding.getUnreduced());
}

ShardingAttr withEqualParts(ShardingAttr sharding, RankedTensorType type) {
  AxesOfEach dims = axesOf(sharding);
  for (auto [size, axes] : llvm::zip_equal(type.getShape(), dims))
    while (!isEven(sharding.getMesh(), size, axes))
      axes.pop_back();
  return withSums(shardingOf(sharding.getMesh(), dims), sharding.getReplicated(), sharding.getUnreduced());
}

/// Calls `visit` with the size of each dimension of a factor.
static void forEachSize(Operation *op, const FactorMap &map, int64_t factor, function_ref<void(int64_t)> visit) {
  auto each = [&](ValueRange values, ArrayRef<SmallVector<int64_t>> factorsOf) {
    for (auto [value, factors] : llvm::zip_equal(values, factorsOf))
      for (auto [d, other] : llvm::enumerate(factors))
        if (other == factor)
          visit(cast<RankedTensorType>(value.getType()).getDimSize(d));
  };
  each(op->getOperands(), map.operands);
  each(op->getResults(), map.results);
}

std::optional<int64_t> sizeOfFactor(Operation *op, const FactorMap &map, int64_t factor) {
  std::optional<int64_t> found;
  bool isOne = true;
  forEachSize(op, map, factor, [&](int64_t size) {
    isOne &= !ShapedType::isDynamic(size) && (!found || *found == size);
    found = size;
  });
  return isOne ? found : std::nullopt;
}

bool isDivisible(Operation *op, const FactorMap &map, int64_t factor) {
  bool isOfParts = llvm::is_contained(map.indivisible, factor) || llvm::is_contained(map.selected, factor);
  return map.isDivisible(factor) || (isOfParts && isa<PartOpInterface>(op));
}

bool canDivide(MeshAttr mesh, Operation *op, const FactorMap &map, int64_t factor, ArrayRef<AxisRefAttr> axes) {
  if (axes.empty())
    return true;
  if (!isDivisible(op, map, factor))
    return false;
  if (std::optional<int64_t> size = sizeOfFactor(op, map, factor)) {
    // Padding of a reduced factor is replaced by the neutral element.
    auto hasNeutral = [&](Type type) {
      auto array = dyn_cast<RankedTensorType>(type);
      return !array || neutralOf(map.combiner, RankedTensorType::get({}, array.getElementType()));
    };
    bool isReduced = llvm::is_contained(map.reduced, factor) || llvm::is_contained(map.selected, factor);
    return *size > 0 && (!isReduced || isEven(mesh, *size, axes) || llvm::all_of(op->getOperandTypes(), hasNeutral));
  }
  bool isPossible = true;
  forEachSize(op, map, factor, [&](int64_t size) {
    isPossible &= size > 0 && !ShapedType::isDynamic(size) && isEven(mesh, size, axes);
  });
  return isPossible;
}

int64_t numFactors(const FactorMap &map) {
  int64_t count = 0;
  for (const auto *tensors : {&map.operands, &map.results})
    for (ArrayRef<int64_t> factors : *tensors)
      for (int64_t factor : factors)
        count = std::max(count, factor + 1);
  return count;
}

ShardingAttr shardingOf(MeshAttr mesh, ArrayRef<int64_t> factors, ArrayRef<Axes> axesOfFactors) {
  return shardingOf(mesh, llvm::map_to_vector(factors, [&](int64_t factor) {
                      return factor == FactorMap::kNone ? Axes() : axesOfFactors[factor];
                    }));
}

double bytesOf(RankedTensorType type, ShardingAttr sharding) {
  double bytes = bytesOf(type.getElementType());
  for (int64_t size : sharding.localType(type).getShape())
    bytes *= assumedSize(size);
  return bytes;
}

} // namespace dovetail
