// Updates of slices with steps.
#ifndef DOVETAIL_DISPATCH_SLICEUPDATES_H
#define DOVETAIL_DISPATCH_SLICEUPDATES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// `x`, an array of known shape in a program for CPUs, whose elements from `starts` on, `strides` apart, are the
/// results of `step` on themselves and `updates`. One dispatch changes them where they are: IREE 3.13 would load
/// vectors of updates, and take these apart in memory. Null if elements of this type are not those of dispatches.
mlir::Value updateSlice(
    mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value updates, llvm::ArrayRef<int64_t> starts,
    llvm::ArrayRef<int64_t> strides,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value old, mlir::Value update)> step);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_SLICEUPDATES_H
