// Which programs can be partitioned.
#include "Partitionable.h"
#include "Shardings.h"
#include "cpp/transforms/CallGraph.h"
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
    if (isa<ModuleOp>(op))
      return WalkResult::advance();
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      bool isOfArrays =
          llvm::all_of(function.getArgumentTypes(), isArray) && llvm::all_of(function.getResultTypes(), isArray);
      return isOfArrays ? WalkResult::advance() : WalkResult::interrupt();
    }
    bool isOnArrays = llvm::all_of(op->getOperandTypes(), isArray) && llvm::all_of(op->getResultTypes(), isArray);
    bool isPortable = !op->hasTrait<HostOnly>() && !functions.hasEffects(op);
    return isOnArrays && isPortable ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Checks a stated sharding of an array, if there is one.
static LogicalResult checkSharding(Operation *op, const Twine &what, Attribute stated, Type type, MeshAttr mesh) {
  auto array = dyn_cast<RankedTensorType>(type);
  auto sharding = dyn_cast_or_null<ShardingAttr>(stated);
  bool isValid = sharding && sharding.getMesh() == mesh && array &&
                 array.getRank() == static_cast<int64_t>(sharding.getDims().size());
  if (!stated || isValid)
    return success();
  return op->emitError() << what << " must have a sharding over " << mesh << " with one entry for each dimension of "
                         << type << ", got: " << stated;
}

static LogicalResult checkShardings(func::FuncOp main, MeshAttr mesh) {
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    if (failed(checkSharding(main, "argument " + Twine(i), main.getArgAttr(i, kSharding), type, mesh)))
      return failure();
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    if (failed(checkSharding(main, "result " + Twine(i), main.getResultAttr(i, kSharding), type, mesh)))
      return failure();
  for (Operation &op : opsOf(main.getBody())) {
    Attribute stated = op.getAttr(kShardings);
    auto each = dyn_cast_or_null<ArrayAttr>(stated);
    if (stated && (!each || each.size() != op.getNumResults()))
      return op.emitOpError() << "'" << kShardings << "' must have one entry for each of " << op.getNumResults()
                              << " results, got: " << stated;
    if (stated)
      for (auto [i, sharding] : llvm::enumerate(each))
        if (failed(checkSharding(&op, "result " + Twine(i), sharding, op.getResult(i).getType(), mesh)))
          return failure();
  }
  return success();
}

FailureOr<MeshAttr> meshToPartition(ModuleOp module) {
  Attribute stated = module->getAttr(kPartition);
  if (!stated)
    return MeshAttr();
  auto mesh = dyn_cast<MeshAttr>(stated);
  if (!mesh)
    return module.emitError() << "'" << kPartition << "' must be a mesh, got: " << stated;
  FailureOr<func::FuncOp> main = findFunction(module, "main");
  if (failed(main))
    return failure();
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (failed(checkTransformable(function)))
      return failure();
  if (failed(checkShardings(*main, mesh)))
    return failure();
  Functions functions(module);
  if (canPartition(module, mesh, functions))
    return mesh;
  module->removeAttr(kPartition);
  return MeshAttr();
}

} // namespace dovetail
