// Propagates shardings along the factors of ops, in rounds.
#include "FactorAxes.h"
#include "Partitionable.h"
#include "Passes.h"
#include "Propagation.h"
#include "SplitAxes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_PROPAGATESHARDINGSPASS
#include "cpp/sharding/Passes.h.inc"

void Propagation::collect(Region &body) {
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto flow = dyn_cast<FlowOpInterface>(op)) {
      join(flow);
      flows.push_back(op);
      return;
    }
    if (auto global = dyn_cast<GlobalOpInterface>(op))
      globals.push_back(global);
    if (!op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
}

void Propagation::run(func::FuncOp function) {
  main = function;
  collect(main.getBody());
  for (const ManualFunction &manual : manualFunctions(main)) {
    collect(ManualFunction(manual).function.getBody());
    manuals[manual.op] = manual;
    appliedBy[manual.function] = manual.op;
  }
  for (BlockArgument arg : main.getArguments())
    if (auto stated = main.getArgAttrOfType<ShardingAttr>(arg.getArgNumber(), kSharding))
      state(arg, stated);
  for (GlobalOpInterface op : globals)
    for (OpResult result : op->getResults()) {
      state(result, op.resultSharding(result.getResultNumber()));
      stateOf(result).barred = wholeAxes(op.closedAxes());
    }
  for (auto &[op, manual] : manuals)
    for (Value result : op->getResults()) {
      // Parts may be divided further, along the other axes.
      KnownSharding &known = stateOf(result);
      known.open.assign(known.open.size(), true);
    }
  passTerms();
  for (GlobalOpInterface op : globals)
    for (OpOperand &operand : op->getOpOperands())
      uses.push_back({operand.get(), op.operandSharding(operand.getOperandNumber())});
  for (OpOperand &returned : main.front().getTerminator()->getOpOperands())
    if (auto stated = main.getResultAttrOfType<ShardingAttr>(returned.getOperandNumber(), kSharding))
      uses.push_back({returned.get(), stated});
  rounds.insert(0);
  for (const Use &use : uses)
    for (DimShardingAttr dim : use.sharding.getDims())
      rounds.insert(dim.getPriority());
  SmallVector<int64_t> sorted(rounds.begin(), rounds.end());
  llvm::sort(sorted);
  for (int64_t each : sorted) {
    round = each;
    for (const Use &use : uses)
      stateUse(use.value, use.sharding);
    if (isForward)
      propagateForward(main.front());
    else
      propagate();
  }
  annotate(main);
  for (auto &[_, manual] : manuals)
    annotate(manual.function);
}

/// Passes shardings on until nothing changes.
void Propagation::propagate() {
  pendingFlows.insert(flows.begin(), flows.end());
  for (bool onlyPlain : {true, false}) {
    // The first op is visited first.
    pending.insert(ops.rbegin(), ops.rend());
    visitPending(onlyPlain);
  }
}

void Propagation::visitPending(bool onlyPlain) {
  while (!pending.empty() || !pendingFlows.empty())
    if (pending.empty())
      visitFlow(cast<FlowOpInterface>(pendingFlows.pop_back_val()));
    else if (Operation *op = pending.pop_back_val(); manuals.contains(op))
      // At once, as if the ops on parts were in its place: it matters which operands of later ones are known.
      visitManual(manuals.find(op)->second);
    else
      visit(op, onlyPlain);
}

/// Has an op visited, and those in its bodies and in what it applies to parts.
void Propagation::insertAll(Operation *root) {
  root->walk([&](Operation *op) {
    auto manual = manuals.find(op);
    if (manual != manuals.end())
      insertAll(manual->second.function);
    if (isa<FlowOpInterface>(op))
      pendingFlows.insert(op);
    else if (!op->hasTrait<OpTrait::IsTerminator>())
      pending.insert(op);
  });
}

/// Finds the shardings of each op's results from those of its operands; of what an op computes in its bodies, all. What
/// a pointwise op repeats is part of it: as in a program, the other operands decide first.
void Propagation::propagateForward(Block &body) {
  auto find = [&](ArrayRef<Operation *> group) {
    current = {group.begin(), group.end()};
    for (bool onlyPlain : {true, false}) {
      // The first is visited first.
      for (Operation *each : llvm::reverse(group))
        insertAll(each);
      visitPending(onlyPlain);
    }
    current.clear();
  };
  // Found where they are used.
  llvm::SmallSetVector<Operation *, 8> repeated;
  for (Operation &op : body) {
    if (const std::optional<FactorMap> &map = mapOf(&op); map && op.getNumOperands() == 1 && isRepeating(*map)) {
      if (Operation *source = op.getOperand(0).getDefiningOp(); source && repeated.remove(source))
        find(source);
      repeated.insert(&op);
      continue;
    }
    llvm::SmallSetVector<Operation *, 4> group;
    for (Value operand : op.getOperands())
      if (Operation *source = operand.getDefiningOp(); source && repeated.remove(source))
        group.insert(source);
    if (!op.hasTrait<OpTrait::Elementwise>())
      for (Operation *source : group.takeVector())
        find(source);
    if (!op.hasTrait<OpTrait::IsTerminator>())
      group.insert(&op);
    if (!group.empty())
      find(group.getArrayRef());
  }
}

void Propagation::annotate(func::FuncOp function) {
  Builder b(function.getContext());
  auto shardingOf = [&](Value value) {
    const KnownSharding &state = stateOf(value);
    return withSums(dovetail::shardingOf(mesh, state.dims), {}, state.unreduced);
  };
  auto shardingsOf = [&](ValueRange values) {
    return b.getArrayAttr(llvm::map_to_vector(values, [&](Value value) -> Attribute {
      return arrayType(value) ? Attribute(shardingOf(value)) : b.getUnitAttr();
    }));
  };
  for (BlockArgument arg : function.getArguments())
    function.setArgAttr(arg.getArgNumber(), kSharding, shardingOf(arg));
  function.getBody().walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>())
      return;
    ArrayAttr shardings = shardingsOf(op->getResults());
    op->setAttr(kShardings, shardings);
    if (auto global = dyn_cast<GlobalOpInterface>(op))
      for (auto [i, sharding] : llvm::enumerate(shardings))
        global.closeSharding(i, cast<ShardingAttr>(sharding));
    if (isa<FlowOpInterface>(op))
      op->setAttr(kArgumentShardings,
                  b.getArrayAttr(llvm::map_to_vector(
                      op->getRegions(), [&](Region &body) -> Attribute { return shardingsOf(body.getArguments()); })));
  });
}

namespace {
struct PropagateShardingsPass : impl::PropagateShardingsPassBase<PropagateShardingsPass> {
  using PropagateShardingsPassBase::PropagateShardingsPassBase;
  void runOnOperation() override {
    FailureOr<MeshAttr> mesh = meshToPartition(getOperation());
    if (failed(mesh))
      return signalPassFailure();
    if (!*mesh)
      return;
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    Propagation(*mesh, eager || forward, forward).run(main);
    if (auto whole = getOperation()->getAttrOfType<MeshAttr>(kWholeMesh))
      keepWholeAxes(main, whole);
  }
};
} // namespace

} // namespace dovetail
