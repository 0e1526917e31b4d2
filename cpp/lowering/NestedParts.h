// Makes one loop over parts of a loop over parts of parts.
#ifndef DOVETAIL_LOWERING_NESTEDPARTS_H
#define DOVETAIL_LOWERING_NESTEDPARTS_H

#include "dialects/Control.h"

namespace dovetail {

/// Makes a kernel of the ops in the body of a loop, which is then all that the body computes.
mlir::Operation *wrapBody(ScanOp loop);

/// Takes changes of the shapes of a kernel's arguments and results out of it: these may have the dimensions along which
/// it can be divided.
void moveReshapesOut(mlir::Operation *kernel);

/// The value of which this one is another shape, with the elements in the same order.
mlir::Value shapedFrom(mlir::Value value);

/// Emits one loop in place of two without carries: an iteration of `outer` is all iterations of `inner`, which is in
/// its body, and nothing else but changes of shapes. The loop comes before `outer`, which stays. Returns one value for
/// each result of `outer`; none if there is more in its body.
llvm::SmallVector<mlir::Value> flattenLoops(ScanOp outer, ScanOp inner);

/// Emits, before a loop without carries, one of so many iterations, each of which is as many of that loop, one after
/// the other. Returns one value for each result of the loop, which stays.
llvm::SmallVector<mlir::Value> groupIterations(ScanOp loop, int64_t numGroups);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_NESTEDPARTS_H
