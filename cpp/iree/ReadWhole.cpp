// Reads elements at computed places from whole arrays instead of slices.
#include "Ops.h"
#include "Passes.h"
#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_READWHOLEPASS
#include "cpp/iree/Passes.h.inc"

/// Makes an element of a slice one of the array.
static void readArray(tensor::ExtractOp element, tensor::ExtractSliceOp slice) {
  OpBuilder b(element);
  Location loc = element.getLoc();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(), strides = slice.getMixedStrides();
  SmallVector<Value> indices;
  auto given = element.getIndices().begin();
  for (auto [d, offset, stride] : llvm::enumerate(offsets, strides)) {
    Value index = getValueOrCreateConstantIndexOp(b, loc, offset);
    if (!dropped[d]) {
      Value place = *given++;
      if (!isOneInteger(stride))
        place = arith::MulIOp::create(b, loc, place, getValueOrCreateConstantIndexOp(b, loc, stride));
      index = isZeroInteger(offset) ? place : arith::AddIOp::create(b, loc, index, place).getResult();
    }
    indices.push_back(index);
  }
  element.getTensorMutable().assign(slice.getSource());
  element.getIndicesMutable().assign(indices);
}

/// Whether an array is a slice, moved or not.
static bool isOfSlice(Value array) {
  Operation *op = array.getDefiningOp();
  while (op && isa<linalg::TransposeOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<tensor::ExtractSliceOp>(op);
}

namespace {
struct ReadWholePass : impl::ReadWholePassBase<ReadWholePass> {
  void runOnOperation() override {
    Target target(getOperation());
    if (!target.isGpu() || target.isSpirv())
      return markAllAnalysesPreserved();
    DenseMap<Value, Value> separated;
    auto read = [&](tensor::ExtractOp element) {
      // On the host.
      if (!element->getParentOfType<linalg::LinalgOp>())
        return;
      while (auto slice = element.getTensor().getDefiningOp<tensor::ExtractSliceOp>())
        readArray(element, slice);
      if (!isOfSlice(element.getTensor()))
        return;
      Value &array = separated[element.getTensor()];
      if (!array) {
        ImplicitLocOpBuilder b(element.getLoc(), element.getContext());
        b.setInsertionPointAfterValue(element.getTensor());
        array = computeBarrier(b, element.getTensor());
      }
      element.getTensorMutable().assign(array);
    };
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk(read);
  }
};
} // namespace

} // namespace dovetail
