// Partitions ops with bodies or functions.
#include "FlowShardings.h"
#include "Partitioner.h"
#include "dialects/Call.h"
#include "dialects/Collective.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

FailureOr<Body> partitionBody(Region &source, MeshAttr mesh, ArrayRef<AxisRefAttr> manual,
                              ArrayRef<ShardingAttr> arguments, Functions &functions, WantedOfResult wanted) {
  SmallVector<Type> types;
  for (auto [argument, sharding] : llvm::zip_equal(source.getArguments(), arguments))
    types.push_back(localType(argument.getType(), sharding));
  Body target(locOf(source), types);
  Partitioner partitioner(mesh, manual, functions, target);
  for (auto [whole, part, sharding] : llvm::zip_equal(source.getArguments(), target.arguments(), arguments))
    partitioner.set(whole, part, sharding);
  for (Operation &op : opsOf(source))
    if (failed(partitioner.visit(op)))
      return failure();
  for (OpOperand &result : source.front().getTerminator()->getOpOperands())
    target.results.push_back(partitioner.get(result.get(), wanted(result, partitioner)));
  return target;
}

LogicalResult Partitioner::visitGlobal(GlobalOpInterface op, Emitter &e) {
  SmallVector<ShardingAttr> operandShardings, resultShardings;
  for (OpOperand &operand : op->getOpOperands())
    operandShardings.push_back(op.operandSharding(operand.getOperandNumber()));
  for (OpResult result : op->getResults())
    resultShardings.push_back(op.resultSharding(result.getResultNumber()));
  func::FuncOp local;
  if (std::optional<ManualFunction> manual = manualFunction(op)) {
    FailureOr<func::FuncOp> made = partitionManual(*manual, operandShardings, resultShardings);
    if (failed(made))
      return failure();
    local = *made;
  }
  SmallVector<Value> operands, results;
  for (auto [operand, sharding] : llvm::zip_equal(op->getOperands(), operandShardings))
    operands.push_back(get(operand, dividing(sharding, arrayType(operand))));
  op.emitLocal(e, local, operands, results);
  for (auto [whole, part, sharding] : llvm::zip_equal(op->getResults(), results, resultShardings))
    set(whole, part, dividing(sharding, arrayType(whole)));
  return success();
}

FailureOr<func::FuncOp> Partitioner::partitionManual(const ManualFunction &applied,
                                                     MutableArrayRef<ShardingAttr> operands,
                                                     MutableArrayRef<ShardingAttr> results) {
  func::FuncOp function = applied.function;
  SmallVector<ShardingAttr> arguments, wanted;
  for (auto [argument, sharding] : llvm::zip_equal(function.getArguments(), operands)) {
    auto stated = function.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(), kSharding);
    arguments.push_back(applied.within(sharding, stated ? stated : replicated(argument), argument.getType()));
    sharding = around(sharding, arguments.back());
  }
  auto stated = applied.op->getAttrOfType<ArrayAttr>(kShardings);
  for (auto [i, sharding] : llvm::enumerate(results)) {
    auto whole = stated ? cast<ShardingAttr>(stated[i]) : sharding;
    wanted.push_back(applied.within(sharding, whole, function.getResultTypes()[i]));
    sharding = around(sharding, wanted.back());
  }
  Axes within(manual);
  llvm::append_range(within, applied.axes);
  FailureOr<Body> body = partitionBody(function.getBody(), mesh, within, arguments, functions,
                                       [&](OpOperand &result, auto &) { return wanted[result.getOperandNumber()]; });
  if (failed(body))
    return failure();
  return functions.add(function, ".local", std::move(*body));
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
  for (const auto *chosen : {&made->arguments, &made->results})
    for (ShardingAttr sharding : *chosen)
      if (sharding && isOver(sharding, manual))
        return op.emitError() << "the rule of a function must divide arrays over the automatic axes only, got: "
                              << sharding;
  SmallVector<Value> operands;
  for (auto [operand, sharding] : llvm::zip(op->getOperands(), made->arguments))
    operands.push_back(get(operand, dividing(sharding, arrayType(operand))));
  ValueRange results = emitCall(e, made->function, operands);
  for (auto [whole, part, sharding] : llvm::zip_equal(op->getResults(), results, made->results))
    set(whole, part, dividing(sharding, arrayType(whole)));
  return success();
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
    auto local = partitionBody(body, mesh, manual, arguments, functions,
                               [&](OpOperand &source, Partitioner &) { return shardings.ofSource(source); });
    if (failed(local))
      return failure();
    bodies.push_back(std::move(*local));
  }
  Operation *local = onParts(*op, e, operands, types);
  for (auto [region, body] : llvm::zip_equal(local->getRegions(), bodies))
    fill(region, std::move(body));
  for (auto [whole, part] : llvm::zip_equal(op->getResults(), local->getResults()))
    set(whole, part, shardings.of(whole));
  return success();
}

/// The first device along these axes calls the host, with what is whole along them; all get what it returns.
void Partitioner::visitHostCall(Operation &op, ArrayRef<AxisRefAttr> axes, Emitter &e) {
  SmallVector<Value> operands = replicatedOperands(op);
  SmallVector<Body> bodies;
  for (bool isFirst : {true, false}) {
    Body body(op.getLoc(), ValueRange(operands).getTypes());
    BodyEmitter inner(e, body);
    if (isFirst)
      llvm::append_range(body.results, onParts(op, inner, body.arguments(), op.getResultTypes())->getResults());
    else
      for (Type type : op.getResultTypes())
        body.results.push_back(inner.zeros(cast<RankedTensorType>(type), {}));
    bodies.push_back(std::move(body));
  }
  ArrayAttr names = namesOf(builder.getContext(), axes);
  SmallVector<int64_t> sizes = sizesOf(mesh, axes);
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

} // namespace dovetail
