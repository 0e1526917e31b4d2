// Arrays that are needed later than the code generator sees: by further steps of loops, and behind barriers.
#include "Aliases.h"
#include "Iree.h"
#include "Lowering.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dovetail {

/// The arrays of which this one is a view, or with which the loop began that carries it.
static SmallVector<Value> sourcesOf(Value array) {
  if (auto argument = dyn_cast<BlockArgument>(array)) {
    auto repeated = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
    if (repeated && argument.getOwner() == repeated.getAfterBody())
      return {repeated.getConditionOp().getArgs()[argument.getArgNumber()]};
    auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return init ? SmallVector<Value>{init->get()} : SmallVector<Value>();
  }
  Operation *op = array.getDefiningOp();
  unsigned number = cast<OpResult>(array).getResultNumber();
  if (isView(op))
    return {op->getOperand(0)};
  if (passesOn(op) && !isOptimizationBarrier(op))
    return {op->getOperand(number)};
  SmallVector<Value> sources;
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    for (Region &region : op->getRegions())
      if (!region.empty())
        sources.push_back(region.front().getTerminator()->getOperand(number));
  return sources;
}

/// Whether an op made the array for one barrier alone, behind which it is the only one in its memory.
static bool isForOneBarrier(Value array) {
  Operation *op = array.getDefiningOp();
  return op && isForOneUse(array) && !op->hasTrait<OpTrait::ConstantLike>() && !isa<RegionBranchOpInterface>(op) &&
         !isView(op) && !passesOn(op);
}

/// The array, what it is a view of, and so on. Of a slice IREE may make a copy.
static SmallVector<Value> viewsOf(Value array) {
  SmallVector<Value> views = {array};
  while (Operation *op = array.getDefiningOp()) {
    if (!isView(op) && (!passesOn(op) || isOptimizationBarrier(op)))
      break;
    array = sourcesOf(array).front();
    views.push_back(array);
  }
  return views;
}

/// Whether a barrier has the array, or a view of it, as an operand.
static bool entersBarrier(Value array) {
  return llvm::any_of(array.getUsers(), [](Operation *user) {
    if (isOptimizationBarrier(user))
      return !isUseAtEnd(user);
    return (isView(user) || passesOn(user)) && llvm::any_of(user->getResults(), entersBarrier);
  });
}

/// Whether an array is on one side of a barrier, and something else may be on its other.
static bool isShared(Value array) {
  Operation *op = array.getDefiningOp();
  if (op && isOptimizationBarrier(op) && !isForOneBarrier(op->getOperand(cast<OpResult>(array).getResultNumber())))
    return true;
  return entersBarrier(array);
}

/// Whether a loop in `block` has `place` in it.
static bool isInLoopOf(Block *block, Block *place) {
  for (; place && place != block; place = place->getParentOp()->getBlock())
    if (isa<LoopLikeOpInterface>(place->getParentOp()))
      return true;
  return false;
}

SmallVector<Value> neededLater(Value array, Block *place) {
  SmallVector<Value> needed;
  for (Value memory : viewsOf(array)) {
    Operation *op = memory.getDefiningOp();
    bool isConstant = op && op->hasTrait<OpTrait::ConstantLike>();
    if (!isConstant && (isInLoopOf(memory.getParentBlock(), place) || isShared(memory)))
      needed.push_back(memory);
  }
  return needed;
}

/// Whether no array goes into what the op computes. IREE 3.13 repeats such a dispatch in place of a copy of its result,
/// and then merges the two, so that who writes over a copy writes over the other one.
static bool readsNoArray(Operation *op) {
  // What barriers and control flow give is no dispatch.
  if (isa<RegionBranchOpInterface>(op) || isOptimizationBarrier(op))
    return false;
  bool reads = false;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *source = operand.getDefiningOp();
      bool isInside = op->isAncestor(operand.getParentRegion()->getParentOp());
      if (isa<RankedTensorType>(operand.getType()) && !isInside)
        reads |= !source || !(source->hasTrait<OpTrait::ConstantLike>() || readsNoArray(source));
    }
  });
  return !reads;
}

/// Calls a function for each op that the code generator sees, and each array that the op writes over.
static void forEachDestination(func::FuncOp function, function_ref<void(Operation *, Value)> visit) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // The code of a dispatch is the code generator's own.
    if (op->getName().getStringRef() == "flow.dispatch.workgroups")
      return WalkResult::skip();
    for (Value destination : destinationsOf(op))
      visit(op, destination);
    return WalkResult::advance();
  });
}

/// What ops write over, and all that this may be: what it is a view of, and what loops begin with.
static llvm::SetVector<Value> writtenIn(func::FuncOp function) {
  llvm::SetVector<Value> written;
  forEachDestination(function, [&](Operation *, Value destination) { written.insert(destination); });
  for (size_t i = 0; i < written.size(); ++i)
    written.insert_range(sourcesOf(Value(written[i])));
  return written;
}

/// Arrays that are made of no others, and written over, or put into what IREE makes to be written over.
static SmallVector<Value> madeOfNothing(func::FuncOp function) {
  llvm::SetVector<Value> written = writtenIn(function);
  function.walk([&](tensor::ConcatOp op) { written.insert_range(op.getInputs()); });
  return llvm::to_vector(llvm::make_filter_range(written, [](Value array) {
    Operation *op = array.getDefiningOp();
    return op && !op->hasTrait<OpTrait::ConstantLike>() && !isa<tensor::EmptyOp, linalg::FillOp>(op) && !isView(op) &&
           readsNoArray(op);
  }));
}

/// Has what is made of no arrays and written over go through a barrier: its copies are then copies.
static void separateMade(func::FuncOp function) {
  if (madeOfNothing(function).empty())
    return;
  // Two of the same would become one behind two barriers.
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  for (Value array : madeOfNothing(function)) {
    if (isForOneUse(array))
      continue;
    auto uses = llvm::map_to_vector(array.getUses(), [](OpOperand &use) { return &use; });
    ImplicitLocOpBuilder b(array.getLoc(), function.getContext());
    b.setInsertionPointAfterValue(array);
    Value separate = optimizationBarrier(b, array).front();
    for (OpOperand *use : uses)
      use->set(separate);
  }
}

void keepShared(func::FuncOp function) {
  separateMade(function);
  llvm::MapVector<Block *, llvm::SetVector<Value>> kept;
  forEachDestination(function, [&](Operation *op, Value destination) {
    for (Value array : neededLater(destination, op->getBlock()))
      kept[array.getParentBlock()].insert(array);
  });
  for (Value array : writtenIn(function))
    if (isShared(array))
      kept[array.getParentBlock()].insert(array);
  for (auto &[block, arrays] : kept) {
    ImplicitLocOpBuilder b(function.getLoc(), block->getTerminator());
    optimizationBarrier(b, arrays.getArrayRef());
  }
}

} // namespace dovetail
