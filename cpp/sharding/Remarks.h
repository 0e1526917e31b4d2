// Remarks on what is not divided among devices.
#ifndef DOVETAIL_SHARDING_REMARKS_H
#define DOVETAIL_SHARDING_REMARKS_H

#include "dialects/Dialect.h"

namespace dovetail {

/// Remarks that every device computes an op on all of dimensions that are sharded. `map` is null if it states none.
void remarkWhole(mlir::Operation &op, const FactorMap *map, llvm::function_ref<ShardingAttr(mlir::Value)> shardingOf);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_REMARKS_H
