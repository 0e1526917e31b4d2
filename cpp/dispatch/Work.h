// Estimates the work of bufferized code in scalar steps.
#ifndef DOVETAIL_DISPATCH_WORK_H
#define DOVETAIL_DISPATCH_WORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// Dynamic sizes count as so much, and a loop of unknown length as so many iterations.
constexpr int64_t kAssumedSize = 64;

/// Neither sums nor products of work are larger than this.
constexpr int64_t kMostWork = int64_t(1) << 40;
int64_t plus(int64_t a, int64_t b);
int64_t times(int64_t a, int64_t b);

/// How many scalar steps one iteration takes of that loop of the function of which one takes most. The function is on
/// memory, so that the copies are seen that it could not do without.
int64_t workOfIteration(mlir::func::FuncOp function);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_WORK_H
