// Operands of loops over sliding windows.
#ifndef DOVETAIL_LOWERING_WINDOW_H
#define DOVETAIL_LOWERING_WINDOW_H

#include "Lowering.h"

namespace dovetail {

/// `x` without the elements after the last one that loops of these sizes read, in dimensions with a loop of one
/// iteration: the code generator drops that loop, and then uses the size of `x` as the trip count of the others.
mlir::Value withoutRest(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::AffineMap map,
                        llvm::ArrayRef<mlir::OpFoldResult> loops);

/// The number of windows of `window` elements, `dilation` apart, at a distance of `stride`, in `size` elements.
mlir::OpFoldResult windowCount(mlir::ImplicitLocOpBuilder &b, mlir::OpFoldResult size, mlir::OpFoldResult window,
                               int64_t stride, int64_t dilation);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_WINDOW_H
