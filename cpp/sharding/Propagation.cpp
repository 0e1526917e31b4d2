// Rules by which shardings pass through ops.
#include "Propagation.h"
#include "FactorAxes.h"
#include "Regroup.h"
#include "TypeRules.h"

using namespace mlir;

namespace dovetail {

KnownSharding &Propagation::stateOf(Value value) {
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
  KnownSharding &state = stateOf(value);
  return state.priority[dim] <= round ? state.dims[dim] : Axes();
}

void Propagation::changed(Value value) {
  auto insert = [&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      op = op->getParentOp();
    if (Operation *applied = appliedBy.lookup(op))
      op = applied;
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
  KnownSharding &state = stateOf(value);
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
    if (KnownSharding &known = stateOf(value); known.unreduced.empty())
      known.unreduced = Axes(sharding.getUnreduced());
  AxesOfEach dims = dovetail::axesOf(dividing(sharding, arrayType(value)));
  for (auto [d, dim] : llvm::enumerate(sharding.getDims()))
    if (dim.getPriority() == round)
      extend(value, d, dims[d]);
}

bool Propagation::isSettled(Value value) const {
  bool isInMain = value.getParentBlock()->getParentOp() == main;
  return isForward && isInMain && !current.contains(value.getDefiningOp());
}

void Propagation::extend(Value value, int64_t dim, ArrayRef<AxisRefAttr> axes) {
  if (isSettled(value) || isEmpty(value))
    return;
  KnownSharding &state = stateOf(value);
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

void Propagation::visitManual(const ManualFunction &manual) {
  func::FuncOp function = manual.function;
  for (OpOperand &operand : manual.op->getOpOperands())
    pass(manual, GlobalOpInterface(manual.op).operandSharding(operand.getOperandNumber()), operand.get(),
         function.getArgument(operand.getOperandNumber()));
  for (OpOperand &returned : function.front().getTerminator()->getOpOperands())
    pass(manual, GlobalOpInterface(manual.op).resultSharding(returned.getOperandNumber()),
         manual.op->getResult(returned.getOperandNumber()), returned.get());
}

void Propagation::pass(const ManualFunction &manual, ShardingAttr sharding, Value whole, Value part) {
  for (auto [d, dim] : llvm::enumerate(sharding.getDims())) {
    ArrayRef<AxisRefAttr> axes = dim.getAxes();
    int64_t size = arrayType(part).getDimSize(d);
    if (!isConstant(whole) && !isConstant(part))
      extend(part, d, manual.within(mesh, axes, axesOf(whole, d), size));
    if (!isConstant(part) && !isConstant(whole)) {
      Axes all(axes);
      llvm::append_range(all, manual.within(mesh, axes, axesOf(part, d), size));
      extend(whole, d, all);
    }
  }
}

void Propagation::passTerms() {
  for (bool isChanged = true; std::exchange(isChanged, false);)
    for (Operation *op : flows)
      forEachSource(op, [&](OpOperand &operand) {
        if (!arrayType(operand.get()))
          return;
        Axes unreduced = stateOf(operand.get()).unreduced;
        cast<FlowOpInterface>(op).forEachTarget(operand, [&](Value target, Flow) {
          if (KnownSharding &state = stateOf(target); state.unreduced.empty() && !unreduced.empty()) {
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

} // namespace dovetail
