// Builders that avoid faults of IREE.
#include "Quirks.h"
#include "Ops.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

bool isWideComplex(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex && complex.getElementType().isF64();
}

Value filledAlone(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes, Value scalar) {
  if (isWideComplex(scalar.getType())) {
    Value wide = joined(b, cast<ComplexType>(scalar.getType()), [&](bool isImaginary) {
      return filled(b, sizes,
                    isImaginary ? complex::ImOp::create(b, scalar).getResult()
                                : complex::ReOp::create(b, scalar).getResult());
    });
    return computeBarrier(b, wide);
  }
  // A bool is stored as a byte, which the code generator forgets in from_elements.
  Type element = scalar.getType();
  bool isBool = element.isInteger(1);
  Value stored = isBool ? arith::ExtUIOp::create(b, b.getI8Type(), scalar).getResult() : scalar;
  Value one = tensor::FromElementsOp::create(b, RankedTensorType::get({}, stored.getType()), stored);
  return parallelLoops(b, sizes, element, one, AffineMap::get(sizes.size(), 0, b.getContext()),
                       [&](OpBuilder &inner, Location loc, ValueRange args) {
                         return isBool ? arith::TruncIOp::create(inner, loc, element, args[0]).getResult() : args[0];
                       });
}

/// Whether one element is computed from elements extracted from slices of arrays; looks at no more than `count` ops.
static bool isOfSlices(Value x, unsigned &count) {
  Operation *op = x.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (!op || !type || !type.hasStaticShape() || type.getNumElements() != 1 || count == 0)
    return false;
  --count;
  if (isa<tensor::ExtractSliceOp>(op))
    return true;
  return isa<linalg::GenericOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return isOfSlices(operand, count); });
}

Value expandable(ImplicitLocOpBuilder &b, Value x) {
  unsigned count = 64;
  return isOfSlices(x, count) ? optimizationBarrier(b, x).front() : x;
}

Value elementAt(OpBuilder &b, Location loc, Value x, ArrayRef<Value> place) {
  auto slice = x.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSourceType().getRank() != slice.getType().getRank())
    return tensor::ExtractOp::create(b, loc, x, place);
  ImplicitLocOpBuilder body(loc, b);
  SmallVector<Value> source;
  for (auto [i, offset, stride] : llvm::zip_equal(place, slice.getMixedOffsets(), slice.getMixedStrides())) {
    Value distance = isOneInteger(stride) ? i : arith::MulIOp::create(body, i, asValue(body, stride));
    source.push_back(isZeroInteger(offset) ? distance
                                           : arith::AddIOp::create(body, asValue(body, offset), distance).getResult());
  }
  return elementAt(b, loc, slice.getSource(), source);
}

bool canLoopsCarry(RankedTensorType type) { return type.hasStaticShape() || type.getRank() < 2; }

} // namespace dovetail
