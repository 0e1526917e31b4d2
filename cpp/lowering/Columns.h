// Reductions of columns that a library computes: those of one array at once.
#ifndef DOVETAIL_LOWERING_COLUMNS_H
#define DOVETAIL_LOWERING_COLUMNS_H

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Lowers a reduction of the columns of an array in memory, and others of the same columns in its block, to a call of
/// the library, which reads the array once. Maps the results of all of them; returns false if it is no such reduction.
bool lowerColumns(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, mlir::IRMapping &values);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_COLUMNS_H
