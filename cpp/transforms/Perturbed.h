// Which values of a function depend differentiably on its arguments.
#ifndef DOVETAIL_TRANSFORMS_PERTURBED_H
#define DOVETAIL_TRANSFORMS_PERTURBED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// Marks an op whose results with these numbers have no derivative, according to its rule.
constexpr llvm::StringLiteral kConstantResults = "dovetail.constant_results";

/// Which values of one function, which may be under construction, may have a tangent that is not zero. What was found
/// of a value is kept, so that questions about all values of a function take time in proportion to its size.
class Perturbation {
public:
  /// True if `value` may have one. `arguments` are those that may, at least those of them that `value` depends on;
  /// about each argument, all questions must agree.
  bool reaches(mlir::Value value, llvm::ArrayRef<mlir::Value> arguments);

private:
  llvm::DenseMap<mlir::Value, bool> known;
};

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_PERTURBED_H
