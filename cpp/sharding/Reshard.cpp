// Moves a part of an array from one sharding to another, by collectives.
#include "Reshard.h"
#include "dialects/Collective.h"
#include "dialects/Create.h"
#include "dialects/Index.h"
#include "dialects/Parts.h"
#include "dialects/Shape.h"

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
  /// The size of that dimension afterwards.
  int64_t size;
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
static void forEachMove(RankedTensorType type, ShardingAttr from, ShardingAttr to,
                        function_ref<void(const Move &, ArrayRef<Axes>)> visit) {
  MeshAttr mesh = from.getMesh();
  AxesOfEach dims = axesOf(from), wanted = axesOf(to);
  int64_t rank = dims.size();
  auto isEvenly = [&](int64_t d, ArrayRef<AxisRefAttr> axes) { return isEven(mesh, type.getDimSize(d), axes); };
  auto sizeWith = [&](int64_t d, ArrayRef<AxisRefAttr> axes) {
    return axes.empty() ? type.getDimSize(d) : int64_t(llvm::divideCeil(type.getDimSize(d), mesh.sizeOf(axes)));
  };
  // Unequal parts are not made of parts over fewer axes.
  auto kept = [&](int64_t d) {
    bool canKeep = dims[d] == wanted[d] || (isEvenly(d, dims[d]) && isEvenly(d, wanted[d]));
    return canKeep ? commonPrefix(dims[d], wanted[d]) : ArrayRef<AxisRefAttr>();
  };
  auto surplus = [&](int64_t d) { return ArrayRef(dims[d]).drop_front(kept(d).size()); };
  // First what makes arrays smaller.
  auto slice = [&](int64_t d) {
    Axes rest(ArrayRef(wanted[d]).drop_front(kept(d).size()));
    if (!surplus(d).empty() || rest.empty() || !areUnused(rest, dims))
      return;
    visit({MoveKind::Slice, d, rest, sizeWith(d, wanted[d])}, dims);
    dims[d] = wanted[d];
  };
  for (int64_t d = 0; d < rank; ++d)
    slice(d);
  for (int64_t d = 0; d < rank; ++d)
    for (int64_t other = 0; other < rank; ++other) {
      Axes moved(surplus(d));
      if (d == other || moved.empty() || !surplus(other).empty())
        continue;
      ArrayRef<AxisRefAttr> missing = ArrayRef(wanted[other]).drop_front(dims[other].size());
      if (!startsWith(missing, moved) || (missing.size() > moved.size() && !isEvenly(other, wanted[other])))
        continue;
      ArrayRef<AxisRefAttr> rest = ArrayRef(dims[d]).drop_back(moved.size());
      visit({MoveKind::Exchange, d, moved, sizeWith(d, rest), other}, dims);
      dims[d].pop_back_n(moved.size());
      llvm::append_range(dims[other], moved);
    }
  for (int64_t d = 0; d < rank; ++d)
    if (Axes gathered(surplus(d)); !gathered.empty()) {
      visit({MoveKind::Gather, d, gathered, sizeWith(d, ArrayRef(dims[d]).drop_back(gathered.size()))}, dims);
      dims[d].pop_back_n(gathered.size());
    }
  for (int64_t d = 0; d < rank; ++d)
    slice(d);
}

static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

/// `x` with the size of one dimension in place of that of two, or the reverse. Unknown sizes stay.
static Value withSizes(Emitter &e, Value x, int64_t dim, unsigned replaced, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> shape(typeOf(x).getShape());
  shape.erase(shape.begin() + dim, shape.begin() + dim + replaced);
  shape.insert(shape.begin() + dim, sizes.begin(), sizes.end());
  return e.reshape(x, withShape(typeOf(x), shape), e.sizes(x));
}

/// `x`, of which one dimension is divided into `count` parts, each before its elements.
static Value divided(Emitter &e, Value x, int64_t dim, int64_t count) {
  return withSizes(e, x, dim, 1, {count, typeOf(x).getDimSize(dim) / count});
}

static Value merged(Emitter &e, Value x, int64_t dim) {
  return withSizes(e, x, dim, 2, {typeOf(x).getDimSize(dim) * typeOf(x).getDimSize(dim + 1)});
}

Value resized(Emitter &e, Value x, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> cut(typeOf(x).getShape()), zeros(shape.size(), 0), ones(shape.size(), 1);
  bool isLonger = false;
  for (auto [size, wanted] : llvm::zip_equal(cut, shape)) {
    isLonger |= wanted > size;
    size = std::min(size, wanted);
  }
  if (ArrayRef(cut) != typeOf(x).getShape())
    x = e.make<SliceOp>(withShape(typeOf(x), cut), x, zeros, ones, e.sizes(x));
  if (!isLonger)
    return x;
  Value nothing = e.zeros(withShape(typeOf(x), {}), {});
  return e.make<PadOp>(withShape(typeOf(x), shape), x, nothing, zeros, zeros, e.sizes(x));
}

