// Lowering of ops on batches of small matrices to kernels, for which each lane of vectors holds one.
#ifndef DOVETAIL_LOWERING_SMALLMATRICES_H
#define DOVETAIL_LOWERING_SMALLMATRICES_H

#include "Lowering.h"
#include "cpp/dispatch/BlasCall.h"

namespace dovetail {

/// Lowers an op whose `DecomposeOpInterface` says that it is computed in lanes.
void lowerInLanes(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b, mlir::ValueRange operands,
                  llvm::ArrayRef<MatrixResult> types, llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_SMALLMATRICES_H
