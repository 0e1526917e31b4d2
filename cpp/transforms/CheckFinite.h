// Finds the first op that produces a NaN or an infinity.
#ifndef DOVETAIL_TRANSFORMS_CHECKFINITE_H
#define DOVETAIL_TRANSFORMS_CHECKFINITE_H

#include "dialects/Dialect.h"

namespace dovetail {

/// Lists, in a module, the values whose first occurrence `dovetail-check-finite` finds: `nan`, `inf`.
constexpr llvm::StringLiteral kUnwanted = "dovetail.unwanted";

/// The op of that number in a function that the pass has not modified yet; null if there is none.
mlir::Operation *opNumbered(mlir::func::FuncOp function, int64_t number);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_CHECKFINITE_H
