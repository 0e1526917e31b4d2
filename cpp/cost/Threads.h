// Whether a program is worth more than one thread.
#ifndef DOVETAIL_COST_THREADS_H
#define DOVETAIL_COST_THREADS_H

#include "mlir/IR/BuiltinOps.h"

namespace dovetail {

/// Seconds that `main` saves, by estimate, if two threads run it instead of the calling one; negative if handing work
/// to threads takes longer than they save.
double savedByThreads(mlir::ModuleOp module);

} // namespace dovetail

#endif // DOVETAIL_COST_THREADS_H
