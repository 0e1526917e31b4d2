// Gathers and scatters.
#ifndef DOVETAIL_INDEX_H
#define DOVETAIL_INDEX_H

#include "Dialect.h"

namespace dovetail {

llvm::LogicalResult inferScatter(std::optional<mlir::Location> loc, llvm::StringRef name, mlir::Value x,
                                 mlir::Value indices, mlir::Value updates, llvm::ArrayRef<int64_t> dims,
                                 llvm::ArrayRef<int64_t> window, llvm::SmallVectorImpl<mlir::Type> &types);
/// Returns true if these are the indices of a single window.
bool isOneWindow(mlir::Value indices);
FactorMap scatterFactorMap(mlir::Value x, mlir::Value indices, llvm::ArrayRef<int64_t> dims,
                           llvm::ArrayRef<int64_t> window);
/// Indices that count from the first element of a part along those of `dims` whose factors, of which `factors` has one
/// for each dimension of the array, are divided.
mlir::Value indicesOfPart(Emitter &e, mlir::Value indices, llvm::ArrayRef<int64_t> dims,
                          llvm::ArrayRef<int64_t> factors, llvm::ArrayRef<DividedFactor> divided);

/// The operands of a scatter over a batch, whose result has the batch at 0.
struct BatchedScatter {
  mlir::Value x, indices, updates;
  llvm::SmallVector<int64_t> dims, window;
};
BatchedScatter batchScatter(Emitter &e, mlir::ValueRange operands, llvm::ArrayRef<int64_t> batchDims,
                            llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> window);

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Index.h.inc"

#endif // DOVETAIL_INDEX_H
