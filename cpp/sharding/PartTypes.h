// Types of parts of arrays: along which manual axes of a mesh devices have values or terms of their own.
#ifndef DOVETAIL_SHARDING_PART_TYPES_H
#define DOVETAIL_SHARDING_PART_TYPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// The axes along which devices have different values; those over which they have terms of a sum; those over which
/// they have one value whose cotangent is such terms.
struct PartType {
  llvm::SmallVector<mlir::StringAttr> varying, unreduced, reduced;
};

/// The types of some values of a function of parts over these axes, or of its results, given those of its arguments. An
/// error if a value is computed of terms in a way that is not linear.
llvm::FailureOr<llvm::SmallVector<PartType>> partTypes(mlir::func::FuncOp function,
                                                       llvm::ArrayRef<mlir::StringAttr> axes,
                                                       llvm::ArrayRef<PartType> arguments, mlir::ValueRange values);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_PART_TYPES_H
