// Decides which loops and branches become one dispatch.
#include "PlanDispatches.h"
#include "GpuThreads.h"
#include "OneDispatch.h"
#include "cpp/cost/Steps.h"
#include "cpp/cost/Threads.h"
#include "cpp/iree/Donation.h"
#include "cpp/tensors/Target.h"
#include "dialects/Control.h"
#include "dialects/HostFunction.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The limit for one dispatch, in scalar steps per iteration. For this many, one thread with vectors takes about as
/// long as the host needs to start dispatches, whatever the number of cores; and so do the threads of a workgroup of a
/// GPU.
constexpr int64_t kStepsOnCpu = kMostStepsOfPart, kStepsOnGpu = int64_t(1) << 16;
/// The estimate ignores fusion and views; allow twice as much.
constexpr int64_t kSlack = 2;

ModuleOp moduleOf(ImplicitLocOpBuilder &b) { return b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>(); }

} // namespace

int64_t mostStepsOfIteration(ImplicitLocOpBuilder &b) {
  return Target(moduleOf(b)).isGpu() ? kStepsOnGpu : kStepsOnCpu;
}

bool isForOneDispatch(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands) {
  if (isInDispatch(b) || moduleOf(b)->hasAttr(kHostLoops) || !isMemoryEffectFree(op))
    return false;
  Target target(moduleOf(b));
  if (target.isCpu() && threadsOf(moduleOf(b)) > 1 && savedByLibrary(op) > 0)
    return false;
  auto scan = dyn_cast<ScanOp>(op);
  int64_t copied = 0;
  // Its initial value is copied once, by the same thread, unless it is overwritten.
  llvm::SmallDenseMap<Type, int64_t> overwritten;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (operand.hasOneUse() && isWorthOverwriting(operands.empty() ? operand : operands[i]))
      ++overwritten[operand.getType()];
  for (Type type : op->getResultTypes())
    if (int64_t &count = overwritten[type]; count > 0)
      --count;
    else if (auto array = dyn_cast<RankedTensorType>(type))
      copied = plus(copied, product(array.getShape()));
  if (target.isVulkan() && (isa<WhileOp>(op) || (scan && int64_t(scan.getLength()) < 0) ||
                            plus(stepsOf(op), copied) > kMostIterationsOnVulkan * kThreadsOfGroup))
    return false;
  int64_t steps = plus(stepsOfIteration(op), copied / std::max<int64_t>(iterationsOf(op), 1));
  return steps <= kSlack * mostStepsOfIteration(b);
}

} // namespace dovetail
