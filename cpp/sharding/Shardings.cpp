// Shardings of values and factors, and their cost.
#include "Shardings.h"
#include "cpp/cost/Cost.h"

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

ShardingAttr divisible(ShardingAttr sharding, RankedTensorType type) {
  AxesOfEach dims = axesOf(sharding);
  for (auto [axes, size] : llvm::zip_equal(dims, type.getShape()))
    // Collectives name whole axes.
    while (!axes.empty() && (size == 0 || ShapedType::isDynamic(size) || size % sharding.getMesh().sizeOf(axes) ||
                             llvm::any_of(axes, [](AxisRefAttr axis) { return !axis.isWhole(); })))
      axes.pop_back();
  return shardingOf(sharding.getMesh(), dims);
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
