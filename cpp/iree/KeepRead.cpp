// Extends live ranges of arrays that are read while IREE may run an op that overwrites them.
#include "Aliases.h"
#include "Liveness.h"
#include "Ops.h"
#include "Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

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

/// The reads of an array by what computes a part to insert into it.
class ReadsElsewhere {
public:
  ReadsElsewhere(const Aliases &aliases, tensor::InsertSliceOp insert)
      : aliases(aliases), insert(insert), array(aliases.classOf(insert.getDest())) {}

  /// Whether there are any but those of elements that stay, and those that elementwise ops make of the elements that
  /// they replace. IREE writes the part into the array while it computes it.
  bool find() {
    SetVector<Value> inPlace;
    inPlace.insert(insert.getSource());
    for (size_t i = 0; i < inPlace.size(); ++i) {
      if (isReplaced(inPlace[i]))
        continue;
      // Reshapes keep the order of elements, as elementwise ops do.
      if (Operation *maker = inPlace[i].getDefiningOp(); maker && isReshape(maker)) {
        inPlace.insert(maker->getOperand(0));
        continue;
      }
      auto op = inPlace[i].getDefiningOp<linalg::GenericOp>();
      bool isElementwise = op && op.getNumReductionLoops() == 0 && op.getNumDpsInits() == 1 &&
                           op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
      if (!isElementwise) {
        if (dependsOnArray(inPlace[i]))
          return true;
        continue;
      }
      SetVector<Value> captured;
      getUsedValuesDefinedAbove(op.getRegion(), captured);
      if (llvm::any_of(captured, [&](Value value) { return dependsOnArray(value); }))
        return true;
      for (OpOperand &operand : op->getOpOperands())
        if (op.getMatchingIndexingMap(&operand).isIdentity())
          inPlace.insert(operand.get());
        else if (dependsOnArray(operand.get()))
          return true;
    }
    return false;
  }

private:
  bool isArray(Value value) const { return isa<RankedTensorType>(value.getType()) && aliases.classOf(value) == array; }

  bool isReplaced(Value value) {
    auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
    return slice && isArray(slice.getSource()) && slice.getMixedOffsets() == insert.getMixedOffsets() &&
           slice.getMixedSizes() == insert.getMixedSizes() && slice.getMixedStrides() == insert.getMixedStrides();
  }

  /// Whether the value is a slice of the array without elements that are replaced.
  bool isBeside(Value value) {
    auto slice = withoutReshapes(value).getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || slice.getSource() != insert.getDest())
      return false;
    auto endsBefore = [](OffsetSizeAndStrideOpInterface a, OffsetSizeAndStrideOpInterface b, size_t d) {
      auto begin = getConstantIntValue(a.getMixedOffsets()[d]), size = getConstantIntValue(a.getMixedSizes()[d]),
           stride = getConstantIntValue(a.getMixedStrides()[d]), other = getConstantIntValue(b.getMixedOffsets()[d]);
      return begin && size && stride && other && *begin + (*size - 1) * *stride < *other;
    };
    return llvm::any_of(llvm::seq<size_t>(insert.getDestType().getRank()),
                        [&](size_t d) { return endsBefore(slice, insert, d) || endsBefore(insert, slice, d); });
  }

  bool dependsOnArray(Value value) {
    SmallVector<Value> rest = {value};
    while (!rest.empty()) {
      Value next = rest.pop_back_val();
      if (isBeside(next) || isCopyOfSlice(next.getDefiningOp()))
        continue;
      if (isArray(next))
        return true;
      // Unknown for what many ops compute: they are not visited for each insertion.
      if (apart.size() > kMostVisited)
        return true;
      Operation *op = next.getDefiningOp();
      // What is behind a barrier is computed elsewhere, before the array is overwritten.
      if (!op || isOptimizationBarrier(op) || !apart.insert(next).second)
        continue;
      llvm::append_range(rest, op->getOperands());
      SetVector<Value> captured;
      getUsedValuesDefinedAbove(op->getRegions(), captured);
      llvm::append_range(rest, captured);
    }
    return false;
  }

  static constexpr size_t kMostVisited = 1024;

  const Aliases &aliases;
  tensor::InsertSliceOp insert;
  const void *array;
  /// Values that do not depend on the array.
  DenseSet<Value> apart;
};

/// Whether a value depends on arguments, as far as a few ops show: IREE computes others once, in memory of another kind
/// than that of what depends on them, which no barrier may be of, too.
bool dependsOnArguments(Value value) {
  constexpr size_t kMostVisited = 64;
  SetVector<Value> visited;
  visited.insert(value);
  for (size_t i = 0; i < visited.size() && i < kMostVisited; ++i) {
    Operation *op = visited[i].getDefiningOp();
    if (!op)
      return true;
    visited.insert_range(op->getOperands());
    getUsedValuesDefinedAbove(op->getRegions(), visited);
  }
  return visited.size() > kMostVisited;
}

/// An array that an op writes to its destination, or computes what it writes of; null if there is none.
OpOperand *writtenBy(Operation *writer, Value destination) {
  OpOperand *found = nullptr;
  for (OpOperand &operand : writer->getOpOperands()) {
    auto array = dyn_cast<RankedTensorType>(operand.get().getType());
    if (operand.get() == destination || !array || !array.hasStaticShape() ||
        isa_and_present<tensor::EmptyOp>(operand.get().getDefiningOp()))
      continue;
    if (dependsOnArguments(operand.get()))
      return &operand;
    if (!found)
      found = &operand;
  }
  return found;
}

