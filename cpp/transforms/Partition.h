// Partitions a body by whether its ops depend on some arguments.
#ifndef DOVETAIL_TRANSFORMS_PARTITION_H
#define DOVETAIL_TRANSFORMS_PARTITION_H

#include "dialects/Dialect.h"
#include "llvm/ADT/DenseSet.h"

namespace dovetail {

/// A copy of a body in which every op is known as a whole or unknown as a whole.
struct Partition {
  Body body;
  llvm::DenseSet<mlir::Value> unknown;

  bool dependsOnUnknown(mlir::Operation *op) const;
};

/// Returns true if an op with some but not all operands unknown is to be partitioned.
using IsDivided = llvm::function_ref<llvm::FailureOr<bool>(SplitOpInterface, const llvm::SmallBitVector &unknown)>;

/// The copy of a body with the arguments in `unknown` unknown, and with ops partitioned.
llvm::FailureOr<Partition> partition(mlir::Region &source, const llvm::SmallBitVector &unknown,
                                     FunctionTransforms *transforms, IsDivided isDivided);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_PARTITION_H
