// Calls of functions of native libraries, as XLA's typed interface has them.
#ifndef DOVETAIL_STABLEHLO_FOREIGNCALLS_H
#define DOVETAIL_STABLEHLO_FOREIGNCALLS_H

#include "Importer.h"

namespace dovetail {

/// Translates a call by XLA's typed interface; none if the call is by another one.
std::optional<llvm::LogicalResult> importForeign(stablehlo::CustomCallOp op, Importer &e,
                                                 llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace dovetail

#endif // DOVETAIL_STABLEHLO_FOREIGNCALLS_H
