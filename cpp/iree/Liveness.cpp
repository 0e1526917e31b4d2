// Dependences between ops, last uses of arrays, and keep-alive uses.
#include "Liveness.h"
#include "Aliases.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace dovetail {

//===- Dependences -------------------------------------------------------------===//

std::optional<bool> collectDependences(Operation *op, Operation *earlier, llvm::SetVector<Operation *> &between,
                                       function_ref<bool(Operation *)> mayVisit) {
  Block *block = earlier->getBlock();
  between.insert(op);
  for (size_t i = 0; i < between.size(); ++i) {
    bool isFound = false, isCut = false;
    between[i]->walk([&](Operation *inner) {
      isCut = !mayVisit(inner);
      if (isCut)
        return WalkResult::interrupt();
      for (Value operand : inner->getOperands()) {
        Operation *maker = operand.getDefiningOp(), *above = maker ? block->findAncestorOpInBlock(*maker) : nullptr;
        isFound |= above == earlier;
        if (above && earlier->isBeforeInBlock(above))
          between.insert(above);
      }
      return isFound ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (isFound)
      return true;
    if (isCut)
      return std::nullopt;
  }
  return false;
}

/// The number of ops among which `needs` searches for the producers of its operands.
constexpr size_t kMostSearched = 4096;

bool needs(Operation *op, Operation *earlier) {
  llvm::SetVector<Operation *> between;
  size_t numSearched = 0;
  auto maySearch = [&](Operation *) { return numSearched++ < kMostSearched; };
  return earlier->isBeforeInBlock(op) && collectDependences(op, earlier, between, maySearch).value_or(false);
}

bool areOrdered(Operation *a, Operation *b) {
  for (Block *block = a->getBlock(); block; block = block->getParentOp()->getBlock())
    if (Operation *around = block->findAncestorOpInBlock(*b)) {
      Operation *inBlock = block->findAncestorOpInBlock(*a);
      // Two branches of one op, or two parts of a loop.
      return inBlock == around || needs(inBlock, around) || needs(around, inBlock);
    }
  return false;
}

bool readsNoArray(Operation *op) {
  llvm::SetVector<Operation *> made;
  made.insert(op);
  for (size_t i = 0; i < made.size(); ++i) {
    Operation *part = made[i];
    // Results of barriers and control flow are not dispatches.
    if (isa<RegionBranchOpInterface>(part) || isOptimizationBarrier(part))
      return false;
    WalkResult result = part->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (!isArray(operand) || part->isAncestor(operand.getParentRegion()->getParentOp()))
          continue;
        Operation *source = operand.getDefiningOp();
        if (!source)
          return WalkResult::interrupt();
        if (!source->hasTrait<OpTrait::ConstantLike>())
          made.insert(source);
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return false;
  }
  return true;
}

//===- Last uses ---------------------------------------------------------------===//

bool isForOneUse(Value array) {
  return llvm::count_if(array.getUsers(), [](Operation *user) { return !isa<tensor::DimOp>(user); }) == 1;
}

bool isUsedBehind(Operation *op, Value array) {
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    for (Operation *at = op; at; at = at->getParentOp())
      if (Operation *here = at->getBlock()->findAncestorOpInBlock(*user))
        return here != at && at->isBeforeInBlock(here);
    return true;
  });
}

void collectReadsBehind(Operation *writer, Value array, llvm::SetVector<Operation *> &reads) {
  for (Operation *user : array.getUsers()) {
    Operation *here = writer->getBlock()->findAncestorOpInBlock(*user);
    if (here == user && isView(user))
      collectReadsBehind(writer, user->getResult(0), reads);
    else if (here && writer->isBeforeInBlock(here) && !here->hasTrait<OpTrait::IsTerminator>())
      reads.insert(here);
  }
}

/// Whether an op made the array only for a barrier, and the barrier's result is the only other value in its memory.
static bool isForOneBarrier(Value array) {
  Operation *op = array.getDefiningOp();
  return op && isForOneUse(array) && !op->hasTrait<OpTrait::ConstantLike>() && !isa<RegionBranchOpInterface>(op) &&
         !isView(op) && !passesOn(op) && !readsNoArray(op);
}

/// Whether a barrier has the array, or a view of it, as an operand.
static bool entersBarrier(Value array) {
  return llvm::any_of(array.getUsers(), [](Operation *user) {
    if (isOptimizationBarrier(user))
      return !isKeepAliveUse(user) && !isCopyOfSlice(user);
    return (isView(user) || passesOn(user)) && llvm::any_of(user->getResults(), entersBarrier);
  });
}

bool isSharedByBarrier(Value array) {
  Operation *op = array.getDefiningOp();
  if (op && isOptimizationBarrier(op) && !isForOneBarrier(op->getOperand(cast<OpResult>(array).getResultNumber())))
    return true;
  return entersBarrier(array);
}

/// Whether a loop in `block` contains `inner`.
static bool isInLoopOf(Block *block, Block *inner) {
  for (; inner && inner != block; inner = inner->getParentOp()->getBlock())
    if (isa<LoopLikeOpInterface>(inner->getParentOp()))
      return true;
  return false;
}

SmallVector<Value> neededLater(Value array, Block *block) {
  SmallVector<Value> needed;
  for (Value memory : viewsOf(array)) {
    Operation *op = memory.getDefiningOp();
    bool isConstant = op && op->hasTrait<OpTrait::ConstantLike>();
    if (!isConstant && (isInLoopOf(memory.getParentBlock(), block) || isSharedByBarrier(memory)))
      needed.push_back(memory);
  }
  return needed;
}

//===- Keep-alive uses ---------------------------------------------------------===//

bool isKeepAliveUse(Operation *op) { return isOptimizationBarrier(op) && op->use_empty(); }

bool KeepAliveUses::contains(Value array) const {
  return arrays.contains(array) || llvm::any_of(array.getUsers(), [&](Operation *user) {
           return isKeepAliveUse(user) && user->getBlock() == array.getParentBlock();
         });
}

bool KeepAliveUses::insert(Value array) { return !contains(array) && arrays.insert(array); }

bool KeepAliveUses::emit() {
  bool isAny = !arrays.empty();
  for (Value array : arrays) {
    OpBuilder b(array.getParentBlock()->getTerminator());
    b.create(OperationState(array.getLoc(), "util.optimization_barrier", array, array.getType()));
  }
  arrays.clear();
  return isAny;
}

void keepAlive(Value array) {
  KeepAliveUses uses;
  uses.insert(array);
  uses.emit();
}

} // namespace dovetail
