// Transposes operands of products in the code of a dispatch.
#ifndef DOVETAIL_DISPATCH_PACKOPERANDS_H
#define DOVETAIL_DISPATCH_PACKOPERANDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// Lets ops on buffers that add up neighbouring elements read a transposed copy where vectors of sums take less time
/// than sums of vectors, as in a product with a transposed matrix.
void packOperands(mlir::func::FuncOp function);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_PACKOPERANDS_H
