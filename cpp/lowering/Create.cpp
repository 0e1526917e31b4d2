// Lowering of ops that create arrays.
#include "dialects/Create.h"
#include "Lowering.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/iree/Ops.h"
#include "cpp/iree/Quirks.h"
#include "cpp/tensors/Target.h"

using namespace mlir;

namespace dovetail {

namespace {

/// A constant of a wide complex type.
Value complexConstant(ImplicitLocOpBuilder &b, DenseElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto element = cast<ComplexType>(type.getElementType());
  auto partType = withElement(type, element.getElementType());
  return joined(b, element, [&](bool isImaginary) -> Value {
    SmallVector<APFloat> numbers;
    for (const std::complex<APFloat> &number : value.getValues<std::complex<APFloat>>()) {
      numbers.push_back(isImaginary ? number.imag() : number.real());
      if (value.isSplat())
        break;
    }
    return arith::ConstantOp::create(b, partType, DenseElementsAttr::get(partType, numbers));
  });
}

struct ConstantLowering : LowerOpInterface::ExternalModel<ConstantLowering, ConstantOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange, SmallVectorImpl<Value> &results) const {
    auto constant = cast<ConstantOp>(op);
    auto type = cast<RankedTensorType>(loweredType(constant.getType()));
    ElementsAttr value = constant.getValue();
    if (type != constant.getType()) {
      auto dense = dyn_cast<DenseElementsAttr>(value);
      if (!dense)
        return op->emitError() << "unsigned constants must be dense, got: " << value;
      value = dense.bitcast(type.getElementType());
    }
    auto dense = dyn_cast<DenseElementsAttr>(value);
    if (dense && isWideComplex(type.getElementType()))
      results.push_back(complexConstant(b, dense));
    else
      results.push_back(arith::ConstantOp::create(b, type, value));
    return success();
  }
};

/// The array of `sizes` whose elements are their indices along a dimension.
Value counted(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes, int64_t dimension, Type element) {
  return parallelLoops(b, sizes, scalar::lowered(element), {}, {}, [&](OpBuilder &inner, Location loc, ValueRange) {
    // 64 bits hold any index; they are narrowed only in the conversion.
    Value index = linalg::IndexOp::create(inner, loc, dimension);
    bool isNarrow = element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 32;
    Type integer = inner.getIntegerType(isNarrow ? 32 : 64);
    Value number = arith::IndexCastOp::create(inner, loc, integer, index);
    scalar::ScalarBuilder builder(loc, inner, integer);
    return scalar::convert(builder, number, element);
  });
}

struct IotaLowering : LowerOpInterface::ExternalModel<IotaLowering, IotaOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto iota = cast<IotaOp>(op);
    RankedTensorType type = iota.getType();
    SmallVector<OpFoldResult> sizes = sizesOf(b, type, operands);
    bool isOnGpu = Target(op).isGpu() && !isInDispatch(b);
    if (!isOnGpu || !type.hasStaticShape() || type.getNumElements() == 0) {
      results.push_back(counted(b, sizes, iota.getDimension(), type.getElementType()));
      return success();
    }
    // For GPUs, IREE 3.13 does not compile reductions with indices fused in; a table, computed when the program is
    // loaded, is read instead.
    int64_t dimension = iota.getDimension();
    Value table = computeBarrier(b, counted(b, sizes[dimension], 0, type.getElementType()));
    AffineMap map = AffineMap::get(type.getRank(), 0, b.getAffineDimExpr(dimension));
    results.push_back(parallelLoops(b, sizes, getElementTypeOrSelf(table), table, map,
                                    [](OpBuilder &, Location, ValueRange args) { return args[0]; }));
    return success();
  }
};

struct DimLowering : LowerOpInterface::ExternalModel<DimLowering, DimOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    results.push_back(tensor::DimOp::create(b, operands[0], cast<DimOp>(op).getDimension()));
    return success();
  }
};

} // namespace

void attachCreateLowerings(MLIRContext *context) {
  ConstantOp::attachInterface<ConstantLowering>(*context);
  IotaOp::attachInterface<IotaLowering>(*context);
  DimOp::attachInterface<DimLowering>(*context);
}

} // namespace dovetail
