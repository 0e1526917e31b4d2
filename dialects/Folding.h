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

/// A splat converted to another float or integer type, if that is exact or a float rounding.
mlir::OpFoldResult foldConversion(mlir::Attribute value, mlir::RankedTensorType type);

/// The pointwise combination of two splats of floats.
template <typename Function>
mlir::OpFoldResult foldFloatSplats(mlir::Attribute x, mlir::Attribute y, mlir::RankedTensorType type,
                                   Function function) {
  auto left = llvm::dyn_cast_or_null<mlir::SplatElementsAttr>(x);
  auto right = llvm::dyn_cast_or_null<mlir::SplatElementsAttr>(y);
  if (!left || !right || !type.hasStaticShape() || !llvm::isa<mlir::FloatType>(type.getElementType()))
    return {};
  return mlir::DenseElementsAttr::get(
      type, function(left.getSplatValue<llvm::APFloat>(), right.getSplatValue<llvm::APFloat>()));
}

/// The same also for integers; bools do not add or multiply as 1-bit integers.
template <typename Function>
mlir::OpFoldResult foldSplats(mlir::Attribute x, mlir::Attribute y, mlir::RankedTensorType type, Function function) {
  auto left = llvm::dyn_cast_or_null<mlir::SplatElementsAttr>(x);
  auto right = llvm::dyn_cast_or_null<mlir::SplatElementsAttr>(y);
  mlir::Type element = type.getElementType();
  if (!left || !right || !type.hasStaticShape() || !element.isInteger() || element.isInteger(1))
    return foldFloatSplats(x, y, type, function);
  return mlir::DenseElementsAttr::get(type,
                                      function(left.getSplatValue<llvm::APInt>(), right.getSplatValue<llvm::APInt>()));
}

} // namespace dovetail

#endif // DOVETAIL_FOLDING_H
