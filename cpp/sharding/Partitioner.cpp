// Ops on parts of arrays, and collectives where parts are needed elsewhere.
#include "Partitioner.h"
#include "Factors.h"
#include "Regroup.h"
#include "Remarks.h"
#include "Reshard.h"
#include "Terms.h"
#include "TypeRules.h"
#include "dialects/Collective.h"
#include "dialects/Create.h"
#include "dialects/HostFunction.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

Operation *onParts(Operation &op, Emitter &e, ValueRange operands, TypeRange types) {
  Operation *local = cloneWith(e, &op, operands, types);
  local->removeAttr(kShardings);
  local->removeAttr(kArgumentShardings);
  return local;
}

static Axes without(ArrayRef<AxisRefAttr> axes, ArrayRef<AxisRefAttr> others) {
  return Axes(llvm::make_filter_range(axes, [&](AxisRefAttr axis) { return !llvm::is_contained(others, axis); }));
}

static bool isSplat(Value value, DenseElementsAttr &elements) {
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat();
}

Value Partitioner::get(Value whole, ShardingAttr sharding) {
  Part &part = parts.find(whole)->second;
  if (!part.sharding)
    return part.value;
  ArrayRef<AxisRefAttr> terms = sharding.getUnreduced();
  ShardingAttr of = withSums(sharding, {}, {});
  if (part.sharding == of && without(part.pending, terms).empty() && without(terms, part.pending).empty())
    return part.value;
  Value &known = resharded[{whole, sharding}];
  if (known)
    return known;
  Emitter e(builder, whole.getLoc(), &functions);
  if (DenseElementsAttr elements; isSplat(whole, elements)) {
    Value splat = e.make<ConstantOp>(elements.resizeSplat(of.localType(arrayType(whole))));
    return known = terms.empty() ? splat : emitTerm(e, arrayType(whole), splat, of, of, terms);
  }
  Axes rest = without(part.pending, terms);
  if (!rest.empty()) {
    std::optional<int64_t> dim = scatteredDim(arrayType(whole), part.sharding, of, rest);
    bool isScattered = dim && part.combiner == FactorMap::Combiner::Sum && without(terms, part.pending).empty();
    if (isScattered)
      return known = emitReduceScatter(e, part.value, mesh, rest, *dim);
    // All uses share the sum, unless the program says that it is left to do.
    Part sum = part;
    sum.value = emitAllReduce(e, part.combiner, part.value, namesOf(builder.getContext(), rest), sizesOf(mesh, rest));
    sum.pending = without(part.pending, rest);
    if (part.isStated)
      return known = emitTerm(e, arrayType(whole), sum.value, part.sharding, of, without(terms, sum.pending));
    part = sum;
  }
  return known = emitTerm(e, arrayType(whole), part.value, part.sharding, of, without(terms, part.pending));
}

ShardingAttr Partitioner::shardingOf(Value whole) {
  const Part &part = parts.find(whole)->second;
  return part.isStated ? withSums(part.sharding, {}, part.pending) : part.sharding;
}

ShardingAttr Partitioner::shardingOfResult(Value whole) {
  const Part &part = parts.find(whole)->second;
  auto result = dyn_cast<OpResult>(whole);
  auto wanted = result ? result.getOwner()->getAttrOfType<ArrayAttr>(kShardings) : ArrayAttr();
  if (!wanted || !part.pending.empty())
    return shardingOf(whole);
  // What each device has computed all of is cut, as propagation asks for, which costs nothing.
  auto sharding = withSums(cast<ShardingAttr>(wanted[result.getResultNumber()]), {}, {});
  bool isCut = llvm::all_of(llvm::zip_equal(arrayType(whole).getShape(), axesOf(sharding)), [&](auto both) {
    auto &[size, axes] = both;
    return isEven(mesh, size, axes);
  });
  return isCut && reshardCost(arrayType(whole), part.sharding, sharding) == 0 ? sharding : part.sharding;
}

Axes Partitioner::automaticAxes() {
  return Axes(llvm::make_filter_range(wholeAxes(mesh.getAxes()),
                                      [&](AxisRefAttr axis) { return !llvm::is_contained(manual, axis); }));
}

SmallVector<Value> Partitioner::replicatedOperands(Operation &op) {
  return llvm::map_to_vector(op.getOperands(), [&](Value operand) { return get(operand, replicated(operand)); });
}

/// Whether devices can each compute parts of what an op computes.
static bool hasDivisibleFactors(Operation &op) {
  std::optional<FactorMap> map = factorMap(&op);
  return map && llvm::any_of(map->results, [&](ArrayRef<int64_t> factors) {
           return llvm::any_of(factors, [&](int64_t factor) { return isDivisible(&op, *map, factor); });
         });
}

