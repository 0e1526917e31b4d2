// Splits optimization barriers, or orders their arrays, such that IREE accepts them.
#include "Aliases.h"
#include "Passes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SEPARATEBARRIERSPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// A barrier of some of a barrier's arrays, in this order.
Operation *emitBarrier(Operation *op, ArrayRef<unsigned> numbers) {
  OpBuilder b(op);
  OperationState state(op->getLoc(), op->getName());
  for (unsigned number : numbers) {
    state.addOperands(op->getOperand(number));
    state.addTypes(op->getResult(number).getType());
  }
  Operation *made = b.create(state);
  for (auto [number, result] : llvm::zip_equal(numbers, made->getResults()))
    op->getResult(number).replaceAllUsesWith(result);
  return made;
}

bool isConstant(Value value) {
  Operation *maker = withoutReshapes(value).getDefiningOp();
  return maker && maker->hasTrait<OpTrait::ConstantLike>();
}

/// The arrays of a function that its callers know: they are in memory of another kind than what it makes for itself.
class External {
public:
  explicit External(func::FuncOp function) : aliases(function) {
    llvm::for_each(function.getArguments(), [&](Value argument) { add(argument); });
    function.walk([&](func::ReturnOp op) { llvm::for_each(op.getOperands(), [&](Value result) { add(result); }); });
  }

  enum Kind { Is, MayBe, IsNot };

  /// Whether an array is in such memory: a slice is a copy in other memory, if not always.
  Kind kindOf(Value value) const {
    if (!isArray(value))
      return IsNot;
    if (behindThese.contains(withoutReshapes(value)))
      return Is;
    auto found = sizes.find(aliases.classOf(value));
    return found == sizes.end() ? IsNot : llvm::is_contained(found->second, sizeOf(value)) ? Is : MayBe;
  }

  /// What is behind one barrier is in memory of one kind.
  void addResultsOf(Operation *barrier) { behindThese.insert_range(barrier->getResults()); }

private:
  static int64_t sizeOf(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  }

  void add(Value value) {
    if (isArray(value))
      sizes[aliases.classOf(value)].push_back(sizeOf(value));
  }

  Aliases aliases;
  /// For each class of aliases, the numbers of elements of those that are arguments and results.
  DenseMap<const void *, SmallVector<int64_t>> sizes;
  DenseSet<Value> behindThese;
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
  void rewrite(Operation *op, External &external) {
    SmallVector<unsigned> arrays[External::IsNot + 1];
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (all || isConstant(op->getOperand(i)))
        emitBarrier(op, i);
      else
        arrays[std::min(external.kindOf(op->getOperand(i)), external.kindOf(op->getResult(i)))].push_back(i);
    SmallVector<unsigned> inOrder;
    for (ArrayRef<unsigned> kind : arrays)
      llvm::append_range(inOrder, kind);
    if (inOrder.empty())
      return;
    Operation *made = emitBarrier(op, inOrder);
    if (!arrays[External::Is].empty())
      external.addResultsOf(made);
  }
};

} // namespace

} // namespace dovetail
