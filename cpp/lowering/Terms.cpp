// Terms of a kernel's results: what parts of a division compute of sums over all parts.
#include "Division.h"
#include "dialects/Pointwise.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

/// Whether the parts of an op that reduces the divided dimension are terms of a result of the kernel, to which nothing
/// but what the kernel gets is added.
bool Division::makeTerm(Operation *op) {
  Operation *kernel = op->getParentOp();
  if (!mayAdd || !ops.contains(kernel) || op->getNumResults() != 1)
    return false;
  Sum sum{op->getResult(0), {}, {}};
  Value value = sum.term;
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (user->hasTrait<OpTrait::IsTerminator>()) {
      Value result = kernel->getResult(use.getOperandNumber());
      return sums.insert({result, sum}).second || sums.lookup(result).term == sum.term;
    }
    if (isa<AddOp>(user) && !sum.start) {
      // Only what has the type of the result can be added to it later.
      auto start = dyn_cast<BlockArgument>(user->getOperand(1 - use.getOperandNumber()));
      if (!start || start.getOwner() != op->getBlock() || dimOf(start) >= 0)
        return false;
      sum.start = kernel->getOperand(start.getArgNumber() + 1);
    } else if (!isa<ReshapeOp>(user) || sum.start) {
      return false;
    }
    sum.ops.push_back(user);
    value = user->getResult(0);
  }
  return false;
}

int64_t Division::numTermElements() const {
  int64_t elements = 0;
  for (const auto &entry : sums)
    elements += cast<RankedTensorType>(entry.second.term.getType()).getNumElements();
  return elements;
}

/// A result of the kernel from the terms of all parts.
Value Division::added(Emitter &e, Value terms, const Sum &sum) const {
  Value value = e.reduceSum(terms, {0});
  for (Operation *op : sum.ops)
    value = isa<ReshapeOp>(op) ? e.reshape(value, cast<RankedTensorType>(op->getResult(0).getType()), {})
                               : e.add(sum.start, value);
  return value;
}

} // namespace dovetail
