// Whether a program is worth more than one thread.
#ifndef DOVETAIL_COST_THREADS_H
#define DOVETAIL_COST_THREADS_H

#include "mlir/IR/BuiltinOps.h"

namespace dovetail {

/// Seconds that `main` saves, by estimate, if two threads run it instead of the calling one; negative if handing work
/// to threads takes longer than they save.
double savedByThreads(mlir::ModuleOp module);

/// Seconds that the library's threads save in an iteration of a loop, by estimate, if its products are calls of their
/// own; in a loop that is one dispatch, the thread that runs it computes them.
double savedByLibrary(mlir::Operation *loop);

} // namespace dovetail

#endif // DOVETAIL_COST_THREADS_H
