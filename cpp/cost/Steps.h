// Scalar steps: the unit in which passes weigh work.
#ifndef DOVETAIL_COST_STEPS_H
#define DOVETAIL_COST_STEPS_H

#include "AssumedSize.h"
#include "mlir/IR/Operation.h"

namespace dovetail {

/// Neither sums nor products of steps are larger than this.
constexpr int64_t kMostSteps = int64_t(1) << 40;
int64_t plus(int64_t a, int64_t b);
/// The product of factors, each at least 1.
int64_t times(int64_t a, int64_t b);
int64_t product(llvm::ArrayRef<int64_t> sizes);

/// The number of ops on registers that take as long as one step, which reads or writes an element, or multiplies and
/// adds two.
constexpr int64_t kOpsOfStep = 8;

/// The number of ops on registers in the regions of an op, except for constants.
int64_t scalarOpsOf(mlir::Operation *op);

/// An estimate of the steps of a dovetail op and its bodies: the op's own cost, which excludes arrays that it modifies
/// in place, or else the product of its loops' sizes, or the size of its largest array.
int64_t stepsOf(mlir::Operation *op);

/// The same of one iteration of a loop, or of a branch. A loop of unknown length in it counts once: it would also run
/// on one thread as a dispatch of its own, however often.
int64_t stepsOfIteration(mlir::Operation *op);

/// The number of iterations of a loop, `kAssumedSize` if it is not known, or of runs of a branch.
int64_t iterationsOf(mlir::Operation *op);

} // namespace dovetail

#endif // DOVETAIL_COST_STEPS_H
