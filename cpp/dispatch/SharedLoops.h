// Lowers structured ops on buffers to loops that the threads of a workgroup share.
#ifndef DOVETAIL_DISPATCH_SHAREDLOOPS_H
#define DOVETAIL_DISPATCH_SHAREDLOOPS_H

#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// The threads that run the code of a function on buffers, for a GPU: enough for the elements of its largest op, or 1.
int64_t numThreadsFor(mlir::func::FuncOp function, const Target &target);

/// Rewrites the code of one thread, whose structured ops are `linalg` ops on buffers, as that of each of `numThreads`
/// threads: they share the elements of each op, and all compute the scalars between the ops. Before and after a write,
/// each waits for the others.
void shareAmongThreads(mlir::func::FuncOp function, int64_t numThreads, const Target &target);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_SHAREDLOOPS_H
