// Divides loops over large arrays into parts, one for each workgroup of a dispatch.
#include "Division.h"
#include "Lowering.h"
#include "Masked.h"
#include "NestedParts.h"
#include "Passes.h"
#include "cpp/cost/Steps.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/dispatch/PlanDispatches.h"
#include "cpp/tensors/Target.h"
#include "dialects/Dot.h"
#include "dialects/Grid.h"
#include "dialects/HostFunction.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_DIVIDELOOPSPASS
#include "cpp/lowering/Passes.h.inc"

namespace {

/// The number of workgroups is that of a few for each thread of an ordinary machine, if the array can be divided so.
constexpr int64_t kFewestGroups = 4, kGroups = 16;
/// The workgroups of a GPU, a few for each of its processors.
constexpr int64_t kGroupsOfGpu = 512;
/// How many steps of its own a workgroup takes for each that others take, too, and for each element that others read. A
/// product of few rows is bound by reading the other matrix.
constexpr int64_t kStepsOfRepeated = 3, kUsesOfRead = 16;
/// A kernel of fewer steps is run by one thread; one that cannot be divided, also if it has more.
constexpr int64_t kFewestToDivide = int64_t(1) << 16, kMostOfThread = int64_t(1) << 20;

/// The elements of a part of a masked loop: few, so that a part ends early, and its carries stay in the nearest cache;
/// and enough for vectors.
constexpr int64_t kLeastMasked = 256;
/// Masked loops with fewer steps in an iteration are not worth the trouble.
constexpr int64_t kFewStepsOfMasked = int64_t(1) << 14;
/// A workgroup of a GPU runs loops with fewer steps in an iteration as fast as several.
constexpr int64_t kFewStepsOfGpu = int64_t(1) << 12;

/// The values that a loop carries or stacks, with dimensions along which it may be divided, large arrays first.
SmallVector<std::pair<Value, int64_t>> seedsOf(Operation *loop, int64_t fewest) {
  SmallVector<Value> results(loop->getResults());
  auto elementsOf = [](Value value) {
    auto array = dyn_cast<RankedTensorType>(value.getType());
    return array && array.hasStaticShape() ? array.getNumElements() : 0;
  };
  llvm::stable_sort(results, [&](Value a, Value b) { return elementsOf(a) > elementsOf(b); });
  SmallVector<std::pair<Value, int64_t>> seeds;
  for (Value result : results)
    if (elementsOf(result) > 0 && !result.use_empty())
      for (auto [d, size] : llvm::enumerate(cast<RankedTensorType>(result.getType()).getShape()))
        if (size >= fewest)
          seeds.push_back({result, d});
  return seeds;
}

/// The number of workgroups, about `wanted`, each of which runs at most `most` steps of an iteration of `steps`; 0 if
/// there is none.
int64_t numGroupsFor(int64_t extent, int64_t fewest, int64_t wanted, int64_t steps, int64_t most) {
  int64_t best = 0;
  // The smallest one from `wanted` on, otherwise the largest.
  auto isBetter = [&](int64_t n) { return n >= wanted ? best < wanted || n < best : best < wanted && n > best; };
  for (int64_t divisor = 1; divisor * divisor <= extent; ++divisor)
    if (extent % divisor == 0)
      for (int64_t n : {divisor, extent / divisor})
        if (n >= fewest && steps / n <= most && isBetter(n))
          best = n;
  return best;
}

/// The same for a masked loop, whose results have `elements` each.
int64_t numMaskedGroupsFor(int64_t extent, int64_t elements) {
  int64_t most = std::min(extent, elements / kLeastMasked);
  while (most > 1 && extent % most != 0)
    --most;
  return most > 1 ? most : 0;
}

/// What each workgroup repeats in an iteration: the steps of ops on what is not divided, and elements that it reads of
/// it.
class Repeated {
public:
  Repeated(Operation *loop, const Division &division) : terms(division.numTermElements()) {
    auto isDivided = [&](Value value) { return division.dimOf(value) >= 0; };
    loop->walk([&](Operation *op) {
      if (op == loop || op->getNumRegions() > 0 || op->hasTrait<OpTrait::IsTerminator>() ||
          op->hasTrait<OpTrait::ConstantLike>())
        return;
      if (division.isWhole(op) ||
          (llvm::none_of(op->getResults(), isDivided) && llvm::none_of(op->getOperands(), isDivided))) {
        steps = plus(steps, stepsOf(op));
        return;
      }
      for (Value operand : op->getOperands())
        if (auto array = dyn_cast<RankedTensorType>(operand.getType()); array && !isDivided(operand))
          reads.push_back({product(array.getShape()), stepsOf(op)});
    });
  }

