// Lowers structured ops on buffers to sequential loops.
#ifndef DOVETAIL_DISPATCH_BUFFERLOOPS_H
#define DOVETAIL_DISPATCH_BUFFERLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace dovetail {

/// Writes `op`, whose operands are buffers, as loops, the innermost along the dimension in which most operands are
/// contiguous. With `useVectors`, that loop computes vectors where it can, which reassociates sums. Erases `op`.
void lowerToLoops(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, bool useVectors);

/// Stores bools as bytes, in all buffers under `root`.
void storeBoolsAsBytes(mlir::Operation *root);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_BUFFERLOOPS_H
