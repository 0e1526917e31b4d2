// The mark of ops that the machine which calls compiled code can compute for it.
#ifndef DOVETAIL_HOSTFUNCTION_H
#define DOVETAIL_HOSTFUNCTION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpDefinition.h"

namespace dovetail {

/// Marks a module that will run where the reference functions are: in the process that compiles it.
constexpr llvm::StringLiteral kHostFunctions = "dovetail.host_functions";

/// An op of which compiled code may call the reference function, where the module says that it is there.
template <typename ConcreteType>
class HostFunction : public mlir::OpTrait::TraitBase<ConcreteType, HostFunction> {};

/// Returns true if the op is left to its host function.
inline bool isForHost(mlir::Operation *op) {
  auto module = op->getParentOfType<mlir::ModuleOp>();
  return op->hasTrait<HostFunction>() && module && module->hasAttr(kHostFunctions);
}

} // namespace dovetail

#endif // DOVETAIL_HOSTFUNCTION_H
