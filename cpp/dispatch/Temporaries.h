// Where the temporaries of a dispatch lie.
#ifndef DOVETAIL_DISPATCH_TEMPORARIES_H
#define DOVETAIL_DISPATCH_TEMPORARIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace dovetail {

/// Memory of a function for some of its temporaries, each of so many bytes, multiples of an alignment. Those that are
/// not needed at the same time may lie in the same place.
struct PackedTemporaries {
  PackedTemporaries(mlir::func::FuncOp function, llvm::ArrayRef<mlir::memref::AllocOp> ops,
                    llvm::ArrayRef<int64_t> bytes);

  llvm::SmallVector<int64_t> offsets;
  int64_t total = 0;
};

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_TEMPORARIES_H
