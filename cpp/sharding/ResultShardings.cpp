// The shardings of the results of a function whose values have theirs.
#include "ResultShardings.h"

using namespace mlir;

namespace dovetail {

static ShardingAttr foundSharding(func::FuncOp function, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return function.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(), kSharding);
  auto result = cast<OpResult>(value);
  auto found = result.getOwner()->getAttrOfType<ArrayAttr>(kShardings);
  return found ? dyn_cast<ShardingAttr>(found[result.getResultNumber()]) : ShardingAttr();
}

SmallVector<ShardingAttr> shardingsOfResults(func::FuncOp function, ArrayRef<BlockArgument> arguments) {
  // In the order of the program, operands come first. Ops on parts state where they compute.
  DenseSet<Value> needing;
  // Without elements, they are constants.
  auto isEmpty = [](Value value) { return llvm::is_contained(cast<ShapedType>(value.getType()).getShape(), 0); };
  auto need = [&](auto values) {
    for (Value value : values)
      if (!isa<ShapedType>(value.getType()) || !isEmpty(value))
        needing.insert(value);
  };
  need(arguments);
  for (Operation &op : function.front())
    if (op.walk([](GlobalOpInterface) { return WalkResult::interrupt(); }).wasInterrupted() ||
        llvm::any_of(op.getOperands(), [&](Value operand) { return needing.contains(operand); }))
      need(op.getResults());
  return llvm::map_to_vector(function.front().getTerminator()->getOperands(), [&](Value value) {
    ShardingAttr found = needing.contains(value) ? foundSharding(function, value) : ShardingAttr();
    return found ? withEqualParts(found, cast<RankedTensorType>(value.getType())) : found;
  });
}

} // namespace dovetail
