// Ops that compute their operand and only matter to differentiation: they keep derivatives of unused values out of
// results.
#ifndef DOVETAIL_DERIVATIVEMARKS_H
#define DOVETAIL_DERIVATIVEMARKS_H

#include "mlir/IR/Operation.h"

namespace dovetail {

class Emitter;

/// Returns true if a value has an element type with derivatives.
bool mayHaveTangent(mlir::Value x);

/// `x`, with tangent zero in the elements of the batch at `dim` for which `p` is false.
mlir::Value gateTangent(Emitter &e, mlir::Value p, mlir::Value x, int64_t dim);

/// Removes these ops, once no more derivatives are taken.
void eraseDerivativeMarks(mlir::Operation *root);

} // namespace dovetail

#endif // DOVETAIL_DERIVATIVEMARKS_H
