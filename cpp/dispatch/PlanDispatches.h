// Decides which loops and branches become one dispatch.
#ifndef DOVETAIL_DISPATCH_PLANDISPATCHES_H
#define DOVETAIL_DISPATCH_PLANDISPATCHES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Marks a module in which every loop is to run on the host, with dispatches for the ops inside; for tests of host
/// loops.
constexpr llvm::StringLiteral kHostLoops = "dovetail.host_loops";

/// Whether one dispatch is expected to run the op faster than a dispatch for each op inside. `operands` are what became
/// of its operands, if they are lowered.
bool isForOneDispatch(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b, mlir::ValueRange operands = {});

/// The maximum number of scalar steps of an iteration of a loop in one dispatch of one workgroup.
int64_t mostStepsOfIteration(mlir::ImplicitLocOpBuilder &b);
/// The same for each of several workgroups.
constexpr int64_t kMostStepsOfPart = int64_t(1) << 21;

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_PLANDISPATCHES_H
