// Call graph of a module.
#ifndef DOVETAIL_TRANSFORMS_CALLGRAPH_H
#define DOVETAIL_TRANSFORMS_CALLGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace dovetail {

/// All functions of the module, each after those it refers to; an error if one refers to itself.
llvm::FailureOr<llvm::SmallVector<mlir::func::FuncOp>> calleesFirst(mlir::ModuleOp module);

/// `function` and all it refers to, in such an order.
llvm::FailureOr<llvm::SmallVector<mlir::func::FuncOp>> calleesFirst(mlir::func::FuncOp function);

/// Removes private functions that no public one needs.
void eraseUncalled(mlir::ModuleOp module);

/// The function of that name, or an error that lists the existing ones; also an error if it refers to itself.
llvm::FailureOr<mlir::func::FuncOp> findFunction(mlir::ModuleOp module, llvm::StringRef name);

/// The mask of the arguments with these indices, which must be differentiable or, if `takesIntegers`, numbers.
llvm::FailureOr<llvm::SmallBitVector> argumentMask(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> numbers,
                                                   bool takesIntegers = false);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_CALLGRAPH_H
