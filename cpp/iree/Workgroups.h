// Builds dispatches from given code, which IREE compiles as one unit.
#ifndef DOVETAIL_IREE_WORKGROUPS_H
#define DOVETAIL_IREE_WORKGROUPS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// An array of `sizes`, rows and columns, each row written by one run of sequential code: `body` gets the inputs, the
/// index of a row, and the row, with undefined elements; it returns the row, modified by `tensor.insert` only, so that
/// it stays in place. The array is one dispatch with one workgroup per row. Only the CPU's code generator supports it.
mlir::Value dispatchRows(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange inputs,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element,
                         llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::ValueRange inputs,
                                                        mlir::Value row, mlir::Value array)>
                             body);

/// Emits the code of `body`, on arrays of static shapes, as one dispatch whose result overwrites `storage`, an array of
/// the same type. `body` gets `storage` and `inputs` as values inside the dispatch, and must not use outer arrays; it
/// is one structured op, which the code generator distributes as it does its own.
mlir::Value dispatchOver(
    mlir::ImplicitLocOpBuilder &b, mlir::Value storage, mlir::ValueRange inputs,
    llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::Value storage, mlir::ValueRange inputs)> body);

} // namespace dovetail

#endif // DOVETAIL_IREE_WORKGROUPS_H
