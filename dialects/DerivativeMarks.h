// What only differentiation tells from its operand: how derivatives of what is not used are kept out of results.
#ifndef DOVETAIL_DERIVATIVEMARKS_H
#define DOVETAIL_DERIVATIVEMARKS_H

#include "mlir/IR/Operation.h"

namespace dovetail {

class Emitter;

/// Whether a value is of numbers that have derivatives.
bool mayHaveTangent(mlir::Value x);

/// `x`, with tangent zero in the elements of the batch at `dim` for which `p` is false.
mlir::Value gateTangent(Emitter &e, mlir::Value p, mlir::Value x, int64_t dim);

/// Takes such ops away, for when no derivative is asked for any more.
void eraseDerivativeMarks(mlir::Operation *root);

} // namespace dovetail

#endif // DOVETAIL_DERIVATIVEMARKS_H
