// Which ops of a lowered program are small, and which of them one dispatch may compute.
#include "SmallOps.h"
#include "DispatchableOps.h"
#include "JoinDispatches.h"
#include "OneDispatch.h"
#include "SequentialLoops.h"
#include "cpp/cost/Steps.h"
#include "cpp/iree/Aliases.h"
#include "cpp/tensors/MultiplyAdd.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace dovetail {

/// Work is counted in ops on registers. One thread needs about as long for this many as the start of a few dispatches.
constexpr int64_t kMostOfOp = int64_t(1) << 16;

//===- Ops ---------------------------------------------------------------------===//

bool isDispatch(Operation *op) { return op->getName().getStringRef() == "flow.dispatch"; }

SmallVector<Value> readBy(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::append_range(values, captured);
  return values;
}

int64_t numElementsOf(Value value) {
  auto array = dyn_cast<RankedTensorType>(value.getType());
  return array ? array.getNumElements() : 0;
}

/// The number of ops on registers that compute an element; an elementary function counts as a step.
static int64_t opsOfElement(Block &code) {
  int64_t ops = 0;
  for (Operation &op : code.without_terminator())
    if (!op.hasTrait<OpTrait::ConstantLike>())
      ops += isa<math::MathDialect>(op.getDialect()) && !isArithmetic(&op) ? kOpsOfStep : 1;
  return std::max<int64_t>(ops, 1);
}

int64_t workOf(Operation *op) {
  if (isReshape(op) || isDispatch(op) || isa<tensor::EmptyOp>(op))
    return 0;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return times(product(structured.getStaticLoopRanges()), opsOfElement(*structured.getBlock()));
  int64_t elements = 0;
  for (Value value : op->getOperands())
    elements = std::max(elements, numElementsOf(value));
  for (Value value : op->getResults())
    elements = std::max(elements, numElementsOf(value));
  return op->getNumRegions() ? elements * opsOfElement(op->getRegion(0).front()) : elements;
}

bool isRepeated(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return true;
  bool isNumber = isa<arith::ArithDialect>(op->getDialect()) && llvm::none_of(op->getResults(), isArray);
  return (isNumber || isa<linalg::FillOp>(op)) && llvm::all_of(op->getOperands(), [](Value operand) {
           Operation *maker = operand.getDefiningOp();
           return maker && isRepeated(maker);
         });
}

static bool isSmall(Operation *op) {
  if (isDispatch(op))
    return bool(sequentialCode(op));
  auto isStatic = [](Value value) {
    auto array = dyn_cast<RankedTensorType>(value.getType());
    return array && array.hasStaticShape();
  };
  auto isReadable = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return isStatic(value) || (maker && isRepeated(maker));
  };
  // Barriers at the end of a function are keep-alive uses, and stay there.
  if (op->getNumResults() == 0 || isa<scf::SCFDialect>(op->getDialect()) || !canRunInOneDispatch(op) ||
      isOptimizationBarrier(op))
    return false;
  return llvm::all_of(op->getResults(), isStatic) && llvm::all_of(readBy(op), isReadable) && workOf(op) <= kMostOfOp &&
         !op->walk([](Operation *inner) { return WalkResult(success(canRunInOneDispatch(inner))); }).wasInterrupted();
}

bool startsDispatch(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.getNumReductionLoops() > 0;
  return isDispatch(op) || isExpandable(op) || isa<tensor::InsertSliceOp>(op);
}

//===- Levels ------------------------------------------------------------------===//

namespace {

/// A copy of an array of this many elements takes longer than a dispatch.
constexpr int64_t kLarge = int64_t(1) << 14;

/// Visits the ops of a block that read an array, or a view of it, before `writer`.
void forEachReadBefore(Operation *writer, Value array, function_ref<void(Operation *)> visit) {
  for (Operation *user : array.getUsers()) {
    Operation *here = writer->getBlock()->findAncestorOpInBlock(*user);
    if (!here || !here->isBeforeInBlock(writer))
      continue;
    visit(here);
    if (here == user && isView(user))
      forEachReadBefore(writer, user->getResult(0), visit);
  }
}

/// A block's small ops in levels, such that no path between two ops of a level goes through an op that is not small. An
/// op that overwrites a large array comes after those that read it before: otherwise the array is copied.
class Levels {
public:
  explicit Levels(Block &block) {
    for (Operation &op : block.without_terminator())
      if (!isRepeated(&op))
        enter(&op);
    for (Operation &op : llvm::reverse(block.without_terminator()))
      if (small.contains(&op))
        delay(&op);
    for (Operation &op : block)
      if (small.contains(&op))
        members[level[&op]].push_back(&op);
  }

  llvm::MapVector<int64_t, SmallVector<Operation *>> members;

private:
  void enter(Operation *op) {
    bool isSmallOp = isSmall(op) && !updatesOther(op);
    int64_t least = 0;
    for (Value value : readBy(op))
      if (Operation *maker = value.getDefiningOp(); maker && level.contains(maker))
        least = std::max(least, level[maker] + (isSmallOp && !small.contains(maker) ? 1 : 0));
    for (Value destination : destinationsOf(op))
      if (numElementsOf(destination) >= kLarge)
        forEachReadBefore(op, destination, [&](Operation *read) {
          if (level.contains(read))
            least = std::max(least, level[read]);
          readBefore[read].push_back(op);
        });
    level[op] = least;
    if (isSmallOp)
      small.insert(op);
  }

