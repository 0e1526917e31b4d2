// Views, destinations and alias classes of arrays in lowered programs.
#include "Aliases.h"
#include "Ops.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace dovetail {

//===- Views -------------------------------------------------------------------===//

bool isReshape(Operation *op) { return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op); }

bool isView(Operation *op) { return isReshape(op) || isa<tensor::ExtractSliceOp>(op); }

bool isOptimizationBarrier(Operation *op) { return op->getName().getStringRef() == "util.optimization_barrier"; }

bool passesOn(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return isOptimizationBarrier(op) || name == "flow.tensor.tie_shape" ||
         name == "iree_tensor_ext.compute_barrier.start";
}

Value viewed(Value array) {
  auto result = dyn_cast<OpResult>(array);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  bool isSame = isView(op) || (passesOn(op) && !isOptimizationBarrier(op));
  return isSame ? op->getOperand(result.getResultNumber()) : Value();
}

SmallVector<Value> viewsOf(Value array) {
  SmallVector<Value> views;
  for (; array; array = viewed(array))
    views.push_back(array);
  return views;
}

Value withoutReshapes(Value array) {
  while (Operation *op = array.getDefiningOp()) {
    if (!isReshape(op))
      break;
    array = op->getOperand(0);
  }
  return array;
}

SmallVector<Value> sourcesOf(Value array) {
  if (auto argument = dyn_cast<BlockArgument>(array)) {
    auto repeated = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
    if (repeated && argument.getOwner() == repeated.getAfterBody())
      return {repeated.getConditionOp().getArgs()[argument.getArgNumber()]};
    auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return init ? SmallVector<Value>{init->get()} : SmallVector<Value>();
  }
  if (Value whole = viewed(array))
    return {whole};
  SmallVector<Value> sources;
  if (Operation *op = array.getDefiningOp(); isa<scf::IfOp, scf::IndexSwitchOp>(op))
    for (Region &region : op->getRegions())
      if (!region.empty())
        sources.push_back(region.front().getTerminator()->getOperand(cast<OpResult>(array).getResultNumber()));
  return sources;
}

//===- Copies of slices --------------------------------------------------------===//

static int64_t bytesIn(Value array) {
  auto type = dyn_cast<RankedTensorType>(array.getType());
  return type && type.hasStaticShape() ? type.getNumElements() * bytesOfElement(type.getElementType()) : 0;
}

bool isWorthWaiting(Value read, Value written) {
  // The bytes of an array of which copies take longer than a wait, and the part of it that may be read meanwhile.
  constexpr int64_t kLeast = int64_t(1) << 20, kParts = 16;
  int64_t part = bytesIn(read), whole = bytesIn(written);
  return part > 0 && whole >= kLeast && part <= whole / kParts;
}

Value smallSlice(Value array) {
  SmallVector<Value> views = viewsOf(array);
  for (Value view : llvm::reverse(views))
    if (view.getDefiningOp<tensor::ExtractSliceOp>() && isWorthWaiting(view, views.back()))
      return view;
  return {};
}

Value behindBarrier(Value array) {
  ImplicitLocOpBuilder b(array.getLoc(), array.getContext());
  b.setInsertionPointAfterValue(array);
  Value behind = optimizationBarrier(b, array)[0];
  array.replaceAllUsesExcept(behind, behind.getDefiningOp());
  return behind;
}

bool isCopyOfSlice(Operation *op) {
  return op && isOptimizationBarrier(op) && op->getNumOperands() == 1 &&
         smallSlice(op->getOperand(0)) == op->getOperand(0);
}

//===- Destinations ------------------------------------------------------------===//

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
  for (OpResult result : op->getResults())
    if (Value array = tiedArray(result))
      values.push_back(array);
  return values;
}

Value tiedArray(Value array) {
  auto result = dyn_cast<OpResult>(array);
  auto tied = result ? result.getOwner()->getAttrOfType<ArrayAttr>("tied_operands") : ArrayAttr();
  if (!tied || result.getResultNumber() >= tied.size())
    return {};
  // Its indices refer to the operands after the workload.
  auto segments = result.getOwner()->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  int64_t number = cast<IntegerAttr>(tied[result.getResultNumber()]).getInt();
  return number < 0 ? Value() : result.getOwner()->getOperand((segments ? segments[0] : 0) + number);
}

bool writesOver(OpOperand &operand) { return llvm::is_contained(destinationsOf(operand.getOwner()), operand.get()); }

Value previousVersion(Value array) {
  auto result = dyn_cast<OpResult>(array);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  if (isa<tensor::InsertSliceOp, tensor::InsertOp, bufferization::MaterializeInDestinationOp>(op))
    return cast<DestinationStyleOpInterface>(op).getTiedOpOperand(result)->get();
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return cast<LoopLikeOpInterface>(op).getInits()[result.getResultNumber()];
  if (op->getName().getStringRef() == "iree_linalg_ext.scatter")
    return op->getOperands().back();
  return {};
}

void forEachOp(func::FuncOp function, function_ref<void(Operation *)> visit) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // The code of a dispatch belongs to the code generator.
    if (op->getName().getStringRef() == "flow.dispatch.workgroups")
      return WalkResult::skip();
    visit(op);
    return WalkResult::advance();
  });
}

void forEachDestination(func::FuncOp function, function_ref<void(Operation *, Value)> visit) {
  forEachOp(function, [&](Operation *op) {
    for (Value destination : destinationsOf(op))
      visit(op, destination);
  });
}

llvm::SetVector<Value> writtenArrays(func::FuncOp function) {
  llvm::SetVector<Value> written;
  forEachDestination(function, [&](Operation *, Value destination) { written.insert(destination); });
  for (size_t i = 0; i < written.size(); ++i)
    written.insert_range(sourcesOf(Value(written[i])));
  return written;
}

//===- Classes -----------------------------------------------------------------===//

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

void Aliases::join(Value a, Value b) {
  if (isArray(a) && isArray(b))
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
}

/// Whether a slice of an array may have as many elements as the array.
static bool mayBeAllOf(Value part, Value whole) {
  auto small = cast<RankedTensorType>(part.getType()), large = cast<RankedTensorType>(whole.getType());
  return !small.hasStaticShape() || !large.hasStaticShape() || small.getNumElements() == large.getNumElements();
}

void Aliases::addMoves(Operation *op) {
  if (isCopyOfSlice(op))
    return;
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
