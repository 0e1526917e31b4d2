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

FactorMap gatherFactorMap(mlir::Value x, mlir::Value indices, llvm::ArrayRef<int64_t> dims,
                          llvm::ArrayRef<int64_t> window);
/// `combiner`: how arrays each of which has some of the updates are combined; None if they cannot be.
FactorMap scatterFactorMap(mlir::Value x, mlir::Value indices, llvm::ArrayRef<int64_t> dims,
                           llvm::ArrayRef<int64_t> window, FactorMap::Combiner combiner);

/// The indices of windows in a device's part of the array, and their sizes there.
struct IndicesOfPart {
  mlir::Value indices;
  llvm::SmallVector<int64_t> window;
};
IndicesOfPart indicesOfPart(Emitter &e, mlir::Operation *op, mlir::ValueRange parts, llvm::ArrayRef<int64_t> dims,
                            llvm::ArrayRef<int64_t> window, const FactorMap &map,
                            llvm::ArrayRef<DividedFactor> divided);
/// A part of the array that devices apply their updates to: only the first of them has its elements if these are
/// summed.
mlir::Value scatteredOnce(Emitter &e, mlir::Value x, const FactorMap &map, llvm::ArrayRef<DividedFactor> divided);

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
