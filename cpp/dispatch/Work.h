// Estimates the scalar steps (cpp/cost/Steps.h) of bufferized code.
#ifndef DOVETAIL_DISPATCH_WORK_H
#define DOVETAIL_DISPATCH_WORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// How many scalar steps one iteration takes of that loop of the function of which one takes most. The function is on
/// memory, so that the copies are seen that it could not do without.
int64_t workOfIteration(mlir::func::FuncOp function);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_WORK_H
