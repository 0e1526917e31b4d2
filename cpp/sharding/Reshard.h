// Moves a part of an array from one sharding to another, by collectives.
#ifndef DOVETAIL_SHARDING_RESHARD_H
#define DOVETAIL_SHARDING_RESHARD_H

#include "Shardings.h"

namespace dovetail {

/// A device's part of an array of a type under `to`, given its part under `from`.
mlir::Value emitReshard(Emitter &e, mlir::RankedTensorType type, mlir::Value part, ShardingAttr from, ShardingAttr to);

/// The bytes that a device receives for that.
double reshardCost(mlir::RankedTensorType type, ShardingAttr from, ShardingAttr to);

/// The dimension along which `to` is `from`, divided further over `axes` and equal otherwise; none if it is not.
std::optional<int64_t> scatteredDim(mlir::RankedTensorType type, ShardingAttr from, ShardingAttr to,
                                    llvm::ArrayRef<AxisRefAttr> axes);

/// The sum over `axes` of arrays, of which each device gets its part along a dimension.
mlir::Value emitReduceScatter(Emitter &e, mlir::Value x, MeshAttr mesh, llvm::ArrayRef<AxisRefAttr> axes,
                              int64_t dimension);

/// The array with zeros at the ends of dimensions that are shorter than those of `shape`, and without what is at the
/// ends of longer ones.
mlir::Value resized(Emitter &e, mlir::Value x, llvm::ArrayRef<int64_t> shape);

/// A part of an array with an element in place of what is after the end of a dimension of this size.
mlir::Value withoutPadding(Emitter &e, mlir::Value part, MeshAttr mesh, int64_t dim, int64_t size,
                           llvm::ArrayRef<AxisRefAttr> axes, mlir::DenseElementsAttr element);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_RESHARD_H
