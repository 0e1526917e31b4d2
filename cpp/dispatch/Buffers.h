// Bufferizes sequential code in place.
#ifndef DOVETAIL_DISPATCH_BUFFERS_H
#define DOVETAIL_DISPATCH_BUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// Registers the bufferization of the ops that lowering emits.
void registerBufferization(mlir::DialectRegistry &registry);

/// An array that sequential code computes, and the array that it overwrites.
struct Output {
  mlir::Value array, place;
};

/// The array that is overwritten to compute another, by any number of ops; the array itself if none is.
mlir::Value originOf(mlir::Value array);

/// Writes `outputs` to their places, before the terminator of `function`. Loop-carried values and results of branches
/// are updated in place: a loop's arrays are copied before it if something else needs them, each iteration ends by
/// overwriting its arguments with the values that it computed as a whole, and elementwise values are written there at
/// once.
mlir::LogicalResult updateInPlace(mlir::func::FuncOp function, llvm::ArrayRef<Output> outputs);

/// Replaces tensors by buffers, and allocates those for which there is none. Fails, without a message, if a loop would
/// need a new buffer in each iteration.
mlir::LogicalResult bufferize(mlir::func::FuncOp function);

/// Makes copies structured ops. Fails if there are such ops on anything else than buffers.
mlir::LogicalResult structureCopies(mlir::func::FuncOp function);

/// Lowers structured ops on buffers to loops, of vectors if requested.
void lowerToLoops(mlir::func::FuncOp function, bool useVectors);

/// Folds, and merges identical ops. With `fuse`, also fuses elementwise ops into their only user.
void simplify(mlir::func::FuncOp function, bool fuse);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_BUFFERS_H
