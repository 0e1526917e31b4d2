// Expands concatenate, scan and scatter into sequential loops over slices.
#ifndef DOVETAIL_DISPATCH_SEQUENTIALLOOPS_H
#define DOVETAIL_DISPATCH_SEQUENTIALLOOPS_H

#include "mlir/IR/Operation.h"

namespace dovetail {

/// Whether `expand` supports the op: `tensor.concat`, `iree_linalg_ext.scan` and `scatter`.
bool isExpandable(mlir::Operation *op);

/// Replaces the op by loops over slices of its arrays, and `linalg` ops on these.
void expand(mlir::Operation *op);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_SEQUENTIALLOOPS_H
