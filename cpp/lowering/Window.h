// Operands of loops over sliding windows.
#ifndef DOVETAIL_LOWERING_WINDOW_H
#define DOVETAIL_LOWERING_WINDOW_H

#include "Lowering.h"

namespace dovetail {

/// `x` without what lies behind the last element that loops of these sizes read, along dimensions where a loop of one
/// step takes part: the code generator drops that loop, and then takes the size of `x` for how far the others go.
mlir::Value withoutRest(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::AffineMap map,
                        llvm::ArrayRef<mlir::OpFoldResult> loops);

/// How many windows of `window` elements, `dilation` apart, fit at a distance of `stride` in `size` elements.
mlir::OpFoldResult windowCount(mlir::ImplicitLocOpBuilder &b, mlir::OpFoldResult size, mlir::OpFoldResult window,
                               int64_t stride, int64_t dilation);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_WINDOW_H
