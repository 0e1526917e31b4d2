// Bufferizes sequential code in place.
#ifndef DOVETAIL_DISPATCH_BUFFERS_H
#define DOVETAIL_DISPATCH_BUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// Registers how the ops that lowering writes become ops on buffers.
void registerBufferization(mlir::DialectRegistry &registry);

/// An array that sequential code computes, and the one over which it is to be written.
struct Output {
  mlir::Value array, place;
};

/// Writes `outputs` to their places, before the terminator of `function`. What a loop carries, and what a branch gives,
/// is updated in place: a loop's arrays are copied before it where something else needs them, each iteration ends by
/// writing what it made, whole, over what it was given, and what is elementwise is written there at once.
mlir::LogicalResult updateInPlace(mlir::func::FuncOp function, llvm::ArrayRef<Output> outputs);

/// Tensors become buffers; what does not fit into those there are is allocated. Fails, without a message, if a loop
/// would need a new buffer in each iteration.
mlir::LogicalResult bufferize(mlir::func::FuncOp function);

/// Ops on whole buffers become loops, of vectors if told so.
mlir::LogicalResult lowerToLoops(mlir::func::FuncOp function, bool useVectors);

/// Folds, and merges ops that are the same. With `fuse` also elementwise ops that one other op uses, with that.
void simplify(mlir::func::FuncOp function, bool fuse);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_BUFFERS_H
