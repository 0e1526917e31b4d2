// Merges groups of small ops into one dispatch each.
#include "OneDispatch.h"
#include "Passes.h"
#include "SequentialLoops.h"
#include "cpp/cost/Steps.h"
#include "cpp/iree/Aliases.h"
#include "cpp/iree/Liveness.h"
#include "cpp/tensors/Target.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_MERGESMALLPASS
#include "cpp/dispatch/Passes.h.inc"

namespace {

/// Work is counted in ops on registers. One thread needs about as long for this many as the start of a few dispatches.
constexpr int64_t kMostOfOp = int64_t(1) << 16, kMostOfGroup = int64_t(1) << 18;
/// With more ops than this in a function, the code generator takes longer than for several smaller functions.
constexpr size_t kMostOps = 128;
/// Arrays with this few elements cost nothing to pass on.
constexpr int64_t kTiny = 16;

/// The values that an op reads: its operands, and outer values that its regions use.
SmallVector<Value> readBy(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::append_range(values, captured);
  return values;
}

int64_t elementsOf(Value value) {
  auto array = dyn_cast<RankedTensorType>(value.getType());
  return array ? array.getNumElements() : 0;
}

/// The number of ops on registers that compute an element; one of `math` counts as a step.
int64_t opsOfElement(Block &code) {
  int64_t ops = 0;
  for (Operation &op : code.without_terminator())
    ops += isa<math::MathDialect>(op.getDialect()) ? kOpsOfStep : 1;
  return std::max<int64_t>(ops, 1);
}

/// The number of ops on registers for an op of static sizes.
int64_t workOf(Operation *op) {
  if (isReshape(op) || isa<tensor::EmptyOp>(op))
    return 0;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return times(product(structured.getStaticLoopRanges()), opsOfElement(*structured.getBlock()));
  int64_t elements = 0;
  for (Value value : op->getOperands())
    elements = std::max(elements, elementsOf(value));
  for (Value value : op->getResults())
    elements = std::max(elements, elementsOf(value));
  return op->getNumRegions() ? elements * opsOfElement(op->getRegion(0).front()) : elements;
}

/// Whether an op costs nothing at its use, and is therefore repeated there.
bool isRepeated(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return true;
  auto fill = dyn_cast<linalg::FillOp>(op);
  return fill && llvm::all_of(fill->getOperands(), [](Value operand) {
           Operation *maker = operand.getDefiningOp();
           return maker && isRepeated(maker);
         });
}

bool isSmall(Operation *op) {
  auto isStatic = [](Value value) {
    auto array = dyn_cast<RankedTensorType>(value.getType());
    return array && array.hasStaticShape();
  };
  auto isReadable = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return isStatic(value) || (maker && maker->hasTrait<OpTrait::ConstantLike>());
  };
  // Barriers at the end of a function are keep-alive uses, and stay there.
  if (op->getNumResults() == 0 || isa<scf::SCFDialect>(op->getDialect()) || !canRunInOneDispatch(op) ||
      isOptimizationBarrier(op))
    return false;
  return llvm::all_of(op->getResults(), isStatic) && llvm::all_of(readBy(op), isReadable) && workOf(op) <= kMostOfOp &&
         !op->walk([](Operation *inner) { return WalkResult(success(canRunInOneDispatch(inner))); }).wasInterrupted();
}

/// Whether the code generator starts a dispatch with the op: it fuses nothing into another op that reads the whole
/// array for each of its elements.
bool startsDispatch(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.getNumReductionLoops() > 0;
  return isExpandable(op) || isa<tensor::InsertSliceOp>(op);
}

