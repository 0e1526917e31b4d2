// Extends live ranges of arrays that are read while IREE may run the op that writes over them.
#include "Aliases.h"
#include "Ops.h"
#include "Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_KEEPREADPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// Whether an op reads elements of its operands, in a place of its own in the order of dispatches.
bool readsElements(Operation *op) {
  return !isa<tensor::DimOp, RegionBranchOpInterface>(op) && !op->hasTrait<OpTrait::IsTerminator>() && !isView(op) &&
         !passesOn(op);
}

/// Whether either of two ops waits for the other, by what it needs.
bool areOrdered(Operation *writer, Operation *reader) {
  for (Block *block = writer->getBlock(); block; block = block->getParentOp()->getBlock())
    if (Operation *around = block->findAncestorOpInBlock(*reader)) {
      Operation *inBlock = block->findAncestorOpInBlock(*writer);
      // Two branches of one op, or two parts of a loop.
      return inBlock == around || needs(inBlock, around) || needs(around, inBlock);
    }
  return false;
}

bool hasKeepAliveUse(Value array) {
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    return isKeepAliveUse(user) && user->getBlock() == array.getParentBlock();
  });
}

/// Whether an op writes over an operand: of two that do so, IREE has one write over a copy anyway.
bool writesOver(OpOperand &operand) { return llvm::is_contained(destinationsOf(operand.getOwner()), operand.get()); }

/// IREE has each use of a number or a splat be one of its own.
bool isRepeatedByIree(Value array) {
  Operation *op = array.getDefiningOp();
  return op && (op->hasTrait<OpTrait::ConstantLike>() || isa<linalg::FillOp, tensor::EmptyOp>(op));
}

void keepRead(func::FuncOp function) {
  SmallVector<std::pair<Operation *, Value>> writes;
  forEachOp(function, [&](Operation *op) {
    for (Value destination : destinationsOf(op))
      if (!isRepeatedByIree(viewsOf(destination).back()))
        writes.push_back({op, destination});
  });
  if (writes.empty())
    return;
  Aliases aliases(function);
  DenseMap<const void *, SmallVector<OpOperand *>> reads;
  for (auto [op, destination] : writes)
    reads[aliases.classOf(destination)];
  forEachOp(function, [&](Operation *op) {
    if (!readsElements(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (auto found = reads.find(aliases.classOf(operand.get())); found != reads.end())
        found->second.push_back(&operand);
  });
  llvm::MapVector<Block *, llvm::SetVector<Value>> kept;
  for (auto [writer, destination] : writes)
    for (OpOperand *read : reads[aliases.classOf(destination)]) {
      SmallVector<Value> views = viewsOf(read->get());
      llvm::SetVector<Value> &here = kept[views.front().getParentBlock()];
      if (here.contains(views.front()) || isRepeatedByIree(views.back()) || read->getOwner() == writer ||
          hasKeepAliveUse(views.front()))
        continue;
      if (writesOver(*read) || !areOrdered(writer, read->getOwner()))
        for (Value view : views)
          kept[view.getParentBlock()].insert(view);
    }
  for (auto &[block, arrays] : kept) {
    arrays.remove_if(hasKeepAliveUse);
    if (arrays.empty())
      continue;
    ImplicitLocOpBuilder b(function.getLoc(), block->getTerminator());
    optimizationBarrier(b, arrays.getArrayRef());
  }
}

struct KeepReadPass : impl::KeepReadPassBase<KeepReadPass> {
  using KeepReadPassBase::KeepReadPassBase;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        keepRead(function);
  }
};

} // namespace

} // namespace dovetail
