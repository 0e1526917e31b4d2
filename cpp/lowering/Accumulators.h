// The types in which sums and other reductions accumulate.
#ifndef DOVETAIL_LOWERING_ACCUMULATORS_H
#define DOVETAIL_LOWERING_ACCUMULATORS_H

#include "mlir/IR/Operation.h"

namespace dovetail {

/// The number of elements that the code generator reduces at once; it reduces the remainder one by one.
constexpr int64_t kLanes = 16;

/// The type in which sums and products of elements of this type are accumulated.
mlir::Type accumulatorType(mlir::Type element);
/// The type in which an op of the program sums many elements of this type. On a CPU, floats are summed in f64: this is
/// free where memory is the bottleneck, and the error does not grow with the number of elements.
mlir::Type sumType(mlir::Operation *op, mlir::Type element);
/// Returns true if a sum over a dimension of this size is so short that `accumulatorType` loses only a few units in the
/// last place.
bool isShortSum(int64_t terms);
/// The same for a sum along a row, which vectors add up in `kLanes` parts.
bool isShortRow(int64_t terms);
/// The type in which a reduction accumulates `terms` elements: `sumType` for linear reductions of many elements,
/// otherwise `accumulatorType`. `isRow` if they are the elements of an innermost dimension.
mlir::Type reductionType(mlir::Operation *op, mlir::Type element, int64_t terms, bool isRow = false);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_ACCUMULATORS_H