/// A block's small ops in levels, such that no path between two ops of a level goes through an op that is not small.
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
    level[op] = least;
    if (isSmallOp)
      small.insert(op);
  }

  /// Whether the op updates an array from elsewhere, which a separate dispatch does in place.
  bool updatesOther(Operation *op) const {
    return llvm::any_of(destinationsOf(op), [&](Value destination) {
      Operation *maker = destination.getDefiningOp();
      return !maker || !(small.contains(maker) || isRepeated(maker));
    });
  }

  /// Ops that are not needed at once join their users.
  void delay(Operation *op) {
    std::optional<int64_t> latest;
    for (Operation *user : op->getUsers()) {
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
};

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

  /// Whether merged ops, and only these, use the results of `op`, unless its cost is negligible.
  bool belongsToUsers(Operation *op) const {
    auto isMerged = [&](Operation *user) { return merged.contains(op->getBlock()->findAncestorOpInBlock(*user)); };
    auto isTiny = [](Value value) { return elementsOf(value) <= kTiny; };
    return llvm::any_of(op->getUsers(), isMerged) &&
           (llvm::all_of(op->getUsers(), isMerged) || llvm::all_of(op->getResults(), isTiny));
  }

  /// Whether the op may be fused into a preceding op that is not small.
  bool followsOther(Operation *op) const {
    return llvm::any_of(readBy(op), [&](Value value) {
      Operation *maker = value.getDefiningOp();
      return maker && !here.contains(maker) && !isRepeated(maker) && !isReshape(maker);
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

/// Clones an op, together with repeated ops that it needs.
void cloneWithRepeated(ImplicitLocOpBuilder &b, Operation *op, IRMapping &values) {
  for (Value value : readBy(op))
    if (Operation *maker = value.getDefiningOp(); !values.contains(value) && maker && isRepeated(maker))
      cloneWithRepeated(b, maker, values);
  b.clone(*op, values);
}

/// Replaces the ops by a dispatch. Fails if it would have too many operands and results, or need memory of unknown
/// size.
LogicalResult merge(ArrayRef<Operation *> ops) {
  DenseSet<Operation *> merged(ops.begin(), ops.end());
  Block *block = ops.front()->getBlock();
  auto isUsedElsewhere = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      Operation *around = block->findAncestorOpInBlock(*user);
      return !merged.contains(around);
    });
  };
  SetVector<Value> inputs;
  SmallVector<Value> outputs;
  SmallVector<Location> places;
  for (Operation *op : ops) {
    places.push_back(op->getLoc());
    for (Value value : readBy(op)) {
      Operation *maker = value.getDefiningOp();
      if (!maker || !(merged.contains(maker) || isRepeated(maker)))
        inputs.insert(value);
    }
    for (Value result : op->getResults())
      if (isUsedElsewhere(result))
        outputs.push_back(result);
  }
  ImplicitLocOpBuilder b(FusedLoc::get(block->getParentOp()->getContext(), places), ops.back());
  SmallVector<Shape> shapes;
  for (Value output : outputs) {
    auto type = cast<RankedTensorType>(output.getType());
    shapes.push_back({type.getElementType(), getAsIndexOpFoldResult(b.getContext(), type.getShape())});
  }
  auto made = dispatchOnce(b, inputs.getArrayRef(), shapes,
                           [&](ImplicitLocOpBuilder &inner, ValueRange inside) -> FailureOr<SmallVector<Value>> {
                             IRMapping values;
                             values.map(inputs.getArrayRef(), inside);
                             for (Operation *op : ops)
                               cloneWithRepeated(inner, op, values);
                             return llvm::map_to_vector(outputs, [&](Value output) { return values.lookup(output); });
                           });
  if (failed(made))
    return failure();
  for (auto [output, result] : llvm::zip_equal(outputs, *made))
    output.replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  return success();
}

/// The ops of a block that compute constants.
DenseSet<Operation *> constantsOf(Block &block) {
  DenseSet<Operation *> constants;
  for (Operation &op : block)
    if (isMemoryEffectFree(&op) && llvm::all_of(readBy(&op), [&](Value value) {
          Operation *maker = value.getDefiningOp();
          return maker && (isRepeated(maker) || constants.contains(maker));
        }))
      constants.insert(&op);
  return constants;
}

/// Merges the ops, or each half of them, if that saves a dispatch. IREE would run a dispatch that reads constants only
/// when it compiles the program, and wrongly.
bool mergeParts(ArrayRef<Operation *> ops, const DenseSet<Operation *> &constants) {
  if (llvm::count_if(ops, startsDispatch) < 2 ||
      llvm::all_of(ops, [&](Operation *op) { return constants.contains(op); }))
    return false;
  if (succeeded(merge(ops)))
    return true;
  size_t half = ops.size() / 2;
  bool isAnyMerged = mergeParts(ops.take_front(half), constants);
  return mergeParts(ops.drop_front(half), constants) || isAnyMerged;
}

/// Merges ops of a level in groups that are worth a dispatch, in order, so that no group needs a later one.
bool mergeLevel(ArrayRef<Operation *> level, const DenseSet<Operation *> &constants) {
  SmallVector<Operation *> group;
  int64_t work = 0;
  bool isAnyMerged = false;
  auto finish = [&] {
    isAnyMerged |= mergeParts(group, constants);
    group.clear();
    work = 0;
  };
  for (Operation *op : Group(level).ops()) {
    int64_t more = workOf(op);
    if (work + more > kMostOfGroup || group.size() == kMostOps)
      finish();
    group.push_back(op);
    work += more;
  }
  finish();
  return isAnyMerged;
}

void mergeIn(Block &block) {
  Levels levels(block);
  DenseSet<Operation *> constants = constantsOf(block);
  bool isAnyMerged = false;
  for (auto &[number, level] : levels.members)
    isAnyMerged |= mergeLevel(level, constants);
  // A dispatch replaces the last of its ops, which may come after users of the others.
  if (!isAnyMerged)
    return;
  sortTopologically(&block);
  // Keep-alive uses stay there.
  SmallVector<Operation *> last;
  for (Operation &op : block)
    if (isKeepAliveUse(&op))
      last.push_back(&op);
  for (Operation *op : last)
    op->moveBefore(block.getTerminator());
}

struct MergeSmallPass : impl::MergeSmallPassBase<MergeSmallPass> {
  using MergeSmallPassBase::MergeSmallPassBase;

  void runOnOperation() override {
    if (!Target(getOperation()).isCpu())
      return;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        mergeIn(block);
  }
};

} // namespace

} // namespace dovetail
