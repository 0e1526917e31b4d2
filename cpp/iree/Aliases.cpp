// Alias classes of arrays in lowered programs.
#include "Aliases.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dovetail {

static bool isArray(Value value) { return isa<RankedTensorType>(value.getType()); }

bool isOptimizationBarrier(Operation *op) { return op->getName().getStringRef() == "util.optimization_barrier"; }

bool isKeepAliveUse(Operation *op) { return isOptimizationBarrier(op) && op->use_empty(); }

bool passesOn(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return isOptimizationBarrier(op) || name == "flow.tensor.tie_shape" || name == "flow.tensor.reshape" ||
         name.starts_with("iree_tensor_ext.compute_barrier.");
}

bool isForOneUse(Value array) {
  return llvm::count_if(array.getUsers(), [](Operation *user) { return !isa<tensor::DimOp>(user); }) == 1;
}

SmallVector<Value> destinationsOf(Operation *op) {
  SmallVector<Value> values;
  if (auto structured = dyn_cast<DestinationStyleOpInterface>(op)) {
    for (Value init : structured.getDpsInits())
      if (isArray(init) && !init.getDefiningOp<tensor::EmptyOp>())
        values.push_back(init);
    return values;
  }
  // IREE's own structured ops end with their destinations.
  if (op->getName().getDialectNamespace() == "iree_linalg_ext" && op->getNumOperands() >= op->getNumResults())
    for (auto [operand, result] : llvm::zip(op->getOperands().take_back(op->getNumResults()), op->getResults()))
      if (operand.getType() == result.getType())
        values.push_back(operand);
  if (auto tied = op->getAttrOfType<ArrayAttr>("tied_operands")) {
    // Their numbers are of the operands behind the workload.
    auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
    int64_t first = segments ? segments[0] : 0;
    for (auto number : tied.getAsRange<IntegerAttr>())
      if (number.getInt() >= 0)
        values.push_back(op->getOperand(first + number.getInt()));
  }
  return values;
}

void forEachOp(func::FuncOp function, function_ref<void(Operation *)> visit) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // The code of a dispatch is the code generator's own.
    if (op->getName().getStringRef() == "flow.dispatch.workgroups")
      return WalkResult::skip();
    visit(op);
    return WalkResult::advance();
  });
}

/// Of so many ops `needs` looks for what computed their operands.
constexpr unsigned kMostSearched = 4096;

bool needs(Operation *op, Operation *earlier) {
  Block *block = earlier->getBlock();
  if (!earlier->isBeforeInBlock(op))
    return false;
  llvm::SetVector<Operation *> needed;
  needed.insert(op);
  unsigned numSearched = 0;
  for (size_t i = 0; i < needed.size(); ++i) {
    WalkResult result = needed[i]->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *maker = operand.getDefiningOp(), *above = maker ? block->findAncestorOpInBlock(*maker) : nullptr;
        if (above == earlier)
          return WalkResult::interrupt();
        if (above && earlier->isBeforeInBlock(above))
          needed.insert(above);
      }
      return ++numSearched < kMostSearched ? WalkResult::advance() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      return true;
    if (numSearched >= kMostSearched)
      break;
  }
  return false;
}

Aliases::Aliases(func::FuncOp function) {
  function.walk([&](Operation *op) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      addControlFlow(branch);
    else
      addMoves(op);
  });
}

const void *Aliases::classOf(Value array) const {
  void *self = array.getAsOpaquePointer();
  auto member = classes.findLeader(self);
  return member == classes.member_end() ? self : *member;
}

bool isReshape(Operation *op) { return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op); }

bool isView(Operation *op) { return isReshape(op) || isa<tensor::ExtractSliceOp>(op); }

SmallVector<Value> viewsOf(Value array) {
  SmallVector<Value> views = {array};
  while (Operation *op = array.getDefiningOp()) {
    if (isView(op))
      array = op->getOperand(0);
    else if (passesOn(op) && !isOptimizationBarrier(op))
      array = op->getOperand(cast<OpResult>(array).getResultNumber());
    else
      break;
    views.push_back(array);
  }
  return views;
}

void Aliases::join(Value a, Value b) {
  if (isArray(a) && isArray(b))
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
}

/// Whether a part of an array may have as many elements as the array.
static bool mayBeAllOf(Value part, Value whole) {
  auto small = cast<RankedTensorType>(part.getType()), large = cast<RankedTensorType>(whole.getType());
  return !small.hasStaticShape() || !large.hasStaticShape() || small.getNumElements() == large.getNumElements();
}

void Aliases::addMoves(Operation *op) {
  if (passesOn(op))
    for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults()))
      join(operand, result);
  else if (isView(op) || isa<tensor::ReshapeOp, tensor::PadOp>(op))
    join(op->getOperand(0), op->getResult(0));
  else if (isa<tensor::InsertSliceOp, tensor::ConcatOp>(op)) {
    for (Value part : op->getOperands().take_front(isa<tensor::ConcatOp>(op) ? op->getNumOperands() : 1))
      if (mayBeAllOf(part, op->getResult(0)))
        join(part, op->getResult(0));
  } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    Block *body = structured.getBlock();
    for (auto [result, element] : llvm::zip(op->getResults(), body->getTerminator()->getOperands()))
      if (auto argument = dyn_cast<BlockArgument>(element); argument && argument.getOwner() == body)
        join(op->getOperand(argument.getArgNumber()), result);
  }
}

void Aliases::addControlFlow(RegionBranchOpInterface op) {
  RegionBranchSuccessorMapping mapping;
  op.getSuccessorOperandInputMapping(mapping);
  for (auto &[operand, inputs] : mapping)
    for (Value input : inputs)
      join(operand->get(), input);
}

} // namespace dovetail
