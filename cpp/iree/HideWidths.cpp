// Hides the widths of arrays whose slices begin between vectors.
#include "Ops.h"
#include "Passes.h"
#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_HIDEWIDTHSPASS
#include "cpp/iree/Passes.h.inc"

/// The widest vectors that code for such targets loads, and the size that is a multiple of.
constexpr int64_t kMostBytes = 16, kFewestBytes = 4;

/// Whether a slice begins between vectors, of any size in which both the array and the slice can be read.
static bool isBetweenVectors(tensor::ExtractSliceOp slice) {
  int64_t bytes = bytesOfElement(slice.getType().getElementType()), width = slice.getSourceType().getShape().back();
  std::optional<int64_t> start = getConstantIntValue(slice.getMixedOffsets().back());
  std::optional<int64_t> size = getConstantIntValue(slice.getMixedSizes().back());
  for (int64_t count = 2; count * bytes <= kMostBytes; count *= 2)
    if (count * bytes >= kFewestBytes && width % count == 0 && size.value_or(0) % count == 0 &&
        (!start || *start % count != 0))
      return true;
  return false;
}

static Value hidden(ImplicitLocOpBuilder &b, Value array) {
  auto type = cast<RankedTensorType>(array.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> sizes = dynamicSizes(b, array), all = sizes;
  Value width = arith::ConstantIndexOp::create(b, shape.back());
  all.append(optimizationBarrier(b, width));
  shape.back() = ShapedType::kDynamic;
  auto unknown = RankedTensorType::get(shape, type.getElementType());
  return createGrouped(b, "flow.tensor.reshape", {array, sizes, all}, unknown)->getResult(0);
}

namespace {
struct HideWidthsPass : impl::HideWidthsPassBase<HideWidthsPass> {
  void runOnOperation() override {
    if (!Target(getOperation()).isSpirv())
      return markAllAnalysesPreserved();
    DenseMap<Value, Value> known;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](tensor::ExtractSliceOp slice) {
        RankedTensorType type = slice.getSourceType();
        if (type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1) || !isBetweenVectors(slice))
          return;
        Value &array = known[slice.getSource()];
        if (!array) {
          ImplicitLocOpBuilder b(slice.getLoc(), slice.getContext());
          b.setInsertionPointAfterValue(slice.getSource());
          array = hidden(b, slice.getSource());
        }
        slice.getSourceMutable().assign(array);
      });
  }
};
} // namespace

} // namespace dovetail
