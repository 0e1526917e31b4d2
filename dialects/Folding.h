// Constant folding of splat arrays; larger constants are left to the code generator.
#ifndef DOVETAIL_FOLDING_H
#define DOVETAIL_FOLDING_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace dovetail {

/// The array of static type `type` whose elements are all `value`, rounded to the element type.
mlir::DenseElementsAttr splatOf(mlir::RankedTensorType type, double value);
/// The lowest or the highest number of an ordered element type, infinite if it has infinities; null if it has no sign.
mlir::TypedAttr extremeOf(mlir::Type element, bool isHighest);

/// Returns true if `value` is a splat of the number `expected`.
bool isSplat(mlir::Attribute value, double expected);

/// The array of type `type` with `like`'s single element.
mlir::OpFoldResult resplat(mlir::Attribute like, mlir::RankedTensorType type);

/// The result of a pointwise op on splats, by its scalar code; null if that does not fold, or if the result is the
/// first that is not finite: a check for NaN names the op that made it.
mlir::Attribute foldPointwise(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);

/// Pointwise ops fold on splats.
template <typename Op>
struct FoldsSplats : mlir::OpTrait::TraitBase<Op, FoldsSplats> {
  static mlir::OpFoldResult foldTrait(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands) {
    return foldPointwise(op, operands);
  }
};

/// Nothing is known of what such an op returns, even if its operands are constants.
template <typename Op>
struct HidesOperands : mlir::OpTrait::TraitBase<Op, HidesOperands> {};

} // namespace dovetail

#endif // DOVETAIL_FOLDING_H