LogicalResult Partitioner::visit(Operation &op) {
  Emitter e(builder, op.getLoc(), &functions);
  if (auto global = dyn_cast<GlobalOpInterface>(op))
    return visitGlobal(global, e);
  if (auto flow = dyn_cast<FlowOpInterface>(op))
    return visitBodies(flow, e);
  if (auto own = dyn_cast<PartitionOpInterface>(op))
    return visitOwn(own, e);
  // Along manual axes, each device calls the host for its own.
  if (Axes others = automaticAxes(); op.hasTrait<HostOnly>() && !hasDivisibleFactors(op) && !others.empty()) {
    visitHostCall(op, others, e);
    return success();
  }
  if (op.getNumRegions() != 0)
    return op.emitOpError() << "must state where values of its bodies flow to";
  if (isOfTerms(op)) {
    visitTerms(op, e);
    return success();
  }
  const Part *part = isa<RegroupingOpInterface>(op) ? &parts.find(op.getOperand(0))->second : nullptr;
  if (ShardingAttr kept = part && part->pending.empty() ? keptByRegrouping(op, part->sharding) : ShardingAttr()) {
    SmallVector<Value> operands = {part->value};
    for (Value size : op.getOperands().drop_front())
      operands.push_back(get(size, nullptr));
    set(op.getResult(0), onParts(op, e, operands, localType(op.getResult(0).getType(), kept))->getResult(0), kept);
    return success();
  }
  bool isConstant = op.hasTrait<OpTrait::ConstantLike>();
  if (std::optional<FactorMap> map = isConstant ? std::nullopt : factorMap(&op)) {
    remarkWhole(op, &*map, [&](Value operand) { return shardingOf(operand); });
    bool isStated = !movesTerms(op, *map) || parts.find(op.getOperand(0))->second.isStated;
    if (!isStated)
      parts.find(op.getOperand(0))->second.isStated = true;
    visitDivided(op, *map, statedTerms(op), e);
    // Only what the program says stays so for several uses.
    if (!isStated)
      parts.find(op.getResult(0))->second.isStated = false;
    return success();
  }
  remarkWhole(op, nullptr, [&](Value operand) { return shardingOf(operand); });
  Operation *local = onParts(op, e, replicatedOperands(op), op.getResultTypes());
  for (auto [whole, part] : llvm::zip_equal(op.getResults(), local->getResults()))
    set(whole, part, replicated(whole));
  return success();
}

Axes Partitioner::statedTerms(Operation &op) {
  SmallVector<unsigned> operands;
  Axes terms;
  for (OpOperand &operand : op.getOpOperands()) {
    const Part &part = parts.find(operand.get())->second;
    if (!part.isStated)
      continue;
    if (!operands.empty() && part.pending != terms)
      return {};
    operands.push_back(operand.getOperandNumber());
    terms = part.pending;
  }
  return isLinearIn(&op, operands) ? terms : Axes();
}

