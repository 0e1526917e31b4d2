// Which programs can be partitioned.
#include "Partitionable.h"
#include "ManualFunctions.h"
#include "cpp/transforms/CallGraph.h"
#include "cpp/transforms/Functions.h"
#include "dialects/Control.h"
#include "dialects/Effects.h"
#include "dialects/HostFunction.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace dovetail {

/// For each function of parts, the axes along which its arrays are parts.
using ManualAxes = DenseMap<Operation *, Axes>;

static ManualAxes manualAxes(ModuleOp module) {
  ManualAxes axes;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (!axes.contains(function))
      // The outer ones first.
      for (const ManualFunction &manual : manualFunctions(function)) {
        Axes all = axes.lookup(manual.op->getParentOfType<func::FuncOp>());
        llvm::append_range(all, manual.axes);
        axes[manual.function] = all;
      }
  return axes;
}

/// Why an op keeps a program whole; empty if it does not.
static StringRef obstacle(Operation *op, MeshAttr mesh, Functions &functions, ManualAxes &manual) {
  auto isOfKnownShape = [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.hasStaticShape();
  };
  auto isValue = [](Type type) { return isa<RankedTensorType, IndexType>(type); };
  if (isa<ModuleOp>(op))
    return {};
  if (auto function = dyn_cast<func::FuncOp>(op))
    return llvm::all_of(function.getArgumentTypes(), isOfKnownShape) &&
                   llvm::all_of(function.getResultTypes(), isOfKnownShape)
               ? ""
               : "it has arguments or results of unknown shapes";
  if (auto global = dyn_cast<GlobalOpInterface>(op)) {
    SmallVector<ShardingAttr> shardings;
    for (OpOperand &operand : op->getOpOperands())
      shardings.push_back(global.operandSharding(operand.getOperandNumber()));
    for (OpResult result : op->getResults())
      shardings.push_back(global.resultSharding(result.getResultNumber()));
    ArrayRef<AxisRefAttr> taken = manual[op->getParentOfType<func::FuncOp>()];
    for (ShardingAttr sharding : shardings) {
      if (sharding.getMesh() != mesh)
        return "it has an op over another mesh";
      if (isOver(sharding, taken))
        return "a function of parts has an op over the axes along which these are parts";
    }
    if (std::optional<ManualFunction> inner = manualFunction(op))
      if (llvm::any_of(inner->axes, [&](AxisRefAttr axis) { return llvm::is_contained(taken, axis); }))
        return "a function of parts takes parts of them along the same axis";
  }
  if (op->hasTrait<HostOnly>() && !llvm::all_of(op->getResultTypes(), isOfKnownShape))
    return "it calls a function of the host that returns arrays of unknown shapes";
  // Every device would call the function; once inlined, what has the effects is seen.
  if (op->hasTrait<CalleeEffects>() && !isa<GlobalOpInterface>(op) && functions.hasEffects(op))
    return "it calls a function that has side effects and is not inlined";
  return llvm::all_of(op->getOperandTypes(), isValue) && llvm::all_of(op->getResultTypes(), isValue)
             ? ""
             : "it has values that are no arrays";
}

