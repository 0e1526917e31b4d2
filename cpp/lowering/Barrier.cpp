// Lowering of the optimization barrier.
#include "Lowering.h"
#include "cpp/iree/Ops.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

namespace {
struct BarrierLowering : LowerOpInterface::ExternalModel<BarrierLowering, OptimizationBarrierOp> {
  LogicalResult lower(Operation *, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    llvm::append_range(results, optimizationBarrier(b, operands));
    return success();
  }
};
} // namespace

void attachBarrierLowerings(MLIRContext *context) { OptimizationBarrierOp::attachInterface<BarrierLowering>(*context); }

} // namespace dovetail
