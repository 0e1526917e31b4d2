// The sharding of an array that is reshaped, over the axes of its type.
#ifndef DOVETAIL_SHARDING_REGROUP_H
#define DOVETAIL_SHARDING_REGROUP_H

#include "Shardings.h"

namespace dovetail {

/// The axes of each dimension of shape `to`, given those of shape `from`. A sharding survives the insertion and removal
/// of dimensions of size 1, and the split of one dimension or the merge of several into one, as long as each device
/// keeps its elements; if `dropsParts`, without the axes that several dimensions would have parts of. Otherwise it is
/// ambiguous: failure.
llvm::FailureOr<AxesOfEach> regrouped(MeshAttr mesh, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<Axes> axes,
                                      llvm::ArrayRef<int64_t> to, bool dropsParts = false);
/// The same if a device's part of one array is, in the order of its elements, that of the other, but for such axes.
llvm::FailureOr<AxesOfEach> regroupedInPlace(MeshAttr mesh, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<Axes> axes,
                                             llvm::ArrayRef<int64_t> to, bool dropsParts = false);
/// The sharding that is wanted of the result of an op that regroups dimensions, if it is that of the operand so; else
/// null.
ShardingAttr keptByRegrouping(mlir::Operation &op, ShardingAttr ofOperand);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_REGROUP_H
