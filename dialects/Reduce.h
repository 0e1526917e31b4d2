// Reductions.
#ifndef DOVETAIL_REDUCE_H
#define DOVETAIL_REDUCE_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Reduce.h.inc"

namespace dovetail {

/// The results for two parts of what an op reduces as the result for both, element by element.
mlir::Value emitCombined(Emitter &e, FactorMap::Combiner combiner, mlir::Value a, mlir::Value b);

} // namespace dovetail

#endif // DOVETAIL_REDUCE_H
