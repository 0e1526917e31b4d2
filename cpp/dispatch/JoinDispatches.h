// Joins dispatches of sequential code, also behind one of workgroups.
#ifndef DOVETAIL_DISPATCH_JOINDISPATCHES_H
#define DOVETAIL_DISPATCH_JOINDISPATCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// The code that an op of a program for the CPU runs, if it is a dispatch made by `dispatchOnce` on arrays of known
/// sizes; null for other ops.
mlir::func::FuncOp sequentialCode(mlir::Operation *op);

/// The number of workgroups of a dispatch made by `dispatchGroups` on arrays of known sizes; 0 for other ops.
int64_t numWorkgroups(mlir::Operation *op);
/// The threads of each of these.
int64_t numThreadsOf(mlir::Operation *op);

/// Replaces such dispatches of one block, of which the first may also be one of workgroups, the last of which then runs
/// the code of the others, each after those that it needs, by one that runs their code in this order, in
/// place of the last. Nothing else in the block may lie between them. Arrays that only they use become temporaries.
/// Fails, leaving the program unchanged, if the dispatch would bind too many arrays, or need too much memory.
/// Reshapes of their results that are of no use any more are removed from the block and left to the caller to destroy.
mlir::LogicalResult joinDispatches(llvm::ArrayRef<mlir::Operation *> dispatches,
                                   llvm::SmallVectorImpl<mlir::Operation *> &removed);

/// Erases the code of such dispatches that nothing in the program calls any more.
void eraseUncalledCode(mlir::ModuleOp program);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_JOINDISPATCHES_H
