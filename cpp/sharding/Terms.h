// Terms of sums over devices that are left to do.
#ifndef DOVETAIL_SHARDING_TERMS_H
#define DOVETAIL_SHARDING_TERMS_H

#include "Shardings.h"

namespace dovetail {

/// A device's term of an array of a type, given its part under `from`: the sum over `axes` of the terms of devices is
/// their part under `to`. Devices with the same part have zeros, but for the first; what was divided over the axes
/// keeps its place among zeros.
mlir::Value emitTerm(Emitter &e, mlir::RankedTensorType type, mlir::Value part, ShardingAttr from, ShardingAttr to,
                     llvm::ArrayRef<AxisRefAttr> axes);

/// The sets of operands in which an op is jointly linear; none if it is in no operand.
OperandSets linearSetsOf(mlir::Operation *op);
/// Whether an op takes terms of these operands, and the others as they are, to a term of its result.
bool isLinearIn(mlir::Operation *op, llvm::ArrayRef<unsigned> operands);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_TERMS_H
