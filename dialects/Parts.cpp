// What ops need of the part of an array that a device has along a dimension.
#include "Parts.h"
#include "Create.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

Value forEachElement(Emitter &e, Value scalar, Value x) {
  return e.broadcast(scalar, {}, withElement(typeOf(x), getElementTypeOrSelf(scalar)), e.sizes(x));
}

Value indicesAlong(Emitter &e, Value x, int64_t dimension) {
  return e.make<IotaOp>(withElement(typeOf(x), e.builder.getI32Type()), dimension, e.sizes(x));
}

Value sliceAlong(Emitter &e, Value x, int64_t dimension, int64_t start, int64_t size) {
  SmallVector<int64_t> shape(typeOf(x).getShape()), starts(shape.size(), 0), strides(shape.size(), 1);
  shape[dimension] = size;
  starts[dimension] = start;
  return e.make<SliceOp>(withShape(typeOf(x), shape), x, starts, strides, e.sizes(x));
}

Value withoutPadding(Emitter &e, Value x, int64_t dimension, Value first, int64_t size, Value scalar) {
  Value end = e.sub(e.full(first, static_cast<double>(size)), first);
  Value isInside = e.greater(forEachElement(e, end, x), indicesAlong(e, x, dimension));
  return e.select(isInside, x, forEachElement(e, scalar, x));
}

} // namespace dovetail
