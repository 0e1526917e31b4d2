// The decompositions of ops on matrices.
#ifndef DOVETAIL_LINALG_DECOMPOSITIONS_H
#define DOVETAIL_LINALG_DECOMPOSITIONS_H

#include "mlir/IR/MLIRContext.h"

namespace dovetail {

/// Attaches to ops on matrices the algorithms that the pass `dovetail-decompose` puts in their place.
void attachDecompositions(mlir::MLIRContext *context);

} // namespace dovetail

#endif // DOVETAIL_LINALG_DECOMPOSITIONS_H
