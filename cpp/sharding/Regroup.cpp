// The sharding of an array that is reshaped, over the axes of its type.
#include "Regroup.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

/// Deals the axes of one dimension to the dimensions into which it is split, the major ones first. An axis over parts
/// of several of them is dropped, if `dropsParts`.
static LogicalResult deal(MeshAttr mesh, ArrayRef<AxisRefAttr> axes, ArrayRef<int64_t> sizes,
                          MutableArrayRef<Axes> results, bool dropsParts) {
  // The parts of an axis that is dropped which the dimensions so far do not have.
  int64_t left = 1;
  for (auto [size, own] : llvm::zip_equal(sizes, results)) {
    int64_t taken = std::min(size, left), rest = size / taken;
    if (size % taken || left % taken)
      return failure();
    left /= taken;
    while (rest > 1 && !axes.empty()) {
      int64_t count = mesh.sizeOf(axes.front());
      if (rest % count == 0) {
        rest /= count;
        // Without the major axis of a dimension, a part has no place.
        if (taken == 1)
          own.push_back(axes.front());
      } else if (dropsParts && count % rest == 0) {
        left = count / rest;
        rest = 1;
      } else {
        return failure();
      }
      axes = axes.drop_front();
    }
  }
  return success(axes.empty() && left == 1);
}

FailureOr<AxesOfEach> regrouped(MeshAttr mesh, ArrayRef<int64_t> from, ArrayRef<Axes> axes, ArrayRef<int64_t> to,
                                bool dropsParts) {
  if (llvm::all_of(axes, [](const Axes &ofDim) { return ofDim.empty(); }))
    return AxesOfEach(to.size());
  if (from == to)
    return AxesOfEach(axes);
  AxesOfEach results(to.size());
  SmallVector<DimGroup> groups = dimGroups(from, to);
  if (groups.empty())
    return failure();
  // A dimension of size 1 in no group goes, with its axes.
  for (const DimGroup &group : groups) {
    // The axes of the major dimension come first; none may follow one that is not sharded.
    Axes all;
    for (size_t dim = group.from; dim < group.fromEnd; ++dim) {
      if (dim > group.from && all.empty() && !axes[dim].empty())
        return failure();
      llvm::append_range(all, axes[dim]);
    }
    size_t count = group.toEnd - group.to;
    if (failed(deal(mesh, all, to.slice(group.to, count), MutableArrayRef(results).slice(group.to, count), dropsParts)))
      return failure();
  }
  return results;
}

FailureOr<AxesOfEach> regroupedInPlace(MeshAttr mesh, ArrayRef<int64_t> from, ArrayRef<Axes> axes, ArrayRef<int64_t> to,
                                       bool dropsParts) {
  FailureOr<AxesOfEach> results = regrouped(mesh, from, axes, to, dropsParts);
  if (failed(results))
    return failure();
  for (auto [size, ofDim] : llvm::zip_equal(from, axes))
    if (!ofDim.empty() && !isEven(mesh, size, ofDim))
      return failure();
  // Of what is merged, only the last dimension that is divided may have several elements in a part.
  for (const DimGroup &group : dimGroups(from, to)) {
    bool isInPart = false;
    for (size_t dim = group.from; dim < group.fromEnd; ++dim) {
      if (isInPart && !axes[dim].empty())
        return failure();
      isInPart |= mesh.sizeOf(axes[dim]) != from[dim];
    }
  }
  return results;
}

ShardingAttr keptByRegrouping(Operation &op, ShardingAttr ofOperand) {
  auto wanted = op.getAttrOfType<ArrayAttr>(kShardings);
  if (!wanted || !ofOperand)
    return {};
  MeshAttr mesh = ofOperand.getMesh();
  auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
  FailureOr<AxesOfEach> axes =
      regroupedInPlace(mesh, shapeOf(op.getOperand(0)), axesOf(ofOperand), shapeOf(op.getResult(0)));
  ShardingAttr kept = succeeded(axes) ? shardingOf(mesh, *axes) : ShardingAttr();
  return kept == wanted[0] ? kept : ShardingAttr();
}

} // namespace dovetail
