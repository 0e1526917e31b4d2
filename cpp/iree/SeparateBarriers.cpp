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
    llvm::for_each(function.getArguments(), [&](Value argument) { add(argument); });
    function.walk([&](func::ReturnOp op) { llvm::for_each(op.getOperands(), [&](Value result) { add(result); }); });
  }

  /// `Joined` are those that another barrier has together with such arrays.
  enum Kind { Is, Joined, MayBe, IsNot };

  /// Whether an operand or result of a barrier is in such memory: a slice is a copy in other memory, if not always.
  Kind kindOf(Value value, Operation *barrier) const {
    if (!isArray(value))
      return IsNot;
    auto found = sizes.find(aliases.classOf(value));
    if (found != sizes.end() && llvm::is_contained(found->second, sizeOf(value)))
      return Is;
    if (isAtOther(value, barrier))
      return Joined;
    return found == sizes.end() ? IsNot : MayBe;
  }

  /// What is before and behind one barrier is in memory of one kind, also if barriers follow each other.
  void addBarriers(ArrayRef<Operation *> ops) {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (Operation *op : ops) {
        auto isExternal = [&](Value value) { return kindOf(value, op) <= Joined; };
        if (!barriers.contains(op) &&
            (llvm::any_of(op->getOperands(), isExternal) || llvm::any_of(op->getResults(), isExternal)))
          isChanged |= barriers.insert(op).second;
      }
    }
  }

private:
  static int64_t sizeOf(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  }

  /// Whether the array is before or behind another barrier of arrays in such memory.
  bool isAtOther(Value value, Operation *barrier) const {
    auto isOther = [&](Operation *op) { return op != barrier && barriers.contains(op); };
    return isOther(withoutReshapes(value).getDefiningOp()) || llvm::any_of(value.getUsers(), [&](Operation *user) {
             return isOther(user) || (isReshape(user) && isAtOther(user->getResult(0), barrier));
           });
  }

  void add(Value value) {
    if (isArray(value))
      sizes[aliases.classOf(value)].push_back(sizeOf(value));
  }

  Aliases aliases;
  /// For each class of aliases, the numbers of elements of those that are arguments and results.
  DenseMap<const void *, SmallVector<int64_t>> sizes;
  DenseSet<Operation *> barriers;
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
      external.addBarriers(barriers);
      SmallVector<SmallVector<unsigned>> orders;
      for (Operation *op : barriers)
        orders.push_back(orderOf(op, external));
      for (auto [op, order] : llvm::zip_equal(barriers, orders))
        rewrite(op, order);
      for (Operation *op : barriers)
        op->erase();
    }
  }

private:
  bool isAlone(Value operand) const { return all || isConstant(operand); }

  /// The operands that stay together, in an order that IREE accepts.
  SmallVector<unsigned> orderOf(Operation *op, const External &external) const {
    SmallVector<unsigned> arrays[External::IsNot + 1], order;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (!isAlone(op->getOperand(i)))
        arrays[std::min(external.kindOf(op->getOperand(i), op), external.kindOf(op->getResult(i), op))].push_back(i);
    for (ArrayRef<unsigned> kind : arrays)
      llvm::append_range(order, kind);
    return order;
  }

  void rewrite(Operation *op, ArrayRef<unsigned> order) {
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (!llvm::is_contained(order, i))
        emitBarrier(op, i);
    if (!order.empty())
      emitBarrier(op, order);
  }
};

} // namespace

} // namespace dovetail
