// Attributes of ops to and from plain Python values.
#ifndef DOVETAIL_BINDINGS_IR_ATTRIBUTES_H
#define DOVETAIL_BINDINGS_IR_ATTRIBUTES_H

#include "Function.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"
#include <nanobind/nanobind.h>

namespace dovetail {

/// The functions in an attribute `regions`, whose bodies become those of an op; none without it.
std::vector<Function> regionsOf(nanobind::dict values);

/// The attributes of a Python dict, except for `regions`: bool, int, float; str for a keyword of our enums; a sequence
/// of ints; a dtype; a Function for its symbol; (bytes, dtype name, shape) for an array; meshes and
/// shardings; None for a unit attribute.
mlir::NamedAttrList toAttributes(nanobind::dict values);

/// The inverse, for all inherent and discardable attributes of an op; arrays become (bytes, dtype name, shape, is
/// splat), attributes of a foreign function bytes.
nanobind::dict fromAttributes(mlir::Operation *op);
nanobind::dict fromAttributes(llvm::ArrayRef<mlir::NamedAttribute> attributes);

/// The attributes of a foreign function as the library reads them: str or bytes, (bytes, dtype name) for a number,
/// (bytes, dtype name, shape) for an array, and dicts of these.
nanobind::bytes encodeForeign(nanobind::dict values);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_ATTRIBUTES_H
