// Splits optimization barriers, or orders their arrays, such that IREE accepts them.
#include "Aliases.h"
#include "Passes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SEPARATEBARRIERSPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// A barrier of some of a barrier's arrays, in this order.
void emitBarrier(Operation *op, ArrayRef<unsigned> numbers) {
  OpBuilder b(op);
  OperationState state(op->getLoc(), op->getName());
  for (unsigned number : numbers) {
    state.addOperands(op->getOperand(number));
    state.addTypes(op->getResult(number).getType());
  }
  Operation *made = b.create(state);
  for (auto [number, result] : llvm::zip_equal(numbers, made->getResults()))
    op->getResult(number).replaceAllUsesWith(result);
}

bool isConstant(Value value) {
  Operation *maker = withoutReshapes(value).getDefiningOp();
  return maker && maker->hasTrait<OpTrait::ConstantLike>();
}

/// The arrays of a function that its callers know: they are in memory of another kind than what it makes for itself.
class External {
public:
  explicit External(func::FuncOp function) : aliases(function) {
    for (Value argument : function.getArguments())
      if (isArray(argument))
        classes.insert(aliases.classOf(argument));
    function.walk([&](func::ReturnOp op) {
      for (Value result : op.getOperands())
        if (isArray(result))
          classes.insert(aliases.classOf(result));
    });
  }

  bool contains(Value value) const { return isArray(value) && classes.contains(aliases.classOf(value)); }

private:
  Aliases aliases;
  llvm::SmallPtrSet<const void *, 16> classes;
};

struct SeparateBarriersPass : impl::SeparateBarriersPassBase<SeparateBarriersPass> {
  using SeparateBarriersPassBase::SeparateBarriersPassBase;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<Operation *> barriers;
      function.walk([&](Operation *op) {
        if (isOptimizationBarrier(op) && op->getNumOperands() > 1)
          barriers.push_back(op);
      });
      if (barriers.empty())
        continue;
      External external(function);
      for (Operation *op : barriers)
        rewrite(op, external);
      for (Operation *op : barriers)
        op->erase();
    }
  }

private:
  void rewrite(Operation *op, const External &external) {
    SmallVector<unsigned> first, rest;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (all || isConstant(op->getOperand(i)))
        emitBarrier(op, i);
      else if (external.contains(op->getOperand(i)) || external.contains(op->getResult(i)))
        first.push_back(i);
      else
        rest.push_back(i);
    first.append(rest);
    if (!first.empty())
      emitBarrier(op, first);
  }
};

} // namespace

} // namespace dovetail
