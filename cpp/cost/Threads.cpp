// Weighs the work that threads share against what it takes to hand it to them.
#include "Threads.h"
#include "Cost.h"
#include "Library.h"
#include "Steps.h"
#include "dialects/Control.h"
#include "dialects/Dialect.h"
#include "dialects/Grid.h"
#include <chrono>
#include <numeric>

using namespace mlir;

namespace dovetail {
namespace {

// Rates of one thread with vectors of 256 to 512 bits. Whether a program is large is a matter of magnitudes: they need
// not be those of the machine.
constexpr double kSecondsOfFlop = 4e-11, kSecondsOfProduct = 1e-11, kSecondsOfFunction = 3e-10;
/// What reading or writing a byte takes at least and at most: which of it, is measured.
constexpr double kLeastSecondsOfByte = 8e-12, kMostSecondsOfByte = 2.5e-11;
/// A dispatch that threads share ends when the last of them wakes up and is done.
constexpr double kSecondsOfDispatch = 1.2e-5, kSecondsOfShortDispatch = 1.5e-6;
/// A call that goes to threads, even if they have nothing to share; and an iteration of a loop, whose dispatches the
/// host starts.
constexpr double kSecondsOfCall = 1.5e-5, kSecondsOfIteration = 2e-5;

/// What it takes one thread to read a byte of an array that the nearest cache does not hold. Processors differ by more
/// than a factor of two; where one thread reads fast, fewer programs are worth several. Measured once, in a fraction of
/// a millisecond.
double secondsOfByte() {
  static const double seconds = [] {
    constexpr size_t size = size_t(1) << 18, lanes = 16;
    using Clock = std::chrono::steady_clock;
    std::vector<uint64_t> array(size, 1);
    double best = kMostSecondsOfByte;
    for (int turn = 0; turn < 4; ++turn) {
      auto start = Clock::now();
      std::array<uint64_t, lanes> sums = {};
      for (size_t i = 0; i < size; i += lanes)
        for (size_t lane = 0; lane < lanes; ++lane)
          sums[lane] += array[i + lane];
      // The sum is used, so that it is computed.
      bool isRead = std::accumulate(sums.begin(), sums.end(), uint64_t(0)) == size;
      double taken = std::chrono::duration<double>(Clock::now() - start).count() / (size * sizeof(uint64_t));
      if (isRead)
        best = std::min(best, taken);
    }
    return std::max(best, kLeastSecondsOfByte);
  }();
  return seconds;
}

/// How many words of 32 bits an element takes: vectors hold that many fewer.
double widthOf(Operation *op) {
  return op->getNumResults() == 0 ? 1 : bytesOf(getElementTypeOrSelf(op->getResult(0))) / 4;
}

/// Threads take half of the time, but a dispatch that is short waits for those that wake up.
double saved(double seconds, double dispatches) {
  return std::max(seconds / 2 - dispatches * kSecondsOfDispatch, -dispatches * kSecondsOfShortDispatch);
}

bool reduces(Operation *op) {
  std::optional<FactorMap> map = factorMap(op);
  return map && !map->reduced.empty();
}

/// Whether an op is expected to be part of the loops that read its result.
bool isFused(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  return isa<PointwiseOpInterface>(op) || (!isa<CostOpInterface>(op) && factorMap(op) && !reduces(op));
}

/// The bytes that loops of fused ops read and write in one run of a body. Other ops count theirs themselves; those of a
/// library are not counted.
double bytesOfFused(Region &body, const SmallPtrSetImpl<Operation *> &ofLibrary) {
  double bytes = 0;
  for (Value argument : body.getArguments())
    if (llvm::any_of(argument.getUsers(), [&](Operation *user) { return !reduces(user) && !ofLibrary.contains(user); }))
      bytes += bytesOf(argument);
  for (Value result : body.front().getTerminator()->getOperands())
    if (Operation *op = result.getDefiningOp(); op && isFused(op))
      bytes += bytesOf(result);
  return bytes;
}

/// The seconds of one thread for an op, apart from those for its bytes.
double secondsOf(Operation *op, const Cost &cost, bool isReduction) {
  double flop = isReduction && op->getNumOperands() > 1 ? kSecondsOfProduct : kSecondsOfFlop;
  return widthOf(op) * (cost.flops * flop + cost.transcendentals * kSecondsOfFunction);
}

/// The number of iterations of a loop where it is known.
int64_t lengthOf(Operation *op) {
  auto scan = dyn_cast<ScanOp>(op);
  return scan ? int64_t(scan.getLength()) : 1;
}

/// Those for all ops of a kernel, which is one dispatch.
double secondsOfAll(Region &body) {
  double seconds = 0;
  for (Operation &op : opsOf(body)) {
    for (Region &region : op.getRegions())
      seconds += std::max<int64_t>(lengthOf(&op), 1) * secondsOfAll(region);
    if (op.getNumRegions() != 0)
      continue;
    seconds += secondsOf(&op, costOf(&op), reduces(&op));
  }
  return seconds;
}

/// The bytes of an op's operands and results.
double bytesAround(Operation &op) {
  double bytes = 0;
  for (Value value : op.getOperands())
    bytes += bytesOf(value);
  for (Value value : op.getResults())
    bytes += bytesOf(value);
  return bytes;
}

/// The ops that a library computes: its threads take part also in a program that runs on the thread that calls it.
SmallPtrSet<Operation *, 8> opsOfLibrary(Region &body) {
  SmallPtrSet<Operation *, 8> ops;
  for (Operation &op : opsOf(body)) {
    if (isProductForLibrary(&op))
      ops.insert(&op);
    if (transposeForLibrary(&op)) {
      Operation *maker = op.getOperand(0).getDefiningOp();
      if (!maker || !isFused(maker))
        ops.insert(&op);
      continue;
    }
    std::optional<ColumnReduction> reduction = columnReductionOf(&op);
    if (!reduction || !columnsForLibrary(cast<RankedTensorType>(reduction->array.getType()), reduction->dims))
      continue;
    Operation *maker = reduction->array.getDefiningOp();
    if (maker && isFused(maker))
      continue;
    ops.insert(&op);
    for (Operation *before = op.getOperand(0).getDefiningOp(); before != maker && before->hasOneUse();
         before = before->getOperand(0).getDefiningOp())
      ops.insert(before);
  }
  return ops;
}

/// What threads save in one run of a body.
double savedIn(Region &body) {
  SmallPtrSet<Operation *, 8> shared = opsOfLibrary(body);
  double all = 0, others = 0, fused = bytesOfFused(body, shared) * secondsOfByte();
  for (Operation &op : opsOf(body)) {
    if (op.hasAttr(kKernel)) {
      all += saved(secondsOfAll(op.getRegion(0)) + bytesAround(op) * secondsOfByte(), 1);
      continue;
    }
    // Its parts are the workgroups of one dispatch.
    if (op.hasAttr(kMasked)) {
      double ofStep = 0;
      for (Region &region : op.getRegions())
        ofStep += secondsOfAll(region);
      all += saved(iterationsOf(&op) * ofStep + bytesAround(op) * secondsOfByte(), 1);
      continue;
    }
    if (op.getNumRegions() != 0) {
      for (Region &region : op.getRegions())
        all += iterationsOf(&op) * (savedIn(region) - kSecondsOfIteration);
      continue;
    }
    if (shared.contains(&op))
      continue;
    Cost cost = costOf(&op);
    bool isReduction = reduces(&op);
    double seconds = secondsOf(&op, cost, isReduction);
    if (isFused(&op)) {
      fused += seconds;
      continue;
    }
    // Sums and products wait for their operands, or compute.
    double moved = cost.bytes * secondsOfByte();
    bool isSum = isReduction && (op.getNumOperands() > 1 || isa<LinearOpInterface>(op));
    seconds = isSum ? std::max(seconds, moved) : seconds + moved;
    if (seconds == 0)
      continue;
    all += saved(seconds, 1);
    ++others;
  }
  return all + saved(fused, (others + 1) / 4);
}

} // namespace

double savedByThreads(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return 0;
  return savedIn(main.getBody()) - kSecondsOfCall;
}

double savedByLibrary(Operation *loop) {
  double seconds = 0;
  for (Region &body : loop->getRegions())
    for (Operation &op : opsOf(body))
      if (isProductForLibrary(&op)) {
        Cost cost = costOf(&op);
        seconds += std::max(secondsOf(&op, cost, /*isReduction=*/true), cost.bytes * secondsOfByte());
      }
  return seconds / 2 - kSecondsOfIteration;
}

} // namespace dovetail
