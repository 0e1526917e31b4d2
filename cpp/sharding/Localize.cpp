// Makes the function of parts that `main` applies the program.
#include "Passes.h"
#include "Shardings.h"
#include "cpp/transforms/CallGraph.h"
#include "cpp/transforms/Functions.h"
#include "dialects/Collective.h"
#include "dialects/Shape.h"
#include "dialects/ShardMap.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_LOCALIZEPASS
#include "cpp/sharding/Passes.h.inc"

/// The `shard_map` that is all of a function, but for the padding of its operands and results; null if there is more.
static ShardMapOp onlyShardMap(func::FuncOp main) {
  auto ops = main.front().getOps<ShardMapOp>();
  if (!llvm::hasSingleElement(ops))
    return {};
  ShardMapOp op = *ops.begin();
  auto isArgument = [&](auto both) {
    auto [operand, argument] = both;
    auto pad = operand.template getDefiningOp<PadOp>();
    return (pad ? pad.getX() : operand) == argument;
  };
  auto isResult = [&](auto both) {
    auto [returned, result] = both;
    auto slice = returned.template getDefiningOp<SliceOp>();
    return (slice ? slice.getX() : returned) == result;
  };
  ValueRange arguments = main.getArguments(), returned = main.front().getTerminator()->getOperands();
  bool isAll = op.getArgs().size() == arguments.size() && op.getOuts().size() == returned.size() &&
               llvm::all_of(llvm::zip_equal(ValueRange(op.getArgs()), arguments), isArgument) &&
               llvm::all_of(llvm::zip_equal(returned, ValueRange(op.getOuts())), isResult) &&
               op.getAxes().size() == op.getMesh().getAxes().size();
  return isAll ? op : ShardMapOp();
}

namespace {
struct LocalizePass : impl::LocalizePassBase<LocalizePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto mesh = module->getAttrOfType<MeshAttr>(kPartition);
    if (!mesh)
      return;
    FailureOr<func::FuncOp> main = findFunction(module, "main");
    if (failed(main) || failed(checkTransformable(*main)))
      return signalPassFailure();
    ShardMapOp op = onlyShardMap(*main);
    if (!op || op.getMesh() != mesh) {
      main->emitError() << "'main' must be one shard_map over all axes of the mesh; run --dovetail-partition before";
      return signalPassFailure();
    }
    auto local = module.lookupSymbol<func::FuncOp>(op.getCallee());
    for (auto [i, sharding] : llvm::enumerate(op.getIn())) {
      local.setArgAttrs(i, main->getArgAttrDict(i));
      local.setArgAttr(i, kSharding, sharding);
    }
    for (auto [i, sharding] : llvm::enumerate(op.getOut()))
      local.setResultAttr(i, kSharding, sharding);
    StringAttr name = main->getSymNameAttr();
    main->erase();
    local.setSymNameAttr(name);
    local.setPublic();
    module->removeAttr(kPartition);
    module->setAttr(kMesh, mesh);
  }
};
} // namespace

} // namespace dovetail
