// Estimates the scalar steps (cpp/cost/Steps.h) of bufferized code.
#ifndef DOVETAIL_DISPATCH_WORK_H
#define DOVETAIL_DISPATCH_WORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// The number of scalar steps of an iteration of the most expensive loop of a function. The function operates on
/// memory, so that its unavoidable copies are visible.
int64_t workOfIteration(mlir::func::FuncOp function);

/// The number of ops that such a function runs; none if it depends on values.
std::optional<int64_t> numOpsRun(mlir::func::FuncOp function);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_WORK_H
