// Tells which lowered ops may be part of a dispatch that is written here.
#ifndef DOVETAIL_DISPATCH_DISPATCHABLEOPS_H
#define DOVETAIL_DISPATCH_DISPATCHABLEOPS_H

#include "mlir/IR/Operation.h"

namespace dovetail {

/// Whether such a dispatch (`OneDispatch.h`) may hold elements of a type. Those of others are stored as bytes later.
bool isElementOfDispatch(mlir::Type type);
/// Whether a lowered op, apart from those in its regions, may be part of such a dispatch.
bool canRunInOneDispatch(mlir::Operation *op);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_DISPATCHABLEOPS_H
