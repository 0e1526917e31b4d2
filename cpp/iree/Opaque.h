// Arrays that depend on a number that IREE does not know.
#ifndef DOVETAIL_IREE_OPAQUE_H
#define DOVETAIL_IREE_OPAQUE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// The number 1 in an array, an i32 that is opaque to IREE. To IREE those of two calls differ.
mlir::Value opaqueOne(mlir::ImplicitLocOpBuilder &b);

/// An array with the same elements, which depend on that number, and on another array that has elements if there is
/// one: IREE does not take them for what they are.
mlir::Value dependent(mlir::ImplicitLocOpBuilder &b, mlir::Value array, mlir::Value one, mlir::Value other = {});

} // namespace dovetail

#endif // DOVETAIL_IREE_OPAQUE_H
