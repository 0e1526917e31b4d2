// What a program computes of constants alone, and is worth computing before it runs.
#ifndef DOVETAIL_COST_AHEAD_H
#define DOVETAIL_COST_AHEAD_H

#include "mlir/IR/BuiltinOps.h"

namespace dovetail {

/// Moves it out of `main`: it becomes the results of the `main` of the module that is returned, and the last arguments
/// of the given one's. Null if there is none.
mlir::OwningOpRef<mlir::ModuleOp> takeComputedAhead(mlir::ModuleOp module);

} // namespace dovetail

#endif // DOVETAIL_COST_AHEAD_H
