// Shared parts of the ops of linear algebra.
#ifndef DOVETAIL_MATRIXOPS_H
#define DOVETAIL_MATRIXOPS_H

#include "Emitter.h"

namespace dovetail {

/// Verifies that an operand has at least `rank` dimensions.
llvm::LogicalResult verifyRank(std::optional<mlir::Location> loc, llvm::StringRef name, mlir::Value x, int64_t least);
/// Checks that an operand is a batch of square matrices.
llvm::LogicalResult verifySquare(std::optional<mlir::Location> loc, llvm::StringRef name, mlir::Value x);

/// The op over a batch that comes first in all operands.
llvm::LogicalResult batchMatrices(Emitter &e, mlir::Operation *op, mlir::ValueRange operands,
                                  llvm::ArrayRef<int64_t> dims, llvm::SmallVectorImpl<mlir::Value> &results,
                                  llvm::SmallVectorImpl<int64_t> &resultDims);

/// The batch dimensions of `a` are those of all operands and results; the dimensions after them are not loops. The last
/// `matrixDims` dimensions of `a` are not batch dimensions.
FactorMap matricesFactorMap(mlir::Operation *op, mlir::Value a, int64_t matrixDims = 2);

} // namespace dovetail

#endif // DOVETAIL_MATRIXOPS_H
