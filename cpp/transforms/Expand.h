// Expansion of the transform requests in functions.
#ifndef DOVETAIL_TRANSFORMS_EXPAND_H
#define DOVETAIL_TRANSFORMS_EXPAND_H

#include "Functions.h"

namespace dovetail {

/// Replaces the requests in `function`, whose callees must have none left.
llvm::LogicalResult expandRequests(mlir::func::FuncOp function, Functions &functions);

/// Replaces the requests in `function` and in all functions that it refers to.
llvm::LogicalResult expandCalleesOf(mlir::func::FuncOp function, Functions &functions);

/// Replaces the ops that only transforms know by what computes them.
llvm::LogicalResult resolveAll(mlir::ModuleOp module, Functions &functions);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_EXPAND_H
