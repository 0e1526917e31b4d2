// Functions of the parts of arrays along manual axes: how their arrays are divided along the other axes.
#ifndef DOVETAIL_SHARDING_MANUAL_FUNCTIONS_H
#define DOVETAIL_SHARDING_MANUAL_FUNCTIONS_H

#include "Shardings.h"
#include "mlir/IR/BuiltinOps.h"

namespace dovetail {

/// A function of parts, the op that applies it, and the axes along which its arrays are parts.
struct ManualFunction {
  GlobalOpInterface op;
  mlir::func::FuncOp function;
  Axes axes;

  /// The axes of a dimension of parts, which has this size: those of the array's dimension that are not manual. A part
  /// of an array that is divided over `manual` axes is itself divided into equal parts, so that these are parts of the
  /// array.
  Axes within(MeshAttr mesh, mlir::ArrayRef<AxisRefAttr> manual, mlir::ArrayRef<AxisRefAttr> whole, int64_t size) const;
  /// The sharding of the parts of an array; no sum is left to do.
  ShardingAttr within(ShardingAttr manual, ShardingAttr whole, mlir::Type part) const;
};

/// The sharding of the array whose parts under `manual` have the sharding `within`.
ShardingAttr around(ShardingAttr manual, ShardingAttr within);

/// The function of parts that an op applies, if it does.
std::optional<ManualFunction> manualFunction(mlir::Operation *op);

/// The functions that ops in a function apply to parts, and ops in these, and so on: the outer ones first.
llvm::SmallVector<ManualFunction> manualFunctions(mlir::func::FuncOp main);

/// Copies functions of parts to which there are several references: afterwards each is applied by one op, and used
/// for nothing else.
void separateManualFunctions(mlir::ModuleOp module);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_MANUAL_FUNCTIONS_H
