// Estimates the work of bufferized code in scalar steps.
#include "Work.h"
#include "OneDispatch.h"
#include "cpp/cost/Steps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

static int64_t workOf(Operation &op);

static int64_t workOf(Region &region) {
  int64_t work = 0;
  for (Block &block : region)
    for (Operation &op : block)
      work = plus(work, workOf(op));
  return work;
}

/// Everything that an iteration runs.
static int64_t workOfBodies(Operation &loop) {
  int64_t work = 0;
  for (Region &region : loop.getRegions())
    work = plus(work, workOf(region));
  return work;
}

/// The maximum number of iterations of a loop, if it is known; also of one that runs once or not at all, or begins at
/// the number of a thread.
static std::optional<APInt> mostIterations(LoopLikeOpInterface loop) {
  auto counted = dyn_cast<scf::ForOp>(*loop);
  if (counted && !getConstantIntValue(counted.getLowerBound()))
    if (std::optional<int64_t> end = getConstantIntValue(counted.getUpperBound()),
        step = getConstantIntValue(counted.getStep());
        end && step)
      return APInt(64, std::max<int64_t>(0, llvm::divideCeilSigned(*end, *step)));
  if (counted)
    if (auto choice = counted.getUpperBound().getDefiningOp<arith::SelectOp>())
      if (std::optional<int64_t> one = getConstantIntValue(choice.getTrueValue()),
          other = getConstantIntValue(choice.getFalseValue());
          one && other && isConstantIntValue(counted.getLowerBound(), 0) && isConstantIntValue(counted.getStep(), 1))
        return APInt(64, std::max(*one, *other));
  return loop.getStaticTripCount();
}

/// One step per operand and element, more for expensive bodies; two for each product that is summed.
static int64_t workOf(linalg::LinalgOp op) {
  int64_t each = 2;
  if (op.getNumReductionLoops() == 0)
    each = std::max<int64_t>(1, op->getNumOperands() + int64_t(op.getBlock()->getOperations().size()) / kOpsOfStep);
  return times(each, product(op.getStaticLoopRanges()));
}

static int64_t workOf(Operation &op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return times(2, product(cast<MemRefType>(copy.getTarget().getType()).getShape()));
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return workOf(structured);
  // It would also run on one thread as a dispatch of its own, however often.
  if (isa<scf::WhileOp>(op))
    return workOfBodies(op);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    std::optional<APInt> trips = mostIterations(loop);
    return times(workOfBodies(op), trips && trips->isIntN(40) ? trips->getSExtValue() : kAssumedSize);
  }
  return std::max<int64_t>(1, workOfBodies(op));
}

int64_t workOfIteration(func::FuncOp function) {
  int64_t most = 0;
  for (Operation &op : function.front())
    if (isa<LoopLikeOpInterface>(op))
      most = std::max(most, workOfBodies(op));
  return most;
}

std::optional<int64_t> numOpsRun(func::FuncOp function) {
  auto isUnknown = [](LoopLikeOpInterface loop) { return WalkResult(success(mostIterations(loop).has_value())); };
  if (function.walk(isUnknown).wasInterrupted())
    return std::nullopt;
  return workOf(function.getBody());
}

std::optional<int64_t> countIterations(Block &block) {
  int64_t total = 0;
  for (Operation &op : block) {
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<APInt> trips = loop ? mostIterations(loop) : APInt(64, 1);
    if (!trips || isa<scf::WhileOp>(op) || trips->ugt(kMostIterationsOnVulkan))
      return std::nullopt;
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        auto count = countIterations(inner);
        if (!count || *count > kMostIterationsOnVulkan)
          return std::nullopt;
        total += trips->getSExtValue() * (*count + (loop ? 1 : 0));
      }
  }
  return total;
}

} // namespace dovetail
