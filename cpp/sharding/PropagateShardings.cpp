// Propagates shardings along the factors of ops.
#include "FactorAxes.h"
#include "Partitionable.h"
#include "Passes.h"
#include "Regroup.h"
#include "Shardings.h"
#include "TypeRules.h"
#include "cpp/transforms/CallGraph.h"
#include "dialects/Alone.h"
#include "dialects/Collective.h"
#include "dialects/Control.h"
#include "llvm/ADT/EquivalenceClasses.h"
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
  /// From which round on a dimension is divided so. Before, others do not see it, and do not divide it either.
  SmallVector<int64_t> priority;
  /// The axes over which a sum is left to do.
  Axes unreduced = {};
  /// Axes that divide what a dimension's elements come from, but not its size. Where they come to divide one, it has
  /// them.
  AxesOfEach lost = {};

  bool uses(AxisRefAttr axis) const {
    return llvm::is_contained(unreduced, axis) ||
           llvm::any_of(dims, [&](const Axes &axes) { return llvm::is_contained(axes, axis); });
  }
};

class Propagation {
public:
  /// `isEager` if ops are applied by themselves, and `isForward` if one after the other.
  Propagation(MeshAttr mesh, bool isEager, bool isForward) : mesh(mesh), isEager(isEager), isForward(isForward) {}

  void run(func::FuncOp main);

private:
  static RankedTensorType arrayType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }
  /// Without elements, there is nothing to divide, and nothing that decides how other arrays are.
  static bool isEmpty(Value value) { return llvm::is_contained(arrayType(value).getShape(), 0); }
  static bool isConstant(Value value) {
    Operation *source = value.getDefiningOp();
    return (source && source->hasTrait<OpTrait::ConstantLike>()) || (arrayType(value) && isEmpty(value));
  }
  State &stateOf(Value value);
  /// The axes of a dimension, as far as known in this round.
  Axes axesOf(Value value, int64_t dim);
  /// Gives the value the axes of its own sharding.
  void state(Value value, ShardingAttr sharding);
  /// Gives the value, in its round, the axes of a sharding that it is to have where it is used.
  void stateUse(Value value, ShardingAttr sharding);
  void propagate();
  void propagateForward(Block &body);
  void visitPending(bool onlyPlain);
  void changed(Value value);
  /// Whether what other ops make of the value does not matter, or has been found.
  bool isSettled(Value value) const;
  /// Divides a dimension further, as `axes` say; not over axes that its array uses elsewhere.
  void extend(Value value, int64_t dim, ArrayRef<AxisRefAttr> axes);
  /// The same with axes of a dimension whose elements are moved there, as far as the size divides.
  void carry(Value value, int64_t dim, Axes axes);
  /// Notes the axes that a dimension loses.
  void lose(Value value, int64_t dim, const Axes &axes);
  /// Passes lost axes on along the factors of an op, forward.
  void passLost(Operation *op, const FactorMap &map);
  void visit(Operation *op, bool onlyPlain);
  /// The same for dimensions that have elements of operands', at other places or changed together.
  void visitCarried(Operation *op, const FactorMap &map);
  /// Of what is divided over several axes, each dimension that it becomes has its own.
  void visitRegrouping(Value from, Value to);
  /// The values between bodies and their op are one, or a slice of the other.
  void visitFlow(FlowOpInterface op);
  /// What terms of sums flow to are terms: known first, since their axes divide nothing.
  void passTerms();
  /// Values that the same value flows to have one sharding.
  void join(FlowOpInterface op);
  const std::optional<FactorMap> &mapOf(Operation *op);
  void annotate(func::FuncOp main);

  /// A sharding that is wanted of a value somewhere.
  struct Use {
    Value value;
    ShardingAttr sharding;
  };

  MeshAttr mesh;
  bool isEager, isForward;
  /// The ops of `main` whose results are to be found, or which have the ops with them in their bodies.
  llvm::SmallPtrSet<Operation *, 4> current;
  SmallVector<Operation *> ops, flows;
  int64_t round = 0;
  SmallVector<Use> uses;
  /// The priorities of all dimensions.
  llvm::SmallSetVector<int64_t, 4> rounds;
  /// By the leader of each class.
  DenseMap<Value, State> states;
  llvm::EquivalenceClasses<Value> classes;
  DenseMap<Operation *, std::optional<FactorMap>> maps;
  llvm::SetVector<Operation *> pending;
  /// Ops with bodies, visited when nothing else is pending: much may have changed by then.
  llvm::SetVector<Operation *> pendingFlows;
};

} // namespace

State &Propagation::stateOf(Value value) {
  auto member = classes.findLeader(value);
  auto [entry, isNew] = states.try_emplace(member == classes.member_end() ? value : *member);
  if (isNew) {
    entry->second.dims.resize(arrayType(value).getRank());
    entry->second.lost.resize(arrayType(value).getRank());
    entry->second.open.assign(arrayType(value).getRank(), true);
    entry->second.priority.assign(arrayType(value).getRank(), 0);
  }
  return entry->second;
}

