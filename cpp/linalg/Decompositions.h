// The decompositions of ops.
#ifndef DOVETAIL_LINALG_DECOMPOSITIONS_H
#define DOVETAIL_LINALG_DECOMPOSITIONS_H

#include "dialects/Emitter.h"

namespace dovetail {

/// Attaches to ops the algorithms in other ops by which passes replace them.
void attachDecompositions(mlir::MLIRContext *context);

/// Returns true if an op has an algorithm in other ops, or is a pointwise op whose scalar code has counterparts on
/// arrays.
bool hasDecomposition(mlir::Operation *op);
/// Emits the other ops on the operands of the op, and appends its results. Fails, with an error, if the algorithm needs
/// sizes that are not known.
llvm::LogicalResult emitDecomposition(mlir::Operation *op, Emitter &e, llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace dovetail

#endif // DOVETAIL_LINALG_DECOMPOSITIONS_H
