// The vocabulary for algorithms on one matrix: elements, shapes, sums and products.
#include "Algebra.h"
#include "dialects/Create.h"
#include "dialects/Dot.h"
#include "dialects/Folding.h"
#include "dialects/Index.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Shape.h"
#include "dialects/Sort.h"

#include <cmath>

using namespace mlir;

namespace dovetail {

static Type placeElement(MLIRContext *context) { return IntegerType::get(context, 32); }

//===- Types and numbers ---------------------------------------------------------===//

Value Algebra::number(Type element, double value) { return full(RankedTensorType::get({}, element), {}, value); }
Value Algebra::number(Value like, double value) { return number(elementOf(like), value); }
Value Algebra::place(int64_t value) { return number(placeElement(loc.getContext()), static_cast<double>(value)); }

double Algebra::epsilonOf(Value x) {
  return realElement(elementOf(x)).isF64() ? std::ldexp(1.0, -52) : std::ldexp(1.0, -23);
}
double Algebra::tiniestOf(Value x) {
  return realElement(elementOf(x)).isF64() ? std::ldexp(1.0, -1022) : std::ldexp(1.0, -126);
}

//===- Elements --------------------------------------------------------------------===//

/// Broadcasts a scalar among two operands to the shape of the other one.
static void makeAlike(Algebra &e, Value &x, Value &y) {
  if (Algebra::typeOf(x).getRank() < Algebra::typeOf(y).getRank())
    x = e.everywhere(x, y);
  else if (Algebra::typeOf(y).getRank() < Algebra::typeOf(x).getRank())
    y = e.everywhere(y, x);
}

Value Algebra::compare(CompareDirection direction, Value x, Value y) {
  makeAlike(*this, x, y);
  return make<CompareOp>(direction, x, y);
}

Value Algebra::either(Value p, Value q) { return make<OrOp>(p, q); }
Value Algebra::negation(Value p) { return make<NotOp>(p); }

Value Algebra::choose(Value p, Value x, Value y) {
  makeAlike(*this, x, y);
  makeAlike(*this, p, x);
  makeAlike(*this, p, y);
  return make<SelectOp>(p, x, y);
}

Value Algebra::choose(Value p, Value x, double y) { return choose(p, x, number(x, y)); }

Value Algebra::plus(Value x, Value y) {
  makeAlike(*this, x, y);
  return make<AddOp>(x, y);
}
Value Algebra::minus(Value x, Value y) {
  makeAlike(*this, x, y);
  return make<SubOp>(x, y);
}
Value Algebra::times(Value x, Value y) {
  makeAlike(*this, x, y);
  return make<MulOp>(x, y);
}
Value Algebra::over(Value x, Value y) {
  makeAlike(*this, x, y);
  return make<DivOp>(x, y);
}
Value Algebra::greatest(Value x, Value y) {
  makeAlike(*this, x, y);
  return make<MaxOp>(x, y);
}
Value Algebra::least(Value x, Value y) {
  makeAlike(*this, x, y);
  return make<MinOp>(x, y);
}

Value Algebra::magnitude(Value x) { return make<AbsOp>(x); }

Value Algebra::squareMagnitude(Value x) {
  if (!isComplex(x))
    return times(x, x);
  Value re = real(x), im = imag(x);
  return plus(times(re, re), times(im, im));
}

Value Algebra::sumMagnitude(Value x) {
  return isComplex(x) ? plus(magnitude(real(x)), magnitude(imag(x))) : magnitude(x);
}

Value Algebra::root(Value x) { return make<SqrtOp>(x); }

Value Algebra::withSignOf(Value x, Value y) {
  Value size = magnitude(x);
  return choose(less(y, number(y, 0)), neg(size), size);
}

Value Algebra::as(Value x, Type element) {
  if (elementOf(x) == element)
    return x;
  return isa<ComplexType>(element) ? complex(x, zero) : convert(x, element);
}

Value Algebra::powerOfTwoBelow(Value x) {
  bool isWide = elementOf(x).isF64();
  auto bits = withElement(x.getType(), IntegerType::get(loc.getContext(), isWide ? 64 : 32));
  double exponent = isWide ? std::ldexp(2047.0, 52) : std::ldexp(255.0, 23);
  Value mask = full(bits, sizes(x), exponent), zeros = full(bits, sizes(x), 0.0);
  Value kept = make<AndOp>(make<BitcastOp>(bits, x), mask);
  Value isNormal = both(negation(same(kept, zeros)), negation(same(kept, mask)));
  return choose(isNormal, make<BitcastOp>(typeOf(x), kept), 1.0);
}

//===- Shapes ------------------------------------------------------------------------===//

Value Algebra::spread(Value x, ArrayRef<int64_t> dims, Value like) {
  return broadcast(x, dims, withElement(like.getType(), elementOf(x)), sizes(like));
}

Value Algebra::backwards(Value x, ArrayRef<int64_t> dims) { return make<ReverseOp>(x, dims); }

Value Algebra::filled(Value like, ArrayRef<int64_t> shape, double value) {
  return full(RankedTensorType::get(shape, elementOf(like)), {}, value);
}

Value Algebra::reshaped(Value x, ArrayRef<int64_t> shape) { return reshape(x, withShape(x.getType(), shape), {}); }

Value Algebra::placesIn(Value like, int64_t dim) {
  return make<IotaOp>(withElement(like.getType(), placeElement(loc.getContext())), dim, sizes(like));
}

Value Algebra::places(Value like, int64_t dim) {
  auto type = RankedTensorType::get({sizeOf(like, dim)}, placeElement(loc.getContext()));
  SmallVector<Value> sizes;
  if (!type.hasStaticShape())
    sizes.push_back(size(like, dim));
  return make<IotaOp>(type, 0, sizes);
}

Value Algebra::places(int64_t count) {
  return make<IotaOp>(RankedTensorType::get({count}, placeElement(loc.getContext())), 0, ValueRange());
}

Value Algebra::isBetween(Value like, int64_t from, int64_t to) {
  Value distance = minus(placesIn(like, 0), placesIn(like, 1)), holds;
  if (from > INT32_MIN)
    holds = compare(CompareDirection::GE, distance, place(from));
  if (to < INT32_MAX) {
    Value bound = compare(CompareDirection::LE, distance, place(to));
    holds = holds ? both(holds, bound) : bound;
  }
  return holds;
}

Value Algebra::lowerPart(Value x, int64_t offset) { return choose(isBetween(x, offset, INT32_MAX), x, 0.0); }
Value Algebra::upperPart(Value x, int64_t offset) { return choose(isBetween(x, INT32_MIN, -offset), x, 0.0); }

Value Algebra::identityLike(Value x) { return choose(isBetween(x, 0, 0), everywhere(number(x, 1), x), zerosLike(x)); }

Value Algebra::diagonalOf(Value x) { return reduceSum(choose(isBetween(x, 0, 0), x, 0.0), {1}); }

Value Algebra::diagonal(Value vector, Value like, int64_t offset) {
  Value everyColumn = offset > 0 ? eachRow(vector, like) : eachColumn(vector, like);
  return choose(isBetween(like, offset, offset), everyColumn, 0.0);
}

//===- Parts ---------------------------------------------------------------------------===//

Value Algebra::slice(Value x, int64_t dim, int64_t begin, int64_t size) {
  auto type = typeOf(x);
  SmallVector<int64_t> shape(type.getShape()), starts(type.getRank(), 0), strides(type.getRank(), 1);
  shape[dim] = size;
  starts[dim] = begin;
  SmallVector<Value> dynamic;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (ShapedType::isDynamic(shape[d]))
      dynamic.push_back(this->size(x, d));
  return make<SliceOp>(withShape(type, shape), x, starts, strides, dynamic);
}

Value Algebra::padded(Value x, ArrayRef<int64_t> shape, double value, ArrayRef<int64_t> low) {
  if (typeOf(x).getShape() == shape)
    return x;
  SmallVector<int64_t> begin(low), interior(shape.size(), 0);
  begin.resize(shape.size(), 0);
  return make<PadOp>(withShape(x.getType(), shape), x, number(x, value), begin, interior, ValueRange());
}

Value Algebra::at(Value x, int64_t dim, Value start, int64_t count) {
  Value index = reshape(start, withShape(start.getType(), {1}), {});
  return make<GatherOp>(x, index, ArrayRef<int64_t>{dim}, ArrayRef<int64_t>{count});
}

Value Algebra::at(Value x, int64_t dim, Value start) {
  SmallVector<int64_t> shape(typeOf(x).getShape());
  shape.erase(shape.begin() + dim);
  SmallVector<Value> dynamic;
  for (int64_t d = 0; d < typeOf(x).getRank(); ++d)
    if (d != dim && typeOf(x).isDynamicDim(d))
      dynamic.push_back(size(x, d));
  return reshape(at(x, dim, start, 1), withShape(x.getType(), shape), dynamic);
}

Value Algebra::take(Value x, int64_t dim, Value places) {
  SmallVector<int64_t> shape(typeOf(x).getShape());
  SmallVector<Value> dynamic = sizes(places);
  for (int64_t d = 0; d < typeOf(x).getRank(); ++d)
    if (d != dim && typeOf(x).isDynamicDim(d))
      dynamic.push_back(size(x, d));
  shape.erase(shape.begin() + dim);
  shape.insert(shape.begin(), sizeOf(places, 0));
  Value indices = reshape(places, withDim(places.getType(), 1, 1), sizes(places));
  Value found = make<GatherOp>(x, indices, ArrayRef<int64_t>{dim}, ArrayRef<int64_t>{1});
  return moveDim(reshape(found, withShape(x.getType(), shape), dynamic), 0, dim);
}

Value Algebra::with(Value x, int64_t dim, Value i, Value part) {
  SmallVector<int64_t> others;
  for (int64_t d = 0; d < typeOf(x).getRank(); ++d)
    if (d != dim)
      others.push_back(d);
  // For Vulkan, IREE 3.13 computes wrong numbers if it fuses this with a product of the array that the part comes from.
  part = OptimizationBarrierOp::create(builder, loc, ValueRange{part}).getResult(0);
  return choose(same(placesIn(x, dim), i), spread(part, others, x), x);
}

Value Algebra::exchanged(Value x, int64_t dim, Value i, Value j) {
  return with(with(x, dim, i, at(x, dim, j)), dim, j, at(x, dim, i));
}

Value Algebra::joined(ValueRange parts, int64_t dim) { return make<ConcatenateOp>(parts, dim); }

//===- Sums and products -----------------------------------------------------------------===//

/// Reduces one dimension at a time. On GPUs the code generator would use a single thread for a reduction to a scalar
/// and fuse it with its users, and Vulkan's software driver does not complete such a dispatch.
template <typename Op>
static Value reduceAll(Algebra &e, Value x) {
  for (int64_t d = Algebra::typeOf(x).getRank() - 1; d >= 0; --d)
    x = e.make<Op>(x, ArrayRef<int64_t>{d});
  return x;
}

Value Algebra::sum(Value x) { return reduceAll<ReduceSumOp>(*this, x); }
Value Algebra::maximum(Value x) { return reduceAll<ReduceMaxOp>(*this, x); }
Value Algebra::any(Value p) { return reduceAll<ReduceOrOp>(*this, p); }

Value Algebra::dot(Value x, int64_t dimOfX, Value y, int64_t dimOfY) {
  return make<DotGeneralOp>(x, y, ArrayRef<int64_t>(), ArrayRef<int64_t>(), ArrayRef<int64_t>{dimOfX},
                            ArrayRef<int64_t>{dimOfY}, TypeAttr());
}

Value Algebra::outer(Value x, Value y, Value like) { return mul(eachColumn(x, like), eachRow(y, like)); }

Value Algebra::norm(Value x) {
  Value most = maximum(sumMagnitude(x)), scale = powerOfTwoBelow(most);
  Value squares = squareMagnitude(over(x, as(scale, elementOf(x))));
  return times(scale, root(sum(squares)));
}

Value Algebra::isAllFinite(Value x) {
  Value finite = isComplex(x) ? both(make<IsFiniteOp>(real(x)), make<IsFiniteOp>(imag(x))) : make<IsFiniteOp>(x);
  return all(finite);
}

Value Algebra::nanUnlessFinite(Value x, Value isFinite) { return choose(isFinite, x, std::nan("")); }

Value Algebra::orderOf(Value keys) {
  auto sorted = SortOp::create(builder, loc, ValueRange{keys, places(keys, 0)}, 0, 1, IntegerAttr(), false, BoolAttr());
  return sorted.getResult(1);
}

} // namespace dovetail
