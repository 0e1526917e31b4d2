// Pointwise ops as other ops, by their scalar code.
#ifndef DOVETAIL_LINALG_SCALARCODE_H
#define DOVETAIL_LINALG_SCALARCODE_H

#include "Algebra.h"

namespace dovetail {

/// The scalar code of a pointwise op on whole arrays. A loop repeats as long as an element needs it; others keep their
/// values. Fails, with an error, where the code has an op that has no counterpart on arrays.
llvm::FailureOr<mlir::Value> onArrays(PointwiseOpInterface op, Algebra &e);

} // namespace dovetail

#endif // DOVETAIL_LINALG_SCALARCODE_H
