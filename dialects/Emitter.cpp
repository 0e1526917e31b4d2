// The emitter in which all rules are written: it folds as it goes, and a null value is a zero tangent.
#include "Create.h"
#include "Folding.h"
#include "Pointwise.h"
#include "Reduce.h"
#include "Shape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace dovetail {

//===- Arithmetic ------------------------------------------------------------===//

Value Emitter::add(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return make<AddOp>(x, y);
}
Value Emitter::sub(Value x, Value y) {
  if (!y)
    return x;
  return x ? make<SubOp>(x, y) : neg(y);
}
Value Emitter::neg(Value x) { return x ? make<NegOp>(x) : x; }
Value Emitter::mul(Value x, Value y) { return x && y ? make<MulOp>(x, y) : zero; }
Value Emitter::div(Value x, Value y) { return x ? make<DivOp>(x, y) : x; }
Value Emitter::add(Value x, double y) { return make<AddOp>(x, full(x, y)); }
Value Emitter::sub(double x, Value y) { return make<SubOp>(full(y, x), y); }
Value Emitter::scale(Value x, double factor) { return x ? make<MulOp>(x, full(x, factor)) : x; }

Value Emitter::select(Value p, Value x, Value y) {
  if (!x && !y)
    return zero;
  return make<SelectOp>(p, x ? x : full(y, 0), y ? y : full(x, 0));
}

static bool isComplex(Value x) { return isa<ComplexType>(getElementTypeOrSelf(x)); }

Value Emitter::real(Value x) { return x && isComplex(x) ? make<RealOp>(x) : x; }
Value Emitter::imag(Value x) { return x && isComplex(x) ? make<ImagOp>(x) : zero; }
Value Emitter::conj(Value x) { return x && isComplex(x) ? make<ConjOp>(x) : x; }
Value Emitter::complex(Value re, Value im) {
  if (!re && !im)
    return zero;
  return make<ComplexOp>(re ? re : full(im, 0), im ? im : full(re, 0));
}
Value Emitter::convert(Value x, Type element) {
  if (!x || getElementTypeOrSelf(x) == element)
    return x;
  return make<ConvertOp>(withElement(x.getType(), element), x);
}

//===- Functions that occur in formulas ----------------------------------------===//

Value Emitter::exp(Value x) { return make<ExpOp>(x); }
Value Emitter::sin(Value x) { return make<SinOp>(x); }
Value Emitter::cos(Value x) { return make<CosOp>(x); }
Value Emitter::sinh(Value x) { return make<SinhOp>(x); }
Value Emitter::cosh(Value x) { return make<CoshOp>(x); }
Value Emitter::rsqrt(Value x) { return make<RsqrtOp>(x); }
Value Emitter::sign(Value x) { return make<SignOp>(x); }
Value Emitter::truncate(Value x) { return make<TruncOp>(x); }
Value Emitter::greater(Value x, Value y) { return make<CompareOp>(CompareDirection::GT, x, y); }
Value Emitter::equal(Value x, Value y) { return make<CompareOp>(CompareDirection::EQ, x, y); }
Value Emitter::both(Value p, Value q) { return make<AndOp>(p, q); }

Value Emitter::integerPow(Value x, int64_t exponent) {
  if (exponent == 0)
    return full(x, 1);
  return exponent == 1 ? x : make<IntegerPowOp>(x, exponent);
}

Value Emitter::integerPowTangent(Value x, int64_t exponent) {
  return scale(integerPow(x, exponent - 1), static_cast<double>(exponent));
}

Value Emitter::signTangent(Value t, Value x, Value s) {
  if (!isComplex(x))
    return zero;
  Value magnitude = make<AbsOp>(x), along = real(mul(conj(s), t));
  Value across = sub(t, mul(s, complex(along, zero)));
  Value infinite = full(magnitude, std::numeric_limits<double>::infinity());
  Value distance = select(equal(magnitude, full(magnitude, 0)), infinite, magnitude);
  return div(across, complex(distance, zero));
}

Value Emitter::oneMinusSquare(Value x) { return mul(sub(1.0, x), add(x, 1.0)); }

Value Emitter::powTangentOfBase(Value x, Value y) {
  // Elsewhere, y - 1 also for y = 0: there, the derivative with respect to y is x^(-1).
  Value one = full(y, 1), isLost = both(equal(x, full(x, 0)), equal(y, full(y, 0)));
  Value exponent = select(isLost, one, sub(y, one));
  return mul(y, make<PowOp>(x, exponent));
}

Value Emitter::logOrZero(Value x) { return make<LogOp>(select(equal(x, full(x, 0)), full(x, 1), x)); }

Value Emitter::shareOfMaximum(Value x, Value ans, Value y) {
  Value both = select(equal(y, ans), full(x, 0.5), full(x, 1));
  return select(equal(x, ans), both, zero);
}

