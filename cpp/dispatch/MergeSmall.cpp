// Merges groups of small ops into one dispatch each.
#include "DispatchableOps.h"
#include "GpuThreads.h"
#include "JoinDispatches.h"
#include "OneDispatch.h"
#include "Passes.h"
#include "SmallOps.h"
#include "Work.h"
#include "cpp/cost/Steps.h"
#include "cpp/iree/Aliases.h"
#include "cpp/iree/Liveness.h"
#include "cpp/tensors/MultiplyAdd.h"
#include "cpp/tensors/Target.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
constexpr int64_t kMostOfGroup = int64_t(1) << 18;
/// With more ops than this in a function, the code generator takes longer than for several smaller functions.
constexpr size_t kMostOps = 128;
/// One thread adds up to so many terms, which take little of the time of those that computed them.
constexpr int64_t kMostOfTerms = int64_t(1) << 21;
/// A dispatch that runs fewer ops on vectors takes as long as its start.
constexpr int64_t kMostOfShort = int64_t(1) << 13;
/// Clones an op, together with repeated ops that it needs.
void cloneWithRepeated(ImplicitLocOpBuilder &b, Operation *op, IRMapping &values) {
  for (Value value : readBy(op))
    if (Operation *maker = value.getDefiningOp(); !values.contains(value) && maker && isRepeated(maker))
      cloneWithRepeated(b, maker, values);
  b.clone(*op, values);
}

