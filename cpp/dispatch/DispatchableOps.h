// Tells which lowered ops may be part of a dispatch that is written here.
#ifndef DOVETAIL_DISPATCH_DISPATCHABLEOPS_H
#define DOVETAIL_DISPATCH_DISPATCHABLEOPS_H

#include "mlir/IR/Operation.h"

namespace dovetail {

/// Whether a lowered op, apart from those in its regions, may be part of such a dispatch (`OneDispatch.h`).
bool canRunInOneDispatch(mlir::Operation *op);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_DISPATCHABLEOPS_H
