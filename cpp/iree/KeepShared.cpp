// Extends live ranges that IREE misses: across iterations of loops, and across barriers.
#include "KeepShared.h"
#include "Aliases.h"
#include "Ops.h"
#include "cpp/tensors/Builders.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

/// Whether no array goes into what the op computes. IREE 3.13 repeats such a dispatch in place of a copy of its result,
/// and then merges it with others that compute the same.
static bool readsNoArray(Operation *op) {
  llvm::SetVector<Operation *> made;
  made.insert(op);
  for (size_t i = 0; i < made.size(); ++i) {
    Operation *part = made[i];
    // What barriers and control flow give is no dispatch.
    if (isa<RegionBranchOpInterface>(part) || isOptimizationBarrier(part))
      return false;
    WalkResult result = part->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (!isa<RankedTensorType>(operand.getType()) || part->isAncestor(operand.getParentRegion()->getParentOp()))
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

/// Whether an op made the array for one barrier alone, behind which it is the only one in its memory.
static bool isForOneBarrier(Value array) {
  Operation *op = array.getDefiningOp();
  return op && isForOneUse(array) && !op->hasTrait<OpTrait::ConstantLike>() && !isa<RegionBranchOpInterface>(op) &&
         !isView(op) && !passesOn(op) && !readsNoArray(op);
}

/// Whether a barrier has the array, or a view of it, as an operand.
static bool entersBarrier(Value array) {
  return llvm::any_of(array.getUsers(), [](Operation *user) {
    if (isOptimizationBarrier(user))
      return !isKeepAliveUse(user);
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

/// Calls a function for each array that an op writes over.
static void forEachDestination(func::FuncOp function, function_ref<void(Operation *, Value)> visit) {
  forEachOp(function, [&](Operation *op) {
    for (Value destination : destinationsOf(op))
      visit(op, destination);
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

/// An i32 as a number of another type.
static Value numberOf(ImplicitLocOpBuilder &b, Value number, Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Value part = numberOf(b, number, complex.getElementType());
    return complex::CreateOp::create(b, type, part, part);
  }
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(b, type, number);
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32)
    return number;
  return width < 32 ? arith::TruncIOp::create(b, type, number).getResult()
                    : arith::ExtSIOp::create(b, type, number).getResult();
}

/// An array with the same elements, which depend on a number that the code generator does not know: 1.
static Value dependent(ImplicitLocOpBuilder &b, Value array, Value one) {
  auto type = cast<RankedTensorType>(array.getType());
  AffineMap whole = b.getMultiDimIdentityMap(type.getRank()),
            number = AffineMap::get(type.getRank(), 0, b.getContext());
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
    ImplicitLocOpBuilder inner(loc, builder);
    Value zero = arith::ConstantOp::create(inner, inner.getI32IntegerAttr(0));
    Value isOne = arith::CmpIOp::create(inner, arith::CmpIPredicate::ne, args[1], zero);
    return arith::SelectOp::create(inner, isOne, args[0], numberOf(inner, args[1], type.getElementType()));
  };
  return parallelLoops(b, sizesOf(b, array), type.getElementType(), {array, one}, {whole, number}, body);
}

/// Has what is made of no arrays, of a size that is not known, and written over, depend on one: its copies are then
/// copies. Of known sizes it is a constant.
static void separateMade(func::FuncOp function) {
  llvm::SetVector<Value> written = writtenIn(function);
  // Of the parts IREE makes what others are inserted into.
  function.walk([&](tensor::ConcatOp op) { written.insert_range(op.getInputs()); });
  Value one;
  for (Value array : written) {
    Operation *op = array.getDefiningOp();
    if (!op || !isa<linalg::LinalgOp>(op) || isa<linalg::FillOp>(op) || !readsNoArray(op) ||
        cast<RankedTensorType>(array.getType()).hasStaticShape())
      continue;
    if (!one) {
      auto start = ImplicitLocOpBuilder::atBlockBegin(function.getLoc(), &function.front());
      auto number = RankedTensorType::get({}, start.getI32Type());
      auto value = DenseElementsAttr::get(number, start.getI32IntegerAttr(1).getValue());
      one = optimizationBarrier(start, arith::ConstantOp::create(start, value).getResult()).front();
    }
    auto uses = llvm::map_to_vector(array.getUses(), [](OpOperand &use) { return &use; });
    ImplicitLocOpBuilder b(array.getLoc(), function.getContext());
    b.setInsertionPointAfter(op);
    Value separate = dependent(b, array, one);
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
