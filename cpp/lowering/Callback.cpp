// Lowering of callbacks, and of calls of programs that are compiled late, to calls of host functions.
#include "dialects/Callback.h"
#include "Lowering.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/iree/HostCall.h"
#include "cpp/iree/Ops.h"
#include "dialects/HostFunction.h"

using namespace mlir;

namespace dovetail {

namespace {
struct CallbackLowering : LowerOpInterface::ExternalModel<CallbackLowering, CallbackOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    if (isInDispatch(b))
      return failure();
    if (!op->getParentOfType<ModuleOp>()->hasAttr(kHostFunctions))
      return op->emitError() << "a callback must run on the CPU of the Python program that has its function, got: "
                             << cast<CallbackOp>(op).getFunctionAttr()
                             << " in a program for another device or for export; use the CPU, or a function without "
                                "callbacks";
    unsigned count = cast<CallbackOp>(op).getArgs().size();
    ValueRange sizes = operands.drop_front(count);
    // It gets the sizes of its results, which it must observe.
    SmallVector<Value> args(operands.take_front(count)), outs;
    for (Value size : sizes)
      args.push_back(tensor::FromElementsOp::create(
          b, ValueRange{arith::IndexCastOp::create(b, b.getI64Type(), size).getResult()}));
    lowerToHostCall(op, b, args, outs);
    for (Value out : outs) {
      int64_t count = cast<RankedTensorType>(out.getType()).getNumDynamicDims();
      results.push_back(tieShape(b, out, sizes.take_front(count)));
      sizes = sizes.drop_front(count);
    }
    return success();
  }
};

struct LateCallLowering : LowerOpInterface::ExternalModel<LateCallLowering, LateCallOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    if (isInDispatch(b))
      return failure();
    lowerToHostCall(op, b, operands, results);
    return success();
  }
};
} // namespace

void attachCallbackLowerings(MLIRContext *context) {
  CallbackOp::attachInterface<CallbackLowering>(*context);
  LateCallOp::attachInterface<LateCallLowering>(*context);
}

} // namespace dovetail
