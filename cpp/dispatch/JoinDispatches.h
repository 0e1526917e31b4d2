// Joins dispatches of sequential code.
#ifndef DOVETAIL_DISPATCH_JOINDISPATCHES_H
#define DOVETAIL_DISPATCH_JOINDISPATCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// The code that an op of a program for the CPU runs, if it is a dispatch made by `dispatchOnce` on arrays of known
/// sizes; null for other ops.
mlir::func::FuncOp sequentialCode(mlir::Operation *op);

/// Replaces such dispatches of one block, each after those that it needs, by one that runs their code in this order, in
/// place of the last. Nothing else in the block may lie between them. Arrays that only they use become temporaries.
/// Fails, leaving the program unchanged, if the dispatch would bind too many arrays, or need too much memory.
/// Reshapes of their results that are of no use any more are removed from the block and left to the caller to destroy.
mlir::LogicalResult joinDispatches(llvm::ArrayRef<mlir::Operation *> dispatches,
                                   llvm::SmallVectorImpl<mlir::Operation *> &removed);

/// Erases the code of such dispatches that nothing in the program calls any more.
void eraseUncalledCode(mlir::ModuleOp program);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_JOINDISPATCHES_H
