// Estimates the scalar steps of dovetail ops, for decisions of passes.
#include "Steps.h"
#include "Cost.h"
#include "dialects/Control.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dovetail {

/// A step reads and writes an f32.
constexpr int64_t kBytesOfStep = 8;

int64_t plus(int64_t a, int64_t b) { return std::min(kMostSteps, a + b); }

int64_t times(int64_t a, int64_t b) {
  uint64_t all = llvm::SaturatingMultiply<uint64_t>(std::max<int64_t>(a, 1), std::max<int64_t>(b, 1));
  return std::min<uint64_t>(kMostSteps, all);
}

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t all = 1;
  for (int64_t size : sizes)
    all = times(all, assumedSize(size));
  return all;
}

int64_t scalarOpsOf(Operation *op) {
  int64_t count = 0;
  op->walk([&](Operation *inner) { count += inner != op && !inner->hasTrait<OpTrait::ConstantLike>(); });
  return count;
}

int64_t iterationsOf(Operation *op) {
  auto scan = dyn_cast<ScanOp>(op);
  int64_t length = scan ? int64_t(scan.getLength()) : -1;
  return isa<CaseOp>(op) ? 1 : length < 0 ? kAssumedSize : length;
}

/// The product of the sizes of an op's loops, by its factor map, or the size of its largest array.
static int64_t stepsOfLoops(Operation *op) {
  int64_t largest = 1;
  DenseMap<int64_t, int64_t> loops;
  std::optional<FactorMap> map = factorMap(op);
  auto count = [&](TypeRange types, ArrayRef<SmallVector<int64_t>> factors) {
    for (auto [i, type] : llvm::enumerate(types)) {
      auto array = dyn_cast<RankedTensorType>(type);
      if (!array)
        continue;
      largest = std::max(largest, product(array.getShape()));
      for (auto [d, size] : llvm::enumerate(array.getShape()))
        if (map && factors[i][d] != FactorMap::kNone)
          loops[factors[i][d]] = assumedSize(size);
    }
  };
  count(op->getOperandTypes(), map ? ArrayRef(map->operands) : ArrayRef<SmallVector<int64_t>>());
  count(op->getResultTypes(), map ? ArrayRef(map->results) : ArrayRef<SmallVector<int64_t>>());
  int64_t all = 1;
  for (auto [factor, size] : loops)
    all = times(all, size);
  return std::max(largest, all);
}

int64_t stepsOf(Operation *op) {
  if (op->getNumRegions() != 0) {
    int64_t steps = 1;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.front().without_terminator())
        steps = plus(steps, stepsOf(&inner));
    return times(steps, iterationsOf(op));
  }
  if (auto stated = dyn_cast<CostOpInterface>(op)) {
    Cost cost = stated.cost([](Region &) { return Cost(); });
    double steps = std::max(cost.flops + cost.transcendentals, cost.bytes / kBytesOfStep);
    return std::clamp<double>(steps, 1, kMostSteps);
  }
  return stepsOfLoops(op);
}

int64_t stepsOfIteration(Operation *op) {
  if (op->getNumRegions() == 0)
    return stepsOf(op);
  int64_t steps = 1;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.front().without_terminator()) {
      int64_t once = stepsOfIteration(&inner);
      steps = plus(steps, isa<WhileOp>(inner) || inner.getNumRegions() == 0 ? once : times(once, iterationsOf(&inner)));
    }
  return steps;
}

} // namespace dovetail
