// Makes the program of one device: ops on parts of arrays, and collectives where parts are needed elsewhere.
#include "Factors.h"
#include "Partitionable.h"
#include "Passes.h"
#include "Reshard.h"
#include "cpp/transforms/CallGraph.h"
#include "cpp/transforms/Functions.h"
#include "dialects/Collective.h"
#include "dialects/Create.h"
#include "dialects/ShardMap.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_PARTITIONPASS
#include "cpp/sharding/Passes.h.inc"

namespace {

/// A device's part of an array; with `pending` axes, a term of it that is still to be combined over these.
struct Part {
  Value value;
  ShardingAttr sharding;
  Axes pending = {};
  FactorMap::Combiner combiner = FactorMap::Combiner::None;
};

/// Emits a body on parts of arrays.
class Partitioner {
public:
  Partitioner(MeshAttr mesh, Functions &functions, Body &target)
      : mesh(mesh), functions(functions), builder(target.builder()) {}

  void set(Value whole, Value part, ShardingAttr sharding) { parts[whole] = {part, sharding}; }
  LogicalResult visit(Operation &op);
  /// The part of an array under a sharding.
  Value get(Value whole, ShardingAttr sharding);
  /// The part of an array that is returned where none is asked for.
  ShardingAttr shardingOf(Value whole);

private:
  static RankedTensorType arrayType(Value value) { return cast<RankedTensorType>(value.getType()); }
  ShardingAttr replicated(Value whole) { return ShardingAttr::replicated(mesh, arrayType(whole).getRank()); }
  SmallVector<Value> replicatedOperands(Operation &op);
  LogicalResult visitGlobal(GlobalOpInterface op, Emitter &e);
  LogicalResult visitBodies(Operation &op, Emitter &e);
  void visitDivided(Operation &op, const FactorMap &map, Emitter &e);

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
  return local;
}

static bool isSplat(Value value, DenseElementsAttr &elements) {
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat();
}

Value Partitioner::get(Value whole, ShardingAttr sharding) {
  Part &part = parts.find(whole)->second;
  if (part.sharding == sharding && part.pending.empty())
    return part.value;
  Value &known = resharded[{whole, sharding}];
  if (known)
    return known;
  Emitter e(builder, whole.getLoc(), &functions);
  if (DenseElementsAttr elements; isSplat(whole, elements))
    return known = e.make<ConstantOp>(elements.resizeSplat(sharding.localType(arrayType(whole))));
  if (!part.pending.empty()) {
    std::optional<int64_t> dim = scatteredDim(part.sharding, sharding, part.pending);
    if (dim && part.combiner == FactorMap::Combiner::Sum)
      return known = emitReduceScatter(e, part.value, mesh, part.pending, *dim);
    part.value = emitAllReduce(e, part.combiner, part.value, namesOf(builder.getContext(), part.pending));
    part.pending.clear();
  }
  return known = emitReshard(e, part.value, part.sharding, sharding);
}

ShardingAttr Partitioner::shardingOf(Value whole) { return parts.find(whole)->second.sharding; }

SmallVector<Value> Partitioner::replicatedOperands(Operation &op) {
  return llvm::map_to_vector(op.getOperands(), [&](Value operand) { return get(operand, replicated(operand)); });
}

LogicalResult Partitioner::visit(Operation &op) {
  Emitter e(builder, op.getLoc(), &functions);
  if (auto global = dyn_cast<GlobalOpInterface>(op))
    return visitGlobal(global, e);
  if (op.getNumRegions() != 0)
    return visitBodies(op, e);
  bool isConstant = op.hasTrait<OpTrait::ConstantLike>();
  if (std::optional<FactorMap> map = isConstant ? std::nullopt : factorMap(&op)) {
    visitDivided(op, *map, e);
    return success();
  }
  Operation *local = clone(op, e, replicatedOperands(op), op.getResultTypes());
  for (auto [whole, part] : llvm::zip_equal(op.getResults(), local->getResults()))
    set(whole, part, replicated(whole));
  return success();
}

LogicalResult Partitioner::visitGlobal(GlobalOpInterface op, Emitter &e) {
  SmallVector<Value> operands, results;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(
        get(operand.get(), divisible(op.operandSharding(operand.getOperandNumber()), arrayType(operand.get()))));
  op.emitLocal(e, operands, results);
  for (auto [whole, part] : llvm::zip_equal(op->getResults(), results))
    set(whole, part, divisible(op.resultSharding(whole.getResultNumber()), arrayType(whole)));
  return success();
}

/// Makes a body such that each device computes all of it; ops on parts in it move these to and from all devices.
static LogicalResult partitionBody(Region &body, MeshAttr mesh, Functions &functions) {
  if (!body.walk([](GlobalOpInterface) { return WalkResult::interrupt(); }).wasInterrupted())
    return success();
  Body target(locOf(body), body.getArgumentTypes());
  Partitioner partitioner(mesh, functions, target);
  auto replicated = [&](Value value) {
    return ShardingAttr::replicated(mesh, cast<RankedTensorType>(value.getType()).getRank());
  };
  for (auto [whole, part] : llvm::zip_equal(body.getArguments(), target.arguments()))
    partitioner.set(whole, part, replicated(whole));
  for (Operation &op : opsOf(body))
    if (failed(partitioner.visit(op)))
      return failure();
  Operation *terminator = body.front().getTerminator();
  SmallVector<Value> results = llvm::map_to_vector(
      terminator->getOperands(), [&](Value result) { return partitioner.get(result, replicated(result)); });
  OpBuilder builder = target.builder();
  Operation *end = builder.clone(*terminator);
  end->setOperands(results);
  body.takeBody(*target.region);
  return success();
}

LogicalResult Partitioner::visitBodies(Operation &op, Emitter &e) {
  Operation *local = clone(op, e, replicatedOperands(op), op.getResultTypes());
  for (Region &region : local->getRegions())
    if (failed(partitionBody(region, mesh, functions)))
      return failure();
  for (auto [whole, part] : llvm::zip_equal(op.getResults(), local->getResults()))
    set(whole, part, replicated(whole));
  return success();
}

void Partitioner::visitDivided(Operation &op, const FactorMap &map, Emitter &e) {
  Factors factors{mesh, &op, map, {}, {}};
  for (Value operand : op.getOperands()) {
    DenseElementsAttr elements;
    factors.operands.push_back(isSplat(operand, elements) ? ShardingAttr() : shardingOf(operand));
  }
  auto wanted = op.getAttrOfType<ArrayAttr>(kShardings);
  for (OpResult result : op.getResults())
    factors.results.push_back(wanted ? cast<ShardingAttr>(wanted[result.getResultNumber()]) : replicated(result));
  AxesOfEach axes = factors.chosen();
  SmallVector<Value> operands;
  for (auto [operand, ofDims] : llvm::zip_equal(op.getOperands(), map.operands))
    operands.push_back(get(operand, dovetail::shardingOf(mesh, ofDims, axes)));
  SmallVector<ShardingAttr> shardings;
  SmallVector<Type> types;
  for (auto [result, ofDims] : llvm::zip_equal(op.getResults(), map.results)) {
    shardings.push_back(dovetail::shardingOf(mesh, ofDims, axes));
    types.push_back(shardings.back().localType(arrayType(result)));
  }
  Operation *local = clone(op, e, operands, types);
  Axes pending;
  for (int64_t factor : map.reduced)
    llvm::append_range(pending, axes[factor]);
  for (auto [result, part, sharding] : llvm::zip_equal(op.getResults(), local->getResults(), shardings))
    parts[result] = {part, sharding, pending, map.combiner};
}

//===- The program ----------------------------------------------------------------------------===//

static LogicalResult partitionMain(func::FuncOp main, MeshAttr mesh, Functions &functions) {
  SmallVector<Type> types;
  SmallVector<Attribute> in, out;
  for (BlockArgument arg : main.getArguments()) {
    auto type = cast<RankedTensorType>(arg.getType());
    auto stated = main.getArgAttrOfType<ShardingAttr>(arg.getArgNumber(), kSharding);
    auto sharding = stated ? divisible(stated, type) : ShardingAttr::replicated(mesh, type.getRank());
    in.push_back(sharding);
    types.push_back(sharding.localType(type));
  }
  Body body(main.getLoc(), types);
  Partitioner partitioner(mesh, functions, body);
  for (auto [whole, part, sharding] : llvm::zip_equal(main.getArguments(), body.arguments(), in))
    partitioner.set(whole, part, cast<ShardingAttr>(sharding));
  for (Operation &op : opsOf(main.getBody()))
    if (failed(partitioner.visit(op)))
      return failure();
  Operation *terminator = main.front().getTerminator();
  for (OpOperand &result : terminator->getOpOperands()) {
    auto type = cast<RankedTensorType>(result.get().getType());
    auto stated = main.getResultAttrOfType<ShardingAttr>(result.getOperandNumber(), kSharding);
    auto sharding = stated ? divisible(stated, type) : partitioner.shardingOf(result.get());
    out.push_back(sharding);
    body.results.push_back(partitioner.get(result.get(), sharding));
  }
  func::FuncOp local = functions.add(main, ".local", std::move(body));
  Body whole(main.getLoc(), main.getArgumentTypes());
  OpBuilder builder = whole.builder();
  auto call = ShardMapOp::create(
      builder, main.getLoc(), main.getResultTypes(), local.getSymName(), mesh,
      builder.getArrayAttr(llvm::map_to_vector(mesh.getAxes(), [](StringAttr axis) -> Attribute { return axis; })),
      builder.getArrayAttr(in), builder.getArrayAttr(out), /*checked=*/false, whole.arguments());
  Operation *end = builder.clone(*terminator);
  end->setOperands(call->getResults());
  main.getBody().takeBody(*whole.region);
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
      if (function != main && failed(partitionBody(function.getBody(), *mesh, functions)))
        return signalPassFailure();
    if (failed(partitionMain(main, *mesh, functions)))
      return signalPassFailure();
    eraseUncalled(module);
  }
};
} // namespace

} // namespace dovetail
