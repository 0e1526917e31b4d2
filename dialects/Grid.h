// Loops over the programs of a grid.
#ifndef DOVETAIL_GRID_H
#define DOVETAIL_GRID_H

#include "Emitter.h"

namespace dovetail {

/// Marks a loop whose iterations are programs of a grid.
constexpr llvm::StringLiteral kGrid = "dovetail.grid";

/// Emits the programs of a grid at once, as ops on the blocks of all of them, and appends the loop's results. Fails,
/// without an error, if programs depend on each other; what was emitted is then of no use.
llvm::LogicalResult vectorizeGrid(Emitter &e, mlir::Operation *loop, llvm::SmallVectorImpl<mlir::Value> &results);

/// Takes the first and the last iteration out of a loop, and the mark off the rest.
void peelGrid(mlir::OpBuilder &builder, mlir::Operation *loop);

/// Replaces each choice of a branch that is the same for all values of the counters of loops by that branch.
void decideBranches(mlir::Operation *root);

} // namespace dovetail

#endif // DOVETAIL_GRID_H
