// Operands with shardings in their types, and their text in errors.
#ifndef DOVETAIL_SHARDING_TYPED_OPERANDS_H
#define DOVETAIL_SHARDING_TYPED_OPERANDS_H

#include "Shardings.h"

namespace dovetail {

/// An entry of a partition spec: the name of an axis, or a tuple of names.
std::string entryText(llvm::ArrayRef<AxisRefAttr> axes, bool isQuoted);
/// A partition spec without its letter: ('x', None).
std::string specText(llvm::ArrayRef<Axes> dims);
std::string shapeText(llvm::ArrayRef<int64_t> shape);
/// A set of axes: {'x', 'y'}.
std::string axesText(llvm::ArrayRef<AxisRefAttr> axes);
/// A type in JAX's short form: f32[8@x,4].
std::string typeText(mlir::RankedTensorType type, llvm::ArrayRef<Axes> dims);

/// The operands of an op, with the axes of each dimension of those that are arrays.
struct TypedOperands {
  TypedOperands(mlir::Operation *op, llvm::ArrayRef<ShardingAttr> shardings);
  /// Operands that are not sharded.
  TypedOperands(mlir::Operation *op, AxesOfEach unreduced, AxesOfEach reduced);

  mlir::RankedTensorType type(unsigned i) const {
    return llvm::cast<mlir::RankedTensorType>(op->getOperand(i).getType());
  }
  mlir::RankedTensorType resultType() const { return llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType()); }
  llvm::StringRef name() const { return op->getName().stripDialect(); }
  /// Its type, with the axes of sums: f32[8@x,4]{U:y}.
  std::string text(unsigned i) const;
  std::string spec(unsigned i) const { return specText(axes[i]); }
  /// The entries of some dimensions only.
  std::string spec(unsigned i, llvm::ArrayRef<int64_t> dims) const;

  mlir::Operation *op;
  /// Null if no operand has a sharding.
  MeshAttr mesh;
  llvm::SmallVector<AxesOfEach> axes;
  /// Of each operand, the axes over which devices hold terms of a sum, and those over which they hold terms of its
  /// cotangent.
  AxesOfEach unreduced, reduced;
};

// Reports of ops without words of their own. Each fails.
llvm::LogicalResult reportWhole(const TypedOperands &operands, unsigned operand);
llvm::LogicalResult reportUnequal(const TypedOperands &operands, unsigned first, unsigned second);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_TYPED_OPERANDS_H
