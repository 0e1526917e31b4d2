// Sums over devices in the iterations of a loop that adds them up become one after the loop.
#include "Collectives.h"
#include "Passes.h"
#include "cpp/transforms/Functions.h"
#include "dialects/Control.h"
#include "dialects/Emitter.h"
#include "dialects/Folding.h"
#include "dialects/Pointwise.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_HOISTCOLLECTIVESPASS
#include "cpp/sharding/Passes.h.inc"

namespace {

/// A carry of a loop: its value within an iteration, what the next one gets, and its value after the loop.
struct Carry {
  BlockArgument argument;
  Value next;
  OpResult result;
};

/// Finds the carries of an op with bodies.
class Carries {
public:
  explicit Carries(FlowOpInterface op) : op(op) {
    for (Region &body : op->getRegions())
      for (OpOperand &returned : body.front().getTerminator()->getOpOperands())
        op.forEachTarget(returned, [&](Value target, Flow) { returns[target] = &returned; });
  }

  /// The carry that starts as `init`; none if other values start, or go on, as it does.
  std::optional<Carry> from(OpOperand &init) const {
    Carry carry;
    std::optional<unsigned> count = addTargets(init, carry);
    OpOperand *returned = carry.argument ? returns.lookup(carry.argument) : nullptr;
    if (!count || !carry.result || !returned || addTargets(*returned, carry) != count)
      return std::nullopt;
    carry.next = returned->get();
    return carry;
  }

private:
  /// Adds the values that the source flows to, and counts them; none if they are not those of one carry. A region that
  /// does not use the carry has it as an argument, too.
  std::optional<unsigned> addTargets(OpOperand &source, Carry &carry) const {
    bool isOne = true;
    unsigned count = 0;
    auto add = [&](auto &known, auto value) {
      isOne &= !known || known == value;
      known = value;
      ++count;
    };
    op.forEachTarget(source, [&](Value target, Flow flow) {
      isOne &= flow == Flow::Same;
      if (auto result = dyn_cast<OpResult>(target))
        add(carry.result, result);
      else if (!target.use_empty())
        add(carry.argument, cast<BlockArgument>(target));
    });
    return isOne ? std::optional(count) : std::nullopt;
  }

  mutable FlowOpInterface op;
  /// What bodies return, by what it flows to.
  DenseMap<Value, OpOperand *> returns;
};

} // namespace

static bool isLinear(Operation *op) {
  auto pointwise = dyn_cast<PointwiseOpInterface>(op);
  return pointwise &&
         llvm::any_of(pointwise.linearSets(), [&](auto &set) { return set.size() == op->getNumOperands(); });
}

/// The collectives whose results `next` combines linearly with the carry, and with nothing else; none if these differ,
/// or if another op uses a value on the way.
static SmallVector<Operation *> addedCollectives(Value next, BlockArgument carry) {
  SmallVector<Operation *> found;
  SmallVector<Value> pending = {next};
  bool hasCarry = false;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!value.hasOneUse() || value.getType() != carry.getType())
      return {};
    if (value == carry) {
      hasCarry = true;
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    auto linear = dyn_cast<LinearOpInterface>(op);
    if (isElementwiseCollective(op) && linear && linear.linearSets().front().size() == 1) {
      if (!found.empty() && (op->getName() != found.front()->getName() || op->getAttrs() != found.front()->getAttrs()))
        return {};
      found.push_back(op);
    } else if (isLinear(op)) {
      llvm::append_range(pending, op->getOperands());
    } else {
      return {};
    }
  }
  return hasCarry ? found : SmallVector<Operation *>();
}

static bool isZero(Value value) {
  Attribute elements;
  return matchPattern(value, m_Constant(&elements)) && isSplat(elements, 0);
}

static void hoistFrom(FlowOpInterface op) {
  std::optional<Carries> carries;
  for (OpOperand &init : op->getOpOperands()) {
    if (!isZero(init.get()))
      continue;
    if (!carries)
      carries.emplace(op);
    std::optional<Carry> carry = carries->from(init);
    if (!carry)
      continue;
    SmallVector<Operation *> collectives = addedCollectives(carry->next, carry->argument);
    if (collectives.empty())
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Emitter e(builder, collectives.front()->getLoc());
    Operation *hoisted = cloneWith(e, collectives.front(), carry->result, carry->result.getType());
    carry->result.replaceAllUsesExcept(hoisted->getResult(0), hoisted);
    for (Operation *each : collectives) {
      each->getResult(0).replaceAllUsesWith(each->getOperand(0));
      each->erase();
    }
  }
}

namespace {
struct HoistCollectivesPass : impl::HoistCollectivesPassBase<HoistCollectivesPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (failed(checkTransformable(function)))
        return signalPassFailure();
      // Inner loops first.
      function.getBody().walk([](FlowOpInterface op) { hoistFrom(op); });
    }
  }
};
} // namespace

} // namespace dovetail
