// Lowering of Fourier transforms to kernels, which see the transformed dimension between those before and after it.
#include "dialects/Fft.h"
#include "Lowering.h"
#include "Product.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/dispatch/fourier/Transforms.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

namespace {

using fourier::Memory;
using fourier::Transforms;

/// The transform of the dimensions from `dimension` on, with `inner` numbers for each element.
using Transform = function_ref<Value(Transforms &, Value x, int64_t inner, const Memory &result)>;

/// The transform along one dimension, which has `size` elements in the result.
struct AlongDimension {
  ImplicitLocOpBuilder &b;
  Kernels &kernels;
  Type result;
  int64_t size;
  /// True if the transform only supports elements that are single numbers.
  bool needsLast, mayCallLibrary, mayOverwrite;

  Value run(Value x, int64_t dimension, Transform transform) {
    auto type = cast<RankedTensorType>(x.getType());
    int64_t rank = type.getRank();
    ArrayRef<int64_t> after = type.getShape().drop_front(dimension + 1);
    bool isKnown = !ShapedType::isDynamicShape(after);
    if (!isKnown || (needsLast && ShapedType::getNumElements(after) != 1)) {
      SmallVector<int64_t> order, back(rank);
      for (int64_t d = 0; d < rank; ++d)
        if (d != dimension)
          order.push_back(d);
      order.push_back(dimension);
      for (auto [place, d] : llvm::enumerate(order))
        back[d] = place;
      Value moved = computeBarrier(b, transposed(b, x, order));
      return transposed(b, computeBarrier(b, run(moved, rank - 1, transform)), back);
    }
    SmallVector<OpFoldResult> sizes = sizesOf(b, x);
    OpFoldResult rows = productOf(b, ArrayRef(sizes).take_front(dimension));
    SmallVector<int64_t> shape(type.getShape());
    shape[dimension] = size;
    Memory memory = {RankedTensorType::get(shape, result), {}};
    for (int64_t d = 0; d < dimension; ++d)
      if (type.isDynamicDim(d))
        memory.sizes.push_back(cast<Value>(sizes[d]));
    if (memory.type.getNumDynamicDims() == 0 && memory.type.getNumElements() == 0)
      return tensor::EmptyOp::create(b, shape, result);
    Type element = realElement(type.getElementType());
    Transforms transforms = {b, kernels, cast<FloatType>(element), rows, mayCallLibrary, mayOverwrite};
    return transform(transforms, x, ShapedType::getNumElements(after), memory);
  }
};

/// Lowers `op` by `transform`; fails within programs for one thread, which cannot contain kernels.
template <typename Op>
LogicalResult lowerFourier(Op op, ImplicitLocOpBuilder &b, Value x, bool needsLast, SmallVectorImpl<Value> &results,
                           Transform transform) {
  if (isInDispatch(b))
    return failure();
  Kernels kernels(op->template getParentOfType<ModuleOp>());
  auto type = cast<RankedTensorType>(op.getType());
  int64_t dimension = op.getDimension();
  // Transforms along several dimensions use the memory of the first result.
  bool mayOverwrite = isa_and_present<Op>(op.getX().getDefiningOp()) && op.getX().getType() == type &&
                      op.getX().hasOneUse() && op.getX().getDefiningOp()->getBlock() == op->getBlock();
  AlongDimension along = {
      b, kernels, type.getElementType(), type.getDimSize(dimension), needsLast, mayCallLibrary(b, op), mayOverwrite};
  results.push_back(along.run(x, dimension, transform));
  return success();
}

struct FftLowering : LowerOpInterface::ExternalModel<FftLowering, FftOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto fft = cast<FftOp>(op);
    int64_t length = fft.getLength();
    double scale = fft.getInverse() ? 1.0 / static_cast<double>(length) : 1.0;
    return lowerFourier(fft, b, operands[0], !fourier::isSmooth(length), results,
                        [&](Transforms &transforms, Value x, int64_t inner, const Memory &result) {
                          return transforms.complex(x, length, inner, fft.getInverse(), scale, result);
                        });
  }
};

struct RfftLowering : LowerOpInterface::ExternalModel<RfftLowering, RfftOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto rfft = cast<RfftOp>(op);
    return lowerFourier(rfft, b, operands[0], /*needsLast=*/true, results,
                        [&](Transforms &transforms, Value x, int64_t, const Memory &result) {
                          return transforms.ofReal(x, rfft.getLength(), result);
                        });
  }
};

struct IrfftLowering : LowerOpInterface::ExternalModel<IrfftLowering, IrfftOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto irfft = cast<IrfftOp>(op);
    return lowerFourier(irfft, b, operands[0], /*needsLast=*/true, results,
                        [&](Transforms &transforms, Value x, int64_t, const Memory &result) {
                          return transforms.toReal(x, irfft.getLength(), result);
                        });
  }
};

} // namespace

void attachFftLowerings(MLIRContext *context) {
  FftOp::attachInterface<FftLowering>(*context);
  RfftOp::attachInterface<RfftLowering>(*context);
  IrfftOp::attachInterface<IrfftLowering>(*context);
}

} // namespace dovetail
