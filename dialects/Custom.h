// Functions with custom rules for derivatives, batches and partitions.
#ifndef DOVETAIL_CUSTOM_H
#define DOVETAIL_CUSTOM_H

#include "Dialect.h"

namespace dovetail {

/// What one device computes: a function of its parts, the shardings of its arguments and those of its results.
struct PartFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<ShardingAttr> arguments, results;
};

} // namespace dovetail

#include "dialects/CustomInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Custom.h.inc"

#endif // DOVETAIL_CUSTOM_H
