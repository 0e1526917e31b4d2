// Extends live ranges of arrays that are read while IREE may run an op that overwrites them.
#include "Aliases.h"
#include "Liveness.h"
#include "Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_KEEPREADPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// Whether an op reads elements of its operands, and has its own position in the order of dispatches.
bool readsElements(Operation *op) {
  return !isa<tensor::DimOp, RegionBranchOpInterface>(op) && !op->hasTrait<OpTrait::IsTerminator>() && !isView(op) &&
         !passesOn(op);
}

/// IREE duplicates numbers and splats for each use.
bool isRepeatedByIree(Value array) {
  Operation *op = array.getDefiningOp();
  return op && (op->hasTrait<OpTrait::ConstantLike>() || isa<linalg::FillOp, tensor::EmptyOp>(op));
}

/// Returns whether it added keep-alive uses.
bool keepRead(func::FuncOp function) {
  SmallVector<std::pair<Operation *, Value>> writes;
  forEachDestination(function, [&](Operation *op, Value destination) {
    if (!isRepeatedByIree(viewsOf(destination).back()))
      writes.push_back({op, destination});
  });
  if (writes.empty())
    return false;
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
  KeepAliveUses uses;
  for (auto [writer, destination] : writes)
    for (OpOperand *read : reads[aliases.classOf(destination)]) {
      SmallVector<Value> views = viewsOf(read->get());
      if (read->getOwner() == writer || isRepeatedByIree(views.back()) || uses.contains(views.front()))
        continue;
      // If two ops overwrite one array, IREE makes one of them overwrite a copy anyway.
      if (writesOver(*read) || !areOrdered(writer, read->getOwner()))
        llvm::for_each(views, [&](Value view) { uses.insert(view); });
    }
  return uses.emit();
}

struct KeepReadPass : impl::KeepReadPassBase<KeepReadPass> {
  using KeepReadPassBase::KeepReadPassBase;

  void runOnOperation() override {
    bool isAny = false;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      isAny |= !function.isExternal() && keepRead(function);
    if (!isAny)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace dovetail
