// Inserts `vary` into functions of parts of arrays.
#ifndef DOVETAIL_TRANSFORMS_VARY_H
#define DOVETAIL_TRANSFORMS_VARY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// The function made by `vary`, and the axes along which each of its results varies.
struct VaryingFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<llvm::SmallVector<mlir::StringAttr>> results;
};

/// A copy of a function of parts over manual axes, whose arguments vary along the axes given for each: a value
/// that is the same along an axis varies explicitly where it meets one that varies, and reductions over the axes are
/// invariant. Its results vary at least along the axes given for each.
llvm::FailureOr<VaryingFunction> vary(mlir::func::FuncOp function, llvm::ArrayRef<mlir::StringAttr> axes,
                                      llvm::ArrayRef<llvm::SmallVector<mlir::StringAttr>> arguments,
                                      llvm::ArrayRef<llvm::SmallVector<mlir::StringAttr>> results);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_VARY_H
