// Moves a part of an array from one sharding to another, by collectives.
#include "Reshard.h"
#include "dialects/Collective.h"
#include "dialects/Create.h"
#include "dialects/Index.h"

using namespace mlir;

namespace dovetail {

namespace {

enum class MoveKind {
  /// Each device takes its part along a dimension of what it has.
  Slice,
  /// Each device gets all parts along a dimension.
  Gather,
  /// Parts along one dimension become parts along another.
  Exchange,
};

struct Move {
  MoveKind kind;
  int64_t dim;
  Axes axes;
  /// Of an exchange: the dimension that is divided afterwards.
  int64_t to = -1;
};

} // namespace

static bool areUnused(ArrayRef<AxisRefAttr> axes, ArrayRef<Axes> dims) {
  return llvm::none_of(dims, [&](const Axes &used) {
    return llvm::any_of(axes, [&](AxisRefAttr axis) { return llvm::is_contained(used, axis); });
  });
}

/// Calls `visit` for each move, with the axes of each dimension before it.
static void forEachMove(ShardingAttr from, ShardingAttr to, function_ref<void(const Move &, ArrayRef<Axes>)> visit) {
  AxesOfEach dims = axesOf(from), wanted = axesOf(to);
  int64_t rank = dims.size();
  auto surplus = [&](int64_t d) { return ArrayRef(dims[d]).drop_front(commonPrefix(dims[d], wanted[d]).size()); };
  // First what makes arrays smaller.
  auto slice = [&](int64_t d) {
    Axes rest(ArrayRef(wanted[d]).drop_front(std::min(dims[d].size(), wanted[d].size())));
    if (!startsWith(wanted[d], dims[d]) || rest.empty() || !areUnused(rest, dims))
      return;
    visit({MoveKind::Slice, d, rest}, dims);
    dims[d] = wanted[d];
  };
  for (int64_t d = 0; d < rank; ++d)
    slice(d);
  for (int64_t d = 0; d < rank; ++d)
    for (int64_t other = 0; other < rank; ++other) {
      Axes moved(surplus(d));
      if (d == other || moved.empty() || !startsWith(wanted[other], dims[other]) ||
          !startsWith(ArrayRef(wanted[other]).drop_front(dims[other].size()), moved))
        continue;
      visit({MoveKind::Exchange, d, moved, other}, dims);
      dims[d].pop_back_n(moved.size());
      llvm::append_range(dims[other], moved);
    }
  for (int64_t d = 0; d < rank; ++d)
    if (Axes gathered(surplus(d)); !gathered.empty()) {
      visit({MoveKind::Gather, d, gathered}, dims);
      dims[d].pop_back_n(gathered.size());
    }
  for (int64_t d = 0; d < rank; ++d)
    slice(d);
}

static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

/// `x` with the size of one dimension in place of that of two, or the reverse.
static Value withSizes(Emitter &e, Value x, int64_t dim, unsigned replaced, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> shape(typeOf(x).getShape());
  shape.erase(shape.begin() + dim, shape.begin() + dim + replaced);
  shape.insert(shape.begin() + dim, sizes.begin(), sizes.end());
  return e.reshape(x, withShape(typeOf(x), shape), {});
}

/// `x`, of which one dimension is divided into `count` parts, each before its elements.
static Value divided(Emitter &e, Value x, int64_t dim, int64_t count) {
  return withSizes(e, x, dim, 1, {count, typeOf(x).getDimSize(dim) / count});
}

static Value merged(Emitter &e, Value x, int64_t dim) {
  return withSizes(e, x, dim, 2, {typeOf(x).getDimSize(dim) * typeOf(x).getDimSize(dim + 1)});
}

static Value emitMove(Emitter &e, Value x, MeshAttr mesh, const Move &move) {
  ArrayAttr names = namesOf(e.builder.getContext(), move.axes);
  SmallVector<int64_t> sizes = sizesOf(mesh, move.axes);
  int64_t count = mesh.sizeOf(move.axes);
  switch (move.kind) {
  case MoveKind::Slice: {
    int64_t length = typeOf(x).getDimSize(move.dim) / count;
    Value index = e.make<AxisIndexOp>(names, sizes);
    Value start = withSizes(e, e.mul(index, e.full(index, length)), 0, 0, {1});
    return e.make<GatherOp>(x, start, ArrayRef(move.dim), ArrayRef(length));
  }
  case MoveKind::Gather:
    return merged(e, e.make<AllGatherOp>(x, names, sizes, move.dim), move.dim);
  case MoveKind::Exchange:
    return merged(e, e.make<AllToAllOp>(divided(e, x, move.to, count), names, sizes, move.to, move.dim), move.dim);
  }
  llvm_unreachable("unknown kind of move");
}

Value emitReshard(Emitter &e, Value part, ShardingAttr from, ShardingAttr to) {
  forEachMove(from, to, [&](const Move &move, ArrayRef<Axes>) { part = emitMove(e, part, from.getMesh(), move); });
  return part;
}

double reshardCost(RankedTensorType type, ShardingAttr from, ShardingAttr to) {
  double bytes = 0;
  MeshAttr mesh = from.getMesh();
  forEachMove(from, to, [&](const Move &move, ArrayRef<Axes> dims) {
    double held = bytesOf(type, shardingOf(mesh, dims)), count = mesh.sizeOf(move.axes);
    if (move.kind == MoveKind::Gather)
      bytes += held * (count - 1);
    else if (move.kind == MoveKind::Exchange)
      bytes += held * (count - 1) / count;
  });
  return bytes;
}

std::optional<int64_t> scatteredDim(ShardingAttr from, ShardingAttr to, ArrayRef<AxisRefAttr> axes) {
  std::optional<int64_t> found;
  AxesOfEach dims = axesOf(from), wanted = axesOf(to);
  for (auto [d, both] : llvm::enumerate(llvm::zip_equal(dims, wanted))) {
    auto &[before, after] = both;
    if (before == after)
      continue;
    if (found || !startsWith(after, before) || ArrayRef(after).drop_front(before.size()) != axes)
      return std::nullopt;
    found = d;
  }
  return found;
}

Value emitReduceScatter(Emitter &e, Value x, MeshAttr mesh, ArrayRef<AxisRefAttr> axes, int64_t dimension) {
  return e.make<ReduceScatterOp>(divided(e, x, dimension, mesh.sizeOf(axes)), namesOf(e.builder.getContext(), axes),
                                 sizesOf(mesh, axes), dimension);
}

} // namespace dovetail
