// Which programs can be partitioned.
#ifndef DOVETAIL_SHARDING_PARTITIONABLE_H
#define DOVETAIL_SHARDING_PARTITIONABLE_H

#include "dialects/Dialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace dovetail {

/// The mesh over whose devices a module is to be partitioned; null if there is none. A module that cannot be
/// partitioned, since it has effects, callbacks, unknown sizes or another mesh, loses the attribute. An error if a
/// sharding is stated that does not fit its array. Afterwards each op that applies a function to parts of arrays has
/// one of its own.
llvm::FailureOr<MeshAttr> meshToPartition(mlir::ModuleOp module);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_PARTITIONABLE_H
