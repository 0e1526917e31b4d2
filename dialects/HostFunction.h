// The mark of ops that a host function can compute for compiled code.
#ifndef DOVETAIL_HOSTFUNCTION_H
#define DOVETAIL_HOSTFUNCTION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpDefinition.h"

namespace dovetail {

/// Marks a module that will run where the reference functions are: in the process that compiles it.
constexpr llvm::StringLiteral kHostFunctions = "dovetail.host_functions";

/// How many threads of the processor run such a module.
constexpr llvm::StringLiteral kThreads = "dovetail.threads";
/// That number, or 1 if it is not known.
inline int64_t threadsOf(mlir::ModuleOp program) {
  auto threads = program->getAttrOfType<mlir::IntegerAttr>(kThreads);
  return threads ? threads.getInt() : 1;
}

/// An op whose reference function compiled code may call, if the module states that it is available.
template <typename ConcreteType>
class HostFunction : public mlir::OpTrait::TraitBase<ConcreteType, HostFunction> {};

/// An op that runs only in the process that made its module, on one device.
template <typename ConcreteType>
class HostOnly : public mlir::OpTrait::TraitBase<ConcreteType, HostOnly> {};

/// Returns true if the op is left to its host function.
inline bool isForHost(mlir::Operation *op) {
  auto module = op->getParentOfType<mlir::ModuleOp>();
  return op->hasTrait<HostFunction>() && module && module->hasAttr(kHostFunctions);
}

} // namespace dovetail

#endif // DOVETAIL_HOSTFUNCTION_H
