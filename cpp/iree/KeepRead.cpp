// Extends live ranges of arrays that are read while IREE may run an op that overwrites them.
#include "Aliases.h"
#include "Liveness.h"
#include "Opaque.h"
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
    // The smallest one, of which a copy is made.
    if (!found || array.getNumElements() < cast<RankedTensorType>(found->get().getType()).getNumElements())
      found = &operand;
  }
  return found;
}

/// Makes a writer wait for an array. Returns what is to be used of that behind the wait.
Value wait(Operation *writer, Value read, OpOperand *written) {
  ImplicitLocOpBuilder b(writer->getLoc(), writer);
  Value array = written->get();
  // IREE rejects barriers that follow each other, of memory of different kinds.
  Operation *maker = withoutReshapes(array).getDefiningOp();
  if (maker && isOptimizationBarrier(maker) && maker->getNumOperands() > 1) {
    written->set(dependent(b, array, opaqueOne(b), read));
    return read;
  }
  if (!dependsOnArguments(array))
    array = dependent(b, array, opaqueOne(b));
  SmallVector<Value> behind = optimizationBarrier(b, {read, array});
  written->set(behind[1]);
  return behind[0];
}

/// Whether an op is a dispatch that writes over none of its operands.
bool isReadOnlyDispatch(Operation *op) {
  return op->getName().getStringRef() == "flow.dispatch" && destinationsOf(op).empty();
}

/// Moves an op, and what it depends on, before another one of its block, which does not depend on it, if these are few.
bool moveBefore(Operation *op, Operation *other) {
  constexpr size_t kMostMoved = 64;
  llvm::SetVector<Operation *> moved;
  size_t numVisited = 0;
  auto mayVisit = [&](Operation *) { return numVisited++ < kMostMoved; };
  if (collectDependences(op, other, moved, mayVisit) != false)
    return false;
  // Ops with effects, and those that write to arrays themselves, keep their order.
  if (!llvm::all_of(moved, [](Operation *each) { return isMemoryEffectFree(each) || isReadOnlyDispatch(each); }))
    return false;
  SmallVector<Operation *> inOrder(moved.begin(), moved.end());
  llvm::sort(inOrder, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *each : inOrder)
    each->moveBefore(other);
  return true;
}

/// The smallest array of static size that an op computes; null if there is none.
Value smallestResult(Operation *op) {
  Value smallest;
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (type && type.hasStaticShape() &&
        (!smallest || type.getNumElements() < cast<RankedTensorType>(smallest.getType()).getNumElements()))
      smallest = result;
  }
  return smallest;
}

/// Whether elementwise ops or views of what an elementwise op reads, before an op writes to the array, have users
/// behind that: IREE may fuse the reader into these once more.
bool isNeededBehind(Operation *reader, Operation *writer) {
  constexpr size_t kMostVisited = 64;
  auto isElementwise = [](Operation *op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    return isView(op) || (structured && structured.getNumReductionLoops() == 0);
  };
  SetVector<Operation *> visited;
  if (Operation *op = writer->getBlock()->findAncestorOpInBlock(*reader); op && op->isBeforeInBlock(writer))
    visited.insert(op);
  for (size_t i = 0; i < visited.size() && i < kMostVisited; ++i) {
    if (!isElementwise(visited[i]))
      continue;
    for (Operation *user : visited[i]->getUsers()) {
      Operation *around = writer->getBlock()->findAncestorOpInBlock(*user);
      if (around && writer->isBeforeInBlock(around))
        return true;
      if (around == user && user != writer)
        visited.insert(user);
    }
  }
  return visited.size() > kMostVisited;
}

/// Makes a write to a large array wait for an op that reads little of it, where the copy of the array would take longer
/// than the wait.
bool waitFor(Operation *writer, Operation *reader, Value destination) {
  reader = writer->getBlock()->findAncestorOpInBlock(*reader);
  if (!reader || reader == writer)
    return false;
  Value read = smallestResult(reader);
  OpOperand *written = writtenBy(writer, destination);
  if (!read || !written || !isWorthWaiting(read, destination) ||
      (!reader->isBeforeInBlock(writer) && !moveBefore(reader, writer)))
    return false;
  // IREE would read the array again for what users before the write are needed for behind it.
  if (llvm::any_of(read.getUsers(), [&](Operation *user) { return isNeededBehind(user, writer); }))
    read = behindBarrier(read);
  Value behind = wait(writer, read, written);
  Operation *barrier = behind.getDefiningOp();
  read.replaceUsesWithIf(behind, [&](OpOperand &use) {
    Operation *user = writer->getBlock()->findAncestorOpInBlock(*use.getOwner());
    return user && user != barrier && barrier->isBeforeInBlock(user);
  });
  return true;
}

/// Whether a writer waits for a reader.
bool isReadFirst(Operation *writer, Operation *reader) {
  Operation *around = writer->getBlock()->findAncestorOpInBlock(*reader);
  return around && needs(writer, around);
}

/// Makes ops read a copy of a slice of an array, and a write to the array wait for the copy. Returns false if there is
/// no slice, or it is not one of the array before the write.
bool waitForSlice(Operation *writer, Value slice, Value destination) {
  Operation *reader = slice ? slice.getDefiningOp() : nullptr;
  OpOperand *written = writtenBy(writer, destination);
  if (!reader || !written || reader->getBlock() != writer->getBlock() ||
      (!reader->isBeforeInBlock(writer) && !moveBefore(reader, writer)))
    return false;
  Value copy = behindBarrier(slice);
  if (!needs(writer, copy.getDefiningOp()))
    wait(writer, copy, written);
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
      bool isOver = writesOver(*read), areInOrder = areOrdered(writer, read->getOwner());
      // A slice from before the write that is read after it is copied even if the reads wait for the write.
      if (!isOver &&
          ((!isReadFirst(writer, read->getOwner()) && waitForSlice(writer, smallSlice(read->get()), destination)) ||
           (!areInOrder && waitFor(writer, read->getOwner(), destination))))
        isChanged = true;
      else if (isOver || !areInOrder)
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
