// Makes the program of one device: ops on parts of arrays, and collectives where parts are needed elsewhere.
#include "Factors.h"
#include "FlowShardings.h"
#include "Partitionable.h"
#include "Passes.h"
#include "Regroup.h"
#include "Remarks.h"
#include "Reshard.h"
#include "Terms.h"
#include "TypeRules.h"
#include "cpp/transforms/CallGraph.h"
#include "cpp/transforms/Functions.h"
#include "dialects/Call.h"
#include "dialects/Collective.h"
#include "dialects/Control.h"
#include "dialects/Create.h"
#include "dialects/Custom.h"
#include "dialects/HostFunction.h"
#include "dialects/Shape.h"
#include "dialects/ShardMap.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_PARTITIONPASS
#include "cpp/sharding/Passes.h.inc"

namespace {

/// A device's part of an array, or a value that is no array; with `pending` axes, a term of it that is still to be
/// combined over these.
struct Part {
  Value value;
  ShardingAttr sharding;
  Axes pending = {};
  FactorMap::Combiner combiner = FactorMap::Combiner::None;
  /// Whether the program says that the sum is left to do: it is also if there are several uses.
  bool isStated = false;
};

/// Emits a body on parts of arrays.
class Partitioner {
public:
  Partitioner(MeshAttr mesh, Functions &functions, Body &target)
      : mesh(mesh), functions(functions), builder(target.builder()) {}

  void set(Value whole, Value part, ShardingAttr sharding) {
    if (!sharding || sharding.getUnreduced().empty())
      parts[whole] = {part, sharding};
    else
      parts[whole] = {part, withSums(sharding, {}, {}), Axes(sharding.getUnreduced()), FactorMap::Combiner::Sum, true};
  }
  LogicalResult visit(Operation &op);
  /// The part of an array under a sharding; the term of one over whose unreduced axes the sum is left to do.
  Value get(Value whole, ShardingAttr sharding);
  /// The sharding of the part of an array that is there.
  ShardingAttr shardingOf(Value whole);
  /// That of the part that is returned where none is asked for.
  ShardingAttr shardingOfResult(Value whole);

private:
  static RankedTensorType arrayType(Value value) { return cast<RankedTensorType>(value.getType()); }
  ShardingAttr replicated(Value whole) { return replicatedAs(mesh, whole.getType()); }
  SmallVector<Value> replicatedOperands(Operation &op);
  LogicalResult visitGlobal(GlobalOpInterface op, Emitter &e);
  LogicalResult visitOwn(PartitionOpInterface op, Emitter &e);
  LogicalResult visitBodies(FlowOpInterface op, Emitter &e);
  void visitHostCall(Operation &op, Emitter &e);
  /// `terms` are the axes over which operands are taken as terms where they are.
  void visitDivided(Operation &op, const FactorMap &map, ArrayRef<AxisRefAttr> terms, Emitter &e);
  /// The axes over which operands are stated to be terms, if an op is linear in these.
  Axes statedTerms(Operation &op);
  bool isOfTerms(Operation &op);
  void visitTerms(Operation &op, Emitter &e);

  MeshAttr mesh;
  Functions &functions;
  OpBuilder builder;
  DenseMap<Value, Part> parts;
  DenseMap<std::pair<Value, Attribute>, Value> resharded;
};

} // namespace

/// The op on parts.
static Operation *clone(Operation &op, Emitter &e, ValueRange operands, TypeRange types) {
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
  // In a function of parts, each device calls the host for its own.
  if (op.hasTrait<HostOnly>() && !hasDivisibleFactors(op) &&
      op.getParentOfType<func::FuncOp>().getSymName() == "main") {
    visitHostCall(op, e);
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
    set(op.getResult(0), clone(op, e, operands, localType(op.getResult(0).getType(), kept))->getResult(0), kept);
    return success();
  }
  bool isConstant = op.hasTrait<OpTrait::ConstantLike>();
  if (std::optional<FactorMap> map = isConstant ? std::nullopt : factorMap(&op)) {
    remarkWhole(op, &*map, [&](Value operand) { return shardingOf(operand); });
    visitDivided(op, *map, statedTerms(op), e);
    return success();
  }
  remarkWhole(op, nullptr, [&](Value operand) { return shardingOf(operand); });
  Operation *local = clone(op, e, replicatedOperands(op), op.getResultTypes());
  for (auto [whole, part] : llvm::zip_equal(op.getResults(), local->getResults()))
    set(whole, part, replicated(whole));
  return success();
}

LogicalResult Partitioner::visitGlobal(GlobalOpInterface op, Emitter &e) {
  SmallVector<Value> operands, results;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(
        get(operand.get(), dividing(op.operandSharding(operand.getOperandNumber()), arrayType(operand.get()))));
  op.emitLocal(e, operands, results);
  for (auto [whole, part] : llvm::zip_equal(op->getResults(), results))
    set(whole, part, dividing(op.resultSharding(whole.getResultNumber()), arrayType(whole)));
  return success();
}

