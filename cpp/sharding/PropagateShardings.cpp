// Propagates shardings along the factors of ops.
#include "Partitionable.h"
#include "Passes.h"
#include "Shardings.h"
#include "cpp/transforms/CallGraph.h"
#include "dialects/Collective.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_PROPAGATESHARDINGSPASS
#include "cpp/sharding/Passes.h.inc"

namespace {

/// What is known of a value's sharding.
struct State {
  AxesOfEach dims;
  /// Whether a dimension may be divided further.
  SmallVector<bool> open;

  bool uses(AxisRefAttr axis) const {
    return llvm::any_of(dims, [&](const Axes &axes) { return llvm::is_contained(axes, axis); });
  }
};

class Propagation {
public:
  explicit Propagation(MeshAttr mesh) : mesh(mesh) {}

  void run(func::FuncOp main);

private:
  static RankedTensorType arrayType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }
  State &stateOf(Value value);
  /// Gives the value the axes of `sharding`, where it has none; fixed if this is its own sharding.
  void state(Value value, ShardingAttr sharding, bool isOwn);
  void changed(Value value);
  /// Divides a dimension further, as `axes` say; not over axes that its array uses elsewhere.
  void extend(Value value, int64_t dim, ArrayRef<AxisRefAttr> axes);
  void visit(Operation *op, bool onlyPlain);
  const std::optional<FactorMap> &mapOf(Operation *op);
  void annotate(func::FuncOp main);

  MeshAttr mesh;
  DenseMap<Value, State> states;
  DenseMap<Operation *, std::optional<FactorMap>> maps;
  llvm::SetVector<Operation *> pending;
};

} // namespace

State &Propagation::stateOf(Value value) {
  auto [entry, isNew] = states.try_emplace(value);
  if (isNew) {
    entry->second.dims.resize(arrayType(value).getRank());
    entry->second.open.assign(arrayType(value).getRank(), true);
  }
  return entry->second;
}

void Propagation::changed(Value value) {
  for (Operation *user : value.getUsers())
    pending.insert(user);
  if (Operation *op = value.getDefiningOp())
    pending.insert(op);
}

void Propagation::state(Value value, ShardingAttr sharding, bool isOwn) {
  AxesOfEach dims = axesOf(divisible(sharding, arrayType(value)));
  if (!isOwn) {
    for (auto [d, axes] : llvm::enumerate(dims))
      extend(value, d, axes);
    return;
  }
  State &state = stateOf(value);
  state.dims = dims;
  for (auto [open, dim] : llvm::zip_equal(state.open, sharding.getDims()))
    open = dim.getOpen();
  changed(value);
}

void Propagation::extend(Value value, int64_t dim, ArrayRef<AxisRefAttr> axes) {
  State &state = stateOf(value);
  Axes &own = state.dims[dim];
  int64_t size = arrayType(value).getDimSize(dim);
  if (!state.open[dim] || !startsWith(axes, own))
    return;
  bool isChanged = false;
  for (AxisRefAttr axis : axes.drop_front(own.size())) {
    if (state.uses(axis) || size == 0 || size % (mesh.sizeOf(own) * mesh.sizeOf(axis)))
      break;
    own.push_back(axis);
    isChanged = true;
  }
  if (isChanged)
    changed(value);
}

const std::optional<FactorMap> &Propagation::mapOf(Operation *op) {
  auto [entry, isNew] = maps.try_emplace(op);
  // Constants have the sharding of each of their uses.
  if (isNew && op->getNumRegions() == 0 && !op->hasTrait<OpTrait::ConstantLike>())
    entry->second = factorMap(op);
  return entry->second;
}

void Propagation::visit(Operation *op, bool onlyPlain) {
  const std::optional<FactorMap> &map = mapOf(op);
  if (!map || (onlyPlain && !map->reduced.empty()))
    return;
  SmallVector<Axes> best(numFactors(*map));
  auto forEachDim = [&](function_ref<void(Value, int64_t, int64_t)> call) {
    auto each = [&](ValueRange values, ArrayRef<SmallVector<int64_t>> factorsOf) {
      for (auto [value, factors] : llvm::zip(values, factorsOf)) {
        Operation *source = value.getDefiningOp();
        if (!arrayType(value) || (source && source->hasTrait<OpTrait::ConstantLike>()))
          continue;
        for (auto [dim, factor] : llvm::enumerate(factors))
          if (map->isDivisible(factor))
            call(value, dim, factor);
      }
    };
    each(op->getResults(), map->results);
    each(op->getOperands(), map->operands);
  };
  SmallVector<bool> isKnown(best.size(), false);
  forEachDim([&](Value value, int64_t dim, int64_t factor) {
    const Axes &axes = stateOf(value).dims[dim];
    if (axes.empty())
      return;
    if (!isKnown[factor] || startsWith(axes, best[factor]))
      best[factor] = axes;
    else if (!startsWith(best[factor], axes))
      best[factor] = Axes(commonPrefix(best[factor], axes));
    isKnown[factor] = true;
  });
  forEachDim([&](Value value, int64_t dim, int64_t factor) { extend(value, dim, best[factor]); });
}

void Propagation::run(func::FuncOp main) {
  Block &body = main.front();
  for (BlockArgument arg : body.getArguments())
    if (auto stated = main.getArgAttrOfType<ShardingAttr>(arg.getArgNumber(), kSharding))
      state(arg, stated, /*isOwn=*/true);
  for (auto op : body.getOps<GlobalOpInterface>())
    for (OpResult result : op->getResults())
      state(result, op.resultSharding(result.getResultNumber()), /*isOwn=*/true);
  for (auto op : body.getOps<GlobalOpInterface>())
    for (OpOperand &operand : op->getOpOperands())
      state(operand.get(), op.operandSharding(operand.getOperandNumber()), /*isOwn=*/false);
  for (OpOperand &returned : body.getTerminator()->getOpOperands())
    if (auto stated = main.getResultAttrOfType<ShardingAttr>(returned.getOperandNumber(), kSharding))
      state(returned.get(), stated, /*isOwn=*/false);
  for (bool onlyPlain : {true, false}) {
    // The first op is visited first.
    for (Operation &op : llvm::reverse(body))
      pending.insert(&op);
    while (!pending.empty())
      visit(pending.pop_back_val(), onlyPlain);
  }
  annotate(main);
}

void Propagation::annotate(func::FuncOp main) {
  Builder b(main.getContext());
  for (BlockArgument arg : main.getArguments())
    if (arrayType(arg))
      main.setArgAttr(arg.getArgNumber(), kSharding, shardingOf(mesh, stateOf(arg).dims));
  for (Operation &op : main.front().without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>() || !llvm::all_of(op.getResults(), [](Value x) { return !!arrayType(x); }))
      continue;
    auto shardings = llvm::map_to_vector(
        op.getResults(), [&](Value result) -> Attribute { return shardingOf(mesh, stateOf(result).dims); });
    op.setAttr(kShardings, b.getArrayAttr(shardings));
    if (auto global = dyn_cast<GlobalOpInterface>(op))
      for (auto [i, sharding] : llvm::enumerate(shardings))
        global.closeSharding(i, cast<ShardingAttr>(sharding));
  }
}

namespace {
struct PropagateShardingsPass : impl::PropagateShardingsPassBase<PropagateShardingsPass> {
  void runOnOperation() override {
    FailureOr<MeshAttr> mesh = meshToPartition(getOperation());
    if (failed(mesh))
      return signalPassFailure();
    if (*mesh)
      Propagation(*mesh).run(getOperation().lookupSymbol<func::FuncOp>("main"));
  }
};
} // namespace

} // namespace dovetail