Axes Propagation::axesOf(Value value, int64_t dim) {
  State &state = stateOf(value);
  return state.priority[dim] <= round ? state.dims[dim] : Axes();
}

void Propagation::changed(Value value) {
  auto insert = [&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      op = op->getParentOp();
    (isa<FlowOpInterface>(op) ? pendingFlows : pending).insert(op);
  };
  auto insertAround = [&](Value member) {
    llvm::for_each(member.getUsers(), insert);
    Operation *source = member.getDefiningOp();
    insert(source ? source : member.getParentBlock()->getParentOp());
  };
  auto member = classes.findLeader(value);
  if (member == classes.member_end())
    return insertAround(value);
  for (; member != classes.member_end(); ++member)
    insertAround(*member);
}

void Propagation::state(Value value, ShardingAttr sharding) {
  State &state = stateOf(value);
  state.dims = dovetail::axesOf(dividing(sharding, arrayType(value)));
  state.unreduced = Axes(sharding.getUnreduced());
  for (auto [d, dim] : llvm::enumerate(sharding.getDims())) {
    state.open[d] = dim.getOpen();
    state.priority[d] = dim.getPriority();
    rounds.insert(dim.getPriority());
  }
}

void Propagation::stateUse(Value value, ShardingAttr sharding) {
  // What computes it may leave the sum to do; arguments are what they are.
  if (Operation *source = value.getDefiningOp(); source && !isa<GlobalOpInterface>(source))
    if (State &known = stateOf(value); known.unreduced.empty())
      known.unreduced = Axes(sharding.getUnreduced());
  AxesOfEach dims = dovetail::axesOf(dividing(sharding, arrayType(value)));
  for (auto [d, dim] : llvm::enumerate(sharding.getDims()))
    if (dim.getPriority() == round)
      extend(value, d, dims[d]);
}

bool Propagation::isSettled(Value value) const {
  bool isInMain = isa<func::FuncOp>(value.getParentBlock()->getParentOp());
  return isForward && isInMain && !current.contains(value.getDefiningOp());
}

void Propagation::extend(Value value, int64_t dim, ArrayRef<AxisRefAttr> axes) {
  if (isSettled(value) || isEmpty(value))
    return;
  State &state = stateOf(value);
  Axes &own = state.dims[dim];
  int64_t size = arrayType(value).getDimSize(dim);
  if (!state.open[dim] || state.priority[dim] > round || !startsWith(axes, own))
    return;
  bool isChanged = false;
  for (AxisRefAttr axis : axes.drop_front(own.size())) {
    // Most parts must not be padding only.
    if (state.uses(axis) || ShapedType::isDynamic(size) || size < mesh.sizeOf(own) * mesh.sizeOf(axis))
      break;
    own.push_back(axis);
    isChanged = true;
  }
  if (isChanged)
    changed(value);
}

void Propagation::carry(Value value, int64_t dim, Axes axes) {
  Axes all = axes;
  while (!isEven(mesh, arrayType(value).getDimSize(dim), axes))
    axes.pop_back();
  extend(value, dim, axes);
  if (axes.size() < all.size())
    lose(value, dim, all);
}

void Propagation::lose(Value value, int64_t dim, const Axes &axes) {
  Axes &lost = stateOf(value).lost[dim];
  // A part of each device must be left.
  if (isSettled(value) || axes.empty() || !lost.empty() || arrayType(value).getDimSize(dim) < mesh.sizeOf(axes))
    return;
  lost = axes;
  changed(value);
}

void Propagation::passLost(Operation *op, const FactorMap &map) {
  for (auto [operand, factors] : llvm::zip(op->getOperands(), map.operands)) {
    if (!arrayType(operand) || isConstant(operand))
      continue;
    AxesOfEach lost = stateOf(operand).lost;
    for (auto [dim, factor] : llvm::enumerate(factors))
      for (auto [result, ofResult] : llvm::zip(op->getResults(), map.results))
        if (auto *found = llvm::find(ofResult, factor);
            arrayType(result) && factor != FactorMap::kNone && found != ofResult.end())
          lose(result, found - ofResult.begin(), lost[dim]);
  }
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
  // What is repeated takes the axes of what it meets first.
  bool onlyBackward = onlyPlain && isRepeating(*map);
  WantedAxes wanted(mesh, op, *map, isEager, [&](Value value, int64_t dim) {
    return isConstant(value) || (onlyBackward && value.getDefiningOp() != op) ? Axes() : axesOf(value, dim);
  });
  for (int64_t factor : wanted.byPrecedence())
    forEachFactor(op, *map, [&](Value value, int64_t dim, int64_t of) {
      if (of == factor && !isConstant(value) && isDividedBy(op, *map, factor, isEager))
        extend(value, dim, wanted.axes(factor));
    });
  if (isa<RegroupingOpInterface>(op) && !isConstant(op->getOperand(0))) {
    visitRegrouping(op->getOperand(0), op->getResult(0));
    visitRegrouping(op->getResult(0), op->getOperand(0));
  }
  if (onlyPlain)
    return;
  visitCarried(op, *map);
  passLost(op, *map);
}