/// The op chooses how it is divided.
LogicalResult Partitioner::visitOwn(PartitionOpInterface op, Emitter &e) {
  auto wanted = op->getAttrOfType<ArrayAttr>(kShardings);
  SmallVector<ShardingAttr> shardings;
  auto add = [&](ShardingAttr sharding, Type type) {
    shardings.push_back(sharding ? withEqualParts(withSums(sharding, {}, {}), cast<RankedTensorType>(type)) : sharding);
  };
  for (Value operand : op->getOperands())
    add(shardingOf(operand), operand.getType());
  for (OpResult result : op->getResults())
    add(wanted ? dyn_cast<ShardingAttr>(wanted[result.getResultNumber()]) : replicated(result), result.getType());
  FailureOr<PartFunction> made = op.partFunction(e, shardings);
  if (failed(made))
    return failure();
  SmallVector<Value> operands;
  for (auto [operand, sharding] : llvm::zip(op->getOperands(), made->arguments))
    operands.push_back(get(operand, dividing(sharding, arrayType(operand))));
  ValueRange results = emitCall(e, made->function, operands);
  for (auto [whole, part, sharding] : llvm::zip_equal(op->getResults(), results, made->results))
    set(whole, part, dividing(sharding, arrayType(whole)));
  return success();
}

/// A body on parts: arguments have these shardings, and what is returned those that `wanted` gives.
static FailureOr<Body> partitionBody(Region &source, MeshAttr mesh, ArrayRef<ShardingAttr> arguments,
                                     Functions &functions,
                                     function_ref<ShardingAttr(OpOperand &, Partitioner &)> wanted) {
  SmallVector<Type> types;
  for (auto [argument, sharding] : llvm::zip_equal(source.getArguments(), arguments))
    types.push_back(localType(argument.getType(), sharding));
  Body target(locOf(source), types);
  Partitioner partitioner(mesh, functions, target);
  for (auto [whole, part, sharding] : llvm::zip_equal(source.getArguments(), target.arguments(), arguments))
    partitioner.set(whole, part, sharding);
  for (Operation &op : opsOf(source))
    if (failed(partitioner.visit(op)))
      return failure();
  for (OpOperand &result : source.front().getTerminator()->getOpOperands())
    target.results.push_back(partitioner.get(result.get(), wanted(result, partitioner)));
  return target;
}

LogicalResult Partitioner::visitBodies(FlowOpInterface op, Emitter &e) {
  FlowShardings shardings(op, mesh);
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(get(operand.get(), shardings.ofSource(operand)));
  for (Value result : op->getResults())
    types.push_back(localType(result.getType(), shardings.of(result)));
  SmallVector<Body> bodies;
  for (Region &body : op->getRegions()) {
    auto arguments = llvm::map_to_vector(body.getArguments(), [&](Value value) { return shardings.of(value); });
    auto local = partitionBody(body, mesh, arguments, functions,
                               [&](OpOperand &source, Partitioner &) { return shardings.ofSource(source); });
    if (failed(local))
      return failure();
    bodies.push_back(std::move(*local));
  }
  Operation *local = clone(*op, e, operands, types);
  for (auto [region, body] : llvm::zip_equal(local->getRegions(), bodies))
    fill(region, std::move(body));
  for (auto [whole, part] : llvm::zip_equal(op->getResults(), local->getResults()))
    set(whole, part, shardings.of(whole));
  return success();
}

/// The first device calls the host, with whole arrays; all get what it returns.
void Partitioner::visitHostCall(Operation &op, Emitter &e) {
  SmallVector<Value> operands = replicatedOperands(op);
  SmallVector<Body> bodies;
  for (bool isFirst : {true, false}) {
    Body body(op.getLoc(), ValueRange(operands).getTypes());
    BodyEmitter inner(e, body);
    if (isFirst)
      llvm::append_range(body.results, clone(op, inner, body.arguments(), op.getResultTypes())->getResults());
    else
      for (Type type : op.getResultTypes())
        body.results.push_back(inner.zeros(cast<RankedTensorType>(type), {}));
    bodies.push_back(std::move(body));
  }
  SmallVector<Attribute> axes(mesh.getAxes());
  ArrayAttr names = builder.getArrayAttr(axes);
  ArrayRef<int64_t> sizes = mesh.getSizes();
  // Numbers above the last branch's select that.
  Value device = e.make<AxisIndexOp>(names, sizes);
  auto local = CaseOp::create(builder, op.getLoc(), op.getResultTypes(), device, operands, bodies.size());
  for (auto [region, body] : llvm::zip_equal(local->getRegions(), bodies))
    fill(region, std::move(body));
  for (auto [whole, part] : llvm::zip_equal(op.getResults(), local->getResults())) {
    Value each = e.make<AllGatherOp>(part, names, sizes, /*dimension=*/0);
    SmallVector<int64_t> shape(arrayType(each).getShape()), starts(shape.size(), 0), ones(shape.size(), 1);
    shape[0] = 1;
    Value first = e.make<SliceOp>(withShape(arrayType(each), shape), each, starts, ones, ValueRange());
    set(whole, e.reshape(first, arrayType(whole), {}), replicated(whole));
  }
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
  Operation *local = clone(op, e, operands, types);
  for (auto [result, part, sharding] : llvm::zip_equal(op.getResults(), local->getResults(), shardings))
    parts[result] = {part, sharding, pending, combiner, !terms.empty()};
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
  result.value = clone(op, e, terms, type)->getResult(0);
  parts[op.getResult(0)] = result;
}

