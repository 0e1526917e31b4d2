// Discharge of references: arrays that are passed on instead of places that are written to.
#ifndef DOVETAIL_TRANSFORMS_DISCHARGE_H
#define DOVETAIL_TRANSFORMS_DISCHARGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// Makes a function of values: it takes the arrays that its references hold, and returns in addition those of the
/// references that it writes to. Returns the numbers of these arguments, in order.
llvm::FailureOr<llvm::SmallVector<unsigned>> discharge(mlir::func::FuncOp function);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_DISCHARGE_H
