// Recognizes loops that run as long as any of several instances does.
#include "Masked.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

/// What a value repeats along more dimensions.
static Value withoutBroadcasts(Value value) {
  while (true) {
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<BroadcastOp, ReshapeOp>(op))
      return value;
    value = op->getOperand(0);
  }
}

/// Whether a carry keeps its elements where the predicate does not hold.
static bool isKept(Value next, Value carry, Value predicate) {
  if (next == carry)
    return true;
  auto select = next.getDefiningOp<SelectOp>();
  return select && select.getY() == carry && withoutBroadcasts(select.getP()) == predicate;
}

Operation *anyOfMasked(WhileOp loop) {
  Region &condition = loop.getCond(), &body = loop.getBody();
  auto any = returned(condition).front().getDefiningOp<ReduceOrOp>();
  auto carried = any ? dyn_cast<BlockArgument>(any.getX()) : BlockArgument();
  unsigned numCarries = loop.getInits().size();
  if (!carried || carried.getOwner() != &condition.front() || carried.getArgNumber() >= numCarries ||
      !getElementTypeOrSelf(carried).isInteger(1) || cast<RankedTensorType>(any.getType()).getRank() > 0)
    return nullptr;
  Value predicate = body.getArgument(carried.getArgNumber());
  for (auto [i, next] : llvm::enumerate(returned(body))) {
    Value carry = body.getArgument(i);
    auto both = carry == predicate ? next.getDefiningOp<AndOp>() : AndOp();
    bool staysFalse = both && llvm::is_contained(both->getOperands(), predicate);
    if (!staysFalse && !isKept(next, carry, predicate))
      return nullptr;
  }
  return any;
}

} // namespace dovetail
