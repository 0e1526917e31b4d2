// Decides which loops and branches become one dispatch.
#include "PlanDispatches.h"
#include "OneDispatch.h"
#include "Work.h"
#include "cpp/cost/Cost.h"
#include "cpp/tensors/Target.h"
#include "dialects/Control.h"

using namespace mlir;

namespace dovetail {

namespace {

/// What fits one dispatch, in scalar steps of one iteration. One thread in vectors takes about as long for these as the
/// host for starting dispatches, whatever the number of cores; a GPU has slower threads.
constexpr int64_t kWorkOnCpu = int64_t(1) << 21, kWorkElsewhere = int64_t(1) << 10;
/// The estimate ignores fusion and views; allow twice as much.
constexpr int64_t kSlack = 2;

/// An f32 that is read and written.
constexpr int64_t kBytesOfStep = 8;

int64_t sizeOr(int64_t size) { return ShapedType::isDynamic(size) ? kAssumedSize : size; }

int64_t elementsOf(RankedTensorType array) {
  int64_t elements = 1;
  for (int64_t size : array.getShape())
    elements = times(elements, sizeOr(size));
  return elements;
}

/// About how many scalar steps an op takes: what it states, of which arrays that it changes in their place are no part,
/// or else the product of its loops' sizes, or the largest of its arrays.
int64_t workOf(Operation *op) {
  int64_t work = 1;
  if (op->getNumRegions() != 0) {
    for (Region &region : op->getRegions())
      for (Operation &inner : region.front().without_terminator())
        work = plus(work, workOf(&inner));
    auto scan = dyn_cast<ScanOp>(op);
    int64_t length = scan ? int64_t(scan.getLength()) : -1;
    return isa<CaseOp>(op) ? work : times(work, length < 0 ? kAssumedSize : length);
  }
  if (auto stated = dyn_cast<CostOpInterface>(op)) {
    Cost cost = stated.cost([](Region &) { return Cost(); });
    double steps = std::max(cost.flops + cost.transcendentals, cost.bytes / kBytesOfStep);
    return std::clamp<double>(steps, 1, kMostWork);
  }
  DenseMap<int64_t, int64_t> loops;
  std::optional<FactorMap> map = factorMap(op);
  auto count = [&](TypeRange types, ArrayRef<SmallVector<int64_t>> factors) {
    for (auto [i, type] : llvm::enumerate(types)) {
      auto array = dyn_cast<RankedTensorType>(type);
      if (!array)
        continue;
      work = std::max(work, elementsOf(array));
      for (auto [d, size] : llvm::enumerate(array.getShape()))
        if (map && factors[i][d] != FactorMap::kNone)
          loops[factors[i][d]] = sizeOr(size);
    }
  };
  count(op->getOperandTypes(), map ? ArrayRef(map->operands) : ArrayRef<SmallVector<int64_t>>());
  count(op->getResultTypes(), map ? ArrayRef(map->results) : ArrayRef<SmallVector<int64_t>>());
  int64_t product = 1;
  for (auto [factor, size] : loops)
    product = times(product, size);
  return std::max(work, product);
}

ModuleOp moduleOf(ImplicitLocOpBuilder &b) { return b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>(); }

} // namespace

int64_t mostWorkOfIteration(ImplicitLocOpBuilder &b) {
  return Target(moduleOf(b)).isGpu() ? kWorkElsewhere : kWorkOnCpu;
}

bool isForOneDispatch(Operation *op, ImplicitLocOpBuilder &b) {
  if (isInDispatch(b) || moduleOf(b)->hasAttr(kHostLoops) || !isMemoryEffectFree(op))
    return false;
  Target target(moduleOf(b));
  auto scan = dyn_cast<ScanOp>(op);
  int64_t steps = isa<CaseOp>(op)                          ? 1
                  : scan && int64_t(scan.getLength()) >= 0 ? int64_t(scan.getLength())
                                                           : kAssumedSize;
  int64_t work = workOf(op);
  // What it begins with is copied once, by the same thread.
  for (Type type : op->getResultTypes())
    if (auto array = dyn_cast<RankedTensorType>(type))
      work = plus(work, elementsOf(array));
  if (target.isVulkan() &&
      (isa<WhileOp>(op) || (scan && int64_t(scan.getLength()) < 0) || work > kMostIterationsOnVulkan))
    return false;
  return work / std::max<int64_t>(steps, 1) <= kSlack * mostWorkOfIteration(b);
}

} // namespace dovetail
