// Shardings as parts of types: over explicit axes of a mesh, the shardings of operands decide those of results.
#ifndef DOVETAIL_SHARDING_TYPE_SHARDINGS_H
#define DOVETAIL_SHARDING_TYPE_SHARDINGS_H

#include "Shardings.h"

namespace dovetail {

/// The shardings of an op's results, given those of its operands; null stands for one without axes. An error if they
/// are ambiguous: where two dimensions run over one factor but over different axes, or where a dimension that the op
/// regroups, cuts or scans is sharded. What is linear in terms of sums is a term of a sum; other ops on them are an
/// error.
llvm::FailureOr<llvm::SmallVector<ShardingAttr>> typeShardings(mlir::Operation *op,
                                                               llvm::ArrayRef<ShardingAttr> operands);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_TYPE_SHARDINGS_H
