// Bodies under construction: their arguments, and copies of their ops.
#include "Body.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace dovetail {

Body::Body(Location loc, TypeRange arguments) : loc(loc), region(std::make_unique<Region>()) {
  region->emplaceBlock().addArguments(arguments, SmallVector<Location>(arguments.size(), loc));
}

OpBuilder Body::builder() const {
  // A region without an op has no context.
  OpBuilder builder(loc.getContext());
  builder.setInsertionPointToEnd(&block());
  return builder;
}

void Body::prune(bool keepEffects) {
  llvm::DenseSet<Value> needed(results.begin(), results.end());
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block())))
    if ((keepEffects ? isOpTriviallyDead(&op) : op.use_empty()) &&
        llvm::none_of(op.getResults(), [&](Value result) { return needed.contains(result); }))
      op.erase();
}

void Body::arrange(ArrayRef<unsigned> order) {
  unsigned count = block().getNumArguments();
  for (unsigned from : order) {
    BlockArgument old = block().getArgument(from), added = block().addArgument(old.getType(), old.getLoc());
    old.replaceAllUsesWith(added);
    llvm::replace(results, Value(old), Value(added));
  }
  block().eraseArguments(0, count);
}

void Body::arrange(ArrayRef<unsigned> positions, TypeRange types) {
  unsigned count = block().getNumArguments();
  block().addArguments(types, SmallVector<Location>(types.size(), loc));
  for (auto [i, position] : llvm::enumerate(positions)) {
    BlockArgument old = block().getArgument(i), added = block().getArgument(count + position);
    added.setLoc(old.getLoc());
    old.replaceAllUsesWith(added);
    llvm::replace(results, Value(old), Value(added));
  }
  block().eraseArguments(0, count);
}

Location locOf(Region &body) {
  if (body.getParentOp())
    return body.getLoc();
  Block &block = body.front();
  return block.empty() ? block.getArgument(0).getLoc() : block.front().getLoc();
}

SmallVector<Value> inlineBody(OpBuilder &builder, Block &block, ValueRange results, ValueRange arguments) {
  IRMapping values;
  values.map(block.getArguments(), arguments);
  for (Operation &op : opsOf(*block.getParent()))
    builder.clone(op, values);
  return llvm::map_to_vector(results, [&](Value result) { return values.lookupOrDefault(result); });
}

/// The number of sizes that a value has; one if it is a size.
static int64_t numSizes(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array ? array.getNumDynamicDims() : type.isIndex() ? 1 : 0;
}

int64_t sizePosition(ValueRange values, unsigned number, int64_t dimension) {
  int64_t position = 0;
  for (Value before : values.take_front(number))
    position += numSizes(before.getType());
  auto type = dyn_cast<RankedTensorType>(values[number].getType());
  return type ? position + llvm::count_if(type.getShape().take_front(dimension), ShapedType::isDynamic) : position;
}

} // namespace dovetail
