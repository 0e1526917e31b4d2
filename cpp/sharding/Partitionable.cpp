// Which programs can be partitioned.
#include "Partitionable.h"
#include "Shardings.h"
#include "cpp/transforms/Functions.h"
#include "dialects/HostFunction.h"

using namespace mlir;

namespace dovetail {

/// Whether all arrays have known shapes, all shardings are of this mesh, and nothing has effects or calls the host.
static bool canPartition(ModuleOp module, MeshAttr mesh, Functions &functions) {
  auto isArray = [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.hasStaticShape();
  };
  WalkResult result = module.walk([&](Operation *op) {
    if (auto global = dyn_cast<GlobalOpInterface>(op)) {
      for (OpOperand &operand : op->getOpOperands())
        if (global.operandSharding(operand.getOperandNumber()).getMesh() != mesh)
          return WalkResult::interrupt();
      for (OpResult result : op->getResults())
        if (global.resultSharding(result.getResultNumber()).getMesh() != mesh)
          return WalkResult::interrupt();
    }
    if (isa<ModuleOp, func::FuncOp>(op))
      return WalkResult::advance();
    bool isOnArrays = llvm::all_of(op->getOperandTypes(), isArray) && llvm::all_of(op->getResultTypes(), isArray);
    bool isPortable = !op->hasTrait<HostOnly>() && !functions.hasEffects(op);
    return isOnArrays && isPortable ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

MeshAttr meshToPartition(ModuleOp module) {
  auto mesh = module->getAttrOfType<MeshAttr>(kPartition);
  Functions functions(module);
  if (!mesh || canPartition(module, mesh, functions))
    return mesh;
  module->removeAttr(kPartition);
  return {};
}

} // namespace dovetail