void Propagation::visitCarried(Operation *op, const FactorMap &map) {
  // Forward only: what a device needs all of may as well be computed by each.
  llvm::MapVector<std::pair<unsigned, int64_t>, Agreement> found;
  for (const FactorMap::Carried &carried : map.carried) {
    Value operand = op->getOperand(carried.operand);
    if (!arrayType(operand) || isConstant(operand))
      continue;
    Axes axes = axesOf(operand, carried.dim);
    found[{carried.result, carried.resultDim}].meet(axes.empty() ? stateOf(operand).lost[carried.dim] : axes);
  }
  for (auto &[place, agreement] : found)
    if (Value result = op->getResult(place.first); arrayType(result))
      carry(result, place.second, agreement.axes);
}

void Propagation::visitRegrouping(Value from, Value to) {
  AxesOfEach axes(arrayType(from).getRank());
  for (auto [dim, ofDim] : llvm::enumerate(axes))
    ofDim = axesOf(from, dim);
  FailureOr<AxesOfEach> found =
      regroupedInPlace(mesh, arrayType(from).getShape(), axes, arrayType(to).getShape(), /*dropsParts=*/true);
  if (succeeded(found))
    for (auto [dim, ofDim] : llvm::enumerate(*found))
      extend(to, dim, ofDim);
}

void Propagation::visitFlow(FlowOpInterface op) {
  forEachSource(op, [&](OpOperand &operand) {
    Value source = operand.get();
    if (!arrayType(source) || isConstant(source))
      return;
    op.forEachTarget(operand, [&](Value target, Flow flow) {
      int64_t ofSource = flow == Flow::Slice, ofTarget = flow == Flow::Stack;
      for (int64_t d = 0, rank = arrayType(source).getRank() - ofSource; d < rank; ++d) {
        extend(target, d + ofTarget, axesOf(source, d + ofSource));
        extend(source, d + ofSource, axesOf(target, d + ofTarget));
      }
    });
  });
}

void Propagation::passTerms() {
  for (bool isChanged = true; std::exchange(isChanged, false);)
    for (Operation *op : flows)
      forEachSource(op, [&](OpOperand &operand) {
        if (!arrayType(operand.get()))
          return;
        Axes unreduced = stateOf(operand.get()).unreduced;
        cast<FlowOpInterface>(op).forEachTarget(operand, [&](Value target, Flow) {
          if (State &state = stateOf(target); state.unreduced.empty() && !unreduced.empty()) {
            state.unreduced = unreduced;
            isChanged = true;
          }
        });
      });
}

void Propagation::join(FlowOpInterface op) {
  forEachSource(op, [&](OpOperand &source) {
    Value first;
    op.forEachTarget(source, [&](Value target, Flow) {
      if (!first)
        first = target;
      else
        classes.unionSets(first, target);
    });
  });
}

void Propagation::run(func::FuncOp main) {
  SmallVector<GlobalOpInterface> globals;
  main.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
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
  for (BlockArgument arg : main.getArguments())
    if (auto stated = main.getArgAttrOfType<ShardingAttr>(arg.getArgNumber(), kSharding))
      state(arg, stated);
  for (GlobalOpInterface op : globals)
    for (OpResult result : op->getResults())
      state(result, op.resultSharding(result.getResultNumber()));
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
    if (!pending.empty())
      visit(pending.pop_back_val(), onlyPlain);
    else
      visitFlow(cast<FlowOpInterface>(pendingFlows.pop_back_val()));
}

/// Finds the shardings of each op's results from those of its operands; of what an op computes in its bodies, all. What
/// a pointwise op repeats is part of it: as in a program, the other operands decide first.
void Propagation::propagateForward(Block &body) {
  auto find = [&](ArrayRef<Operation *> group) {
    current = {group.begin(), group.end()};
    for (bool onlyPlain : {true, false}) {
      // The first is visited first.
      for (Operation *each : llvm::reverse(group))
        each->walk([&](Operation *inner) {
          if (isa<FlowOpInterface>(inner))
            pendingFlows.insert(inner);
          else if (!inner->hasTrait<OpTrait::IsTerminator>())
            pending.insert(inner);
        });
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

void Propagation::annotate(func::FuncOp main) {
  Builder b(main.getContext());
  auto shardingOf = [&](Value value) {
    const State &state = stateOf(value);
    return withSums(dovetail::shardingOf(mesh, state.dims), {}, state.unreduced);
  };
  auto shardingsOf = [&](ValueRange values) {
    return b.getArrayAttr(llvm::map_to_vector(values, [&](Value value) -> Attribute {
      return arrayType(value) ? Attribute(shardingOf(value)) : b.getUnitAttr();
    }));
  };
  for (BlockArgument arg : main.getArguments())
    main.setArgAttr(arg.getArgNumber(), kSharding, shardingOf(arg));
  main.getBody().walk([&](Operation *op) {
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
    if (*mesh)
      Propagation(*mesh, eager || forward, forward).run(getOperation().lookupSymbol<func::FuncOp>("main"));
  }
};
} // namespace

} // namespace dovetail
