// Types in which sums and other reductions accumulate.
#ifndef DOVETAIL_LOWERING_ACCUMULATORS_H
#define DOVETAIL_LOWERING_ACCUMULATORS_H

#include "mlir/IR/Operation.h"

namespace dovetail {

/// The type in which sums and products of elements of this type are accumulated.
mlir::Type accumulatorType(mlir::Type element);
/// The type in which an op of the program adds many elements of this type. On a CPU floats are added in f64: that costs
/// no time where memory is what is waited for, and the error does not grow with the number of elements.
mlir::Type sumType(mlir::Operation *op, mlir::Type element);
/// Whether so few elements are added, of a dimension's size, that `accumulatorType` loses a few units in the last
/// place.
bool isShortSum(int64_t terms);
/// The type in which a reduction takes in `terms` elements: `sumType` where it adds many, as those do that are linear,
/// and `accumulatorType` otherwise.
mlir::Type reductionType(mlir::Operation *op, mlir::Type element, int64_t terms);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_ACCUMULATORS_H
