// The decompositions of ops on matrices.
#ifndef DOVETAIL_LINALG_DECOMPOSITIONS_H
#define DOVETAIL_LINALG_DECOMPOSITIONS_H

#include "mlir/IR/MLIRContext.h"

namespace dovetail {

/// Attaches to ops on matrices the algorithms by which the pass `dovetail-decompose` replaces them.
void attachDecompositions(mlir::MLIRContext *context);

} // namespace dovetail

#endif // DOVETAIL_LINALG_DECOMPOSITIONS_H
