// Moves a part of an array from one sharding to another, by collectives.
#ifndef DOVETAIL_SHARDING_RESHARD_H
#define DOVETAIL_SHARDING_RESHARD_H

#include "Shardings.h"

namespace dovetail {

/// A device's part of an array under `to`, given its part under `from`; both divide the array into equal parts.
mlir::Value emitReshard(Emitter &e, mlir::Value part, ShardingAttr from, ShardingAttr to);

/// The bytes that a device receives for that.
double reshardCost(mlir::RankedTensorType type, ShardingAttr from, ShardingAttr to);

/// The dimension along which `to` is `from`, divided further over `axes` and equal otherwise; none if it is not.
std::optional<int64_t> scatteredDim(ShardingAttr from, ShardingAttr to, llvm::ArrayRef<AxisRefAttr> axes);

/// The sum over `axes` of arrays, of which each device gets its part along a dimension.
mlir::Value emitReduceScatter(Emitter &e, mlir::Value x, MeshAttr mesh, llvm::ArrayRef<AxisRefAttr> axes,
                              int64_t dimension);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_RESHARD_H
