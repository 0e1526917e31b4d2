// Reads elements at computed places from whole arrays instead of slices.
#include "Passes.h"
#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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

namespace {
struct ReadWholePass : impl::ReadWholePassBase<ReadWholePass> {
  void runOnOperation() override {
    Target target(getOperation());
    if (!target.isGpu() || target.isSpirv())
      return markAllAnalysesPreserved();
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([](tensor::ExtractOp element) {
        while (auto slice = element.getTensor().getDefiningOp<tensor::ExtractSliceOp>()) {
          if (slice->getBlock() == element->getBlock())
            return;
          readArray(element, slice);
        }
      });
  }
};
} // namespace

} // namespace dovetail
