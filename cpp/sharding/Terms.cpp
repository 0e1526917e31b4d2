// Terms of sums over devices that are left to do.
#include "Terms.h"
#include "Reshard.h"
#include "dialects/Collective.h"
#include "dialects/Create.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

/// The position among the devices of these axes, in an array of this shape, whose unknown sizes are given.
static Value positionLike(Emitter &e, MeshAttr mesh, ArrayRef<AxisRefAttr> axes, ArrayRef<int64_t> shape,
                          ValueRange sizes) {
  Value position = e.make<AxisIndexOp>(namesOf(e.builder.getContext(), axes), sizesOf(mesh, axes));
  return e.broadcast(position, {}, withShape(typeOf(position), shape), sizes);
}

/// The array on the first device along these axes, zeros on the others.
static Value onFirst(Emitter &e, Value x, MeshAttr mesh, ArrayRef<AxisRefAttr> axes) {
  Value position = positionLike(e, mesh, axes, typeOf(x).getShape(), e.sizes(x));
  return e.select(e.equal(position, e.zerosLike(position)), x, e.zerosLike(x));
}

/// The part of a dimension that is divided over axes, with zeros in place of the others.
static Value amongZeros(Emitter &e, Value x, MeshAttr mesh, int64_t dim, ArrayRef<AxisRefAttr> axes) {
  int64_t count = mesh.sizeOf(axes);
  SmallVector<int64_t> shape(typeOf(x).getShape()), apart(shape);
  apart.insert(apart.begin() + dim, count);
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < static_cast<int64_t>(apart.size()); ++d)
    if (d != dim)
      kept.push_back(d);
  SmallVector<Value> sizes = e.sizes(x);
  Value position = positionLike(e, mesh, axes, apart, sizes);
  Value number = e.make<IotaOp>(typeOf(position), dim, sizes);
  Value each = e.broadcast(x, kept, withShape(typeOf(x), apart), sizes);
  each = e.select(e.equal(position, number), each, e.zerosLike(each));
  shape[dim] *= count;
  return e.reshape(each, withShape(typeOf(x), shape), sizes);
}

Value emitTerm(Emitter &e, RankedTensorType type, Value part, ShardingAttr from, ShardingAttr to,
               ArrayRef<AxisRefAttr> axes) {
  MeshAttr mesh = from.getMesh();
  AxesOfEach dims = axesOf(from);
  Axes rest(axes);
  for (auto [d, ofDim] : llvm::enumerate(dims)) {
    Axes placed;
    while (!ofDim.empty() && llvm::is_contained(axes, ofDim.back()))
      placed.insert(placed.begin(), ofDim.pop_back_val());
    if (placed.empty())
      continue;
    part = amongZeros(e, part, mesh, d, placed);
    SmallVector<int64_t> shape(typeOf(part).getShape());
    shape[d] = llvm::divideCeil(type.getDimSize(d), mesh.sizeOf(ofDim));
    part = resized(e, part, shape);
    llvm::erase_if(rest, [&](AxisRefAttr axis) { return llvm::is_contained(placed, axis); });
  }
  part = emitReshard(e, type, part, shardingOf(mesh, dims), to);
  return rest.empty() ? part : onFirst(e, part, mesh, rest);
}

/// Whether an op rounds to integers, or to truth values: what it makes of terms does not add up.
static bool isRounding(Operation *op) {
  auto isFractional = [](Type type) { return !isa<IntegerType>(getElementTypeOrSelf(type)); };
  return llvm::any_of(op->getResultTypes(), [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isInteger(1) || (!isFractional(type) && llvm::any_of(op->getOperandTypes(), isFractional));
  });
}

OperandSets linearSetsOf(Operation *op) {
  if (isRounding(op))
    return {};
  if (auto pointwise = dyn_cast<PointwiseOpInterface>(op))
    return pointwise.linearSets();
  auto linear = dyn_cast<LinearOpInterface>(op);
  return linear ? linear.linearSets() : OperandSets();
}

bool isLinearIn(Operation *op, ArrayRef<unsigned> operands) {
  return llvm::any_of(linearSetsOf(op), [&](ArrayRef<unsigned> set) { return set == operands; });
}

} // namespace dovetail