void Partitioner::visitDivided(Operation &op, const FactorMap &map, ArrayRef<AxisRefAttr> terms, Emitter &e) {
  Factors factors{mesh, &op, map, {}, {}, Axes(terms)};
  for (Value operand : op.getOperands()) {
    DenseElementsAttr elements;
    factors.operands.push_back(isSplat(operand, elements) ? ShardingAttr() : shardingOf(operand));
  }
  auto wanted = op.getAttrOfType<ArrayAttr>(kShardings);
  for (OpResult result : op.getResults())
    factors.results.push_back(wanted ? dyn_cast<ShardingAttr>(wanted[result.getResultNumber()]) : replicated(result));
  AxesOfEach axes = factors.chosen();
  SmallVector<Value> operands;
  for (auto [operand, ofDims] : llvm::zip_equal(op.getOperands(), map.operands)) {
    ShardingAttr sharding = dovetail::shardingOf(mesh, ofDims, axes);
    bool isTerm = parts.find(operand)->second.isStated && !terms.empty();
    Value part = get(operand, isTerm ? withSums(sharding, {}, terms) : sharding);
    for (auto [d, factor] : llvm::enumerate(ofDims))
      if (int64_t size = arrayType(operand).getDimSize(d);
          (llvm::is_contained(map.reduced, factor) || llvm::is_contained(map.selected, factor)) &&
          !isEven(mesh, size, axes[factor]))
        part = withoutPadding(e, part, mesh, d, size, axes[factor],
                              neutralOf(map.combiner, withShape(arrayType(operand), {})));
    operands.push_back(part);
  }
  SmallVector<ShardingAttr> shardings;
  SmallVector<Type> types;
  for (auto [result, ofDims] : llvm::zip_equal(op.getResults(), map.results)) {
    shardings.push_back(isa<RankedTensorType>(result.getType()) ? dovetail::shardingOf(mesh, ofDims, axes)
                                                                : ShardingAttr());
    types.push_back(localType(result.getType(), shardings.back()));
  }
  Axes pending(terms);
  for (const auto *combined : {&map.reduced, &map.selected})
    for (int64_t factor : *combined)
      llvm::append_range(pending, axes[factor]);
  auto combiner = terms.empty() ? map.combiner : FactorMap::Combiner::Sum;
  if (auto positioned = dyn_cast<PartOpInterface>(op)) {
    SmallVector<DividedFactor> divided(axes.size());
    auto note = [&](ArrayRef<int64_t> dims, Type part, Type whole) {
      for (auto [d, factor] : llvm::enumerate(dims))
        if (factor != FactorMap::kNone && !axes[factor].empty() && !divided[factor].first)
          divided[factor] = {firstIndex(e, mesh, axes[factor], cast<RankedTensorType>(part).getDimSize(d)),
                             namesOf(op.getContext(), axes[factor]), sizesOf(mesh, axes[factor]),
                             cast<RankedTensorType>(whole).getDimSize(d)};
    };
    // The size of a part along a factor is that of a dimension of the result, unless indices select from it.
    note(map.results.front(), types.front(), op.getResult(0).getType());
    for (auto [part, whole, dims] : llvm::zip_equal(operands, op.getOperands(), map.operands))
      if (isa<RankedTensorType>(whole.getType()))
        note(dims, part.getType(), whole.getType());
    Value part = positioned.emitPart(e, operands, divided, cast<RankedTensorType>(types.front()));
    parts[op.getResult(0)] = {part, shardings.front(), pending, combiner, !terms.empty()};
    return;
  }
  Operation *local = onParts(op, e, operands, types);
  for (auto [result, part, sharding] : llvm::zip_equal(op.getResults(), local->getResults(), shardings))
    parts[result] = {part, sharding, pending, combiner, !terms.empty()};
}

/// Whether an op only moves the elements of one array, which is pending and needed only here: the sum is then left to
/// do for what follows, which may have terms, too, or need a part of it.
bool Partitioner::movesTerms(Operation &op, const FactorMap &map) {
  if (op.getNumOperands() != 1 || op.getNumResults() != 1 || !map.reduced.empty() || !map.selected.empty() ||
      !op.getOperand(0).hasOneUse() || !isLinearIn(&op, {0}))
    return false;
  const Part &part = parts.find(op.getOperand(0))->second;
  auto from = arrayType(op.getOperand(0)), to = arrayType(op.getResult(0));
  return !part.pending.empty() && part.combiner == FactorMap::Combiner::Sum &&
         from.getElementType() == to.getElementType() && from.hasStaticShape() && to.hasStaticShape() &&
         to.getNumElements() <= from.getNumElements();
}

/// Whether an op on terms of its operands gives a term of its result, so that one sum over devices remains of several:
/// it is pointwise and linear in all operands together, which are pending over the same axes, and needed only here.
bool Partitioner::isOfTerms(Operation &op) {
  auto pointwise = dyn_cast<PointwiseOpInterface>(op);
  if (!pointwise || op.getNumOperands() < 2 ||
      !llvm::any_of(pointwise.linearSets(), [&](auto &set) { return set.size() == op.getNumOperands(); }))
    return false;
  const Part &first = parts.find(op.getOperand(0))->second;
  return !first.pending.empty() && first.combiner == FactorMap::Combiner::Sum &&
         llvm::all_of(op.getOperands(), [&](Value operand) {
           const Part &part = parts.find(operand)->second;
           return operand.hasOneUse() && part.pending == first.pending && part.combiner == first.combiner &&
                  part.sharding == first.sharding;
         });
}

void Partitioner::visitTerms(Operation &op, Emitter &e) {
  auto terms = llvm::map_to_vector(op.getOperands(), [&](Value operand) { return parts.find(operand)->second.value; });
  Part result = parts.find(op.getOperand(0))->second;
  Type type = localType(op.getResult(0).getType(), result.sharding);
  result.value = onParts(op, e, terms, type)->getResult(0);
  parts[op.getResult(0)] = result;
}

} // namespace dovetail
