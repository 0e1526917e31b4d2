// Moves a part of an array from one sharding to another, by collectives.
#include "Reshard.h"
#include "Moves.h"
#include "dialects/Collective.h"
#include "dialects/Create.h"
#include "dialects/Index.h"
#include "dialects/Parts.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

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
  if (move.kind == MoveKind::Permute) {
    Routes routes = routesOf(mesh, move);
    return e.make<PermuteOp>(x, namesOf(e.builder.getContext(), routes.axes), sizesOf(mesh, routes.axes),
                             routes.sources, routes.targets);
  }
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
  case MoveKind::Permute:
    break;
  }
  llvm_unreachable("unknown kind of move");
}

Value emitReshard(Emitter &e, RankedTensorType type, Value part, ShardingAttr from, ShardingAttr to) {
  for (const Move &move : movesBetween(type, from, to))
    part = emitMove(e, part, from.getMesh(), move);
  return part;
}

double reshardCost(RankedTensorType type, ShardingAttr from, ShardingAttr to) {
  double bytes = 0;
  for (const Move &move : movesBetween(type, from, to))
    bytes += bytesOf(type, from.getMesh(), move);
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
