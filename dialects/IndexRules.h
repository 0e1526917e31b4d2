// Shared parts of the rules of gathers and scatters.
#ifndef DOVETAIL_INDEXRULES_H
#define DOVETAIL_INDEXRULES_H

#include "Emitter.h"

namespace dovetail {

using Dims = llvm::SmallVector<int64_t>;

llvm::LogicalResult verifyIndices(std::optional<mlir::Location> loc, llvm::StringRef name, mlir::RankedTensorType x,
                                  mlir::RankedTensorType indices, llvm::ArrayRef<int64_t> dims,
                                  llvm::ArrayRef<int64_t> window);

Dims shiftedByOne(llvm::ArrayRef<int64_t> dims);

/// Indices whose batch is their first dimension, with the index of the batch element as a new first index.
mlir::Value withBatchIndex(Emitter &e, mlir::Value indices);

/// `x` with a dimension of size 1 inserted at a position, or removed there.
mlir::Value reshapedAt(Emitter &e, mlir::Value x, int64_t position, bool insert);

} // namespace dovetail

#endif // DOVETAIL_INDEXRULES_H
