// Calls the library for large products in the code of a dispatch.
#ifndef DOVETAIL_DISPATCH_CALLPRODUCTS_H
#define DOVETAIL_DISPATCH_CALLPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// Replaces products of matrices in buffers by calls of the library where it takes less time. The function's module
/// declares what it imports.
void callProducts(mlir::func::FuncOp function);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_CALLPRODUCTS_H
