// The shardings of the results of a function whose values have theirs.
#ifndef DOVETAIL_SHARDING_RESULTSHARDINGS_H
#define DOVETAIL_SHARDING_RESULTSHARDINGS_H

#include "Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// The shardings that `dovetail-propagate-shardings` found, over the axes that divide a dimension into equal parts;
/// null for a result that needs none of these arguments, and no op that states a sharding.
llvm::SmallVector<ShardingAttr> shardingsOfResults(mlir::func::FuncOp function,
                                                   llvm::ArrayRef<mlir::BlockArgument> arguments);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_RESULTSHARDINGS_H
