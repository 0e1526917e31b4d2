// Weighs the work that threads share against what it takes to hand it to them.
#include "Threads.h"
#include "Cost.h"
#include "Steps.h"
#include "dialects/Control.h"
#include "dialects/Dialect.h"
#include "dialects/Grid.h"

using namespace mlir;

namespace dovetail {
namespace {

// Rates of one thread with vectors of 256 to 512 bits, in cache. Whether a program is large is a matter of magnitudes:
// they need not be those of the machine.
constexpr double kSecondsOfFlop = 4e-11, kSecondsOfProduct = 1e-11, kSecondsOfFunction = 3e-10,
                 kSecondsOfByte = 2.5e-11;
/// A dispatch that threads share ends when the last of them wakes up and is done.
constexpr double kSecondsOfDispatch = 1.2e-5, kSecondsOfShortDispatch = 1.5e-6;
/// A call that goes to threads, even if they have nothing to share.
constexpr double kSecondsOfCall = 1.5e-5;

/// How many words of 32 bits an element takes: vectors hold that many fewer.
double widthOf(Operation *op) {
  return op->getNumResults() == 0 ? 1 : bytesOf(getElementTypeOrSelf(op->getResult(0))) / 4;
}

/// Threads take half of the time, but a dispatch that is short waits for those that wake up.
double saved(double seconds, double dispatches) {
  return std::max(seconds / 2 - dispatches * kSecondsOfDispatch, -dispatches * kSecondsOfShortDispatch);
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
    std::optional<FactorMap> map = factorMap(&op);
    seconds += secondsOf(&op, costOf(&op), map && !map->reduced.empty());
  }
  return seconds;
}

/// What threads save in one run of a body, where `fused` is the time of what is fused with its ops.
double savedIn(Region &body, double fused) {
  double all = 0, others = 0;
  for (Operation &op : opsOf(body)) {
    if (op.hasAttr(kKernel)) {
      double bytes = 0;
      for (Value value : op.getOperands())
        bytes += bytesOf(value);
      for (Value value : op.getResults())
        bytes += bytesOf(value);
      all += saved(secondsOfAll(op.getRegion(0)) + bytes * kSecondsOfByte, 1);
      continue;
    }
    if (op.getNumRegions() != 0) {
      for (Region &region : op.getRegions())
        all += iterationsOf(&op) * savedIn(region, 0);
      continue;
    }
    Cost cost = costOf(&op);
    std::optional<FactorMap> map = factorMap(&op);
    bool isReduction = map && !map->reduced.empty();
    double seconds = secondsOf(&op, cost, isReduction);
    if (isa<PointwiseOpInterface>(op) || (!isa<CostOpInterface>(op) && map && !isReduction)) {
      fused += seconds;
      continue;
    }
    seconds += cost.bytes * kSecondsOfByte;
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
  double bytes = 0;
  for (Value argument : main.getArguments())
    bytes += bytesOf(argument);
  for (Value result : main.front().getTerminator()->getOperands())
    bytes += bytesOf(result);
  return savedIn(main.getBody(), bytes * kSecondsOfByte) - kSecondsOfCall;
}

} // namespace dovetail
