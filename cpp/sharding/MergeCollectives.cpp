// Merges small collectives that do not depend on each other: devices wait for each other once instead of several times.
#include "Collectives.h"
#include "Passes.h"
#include "Shardings.h"
#include "cpp/cost/Cost.h"
#include "cpp/transforms/CallGraph.h"
#include "cpp/transforms/Functions.h"
#include "dialects/Emitter.h"
#include "dialects/Shape.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_MERGECOLLECTIVESPASS
#include "cpp/sharding/Passes.h.inc"

// Merged operands are copied to one array, and results out of one. On two processors, eight devices take 50 to 100 µs
// to meet, in which they copy about this many bytes each.
static constexpr double kLargest = 1 << 15;
// The bytes of all operands of a merged collective.
static constexpr double kLargestTotal = 1 << 18;

static bool isMergeable(Operation *op) {
  return isElementwiseCollective(op) && cast<RankedTensorType>(op->getOperand(0).getType()).hasStaticShape() &&
         bytesOf(op->getOperand(0)) <= kLargest;
}

namespace {

/// Collectives of the ops of one block that are the same but for their operands' shapes, and depend on as many others:
/// so none of them depends on another.
using Group = SmallVector<Operation *>;
using Key = std::pair<std::pair<OperationName, DictionaryAttr>, std::pair<Type, unsigned>>;

} // namespace

static llvm::MapVector<Key, Group> groupsOf(Block &block) {
  llvm::MapVector<Key, Group> groups;
  // The length of the longest chain of mergeable collectives that an op's results depend on.
  DenseMap<Operation *, unsigned> levels;
  for (Operation &op : block) {
    unsigned level = 0;
    auto follow = [&](Value value) {
      if (Operation *producer = value.getDefiningOp())
        level = std::max(level, levels.lookup(producer));
    };
    llvm::for_each(op.getOperands(), follow);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op.getRegions(), captured);
    llvm::for_each(captured, follow);
    bool canMerge = isMergeable(&op);
    if (canMerge)
      groups[{{op.getName(), op.getAttrDictionary()}, {getElementTypeOrSelf(op.getOperand(0)), level}}].push_back(&op);
    levels[&op] = level + canMerge;
  }
  return groups;
}

/// Replaces collectives by one, in the place of the last.
static void merge(ArrayRef<Operation *> group) {
  OpBuilder builder(group.back());
  Emitter e(builder, group.front()->getLoc());
  auto typeOf = [](Operation *op) { return cast<RankedTensorType>(op->getOperand(0).getType()); };
  SmallVector<Value> flat;
  int64_t total = 0;
  for (Operation *op : group) {
    int64_t count = typeOf(op).getNumElements();
    flat.push_back(e.reshape(op->getOperand(0), withShape(typeOf(op), {count}), {}));
    total += count;
  }
  Value all = e.make<ConcatenateOp>(flat, 0);
  Value merged = cloneWith(e, group.front(), all, withShape(typeOf(group.front()), {total}))->getResult(0);
  int64_t first = 0;
  for (Operation *op : group) {
    int64_t count = typeOf(op).getNumElements();
    RankedTensorType type = withShape(typeOf(op), {count});
    Value part = e.make<SliceOp>(type, merged, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{1}, ValueRange());
    op->getResult(0).replaceAllUsesWith(e.reshape(part, typeOf(op), {}));
    first += count;
  }
  for (Operation *op : group)
    op->erase();
}

/// Moves each op behind those that it uses; otherwise the order stays.
static void restoreOrder(Block &block) {
  DenseSet<Operation *> placed;
  // Ops that wait, by one that they wait for.
  DenseMap<Operation *, SmallVector<Operation *>> waiting;
  auto missing = [&](Operation *op) -> Operation * {
    Operation *found = nullptr;
    auto check = [&](Value value) {
      Operation *producer = value.getDefiningOp();
      if (producer && producer->getBlock() == &block && !placed.contains(producer))
        found = producer;
    };
    llvm::for_each(op->getOperands(), check);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::for_each(captured, check);
    return found;
  };
  SmallVector<Operation *> order = llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *each : order) {
    SmallVector<Operation *> ready = {each};
    while (!ready.empty()) {
      Operation *op = ready.pop_back_val();
      if (Operation *producer = missing(op)) {
        waiting[producer].push_back(op);
        continue;
      }
      op->moveBefore(&block, block.end());
      placed.insert(op);
      auto found = waiting.find(op);
      if (found == waiting.end())
        continue;
      llvm::append_range(ready, llvm::reverse(found->second));
      waiting.erase(found);
    }
  }
}

static void mergeIn(Block &block) {
  bool isChanged = false;
  for (auto &[key, group] : groupsOf(block)) {
    ArrayRef<Operation *> rest = group;
    while (rest.size() > 1) {
      size_t count = 0;
      for (double bytes = 0; count < rest.size(); ++count) {
        bytes += bytesOf(rest[count]->getOperand(0));
        if (bytes > kLargestTotal)
          break;
      }
      if (count > 1) {
        merge(rest.take_front(count));
        isChanged = true;
      }
      rest = rest.drop_front(std::max<size_t>(count, 1));
    }
  }
  if (isChanged)
    restoreOrder(block);
}

namespace {
struct MergeCollectivesPass : impl::MergeCollectivesPassBase<MergeCollectivesPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (failed(checkTransformable(function)))
        return signalPassFailure();
      function.getBody().walk<WalkOrder::PreOrder>([](Block *block) { mergeIn(*block); });
    }
  }
};
} // namespace

} // namespace dovetail