/// Replaces the ops by a dispatch, and returns it; null if there is nothing to compute. Fails if it would have too many
/// operands and results, or need memory of unknown size.
FailureOr<Operation *> merge(ArrayRef<Operation *> ops, int64_t numThreads = 0) {
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
  auto made = dispatchOnce(
      b, inputs.getArrayRef(), shapes,
      [&](ImplicitLocOpBuilder &inner, ValueRange inside) -> FailureOr<SmallVector<Value>> {
        IRMapping values;
        values.map(inputs.getArrayRef(), inside);
        for (Operation *op : ops)
          cloneWithRepeated(inner, op, values);
        return llvm::map_to_vector(outputs, [&](Value output) { return values.lookup(output); });
      },
      std::numeric_limits<int64_t>::max(), numThreads);
  if (failed(made))
    return failure();
  Operation *dispatch = nullptr;
  for (auto [output, result] : llvm::zip_equal(outputs, *made)) {
    output.replaceAllUsesWith(result);
    if (isDispatch(result.getDefiningOp()))
      dispatch = result.getDefiningOp();
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  return dispatch;
}

/// The ops that add terms which each workgroup of a dispatch has, and something to the sum, if one thread may run them;
/// and reshapes between these.
SmallVector<Operation *> sumsOfTerms(Operation *dispatch) {
  SmallVector<Operation *> ops;
  DenseSet<Operation *> found;
  auto comesFromDispatch = [&](Value value) { return withoutReshapes(value).getDefiningOp() == dispatch; };
  auto comesFromSum = [&](Value value) { return found.contains(value.getDefiningOp()); };
  for (Operation *op = dispatch->getNextNode(); op && !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
    auto structured = dyn_cast<linalg::GenericOp>(op);
    bool isPart = structured && structured.getNumReductionLoops() == 0 &&
                  llvm::any_of(structured.getDpsInputs(), comesFromSum) &&
                  llvm::none_of(structured.getDpsInputs(), comesFromDispatch);
    if (structured && structured.getNumReductionLoops() > 0 && structured.getNumDpsInputs() == 1) {
      Value terms = structured.getDpsInputs()[0];
      Operation *maker = withoutReshapes(terms).getDefiningOp();
      if (maker == dispatch) {
        // Others reduce arrays along their own dimensions.
        int64_t numTerms = cast<RankedTensorType>(withoutReshapes(terms).getType()).getDimSize(0);
        isPart = numElementsOf(terms) <= numElementsOf(op->getResult(0)) * numTerms && workOf(op) <= kMostOfTerms;
        for (Value between = terms; isPart && between != withoutReshapes(terms);
             between = between.getDefiningOp()->getOperand(0))
          if (found.insert(between.getDefiningOp()).second)
            ops.push_back(between.getDefiningOp());
      }
    } else if (isReshape(op)) {
      isPart = comesFromSum(op->getOperand(0)) && !comesFromDispatch(op->getOperand(0));
    }
    isPart &= llvm::all_of(op->getResultTypes(), [](Type type) {
      auto array = dyn_cast<RankedTensorType>(type);
      return array && array.hasStaticShape();
    });
    if (isPart && canRunInOneDispatch(op) && found.insert(op).second)
      ops.push_back(op);
  }
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

/// Lets the last workgroup of a dispatch add the terms that all of them have.
bool addInLastGroup(Block &block, SmallVectorImpl<Operation *> &removed) {
  SmallVector<Operation *> dispatches;
  for (Operation &op : block)
    if (numWorkgroups(&op) > 0)
      dispatches.push_back(&op);
  bool isAny = false;
  for (Operation *dispatch : dispatches) {
    SmallVector<Operation *> ops = sumsOfTerms(dispatch);
    if (llvm::none_of(ops, startsDispatch))
      continue;
    FailureOr<Operation *> sum = merge(ops, numThreadsOf(dispatch));
    isAny |= succeeded(sum) && *sum && succeeded(joinDispatches({dispatch, *sum}, removed));
  }
  return isAny;
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

/// Ops among which are dispatches, apart from those that are no part of the dispatch that they become: constants, which
/// the code generator computes once, and what it fuses with a large op that follows.
SmallVector<Operation *> withoutEnds(ArrayRef<Operation *> ops, const DenseSet<Operation *> &constants) {
  auto isFused = [](Operation *user) {
    auto structured = dyn_cast<linalg::GenericOp>(user);
    return structured && (structured.getNumReductionLoops() == 0 || structured.getNumDpsInputs() == 1);
  };
  auto isTiny = [](Value value) { return numElementsOf(value) <= kTiny; };
  DenseSet<Operation *> kept(ops.begin(), ops.end());
  for (Operation *op : llvm::reverse(ops)) {
    auto isKept = [&](Operation *user) { return kept.contains(op->getBlock()->findAncestorOpInBlock(*user)); };
    if (constants.contains(op) || (!startsDispatch(op) && !llvm::all_of(op->getResults(), isTiny) &&
                                   llvm::none_of(op->getUsers(), isKept) && llvm::any_of(op->getUsers(), isFused)))
      kept.erase(op);
  }
  return llvm::filter_to_vector(ops, [&](Operation *op) { return kept.contains(op); });
}

/// Those that are still in their block: reshapes of what was joined are not.
SmallVector<Operation *> present(ArrayRef<Operation *> ops) {
  return llvm::filter_to_vector(ops, [](Operation *op) { return op->getBlock() != nullptr; });
}

/// Ops that one dispatch can compute, and dispatches that need these and those of earlier stages.
struct Stage {
  SmallVector<Operation *> ops, dispatches;
};

/// Reshapes are part of a stage only for ops of that stage: dispatches read other shapes in place.
SmallVector<Stage> stagesOf(ArrayRef<Operation *> ops) {
  DenseMap<Operation *, size_t> number;
  for (Operation *op : ops) {
    size_t least = 0;
    for (Value value : readBy(op))
      if (auto found = number.find(value.getDefiningOp()); found != number.end())
        least = std::max(least, found->second + isDispatch(found->first));
    number[op] = least;
  }
  SmallVector<Stage> stages;
  for (Operation *op : llvm::reverse(ops)) {
    size_t place = number[op];
    auto isInStage = [&](OpOperand &use) {
      auto found = number.find(op->getBlock()->findAncestorOpInBlock(*use.getOwner()));
      return found != number.end() && found->second == place && !isDispatch(found->first);
    };
    if (isReshape(op) && !llvm::all_of(op->getUses(), isInStage)) {
      number.erase(op);
      if (llvm::none_of(op->getUses(), isInStage))
        continue;
      Operation *own = OpBuilder(op).clone(*op);
      op->getResult(0).replaceUsesWithIf(own->getResult(0), isInStage);
      number[own] = place;
      op = own;
    }
    stages.resize(std::max(stages.size(), place + 1));
    Stage &stage = stages[place];
    (isDispatch(op) ? stage.dispatches : stage.ops).push_back(op);
  }
  for (Stage &stage : stages) {
    std::reverse(stage.ops.begin(), stage.ops.end());
    std::reverse(stage.dispatches.begin(), stage.dispatches.end());
  }
  return stages;
}

/// Whether the op adds few floats. The code generator's order depends on what it fuses, so that a sum that is computed
/// again may differ from the first; a dispatch of ours adds them in an order that depends on the op alone.
bool isShortSum(Operation *op) {
  auto structured = dyn_cast<linalg::GenericOp>(op);
  if (!structured || structured.getNumReductionLoops() == 0 || workOf(op) > kMostOfShortSum)
    return false;
  return llvm::any_of(structured.getBody()->getTerminator()->getOperands(),
                      [](Value sum) { return bool(sum.getDefiningOp<arith::AddFOp>()); });
}

/// Merges the ops, or each half of them, if that saves a dispatch or fixes the order of a sum. IREE would run a
/// dispatch that reads constants only when it compiles the program, and wrongly.
bool mergeParts(ArrayRef<Operation *> ops, const DenseSet<Operation *> &constants) {
  if ((llvm::count_if(ops, startsDispatch) < 2 && llvm::none_of(ops, isShortSum)) ||
      llvm::all_of(ops, [&](Operation *op) { return constants.contains(op); }))
    return false;
  if (succeeded(merge(ops)))
    return true;
  size_t half = ops.size() / 2;
  bool isAnyMerged = mergeParts(ops.take_front(half), constants);
  return mergeParts(ops.drop_front(half), constants) || isAnyMerged;
}

/// Merges the ops of each stage, and joins the dispatches, if that saves one: an op that only follows or precedes a
/// dispatch would be another.
bool mergeStages(ArrayRef<Operation *> ops, const DenseSet<Operation *> &constants,
                 SmallVectorImpl<Operation *> &removed) {
  if (llvm::count_if(ops, [](Operation *op) { return !isView(op); }) < 2)
    return false;
  SmallVector<Operation *> parts;
  bool isAnyMerged = false;
  auto join = [&] {
    isAnyMerged |= parts.size() > 1 && succeeded(joinDispatches(parts, removed));
    parts.clear();
  };
  for (Stage &stage : stagesOf(ops)) {
    stage.ops = present(stage.ops);
    if (!stage.ops.empty()) {
      FailureOr<Operation *> made = merge(stage.ops);
      isAnyMerged |= succeeded(made);
      if (failed(made)) {
        join();
        isAnyMerged |= mergeParts(stage.ops, constants);
      } else if (*made) {
        parts.push_back(*made);
      }
    }
    llvm::append_range(parts, stage.dispatches);
  }
  join();
  return isAnyMerged;
}

/// Ops that become one dispatch, as long as there is room.
class Collected {
public:
  bool hasRoomFor(Operation *op) const {
    if (work + workOf(op) > kMostOfGroup || (numOps > 0 && numOps + sizeOf(op) > kMostOps))
      return false;
    return !isLong(op) || !longest || needsLongest(op);
  }

  void add(Operation *op) {
    if (longest && needsLongest(op))
      behindLongest.insert(op);
    if (isLong(op)) {
      longest = op;
      behindLongest.clear();
    }
    ops.push_back(op);
    work += workOf(op);
    numOps += sizeOf(op);
    hasDispatches |= isDispatch(op);
  }

  bool merge(const DenseSet<Operation *> &constants, SmallVectorImpl<Operation *> &removed) const {
    return hasDispatches ? mergeStages(withoutEnds(ops, constants), constants, removed) : mergeParts(ops, constants);
  }

private:
  /// Whether the op is a dispatch beside which others had better run at the same time.
  static bool isLong(Operation *op) {
    return isDispatch(op) && numOpsRun(sequentialCode(op)).value_or(kMostSteps) > kMostOfShort;
  }

  bool needsLongest(Operation *op) const {
    return llvm::any_of(readBy(op), [&](Value value) {
      Operation *maker = value.getDefiningOp();
      return maker && (maker == longest || behindLongest.contains(maker));
    });
  }

  /// The number of ops that the code generator compiles: for a dispatch, about that of its loops.
  static size_t sizeOf(Operation *op) {
    if (!isDispatch(op))
      return 1;
    size_t loops = 1;
    sequentialCode(op).walk([&](LoopLikeOpInterface) { ++loops; });
    return loops;
  }

  SmallVector<Operation *> ops;
  int64_t work = 0;
  size_t numOps = 0;
  bool hasDispatches = false;
  /// The last long dispatch, and the ops that need its results.
  Operation *longest = nullptr;
  DenseSet<Operation *> behindLongest;
};

/// Merges ops of a level in groups that are worth a dispatch, in order, so that no group needs a later one.
bool mergeLevel(ArrayRef<Operation *> level, const DenseSet<Operation *> &constants,
                SmallVectorImpl<Operation *> &removed) {
  Collected group;
  bool isAnyMerged = false;
  for (Operation *op : groupOf(present(level))) {
    if (op->getBlock() && !group.hasRoomFor(op)) {
      isAnyMerged |= group.merge(constants, removed);
      group = Collected();
    }
    // The op may have been removed just now.
    if (op->getBlock())
      group.add(op);
  }
  return group.merge(constants, removed) || isAnyMerged;
}

void mergeIn(Block &block, bool onlyTerms) {
  DenseSet<Operation *> constants = constantsOf(block);
  bool isAnyMerged = false;
  // These are kept until all levels, which may have them, are done.
  SmallVector<Operation *> removed;
  isAnyMerged |= addInLastGroup(block, removed);
  if (!onlyTerms)
    for (auto &[number, level] : levelsOf(block))
      isAnyMerged |= mergeLevel(level, constants, removed);
  for (Operation *op : removed)
    op->destroy();
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

/// Merges in the blocks of a region, and in those of the loops and branches that the host runs, innermost first.
void mergeIn(Region &region, bool onlyTerms) {
  for (Block &block : region) {
    for (Operation &op : block)
      if (isa<scf::SCFDialect>(op.getDialect()))
        for (Region &inner : op.getRegions())
          mergeIn(inner, onlyTerms);
    mergeIn(block, onlyTerms);
  }
}

struct MergeSmallPass : impl::MergeSmallPassBase<MergeSmallPass> {
  using MergeSmallPassBase::MergeSmallPassBase;

  void runOnOperation() override {
    Target target(getOperation());
    if (!target.isCpu() && !hasDeviceFence(target))
      return;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      mergeIn(function.getBody(), /*onlyTerms=*/target.isGpu());
    eraseUncalledCode(getOperation());
  }
};

} // namespace

} // namespace dovetail
