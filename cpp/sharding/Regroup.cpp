// The sharding of an array that is reshaped, over the axes of its type.
#include "Regroup.h"

using namespace mlir;

namespace dovetail {

/// Deals the axes of one dimension to the dimensions into which it is split, the major ones first.
static LogicalResult deal(MeshAttr mesh, ArrayRef<AxisRefAttr> axes, ArrayRef<int64_t> sizes,
                          SmallVectorImpl<Axes> &results) {
  for (int64_t size : sizes) {
    Axes &own = results.emplace_back();
    while (size > 1 && !axes.empty()) {
      int64_t count = mesh.sizeOf(axes.front());
      if (size % count)
        return failure();
      size /= count;
      own.push_back(axes.front());
      axes = axes.drop_front();
    }
  }
  return success(axes.empty());
}

FailureOr<AxesOfEach> regrouped(MeshAttr mesh, ArrayRef<int64_t> from, ArrayRef<Axes> axes, ArrayRef<int64_t> to) {
  if (llvm::all_of(axes, [](const Axes &ofDim) { return ofDim.empty(); }))
    return AxesOfEach(to.size());
  AxesOfEach results;
  size_t i = 0, j = 0;
  // Groups of dimensions of equal numbers of elements, as small as possible.
  while (i < from.size() || j < to.size()) {
    size_t first = i, begin = j;
    int64_t have = 1, want = 1;
    auto takeOld = [&] { have *= from[i++]; };
    auto takeNew = [&] { want *= to[j++]; };
    if (i < from.size() && from[i] == 1 && (j == to.size() || to[j] != 1)) {
      // A dimension of size 1 goes, with its axes.
      ++i;
      continue;
    }
    if (j < to.size() && to[j] == 1 && (i == from.size() || from[i] != 1)) {
      results.emplace_back();
      ++j;
      continue;
    }
    takeOld();
    takeNew();
    while (have != want) {
      if (have < want && i < from.size())
        takeOld();
      else if (want < have && j < to.size())
        takeNew();
      else
        return failure();
    }
    // The axes of the major dimension come first; none may follow one that is not sharded.
    Axes all;
    for (size_t dim = first; dim < i; ++dim) {
      if (dim > first && all.empty() && !axes[dim].empty())
        return failure();
      llvm::append_range(all, axes[dim]);
    }
    if (failed(deal(mesh, all, to.slice(begin, j - begin), results)))
      return failure();
  }
  return results;
}

} // namespace dovetail
