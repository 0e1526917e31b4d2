// Which values of a function depend differentiably on its arguments.
#ifndef DOVETAIL_TRANSFORMS_PERTURBED_H
#define DOVETAIL_TRANSFORMS_PERTURBED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// Marks an op whose results with these numbers have no derivative, according to its rule.
constexpr llvm::StringLiteral kConstantResults = "dovetail.constant_results";

/// True if a value of `function`, which may be under construction, may have a tangent that is not zero if the arguments
/// marked in `arguments` have one.
bool isPerturbed(mlir::func::FuncOp function, const llvm::SmallBitVector &arguments, mlir::Value value);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_PERTURBED_H
