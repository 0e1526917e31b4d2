// Rolled dimensions as slices.
#include "Algorithms.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

namespace {
struct Roll : DecomposeOpInterface::ExternalModel<Roll, RollOp> {
  static unsigned numBatchDims(Operation *) { return 0; }

  static bool isDecomposed(Operation *op) {
    auto roll = cast<RollOp>(op);
    return !roll.getType().isDynamicDim(roll.getDimension());
  }

  static LogicalResult decompose(Operation *op, Emitter &e, ValueRange operands, SmallVectorImpl<Value> &results) {
    auto roll = cast<RollOp>(op);
    results.push_back(RollOp::emit(e, operands[0], roll.getDimension(), roll.getShift()));
    return success();
  }
};
} // namespace

void attachRollDecomposition(MLIRContext *context) { RollOp::attachInterface<Roll>(*context); }

} // namespace dovetail
