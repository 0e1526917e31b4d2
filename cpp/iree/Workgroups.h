// Builds dispatches of given code, which IREE compiles as one piece.
#ifndef DOVETAIL_IREE_WORKGROUPS_H
#define DOVETAIL_IREE_WORKGROUPS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// An array of `sizes`, rows and columns, each row written by one call of sequential code: `body` gets the inputs, the
/// number of a row, and the row, of unknown elements; it returns the row, changed by `tensor.insert` alone, so that it
/// stays in place. All that is one dispatch, of one workgroup for each row. Only the CPU's code generator takes it.
mlir::Value dispatchRows(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange inputs,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element,
                         llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::ValueRange inputs,
                                                        mlir::Value row, mlir::Value array)>
                             body);

/// What `body` computes of arrays, all of static shapes, in one dispatch that writes it over `storage`, an array of the
/// result's type. `body` gets `storage` and `inputs` as they are inside, and must use no array of outside; it is one
/// structured op, which the code generator spreads as it does with its own.
mlir::Value dispatchOver(
    mlir::ImplicitLocOpBuilder &b, mlir::Value storage, mlir::ValueRange inputs,
    llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::Value storage, mlir::ValueRange inputs)> body);

} // namespace dovetail

#endif // DOVETAIL_IREE_WORKGROUPS_H
