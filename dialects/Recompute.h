// Values that are computed a second time.
#ifndef DOVETAIL_RECOMPUTE_H
#define DOVETAIL_RECOMPUTE_H

#include "Rules.h"

namespace dovetail {

/// Takes the effects out of an op that computes values a second time: an error if values depend on them.
llvm::LogicalResult dropEffects(FunctionTransforms &transforms, mlir::Operation *op);

} // namespace dovetail

#endif // DOVETAIL_RECOMPUTE_H