  /// Whether that is little beside the steps of the part of one of so many workgroups.
  bool isLittleOf(int64_t all, int64_t numGroups) const {
    int64_t elements = terms;
    // What takes fewer steps than an array has elements, such as a gather, reads what other workgroups do not.
    for (auto [size, stepsOfOp] : reads)
      if (size <= stepsOfOp / numGroups)
        elements = plus(elements, size);
    return steps <= all / numGroups / kStepsOfRepeated && elements <= all / numGroups / kUsesOfRead;
  }

private:
  int64_t steps = 0, terms;
  /// The elements of an array, and the steps of the op that reads it.
  SmallVector<std::pair<int64_t, int64_t>> reads;
};

/// Whether the code generator makes one dispatch of the ops of a kernel: elementwise ones, and at most one that
/// reduces.
bool isOneFusion(Operation *kernel) {
  int64_t numReductions = 0;
  for (Region &region : kernel->getRegions())
    for (Operation &op : region.front().without_terminator()) {
      if (op.hasTrait<OpTrait::ConstantLike>())
        continue;
      std::optional<FactorMap> map = factorMap(&op);
      if (!map || op.getNumRegions() > 0)
        return false;
      numReductions += map->reduced.empty() ? 0 : 1;
      bool isWhole = map->indivisible.empty() && map->selected.empty() &&
                     llvm::none_of(map->results, [](auto &dims) { return llvm::is_contained(dims, FactorMap::kNone); });
      if (!isWhole || numReductions > 1)
        return false;
    }
  return true;
}

/// Whether the loop over parts is lowered to one dispatch.
bool isOneDispatch(Operation *parts) {
  auto program = parts->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> trial = ModuleOp::create(parts->getLoc());
  trial->getOperation()->setAttrs(program->getAttrs());
  OpBuilder b = OpBuilder::atBlockEnd(trial->getBody());
  auto main = func::FuncOp::create(b, parts->getLoc(), "main",
                                   b.getFunctionType(parts->getOperandTypes(), parts->getResultTypes()));
  b.setInsertionPointToStart(main.addEntryBlock());
  IRMapping values;
  values.map(parts->getOperands(), main.getArguments());
  Operation *clone = b.clone(*parts, values);
  func::ReturnOp::create(b, parts->getLoc(), clone->getResults());
  ScopedDiagnosticHandler quiet(parts->getContext(), [](Diagnostic &) { return success(); });
  if (failed(lowerFunction(main)))
    return false;
  return !main.walk([](scf::ForOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

struct DivideLoopsPass : impl::DivideLoopsPassBase<DivideLoopsPass> {
  using DivideLoopsPassBase::DivideLoopsPassBase;

  void runOnOperation() override {
    Target target(getOperation());
    isGpu = target.isGpu();
    SmallVector<Operation *> kernels;
    getOperation().walk([&](Operation *op) {
      if (op->hasAttr(kKernel) && !op->hasAttr(kWorkgroups))
        kernels.push_back(op);
    });
    llvm::for_each(kernels, [&](Operation *op) { decide(op); });
    if (target.name.empty() || getOperation()->hasAttr(kHostLoops))
      return;
    dividesAll = getOperation()->hasAttr(kDivideLoops);
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      divideIn(function.front());
  }

private:
  /// Makes one dispatch of a kernel, in the first of its forms for which that is possible; otherwise plain ops.
  void decide(Operation *op) {
    if (op->getNumRegions() == 1) {
      if (!keepKernel(op, /*mayBeLong=*/true))
        unwrapKernel(op);
      return;
    }
    for (bool mayBeLong : {false, true})
      for (unsigned number = 0; number < op->getNumRegions(); ++number) {
        Operation *previous = op->getPrevNode(), *form = formOf(op, number);
        op->replaceAllUsesWith(form->getResults());
        if (keepKernel(form, mayBeLong)) {
          op->erase();
          return;
        }
        // Their shapes may have changed.
        for (auto [from, to] : llvm::zip_equal(form->getResults(), op->getResults()))
          shapedAs(from, to.getType()).replaceAllUsesWith(to);
        eraseBetween(previous, op);
      }
    unwrapKernel(op);
  }

  /// A value, or the only one of that type that is another shape of it.
  static Value shapedAs(Value value, Type type) {
    return value.getType() == type || value.use_empty() ? value : value.user_begin()->getResult(0);
  }

  /// Makes one dispatch of a kernel: of workgroups, or of one that takes little time, or, if it may be, longer.
  bool keepKernel(Operation *op, bool mayBeLong) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    int64_t steps = stepsOf(op);
    if (Target(getOperation()).name.empty() || getOperation()->hasAttr(kHostLoops) || !isMemoryEffectFree(op) ||
        isInLoop(op))
      return false;
    // Tiles of products and sums are the code generator's.
    if (isGpu && isOneFusion(op))
      return false;
    // Parts of transposed arrays would be copies.
    absorbTranspositions(op);
    moveReshapesOut(op);
    if (steps <= kFewestToDivide)
      return isForOneDispatch(op, b);
    // A product of few rows takes more time for each.
    auto threads = getOperation()->getAttrOfType<IntegerAttr>(kThreads);
    int64_t wanted = isGpu ? kGroupsOfGpu : threads ? std::max(kFewestGroups, 2 * threads.getInt()) : kGroups;
    if (loopOverEntries(opsOf(op->getRegion(0))))
      return keepLoopOverEntries(op, wanted);
    Division division(op);
    Operation *previous = op->getPrevNode();
    if (Operation *parts = divideKernel(op, division, kFewestGroups, wanted)) {
      parts->setAttr(kKernel, b.getUnitAttr());
      if (isOneDispatch(parts)) {
        division.replace(parts);
        return true;
      }
      eraseBetween(previous, op);
    }
    return keepBatch(op, wanted) || (mayBeLong && steps <= kMostOfThread && isForOneDispatch(op, b));
  }

  /// Emits a loop over the parts of a kernel, at least `fewest`, and sets the division that it is made by; null if
  /// there is none.
  static Operation *divideKernel(Operation *op, Division &division, int64_t fewest, int64_t wanted) {
    int64_t steps = stepsOf(op), numGroups = 0;
    auto find = [&](Value seed, int64_t dim, bool mayAdd) {
      division = Division(op, mayAdd);
      if (!division.find(seed, dim) || !division.isByLeadingDims())
        return false;
      // Fewer groups repeat less.
      Repeated repeated(op, division);
      for (int64_t most = wanted; most >= fewest; most /= 2) {
        numGroups = numGroupsFor(division.extent(), fewest, most, steps, kMostSteps);
        if (numGroups == 0 || repeated.isLittleOf(steps, numGroups))
          break;
      }
      return numGroups > 0 && repeated.isLittleOf(steps, numGroups);
    };
    auto seeds = seedsOf(op, fewest);
    for (auto [seed, dim] : seeds)
      if (find(seed, dim, /*mayAdd=*/false))
        return division.emit(numGroups);
    // The one with the fewest terms.
    std::optional<std::pair<Value, int64_t>> best;
    int64_t fewestTerms = 0;
    for (auto [seed, dim] : seeds)
      if (find(seed, dim, /*mayAdd=*/true))
        if (int64_t terms = division.numTermElements(); !best || terms < fewestTerms) {
          best = {seed, dim};
          fewestTerms = terms;
        }
    if (!best)
      return nullptr;
    find(best->first, best->second, /*mayAdd=*/true);
    return division.emit(numGroups);
  }

  /// Erases what comes between two ops, which nothing uses.
  static void eraseBetween(Operation *previous, Operation *op) {
    while (op->getPrevNode() != previous)
      op->getPrevNode()->erase();
  }

  /// Makes one dispatch of a kernel on a batch of parts of its entries, or of these.
  static bool keepBatch(Operation *op, int64_t wanted) {
    for (auto [seed, dim] : seedsOf(op, 2)) {
      Division division(op);
      int64_t numEntries = cast<RankedTensorType>(seed.getType()).getDimSize(dim);
      if (dim > 0 || !division.find(seed, dim) || division.extent() != numEntries || !division.isByLeadingDims())
        continue;
      if (division.hasWhole() && !Repeated(op, division).isLittleOf(stepsOf(op), numEntries))
        continue;
      Operation *previous = op->getPrevNode();
      auto entries = cast<ScanOp>(division.emit(numEntries));
      auto replaceBy = [&](ValueRange stacked) {
        division.replace(stacked);
        if (entries->use_empty())
          entries->erase();
      };
      if (keepEntries(op, entries, wanted, replaceBy))
        return true;
      eraseBetween(previous, op);
      return false;
    }
    return false;
  }

  /// The first loop over the entries of a batch among some ops.
  template <typename Ops>
  static ScanOp loopOverEntries(Ops &&ops) {
    for (Operation &op : ops)
      if (op.hasAttr(kEntries))
        return cast<ScanOp>(op);
    return nullptr;
  }

  /// Makes one dispatch of a kernel that is a loop over the entries of a batch, or of several.
  static bool keepLoopOverEntries(Operation *op, int64_t wanted) {
    Operation *previous = op->getPrevNode();
    OpBuilder builder(op);
    auto kernel = cast<CaseOp>(op);
    SmallVector<Value> values = inlineBody(builder, kernel.getBranches()[0], kernel.getArgs());
    ScanOp entries = loopOverEntries(
        llvm::make_range(previous ? std::next(previous->getIterator()) : op->getBlock()->begin(), op->getIterator()));
    auto replaceBy = [&](ValueRange stacked) {
      if (stacked == ValueRange(entries->getResults()))
        return;
      for (auto [result, by] : llvm::zip_equal(entries->getResults(), stacked))
        llvm::replace(values, Value(result), by);
      entries->replaceAllUsesWith(stacked);
      entries->erase();
    };
    auto isDone = [&] {
      if (!entries)
        return false;
      while (ScanOp inner = loopOverEntries(opsOf(entries.getBody()))) {
        SmallVector<Value> flat = flattenLoops(entries, inner);
        if (flat.empty())
          return false;
        replaceBy(flat);
        entries = cast<ScanOp>(loopOf(shapedFrom(flat.front())));
      }
      return keepEntries(op, entries, wanted, [&](ValueRange stacked) {
        replaceBy(stacked);
        op->replaceAllUsesWith(values);
        op->erase();
      });
    };
    if (isDone())
      return true;
    eraseBetween(previous, op);
    return false;
  }

  /// The loop over parts of which a value is made.
  static Operation *loopOf(Value value) {
    Operation *loop = value.getDefiningOp();
    while (!loop->hasAttr(kWorkgroups))
      loop = loop->getPrevNode();
    return loop;
  }

  /// Makes one dispatch of a loop over the entries of a batch of a kernel, and calls `replace` with the values that
  /// take the place of its results.
  static bool keepEntries(Operation *op, ScanOp entries, int64_t wanted, function_ref<void(ValueRange)> replace) {
    int64_t numEntries = entries.getLength(), stepsOfEntry = stepsOf(entries) / numEntries;
    auto keep = [&](Operation *loop, ValueRange results) {
      loop->setAttr(kWorkgroups, UnitAttr::get(op->getContext()));
      loop->setAttr(kKernel, UnitAttr::get(op->getContext()));
      if (!isOneDispatch(loop))
        return false;
      replace(results);
      return true;
    };
    // Several entries are a workgroup.
    if (stepsOfEntry <= kFewestToDivide)
      if (int64_t numGroups = numGroupsFor(numEntries, 2, wanted, stepsOf(entries), kMostSteps); numGroups > 0)
        if (numGroups < numEntries) {
          SmallVector<Value> results = groupIterations(entries, numGroups);
          return keep(loopOf(results.front()), results);
        }
    Operation *entry = wrapBody(entries);
    moveReshapesOut(entry);
    Division ofEntry(entry);
    // Parts of many entries need less memory than these.
    int64_t fewest = std::max<int64_t>(llvm::divideCeil(kFewestGroups, numEntries), 2);
    Operation *parts = divideKernel(entry, ofEntry, fewest,
                                    numEntries < kFewestGroups ? llvm::divideCeil(wanted, numEntries) : wanted);
    if (!parts) {
      // Each entry is a workgroup.
      unwrapKernel(entry);
      return stepsOfEntry <= kMostOfThread && keep(entries, entries->getResults());
    }
    ofEntry.replace(parts);
    SmallVector<Value> flat = flattenLoops(entries, cast<ScanOp>(parts));
    // The loop comes before what adds its results.
    return !flat.empty() && keep(loopOf(flat.front()), flat);
  }

  static bool isInLoop(Operation *op) { return !isa<func::FuncOp>(op->getParentOp()); }

  /// Also loops within others, if these stay.
  void divideIn(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!isa<FlowOpInterface>(op) || op.hasAttr(kWorkgroups))
        continue;
      if (isa<ScanOp, WhileOp>(op)) {
        ImplicitLocOpBuilder b(op.getLoc(), &op);
        if (!dividesAll && isForOneDispatch(&op, b) && !isWorthPartsOfItsOwn(&op))
          continue;
        // The ops around it that are divided, too, may be next.
        if (divide(&op)) {
          divideIn(block);
          return;
        }
      }
      for (Region &region : op.getRegions())
        divideIn(region.front());
    }
  }

  static bool isMasked(Operation *loop) {
    auto whileOp = dyn_cast<WhileOp>(loop);
    return whileOp && anyOfMasked(whileOp);
  }

  static int64_t stepsOfIteration(Operation *loop) { return stepsOf(loop) / std::max<int64_t>(iterationsOf(loop), 1); }

  /// Whether parts of the loop take less time than one dispatch of all: on a GPU, which has many more threads than one
  /// workgroup, or because each runs as long as it has to.
  bool isWorthPartsOfItsOwn(Operation *loop) const {
    int64_t steps = stepsOfIteration(loop);
    return isGpu ? steps >= kFewStepsOfGpu : isMasked(loop) && steps >= kFewStepsOfMasked;
  }

  bool divide(Operation *loop) {
    if (tried.contains(loop) || !isMemoryEffectFree(loop))
      return false;
    tried.insert(loop);
    int64_t steps = stepsOfIteration(loop);
    for (auto [seed, dim] : seedsOf(loop, dividesAll ? 2 : kFewestGroups)) {
      Division division(loop);
      if (!division.find(seed, dim))
        continue;
      // The code of a part has copies that the estimate does not know.
      int64_t numGroups = 0, wanted = isGpu ? kGroupsOfGpu : kGroups;
      if (isMasked(loop) && !dividesAll && !isGpu)
        numGroups = numMaskedGroupsFor(division.extent(), cast<RankedTensorType>(seed.getType()).getNumElements());
      else
        numGroups =
            numGroupsFor(division.extent(), dividesAll ? 2 : kFewestGroups, wanted, steps, kMostStepsOfPart / 2);
      if (numGroups == 0 || (!dividesAll && !Repeated(loop, division).isLittleOf(steps, numGroups)))
        continue;
      division.grow();
      Operation *parts = division.emit(numGroups);
      if (isOneDispatch(parts)) {
        division.replace(parts);
        return true;
      }
      // What was emitted before it is dead.
      parts->erase();
      return false;
    }
    return false;
  }

  bool dividesAll = false, isGpu = false;
  DenseSet<Operation *> tried;
};

} // namespace

} // namespace dovetail