//===- The program ----------------------------------------------------------------------------===//

static LogicalResult partitionMain(func::FuncOp main, MeshAttr mesh, Functions &functions) {
  SmallVector<ShardingAttr> arguments;
  SmallVector<Attribute> in, out;
  for (BlockArgument arg : main.getArguments()) {
    auto type = cast<RankedTensorType>(arg.getType());
    auto stated = main.getArgAttrOfType<ShardingAttr>(arg.getArgNumber(), kSharding);
    arguments.push_back(stated ? dividing(stated, type) : ShardingAttr::replicated(mesh, type.getRank()));
    in.push_back(arguments.back());
  }
  auto wanted = [&](OpOperand &result, Partitioner &partitioner) {
    auto stated = main.getResultAttrOfType<ShardingAttr>(result.getOperandNumber(), kSharding);
    auto sharding = stated ? dividing(stated, cast<RankedTensorType>(result.get().getType()))
                           : partitioner.shardingOfResult(result.get());
    out.push_back(sharding);
    return sharding;
  };
  FailureOr<Body> body = partitionBody(main.getBody(), mesh, arguments, functions, wanted);
  if (failed(body))
    return failure();
  func::FuncOp local = functions.add(main, ".local", std::move(*body));
  Body whole(main.getLoc(), main.getArgumentTypes());
  OpBuilder builder = whole.builder();
  Emitter e(builder, main.getLoc());
  // The parts of a `shard_map` are equal.
  auto paddedType = [&](Type type, Attribute sharding) -> Type {
    auto array = cast<RankedTensorType>(type);
    return cast<ShardingAttr>(sharding).globalType(cast<ShardingAttr>(sharding).localType(array));
  };
  SmallVector<Value> padded, results;
  SmallVector<Type> types;
  for (auto [argument, sharding] : llvm::zip_equal(whole.arguments(), in))
    padded.push_back(resized(e, argument, cast<RankedTensorType>(paddedType(argument.getType(), sharding)).getShape()));
  for (auto [type, sharding] : llvm::zip_equal(main.getResultTypes(), out))
    types.push_back(paddedType(type, sharding));
  auto call = ShardMapOp::create(
      builder, main.getLoc(), types, local.getSymName(), mesh,
      builder.getArrayAttr(llvm::map_to_vector(mesh.getAxes(), [](StringAttr axis) -> Attribute { return axis; })),
      builder.getArrayAttr(in), builder.getArrayAttr(out), /*checked=*/false, padded);
  for (auto [result, type] : llvm::zip_equal(call->getResults(), main.getResultTypes()))
    results.push_back(resized(e, result, cast<RankedTensorType>(type).getShape()));
  builder.clone(*main.front().getTerminator())->setOperands(results);
  main.getBody().takeBody(*whole.region);
  return success();
}

/// Ops on parts in functions that other ops on parts apply: these functions' own values are on every device as a whole.
static LogicalResult partitionApplied(func::FuncOp function, MeshAttr mesh, Functions &functions) {
  if (!function.walk([](GlobalOpInterface) { return WalkResult::interrupt(); }).wasInterrupted())
    return success();
  auto replicated = [&](Value value) { return replicatedAs(mesh, value.getType()); };
  FailureOr<Body> body =
      partitionBody(function.getBody(), mesh, llvm::map_to_vector(function.getArguments(), replicated), functions,
                    [&](OpOperand &result, Partitioner &) { return replicated(result.get()); });
  if (failed(body))
    return failure();
  OpBuilder builder = body->builder();
  builder.clone(*function.front().getTerminator())->setOperands(body->results);
  function.getBody().takeBody(*body->region);
  return success();
}

namespace {
struct PartitionPass : impl::PartitionPassBase<PartitionPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<MeshAttr> mesh = meshToPartition(module);
    if (failed(mesh))
      return signalPassFailure();
    if (!*mesh)
      return;
    auto main = module.lookupSymbol<func::FuncOp>("main");
    Functions functions(module);
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (function != main && failed(partitionApplied(function, *mesh, functions)))
        return signalPassFailure();
    if (failed(partitionMain(main, *mesh, functions)))
      return signalPassFailure();
    eraseUncalled(module);
  }
};
} // namespace

} // namespace dovetail
