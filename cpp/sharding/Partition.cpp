// Makes the program of one device: ops on parts of arrays, and collectives where parts are needed elsewhere.
#include "Partitionable.h"
#include "Partitioner.h"
#include "Passes.h"
#include "Reshard.h"
#include "cpp/transforms/CallGraph.h"
#include "dialects/ShardMap.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_PARTITIONPASS
#include "cpp/sharding/Passes.h.inc"

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
  FailureOr<Body> body = partitionBody(main.getBody(), mesh, /*manual=*/{}, arguments, functions, wanted);
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
      partitionBody(function.getBody(), mesh, /*manual=*/{}, llvm::map_to_vector(function.getArguments(), replicated),
                    functions, [&](OpOperand &result, Partitioner &) { return replicated(result.get()); });
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
    // Functions of parts are partitioned with the op that applies them.
    DenseSet<Operation *> manuals;
    module.walk([&](Operation *op) {
      if (std::optional<ManualFunction> manual = manualFunction(op))
        manuals.insert(manual->function);
    });
    for (func::FuncOp function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (function != main && !manuals.contains(function) && failed(partitionApplied(function, *mesh, functions)))
        return signalPassFailure();
    if (failed(partitionMain(main, *mesh, functions)))
      return signalPassFailure();
    eraseUncalled(module);
  }
};
} // namespace

} // namespace dovetail
