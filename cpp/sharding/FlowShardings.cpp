// The shardings of values that flow into bodies, and out of them.
#include "FlowShardings.h"

using namespace mlir;

namespace dovetail {

FlowShardings::FlowShardings(FlowOpInterface op, MeshAttr mesh) : op(op), mesh(mesh) {
  add(op->getResults(), op->getAttrOfType<ArrayAttr>(kShardings));
  auto ofBodies = op->getAttrOfType<ArrayAttr>(kArgumentShardings);
  for (auto [i, body] : llvm::enumerate(op->getRegions())) {
    add(body.getArguments(), ofBodies ? cast<ArrayAttr>(ofBodies[i]) : ArrayAttr());
    // Devices compute slices of one iteration at a time.
    for (OpOperand &source : body.front().getTerminator()->getOpOperands())
      op.forEachTarget(source, [&](Value target, Flow flow) {
        if (flow != Flow::Stack)
          return;
        AxesOfEach dims = axesOf(shardings[target]);
        dims[0].clear();
        shardings[target] = withSums(shardingOf(mesh, dims), {}, of(target).getUnreduced());
      });
  }
}

ShardingAttr FlowShardings::ofSource(OpOperand &source) const {
  ShardingAttr sharding = replicatedAs(mesh, source.get().getType());
  FlowOpInterface(op).forEachTarget(source, [&](Value target, Flow flow) {
    if (!sharding)
      return;
    AxesOfEach dims = axesOf(of(target));
    if (flow == Flow::Slice)
      dims.insert(dims.begin(), Axes());
    if (flow == Flow::Stack)
      dims.erase(dims.begin());
    sharding = withSums(shardingOf(mesh, dims), {}, of(target).getUnreduced());
  });
  return sharding;
}

void FlowShardings::add(ValueRange values, ArrayAttr stated) {
  for (auto [i, value] : llvm::enumerate(values)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    shardings[value] =
        stated && type ? dividing(cast<ShardingAttr>(stated[i]), type) : replicatedAs(mesh, value.getType());
  }
}

} // namespace dovetail
