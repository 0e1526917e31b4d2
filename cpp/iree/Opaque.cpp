// Arrays that depend on a number that IREE does not know.
#include "Opaque.h"
#include "Ops.h"
#include "cpp/tensors/Builders.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dovetail {

/// An i32 as a number of another type, whatever its value.
static Value numberOf(ImplicitLocOpBuilder &b, Value number, Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Value part = numberOf(b, number, complex.getElementType());
    return complex::CreateOp::create(b, type, part, part);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  // The width of others depends on IREE's options.
  if (isa<FloatType>(type) && width >= 16)
    return arith::SIToFPOp::create(b, type, number);
  Type integer = b.getIntegerType(width);
  if (width < 32)
    number = arith::TruncIOp::create(b, integer, number);
  if (width > 32)
    number = arith::ExtSIOp::create(b, integer, number);
  return isa<FloatType>(type) ? arith::BitcastOp::create(b, type, number).getResult() : number;
}

Value opaqueOne(ImplicitLocOpBuilder &b) {
  auto number = RankedTensorType::get({}, b.getI32Type());
  auto value = DenseElementsAttr::get(number, b.getI32IntegerAttr(1).getValue());
  return optimizationBarrier(b, arith::ConstantOp::create(b, value).getResult()).front();
}

/// Whether the first element of an array, which has one, is negative.
static Value isFirstNegative(ImplicitLocOpBuilder &b, Value array) {
  SmallVector<Value> start(cast<RankedTensorType>(array.getType()).getRank(), arith::ConstantIndexOp::create(b, 0));
  Value element = tensor::ExtractOp::create(b, array, start);
  if (isa<ComplexType>(element.getType()))
    element = complex::ReOp::create(b, element);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element.getType()));
  if (isa<FloatType>(element.getType()))
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, element, zero);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, element, zero);
}

Value dependent(ImplicitLocOpBuilder &b, Value array, Value one, Value other) {
  auto type = cast<RankedTensorType>(array.getType());
  AffineMap whole = b.getMultiDimIdentityMap(type.getRank()),
            number = AffineMap::get(type.getRank(), 0, b.getContext());
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
    ImplicitLocOpBuilder inner(loc, builder);
    Value zero = arith::ConstantOp::create(inner, inner.getI32IntegerAttr(0));
    Value isOne = arith::CmpIOp::create(inner, arith::CmpIPredicate::ne, args[1], zero);
    if (other)
      isOne = arith::OrIOp::create(inner, isOne, isFirstNegative(inner, other));
    return arith::SelectOp::create(inner, isOne, args[0], numberOf(inner, args[1], type.getElementType()));
  };
  return parallelLoops(b, sizesOf(b, array), type.getElementType(), {array, one}, {whole, number}, body);
}

} // namespace dovetail