//===- Shapes ------------------------------------------------------------------===//

Value Emitter::full(RankedTensorType type, ValueRange sizes, TypedAttr element) {
  if (type.hasStaticShape())
    return make<ConstantOp>(type, DenseElementsAttr::get(type, element));
  auto scalar = RankedTensorType::get({}, type.getElementType());
  return broadcast(make<ConstantOp>(scalar, DenseElementsAttr::get(scalar, element)), {}, type, sizes);
}

Value Emitter::full(RankedTensorType type, ValueRange sizes, double value) {
  auto shaped = type.hasStaticShape() ? type : RankedTensorType::get({}, type.getElementType());
  Value constant = make<ConstantOp>(shaped, splatOf(shaped, value));
  return type.hasStaticShape() ? constant : broadcast(constant, {}, type, sizes);
}

Value Emitter::full(Value like, double value) {
  return full(cast<RankedTensorType>(like.getType()), sizes(like), value);
}

Value Emitter::size(Value x, int64_t dimension) {
  if (auto type = cast<RankedTensorType>(x.getType()); !type.isDynamicDim(dimension))
    return make<arith::ConstantIndexOp>(type.getDimSize(dimension));
  if (sizeOfAbsent)
    if (Value known = sizeOfAbsent(x, dimension))
      return known;
  return make<DimOp>(x, dimension);
}

Value Emitter::spreadSize(Value size, int64_t stride) {
  if (stride == 1)
    return size;
  Value one = make<arith::ConstantIndexOp>(1), none = make<arith::ConstantIndexOp>(0);
  Value distance = make<arith::MulIOp>(make<arith::SubIOp>(size, one), make<arith::ConstantIndexOp>(stride));
  return make<arith::MaxSIOp>(make<arith::AddIOp>(distance, one), none);
}

SmallVector<Value> Emitter::sizes(Value x) {
  SmallVector<Value> sizes;
  if (auto type = dyn_cast<RankedTensorType>(x.getType()))
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(size(x, d));
  return sizes;
}

Value Emitter::broadcast(Value x, ArrayRef<int64_t> dims, RankedTensorType type, ValueRange sizes) {
  return x.getType() == type ? x : make<BroadcastOp>(type, x, dims, sizes);
}
Value Emitter::reshape(Value x, RankedTensorType type, ValueRange sizes) {
  return x.getType() == type && type.hasStaticShape() ? x : make<ReshapeOp>(type, x, sizes);
}
Value Emitter::transpose(Value x, ArrayRef<int64_t> permutation) { return make<TransposeOp>(x, permutation); }
Value Emitter::reduceSum(Value x, ArrayRef<int64_t> dims) {
  if (!x || dims.empty())
    return x;
  // Fewer numbers are negated, and what others read of the array is not computed twice.
  if (auto negative = x.getDefiningOp<NegOp>())
    return neg(make<ReduceSumOp>(negative.getX(), dims));
  return make<ReduceSumOp>(x, dims);
}

Value Emitter::moveDim(Value x, int64_t from, int64_t to) {
  if (from == to)
    return x;
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(x.getType()).getRank()));
  permutation.erase(permutation.begin() + from);
  permutation.insert(permutation.begin() + to, from);
  return transpose(x, permutation);
}

//===- Batching ------------------------------------------------------------------===//

Value Emitter::batchAt(Value x, int64_t from, int64_t to) {
  if (from != kUnbatched)
    return moveDim(x, from, to);
  RankedTensorType type = withDim(x.getType(), to, batchSize);
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != to)
      dims.push_back(d);
  return broadcast(x, dims, type, sizesWithBatch(x.getType(), sizes(x), to));
}

SmallVector<Value> Emitter::aligned(ValueRange operands, ArrayRef<int64_t> dims, int64_t &position) {
  position = *llvm::find_if(dims, [](int64_t dim) { return dim != kUnbatched; });
  SmallVector<Value> batched;
  for (auto [operand, dim] : llvm::zip_equal(operands, dims))
    batched.push_back(batchAt(operand, dim, position));
  return batched;
}

RankedTensorType Emitter::unbatched(Value x, int64_t dim) {
  auto type = cast<RankedTensorType>(x.getType());
  if (dim == kUnbatched)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return withShape(type, shape);
}

SmallVector<Value> Emitter::sizesWithBatch(Type type, ValueRange sizes, int64_t position) {
  SmallVector<Value> all(sizes);
  if (!ShapedType::isDynamic(batchSize))
    return all;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  all.insert(all.begin() + llvm::count_if(shape.take_front(position), ShapedType::isDynamic), batchSizeValue);
  return all;
}

} // namespace dovetail
