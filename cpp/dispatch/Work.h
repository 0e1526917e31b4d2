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

/// The total number of iterations of the loops in a block, if that is known, and each of them is one that a dispatch on
/// Vulkan may have.
std::optional<int64_t> countIterations(mlir::Block &block);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_WORK_H
