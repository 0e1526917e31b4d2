// Arrays that are needed later than the code generator sees: by further steps of loops, and behind barriers.
#include "Aliases.h"
#include "Iree.h"
#include "Lowering.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
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
  return op && array.hasOneUse() && !op->hasTrait<OpTrait::ConstantLike>() && !isa<RegionBranchOpInterface>(op) &&
         !isView(op) && !passesOn(op);
}

/// Whether the array is on one side of a barrier, and something else may be on its other.
static bool isShared(Value array) {
  Operation *op = array.getDefiningOp();
  if (op && isOptimizationBarrier(op) && !isForOneBarrier(op->getOperand(cast<OpResult>(array).getResultNumber())))
    return true;
  return llvm::any_of(array.getUsers(),
                      [](Operation *user) { return isOptimizationBarrier(user) && !isUseAtEnd(user); });
}

bool isInLoopOf(Block *block, Block *place) {
  for (; place && place != block; place = place->getParentOp()->getBlock())
    if (isa<LoopLikeOpInterface>(place->getParentOp()))
      return true;
  return false;
}

/// What an array is a view of.
static Value viewed(Value array) {
  while (Operation *op = array.getDefiningOp()) {
    if (!isView(op) && (!passesOn(op) || isOptimizationBarrier(op)))
      break;
    array = sourcesOf(array).front();
  }
  return array;
}

static bool isConstant(Value array) {
  Operation *op = array.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

void keepShared(func::FuncOp function) {
  llvm::SetVector<Value> written;
  llvm::MapVector<Block *, llvm::SetVector<Value>> kept;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // The code of a dispatch is the code generator's own.
    if (op->getName().getStringRef() == "flow.dispatch.workgroups")
      return WalkResult::skip();
    for (Value destination : destinationsOf(op)) {
      written.insert(destination);
      Value array = viewed(destination);
      if (isInLoopOf(array.getParentBlock(), op->getBlock()) && !isConstant(array))
        kept[array.getParentBlock()].insert(array);
    }
    return WalkResult::advance();
  });
  for (size_t i = 0; i < written.size(); ++i) {
    Value array = written[i];
    if (isShared(array))
      kept[array.getParentBlock()].insert(array);
    written.insert_range(sourcesOf(array));
  }
  for (auto &[block, arrays] : kept) {
    ImplicitLocOpBuilder b(function.getLoc(), block->getTerminator());
    optimizationBarrier(b, arrays.getArrayRef());
  }
}

} // namespace dovetail