static Value withSize(Emitter &e, Value x, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(typeOf(x).getShape());
  if (ShapedType::isDynamic(shape[dim]) || shape[dim] == size)
    return x;
  shape[dim] = size;
  return resized(e, x, shape);
}

Value firstIndex(Emitter &e, MeshAttr mesh, ArrayRef<AxisRefAttr> axes, int64_t size) {
  if (mesh.sizeOf(axes) == 1)
    return e.zeros(RankedTensorType::get({}, e.builder.getI32Type()), {});
  Value number = e.make<AxisIndexOp>(namesOf(e.builder.getContext(), axes), sizesOf(mesh, axes));
  return e.mul(number, e.full(number, size));
}

static Value emitMove(Emitter &e, Value x, MeshAttr mesh, const Move &move) {
  ArrayAttr names = namesOf(e.builder.getContext(), move.axes);
  SmallVector<int64_t> sizes = sizesOf(mesh, move.axes);
  int64_t count = mesh.sizeOf(move.axes);
  // Axes of size 1 divide nothing.
  if (count == 1)
    return withSize(e, x, move.dim, move.size);
  switch (move.kind) {
  case MoveKind::Slice: {
    x = withSize(e, x, move.dim, move.size * count);
    Value start = withSizes(e, firstIndex(e, mesh, move.axes, move.size), 0, 0, {1});
    return e.make<GatherOp>(x, start, ArrayRef(move.dim), ArrayRef(move.size));
  }
  case MoveKind::Gather:
    x = merged(e, e.make<AllGatherOp>(x, names, sizes, move.dim), move.dim);
    return withSize(e, x, move.dim, move.size);
  case MoveKind::Exchange:
    x = withSize(e, x, move.to, llvm::divideCeil(typeOf(x).getDimSize(move.to), count) * count);
    x = e.make<AllToAllOp>(divided(e, x, move.to, count), names, sizes, move.to, move.dim);
    return withSize(e, merged(e, x, move.dim), move.dim, move.size);
  }
  llvm_unreachable("unknown kind of move");
}

Value emitReshard(Emitter &e, RankedTensorType type, Value part, ShardingAttr from, ShardingAttr to) {
  forEachMove(type, from, to,
              [&](const Move &move, ArrayRef<Axes>) { part = emitMove(e, part, from.getMesh(), move); });
  return part;
}

double reshardCost(RankedTensorType type, ShardingAttr from, ShardingAttr to) {
  double bytes = 0;
  MeshAttr mesh = from.getMesh();
  forEachMove(type, from, to, [&](const Move &move, ArrayRef<Axes> dims) {
    double held = bytesOf(type, shardingOf(mesh, dims)), count = mesh.sizeOf(move.axes);
    if (move.kind == MoveKind::Gather)
      bytes += held * (count - 1);
    else if (move.kind == MoveKind::Exchange)
      bytes += held * (count - 1) / count;
  });
  return bytes;
}

std::optional<int64_t> scatteredDim(RankedTensorType type, ShardingAttr from, ShardingAttr to,
                                    ArrayRef<AxisRefAttr> axes) {
  std::optional<int64_t> found;
  AxesOfEach dims = axesOf(from), wanted = axesOf(to);
  for (auto [d, both] : llvm::enumerate(llvm::zip_equal(dims, wanted))) {
    auto &[before, after] = both;
    if (before == after)
      continue;
    bool canDivide = before.empty() || isEven(from.getMesh(), type.getDimSize(d), after);
    if (found || !canDivide || !startsWith(after, before) || ArrayRef(after).drop_front(before.size()) != axes)
      return std::nullopt;
    found = d;
  }
  return found;
}

Value emitReduceScatter(Emitter &e, Value x, MeshAttr mesh, ArrayRef<AxisRefAttr> axes, int64_t dimension) {
  int64_t count = mesh.sizeOf(axes);
  if (count == 1)
    return x;
  x = withSize(e, x, dimension, llvm::divideCeil(typeOf(x).getDimSize(dimension), count) * count);
  return e.make<ReduceScatterOp>(divided(e, x, dimension, count), namesOf(e.builder.getContext(), axes),
                                 sizesOf(mesh, axes), dimension);
}

Value withoutPadding(Emitter &e, Value part, MeshAttr mesh, int64_t dim, int64_t size, ArrayRef<AxisRefAttr> axes,
                     DenseElementsAttr element) {
  Value first = firstIndex(e, mesh, axes, typeOf(part).getDimSize(dim));
  return withoutPadding(e, part, dim, first, size, e.make<ConstantOp>(element));
}

} // namespace dovetail