  /// Whether the op updates an array from elsewhere, which a separate dispatch does in place.
  bool updatesOther(Operation *op) const {
    return llvm::any_of(destinationsOf(op), [&](Value destination) {
      Operation *maker = destination.getDefiningOp();
      return !maker || !(isRepeated(maker) || (small.contains(maker) && !isDispatch(maker)));
    });
  }

  /// Ops that are not needed at once join their users.
  void delay(Operation *op) {
    std::optional<int64_t> latest;
    SmallVector<Operation *> users(op->getUsers());
    llvm::append_range(users, readBefore.lookup(op));
    for (Operation *user : users) {
      auto found = level.find(op->getBlock()->findAncestorOpInBlock(*user));
      if (found == level.end())
        continue;
      latest = std::min(latest.value_or(found->second), found->second);
    }
    if (latest)
      level[op] = std::max(level[op], *latest);
  }

  DenseMap<Operation *, int64_t> level;
  DenseSet<Operation *> small;
  /// For each op, those that overwrite large arrays which it reads.
  DenseMap<Operation *, SmallVector<Operation *>> readBefore;
};

} // namespace

llvm::MapVector<int64_t, SmallVector<Operation *>> levelsOf(Block &block) { return Levels(block).members; }

//===- Groups ------------------------------------------------------------------===//

namespace {

/// The ops of a level that are merged. Ops that the code generator fuses into large ops are not.
class Group {
public:
  explicit Group(ArrayRef<Operation *> level) : level(level) {
    for (Operation *op : level)
      here.insert(op);
    for (Operation *op : level)
      if (startsDispatch(op))
        merged.insert(op);
    if (merged.empty())
      return;
    closePaths();
    DenseSet<Operation *> between = merged;
    addConsumers();
    addProducers();
    if (hasDetour())
      merged = between;
  }

  SmallVector<Operation *> ops() const {
    return llvm::filter_to_vector(level, [&](Operation *op) { return merged.contains(op); });
  }

private:
  Operation *makerHere(Value value) const {
    Operation *maker = value.getDefiningOp();
    return maker && here.contains(maker) ? maker : nullptr;
  }

  /// Users of the results of `op` that belong to this level.
  SmallVector<Operation *> usersHere(Operation *op) const {
    SmallVector<Operation *> users;
    for (Operation *user : op->getUsers())
      if (Operation *around = op->getBlock()->findAncestorOpInBlock(*user); here.contains(around))
        users.push_back(around);
    return users;
  }

  /// Whether merged ops, and only these, use the results of `op`, unless it is returned or its cost is negligible.
  bool belongsToUsers(Operation *op) const {
    auto isMerged = [&](Operation *user) { return merged.contains(op->getBlock()->findAncestorOpInBlock(*user)); };
    auto isNoOther = [&](Operation *user) { return isMerged(user) || user->hasTrait<OpTrait::IsTerminator>(); };
    auto isTiny = [](Value value) { return numElementsOf(value) <= kTiny; };
    return llvm::any_of(op->getUsers(), isMerged) &&
           (llvm::all_of(op->getUsers(), isNoOther) || llvm::all_of(op->getResults(), isTiny));
  }

  /// Whether the op may be fused into a preceding op that is not small. None are into dispatches.
  bool followsOther(Operation *op) const {
    return llvm::any_of(readBy(op), [&](Value value) {
      Operation *maker = value.getDefiningOp();
      return maker && !here.contains(maker) && !isRepeated(maker) && !isReshape(maker) && !isDispatch(maker);
    });
  }

  DenseSet<Operation *> below() const {
    DenseSet<Operation *> found;
    for (Operation *op : level)
      for (Value value : readBy(op))
        if (Operation *maker = makerHere(value); maker && (merged.contains(maker) || found.contains(maker)))
          found.insert(op);
    return found;
  }

  DenseSet<Operation *> above() const {
    DenseSet<Operation *> found;
    for (Operation *op : llvm::reverse(level))
      for (Operation *user : usersHere(op))
        if (merged.contains(user) || found.contains(user))
          found.insert(op);
    return found;
  }

  void closePaths() {
    DenseSet<Operation *> after = below(), before = above();
    for (Operation *op : level)
      if (after.contains(op) && before.contains(op))
        merged.insert(op);
  }

  void addProducers() {
    for (Operation *op : llvm::reverse(level))
      if (!merged.contains(op) && belongsToUsers(op) && !followsOther(op))
        merged.insert(op);
  }

  void addConsumers() {
    DenseSet<Operation *> left;
    for (Operation *op : level) {
      if (merged.contains(op))
        continue;
      bool isBelow = false, isBelowLeft = false;
      for (Value value : readBy(op))
        if (Operation *maker = makerHere(value)) {
          isBelow |= merged.contains(maker);
          isBelowLeft |= left.contains(maker);
        }
      if (isBelow && !isBelowLeft && !followsOther(op))
        merged.insert(op);
      else if (isBelow || isBelowLeft)
        left.insert(op);
    }
  }

  /// Whether a path between two merged ops leaves the group.
  bool hasDetour() const {
    DenseSet<Operation *> after = below(), before = above();
    return llvm::any_of(
        level, [&](Operation *op) { return !merged.contains(op) && after.contains(op) && before.contains(op); });
  }

  ArrayRef<Operation *> level;
  DenseSet<Operation *> here, merged;
};

} // namespace

SmallVector<Operation *> groupOf(ArrayRef<Operation *> level) { return Group(level).ops(); }

} // namespace dovetail
