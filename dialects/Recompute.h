// Recomputed values.
#ifndef DOVETAIL_RECOMPUTE_H
#define DOVETAIL_RECOMPUTE_H

#include "Rules.h"

namespace dovetail {

/// Removes the effects from an op that recomputes values; an error if values depend on them.
llvm::LogicalResult dropEffects(FunctionTransforms &transforms, mlir::Operation *op);

} // namespace dovetail

#endif // DOVETAIL_RECOMPUTE_H
