// Reductions of rows that are computed from broadcast arrays.
#ifndef DOVETAIL_LOWERING_BROADCASTROWS_H
#define DOVETAIL_LOWERING_BROADCASTROWS_H

#include "Lowering.h"

namespace dovetail {

/// `x`, of the dialect's type `element`, reduced along its rows in type `accumulator`, if these are short and computed
/// from arrays none of which has all its dimensions, as in distances between all pairs of points. Null for others.
mlir::Value reducedFromFewer(mlir::ImplicitLocOpBuilder &b, ReduceOpInterface op, mlir::Value x, mlir::Type element,
                             mlir::Type accumulator);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_BROADCASTROWS_H
