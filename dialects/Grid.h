// Loops over the programs of a grid.
#ifndef DOVETAIL_GRID_H
#define DOVETAIL_GRID_H

#include "Emitter.h"

namespace dovetail {

/// Marks a loop whose iterations are programs of a grid: true, or false if the first and the last have been taken out.
constexpr llvm::StringLiteral kGrid = "dovetail.grid";

/// Marks an op with a branch: what a kernel computes, which is to be one dispatch where that is as fast. Further
/// branches compute the same in another form, in which it may be one dispatch where it is not in that of the first.
constexpr llvm::StringLiteral kKernel = "dovetail.kernel";

/// Marks a loop over a batch of a kernel, of which each iteration is the kernel on one entry.
constexpr llvm::StringLiteral kEntries = "dovetail.entries";

/// Makes a kernel of each loop over a grid that has no effects and is in no other.
void wrapGrids(mlir::Operation *root);

/// Puts the ops of a kernel, in its first form, in its place.
void unwrapKernel(mlir::Operation *kernel);

/// A kernel that is another one in one of its forms, before that one.
mlir::Operation *formOf(mlir::Operation *kernel, unsigned number);

/// Leaves kernels their first form.
void keepFirstForms(mlir::Operation *root);

/// The batching rule of a kernel: ops on all entries, and, as a further form, a loop over these. The
/// batch comes first in all results.
llvm::LogicalResult batchKernel(Emitter &e, mlir::Operation *kernel, mlir::ValueRange operands,
                                llvm::ArrayRef<int64_t> dims, llvm::SmallVectorImpl<mlir::Value> &results,
                                llvm::SmallVectorImpl<int64_t> &resultDims);

/// Whether a code generator that fuses elementwise ops alone would make several dispatches of a kernel.
bool hasSeveralStages(mlir::Operation *kernel);

/// Emits the programs of a grid at once, as ops on the blocks of all of them, and appends the loop's results. Fails,
/// without an error, if programs depend on each other; what was emitted is then of no use.
llvm::LogicalResult vectorizeGrid(Emitter &e, mlir::Operation *loop, llvm::SmallVectorImpl<mlir::Value> &results);

/// Moves what a loop computes only in its first or last iteration before or behind it, where that takes no copy of the
/// rest. Returns true if it did.
bool moveEnds(mlir::Operation *loop);

/// Takes the first and the last iteration out of a loop, and marks the rest accordingly.
void peelGrid(mlir::OpBuilder &builder, mlir::Operation *loop);

/// Replaces each choice of a branch that is the same for all values of the counters of loops by that branch.
void decideBranches(mlir::Operation *root);

} // namespace dovetail

#endif // DOVETAIL_GRID_H