/// Makes a write to a large array wait for an op before it that reads little of it, where the copy of the array would
/// take longer than the wait.
bool waitFor(Operation *writer, Operation *reader, Value destination) {
  reader = writer->getBlock()->findAncestorOpInBlock(*reader);
  if (!reader || reader == writer || !reader->isBeforeInBlock(writer) || reader->getNumResults() != 1)
    return false;
  Value read = reader->getResult(0);
  OpOperand *written = writtenBy(writer, destination);
  if (!written || !isWorthWaiting(read, destination))
    return false;
  ImplicitLocOpBuilder b(writer->getLoc(), writer);
  SmallVector<Value> behind = optimizationBarrier(b, {read, written->get()});
  Operation *barrier = behind[0].getDefiningOp();
  read.replaceUsesWithIf(behind[0], [&](OpOperand &use) {
    Operation *user = writer->getBlock()->findAncestorOpInBlock(*use.getOwner());
    return user && user != barrier && barrier->isBeforeInBlock(user);
  });
  written->set(behind[1]);
  return true;
}

/// Whether an elementwise op that reads an array before an op writes to it has users behind that, into which IREE may
/// fuse it once more.
bool isNeededBehind(Operation *reader, Operation *writer) {
  auto op = dyn_cast_or_null<linalg::GenericOp>(writer->getBlock()->findAncestorOpInBlock(*reader));
  return op && op.getNumReductionLoops() == 0 && op->isBeforeInBlock(writer) &&
         llvm::any_of(op->getUsers(), [&](Operation *user) {
           Operation *behind = writer->getBlock()->findAncestorOpInBlock(*user);
           return behind && isa<linalg::LinalgOp>(user) && writer->isBeforeInBlock(behind);
         });
}

/// Makes ops read a copy of a slice of an array, and a write to the array wait for the copy. Returns false if there is
/// no slice, or it is not one of the array before the write.
bool waitForSlice(Operation *writer, Value slice, Value destination) {
  Operation *reader = slice ? slice.getDefiningOp() : nullptr;
  OpOperand *written = writtenBy(writer, destination);
  if (!reader || !written || reader->getBlock() != writer->getBlock() || !reader->isBeforeInBlock(writer))
    return false;
  Value copy = copySlice(slice);
  if (!needs(writer, copy.getDefiningOp())) {
    ImplicitLocOpBuilder b(writer->getLoc(), writer);
    written->set(optimizationBarrier(b, {copy, written->get()})[1]);
  }
  return true;
}

/// Computes what an op inserts into a large array elsewhere first, if it is small.
bool waitForPart(tensor::InsertSliceOp insert) {
  OpOperand &part = insert.getSourceMutable();
  if (!isWorthWaiting(part.get(), insert.getDest()))
    return false;
  ImplicitLocOpBuilder b(insert.getLoc(), insert);
  part.set(optimizationBarrier(b, part.get())[0]);
  return true;
}

/// The slice that a value is a view of, if it is made before an op writes; null otherwise.
Value sliceBefore(Operation *writer, ArrayRef<Value> views) {
  for (Value view : views)
    if (auto slice = view.getDefiningOp<tensor::ExtractSliceOp>()) {
      Operation *around = slice->getBlock()->findAncestorOpInBlock(*writer);
      return around && slice->isBeforeInBlock(around) ? view : Value();
    }
  return {};
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
    // Of slices that it returns IREE makes copies at the end.
    if (!readsElements(op) && !isa<func::ReturnOp>(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (auto found = reads.find(aliases.classOf(operand.get())); found != reads.end())
        found->second.push_back(&operand);
  });
  KeepAliveUses uses;
  bool isChanged = false;
  for (auto [writer, destination] : writes) {
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(writer); insert && ReadsElsewhere(aliases, insert).find()) {
      if (waitForPart(insert))
        isChanged = true;
      else
        llvm::for_each(viewsOf(destination), [&](Value view) { uses.insert(view); });
    }
    for (OpOperand *read : reads[aliases.classOf(destination)]) {
      SmallVector<Value> views = viewsOf(read->get());
      // It reads a copy by now.
      if (isCopyOfSlice(views.back().getDefiningOp()))
        continue;
      if (read->getOwner() == writer || isRepeatedByIree(views.back()) || uses.contains(views.front()))
        continue;
      if (isa<func::ReturnOp>(read->getOwner())) {
        Value slice = sliceBefore(writer, views);
        // A slice that is overwritten itself is one more array.
        if (slice && llvm::is_contained(viewsOf(destination), slice))
          continue;
        if (slice && waitForSlice(writer, slice, destination))
          isChanged = true;
        else if (slice)
          llvm::for_each(views, [&](Value view) { uses.insert(view); });
        continue;
      }
      // If two ops overwrite one array, IREE makes one of them overwrite a copy anyway.
      bool isOver = writesOver(*read);
      if (!isOver && !areOrdered(writer, read->getOwner()) &&
          (waitForSlice(writer, smallSlice(read->get()), destination) ||
           waitFor(writer, read->getOwner(), destination)))
        isChanged = true;
      else if (isOver || !areOrdered(writer, read->getOwner()))
        llvm::for_each(views, [&](Value view) { uses.insert(view); });
      else if (isNeededBehind(read->getOwner(), writer))
        isChanged |= waitFor(writer, read->getOwner(), destination);
    }
  }
  return uses.emit() || isChanged;
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
