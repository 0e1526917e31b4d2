// Pointwise functions that StableHLO lacks.
#ifndef DOVETAIL_STABLEHLO_SCALARS_H
#define DOVETAIL_STABLEHLO_SCALARS_H

#include "Exporter.h"

namespace dovetail {

/// The scalar code of a pointwise op on whole arrays, in ops of this dialect. A loop repeats as long as an element
/// needs it; others keep their values. Fails, with an error, where the code has an op that has no counterpart.
llvm::FailureOr<mlir::Value> onArrays(PointwiseOpInterface op, Exporter &e);

} // namespace dovetail

#endif // DOVETAIL_STABLEHLO_SCALARS_H
