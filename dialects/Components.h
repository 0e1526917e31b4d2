// Arrays that are made of components: of arrays of size 1 along a dimension.
#ifndef DOVETAIL_COMPONENTS_H
#define DOVETAIL_COMPONENTS_H

#include "Emitter.h"

namespace dovetail {

/// The dimension along which the result of an op has operands of size 1, and what is the same everywhere; -1 for none.
int64_t joinedDimOf(mlir::Operation *op);

/// What the result of that op has at an index along that dimension, with size 1 there.
mlir::Value emitComponent(Emitter &e, mlir::Operation *op, int64_t index);

} // namespace dovetail

#endif // DOVETAIL_COMPONENTS_H