/// Whether nothing keeps the program whole.
static bool canPartition(ModuleOp module, MeshAttr mesh) {
  Functions functions(module);
  ManualAxes manual = manualAxes(module);
  WalkResult result = module.walk([&](Operation *op) {
    StringRef why = obstacle(op, mesh, functions, manual);
    if (why.empty())
      return WalkResult::advance();
    remark::missed(op->getLoc(), remark::RemarkOpts::name("one-device").category("sharding"))
        << remark::add("the program runs on one device instead of {0}: {1}", mesh.getNumDevices(), why);
    return WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Checks a stated sharding, if there is one; values that are no arrays have a unit in its place.
static LogicalResult checkSharding(Operation *op, const Twine &what, Attribute stated, Type type, MeshAttr mesh) {
  auto array = dyn_cast<RankedTensorType>(type);
  auto sharding = dyn_cast_or_null<ShardingAttr>(stated);
  bool isValid = array ? sharding && sharding.getMesh() == mesh &&
                             array.getRank() == static_cast<int64_t>(sharding.getDims().size())
                       : isa_and_nonnull<UnitAttr>(stated);
  if (!stated || isValid)
    return success();
  return op->emitError() << what << " must have a sharding over " << mesh << " with one entry for each dimension of "
                         << type << ", got: " << stated;
}

static LogicalResult checkEach(Operation *op, StringRef name, StringRef what, Attribute stated, TypeRange types,
                               MeshAttr mesh) {
  auto each = dyn_cast_or_null<ArrayAttr>(stated);
  if (stated && (!each || each.size() != types.size()))
    return op->emitOpError() << "'" << name << "' must have one entry for each of " << types.size() << " " << what
                             << "s, got: " << stated;
  if (stated)
    for (auto [i, sharding] : llvm::enumerate(each))
      if (failed(checkSharding(op, what + " " + Twine(i), sharding, types[i], mesh)))
        return failure();
  return success();
}

/// Checks the shardings of what flows into bodies: values that the same one flows to have the same.
static LogicalResult checkFlow(FlowOpInterface op, MeshAttr mesh) {
  Attribute stated = op->getAttr(kArgumentShardings);
  auto ofBodies = dyn_cast_or_null<ArrayAttr>(stated);
  if (stated && (!ofBodies || ofBodies.size() != op->getNumRegions()))
    return op->emitOpError() << "'" << kArgumentShardings << "' must have one entry for each of " << op->getNumRegions()
                             << " bodies, got: " << stated;
  if (stated)
    for (auto [body, shardings] : llvm::zip_equal(op->getRegions(), ofBodies))
      if (failed(checkEach(op, kArgumentShardings, "argument", shardings, body.getArgumentTypes(), mesh)))
        return failure();
  auto ofResults = op->getAttrOfType<ArrayAttr>(kShardings);
  auto shardingOf = [&](Value value) -> Attribute {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return ofResults ? ofResults[cast<OpResult>(value).getResultNumber()] : Attribute();
    return ofBodies
               ? cast<ArrayAttr>(ofBodies[argument.getOwner()->getParent()->getRegionNumber()])[argument.getArgNumber()]
               : Attribute();
  };
  LogicalResult result = success();
  forEachSource(op, [&](OpOperand &source) {
    Value first;
    op.forEachTarget(source, [&](Value target, Flow) {
      if (succeeded(result) && first && shardingOf(target) != shardingOf(first))
        result = op->emitOpError() << "values that " << source.get()
                                   << " flows to must have the same sharding, got: " << shardingOf(first) << " and "
                                   << shardingOf(target);
      first = target;
    });
  });
  return result;
}

static LogicalResult checkShardings(func::FuncOp function, MeshAttr mesh) {
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(checkSharding(function, "argument " + Twine(i), function.getArgAttr(i, kSharding), type, mesh)))
      return failure();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(checkSharding(function, "result " + Twine(i), function.getResultAttr(i, kSharding), type, mesh)))
      return failure();
  WalkResult result = function.getBody().walk([&](Operation *op) {
    if (failed(checkEach(op, kShardings, "result", op->getAttr(kShardings), op->getResultTypes(), mesh)))
      return WalkResult::interrupt();
    auto flow = dyn_cast<FlowOpInterface>(op);
    return flow && failed(checkFlow(flow, mesh)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Checks that shardings that are stated of values in a function of parts divide these over the other axes.
static LogicalResult checkAutomatic(func::FuncOp function, ArrayRef<AxisRefAttr> manual) {
  auto check = [&](Operation *op, StringRef name, Attribute stated) {
    bool isValid = !stated || !stated
                                   .walk([&](ShardingAttr sharding) {
                                     return isOver(sharding, manual) ? WalkResult::interrupt() : WalkResult::advance();
                                   })
                                   .wasInterrupted();
    if (!isValid)
      op->emitError() << "'" << name << "' must not name axes along which arrays of '" << function.getSymName()
                      << "' are parts, got: " << stated;
    return success(isValid);
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (failed(check(function, kSharding, function.getArgAttr(i, kSharding))))
      return failure();
  WalkResult result = function.getBody().walk([&](Operation *op) {
    for (StringRef name : {kShardings, kArgumentShardings})
      if (failed(check(op, name, op->getAttr(name))))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
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
  separateManualFunctions(module);
  ManualAxes axes = manualAxes(module);
  for (const ManualFunction &manual : manualFunctions(*main))
    if (failed(checkShardings(manual.function, mesh)) || failed(checkAutomatic(manual.function, axes[manual.function])))
      return failure();
  if (canPartition(module, mesh))
    return mesh;
  module->removeAttr(kPartition);
  return MeshAttr();
}

} // namespace dovetail
