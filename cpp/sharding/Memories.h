// The kinds of memory that the results of a program are in.
#ifndef DOVETAIL_SHARDING_MEMORIES_H
#define DOVETAIL_SHARDING_MEMORIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// The memory of each result of a function, given those of its arguments; null for a result that is computed of
/// constants alone. A value is in the memory of what it is computed of, and in `common` if that is in several.
llvm::SmallVector<mlir::StringAttr>
memoriesOfResults(mlir::func::FuncOp function, llvm::ArrayRef<mlir::StringAttr> arguments, mlir::StringAttr common);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_MEMORIES_H
