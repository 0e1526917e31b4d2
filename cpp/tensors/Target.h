// The target that a program is compiled for.
#ifndef DOVETAIL_TENSORS_TARGET_H
#define DOVETAIL_TENSORS_TARGET_H

#include "mlir/IR/BuiltinOps.h"

namespace dovetail {

/// The module attribute that states it; without it, the lowered program suits every target.
constexpr llvm::StringLiteral kTarget = "dovetail.target";

/// The target that a module states. If it states none, all queries are false.
class Target {
public:
  explicit Target(mlir::ModuleOp module) {
    if (auto stated = module->getAttrOfType<mlir::StringAttr>(kTarget))
      name = stated.getValue();
  }
  explicit Target(mlir::Operation *op) : Target(op->getParentOfType<mlir::ModuleOp>()) {}

  bool isCpu() const { return name.starts_with("cpu"); }
  bool isGpu() const { return !name.empty() && !isCpu(); }
  /// Whether its code is SPIR-V, or made of it.
  bool isSpirv() const { return isVulkan() || name.starts_with("metal"); }
  bool isVulkan() const { return name.starts_with("vulkan"); }
  /// Whether it is a CPU with an instruction that multiplies and adds with one rounding. LLVM forms these of separate
  /// products and sums. False for `cpu-any`, whose programs devices of other kinds share.
  bool fusesMultiplyAdd() const;

  llvm::StringRef name;
};

} // namespace dovetail

#endif // DOVETAIL_TENSORS_TARGET_H
