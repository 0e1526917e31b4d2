// Lowers structured ops on buffers to loops that the threads of a workgroup share.
#include "SharedLoops.h"
#include "ElementLoops.h"
#include "GpuThreads.h"
#include "cpp/cost/Steps.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The threads of a warp, and of the largest workgroup: every Vulkan device has as many as the latter.
constexpr int64_t kWarp = 32, kMostThreads = 256, kMostThreadsOfSpirv = 128;
/// Ops of fewer elements take one thread less time than threads take to wait for each other.
constexpr int64_t kFewElements = 8;
/// Sums of at least so many elements that are next to each other are shared among the threads of a warp, which then
/// read them together.
constexpr int64_t kLongSum = 256;

/// The iterations of the loops of one kind, or of all.
int64_t stepsOfLoops(linalg::LinalgOp op, std::optional<utils::IteratorType> kind) {
  SmallVector<int64_t> extents;
  for (auto [size, each] : llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (!kind || each == kind)
      extents.push_back(size);
  return product(extents);
}

/// The largest power of two that is at most `n`.
int64_t floorOfPowers(int64_t n) { return n < 1 ? 1 : int64_t(llvm::bit_floor(uint64_t(n))); }

/// The threads that share ops, and memory for one number of each of them.
struct Workgroup {
  func::FuncOp function;
  const Target &target;
  int64_t numThreads;
  Value thread;
  DenseMap<Type, SmallVector<Value>> memories = DenseMap<Type, SmallVector<Value>>();

  /// Memory other than that which is `used`.
  Value memory(Type element, ArrayRef<Value> used) {
    SmallVector<Value> &known = memories[element];
    for (Value each : known)
      if (!llvm::is_contained(used, each))
        return each;
    ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockBegin(function.getLoc(), &function.front());
    auto type =
        MemRefType::get(numThreads, element, MemRefLayoutAttrInterface(), workgroupMemory(function.getContext()));
    return known.emplace_back(memref::AllocOp::create(b, type));
  }
};

/// An op whose elements the threads of a workgroup share.
class SharedNest : public ElementLoops {
public:
  SharedNest(RewriterBase &rewriter, linalg::LinalgOp op, Workgroup &group)
      : ElementLoops(rewriter, op), group(group), thread(group.thread), numThreads(group.numThreads) {
    // That along which most operands are contiguous; results count more.
    inner = bestLoop([&](OpOperand &operand, Access kind) -> int64_t {
      return kind != Access::Contiguous ? 0 : op.isDpsInit(&operand) ? 2 : 1;
    });
    for (auto [d, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      (kind == utils::IteratorType::parallel ? points : sums).push_back(d);
    // Threads next to each other access elements next to each other.
    for (auto *dims : {&points, &sums})
      if (auto *place = llvm::find(*dims, inner); place != dims->end())
        std::rotate(place, place + 1, dims->end());
    numLanes = chooseLanes();
  }

  void run() {
    Value count = extentOf(points);
    if (numLanes > 1)
      return runLanes(count);
    loop(thread, count, index(numThreads), {}, [&](Value point, ValueRange) {
      runPoint(point);
      return SmallVector<Value>();
    });
  }

private:
  Value extentOf(ArrayRef<int64_t> dims) {
    Value all = index(1);
    for (int64_t d : dims)
      all = b.createOrFold<arith::MulIOp>(all, sizeOf(d));
    return all;
  }

  bool isKept(OpOperand &init) override {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return !sums.empty() && llvm::none_of(sums, [&](int64_t d) { return map.isFunctionOfDim(d); });
  }

  /// The threads that compute one point together: a power of two.
  int64_t chooseLanes() {
    if (sums.empty() || llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic))
      return 1;
    for (OpOperand &init : op.getDpsInitsMutable())
      if (!isKept(init) || !getElementTypeOrSelf(init.get()).isIntOrFloat() ||
          !combiner(init.getOperandNumber() - op.getNumDpsInputs()))
        return 1;
    int64_t numPoints = stepsOfLoops(op, utils::IteratorType::parallel),
            numAdded = stepsOfLoops(op, utils::IteratorType::reduction);
    bool isAlongSum = llvm::is_contained(sums, inner);
    // A thread that adds few elements would wait longer than that.
    int64_t lanes = numThreads / std::min(numThreads, numPoints);
    if (isAlongSum && numAdded >= kLongSum)
      lanes = std::max(lanes, kWarp);
    return floorOfPowers(std::min({lanes, numAdded / kFewElements, numThreads}));
  }

  /// Sets the counters of `dims` to those of the point of that number.
  void unfold(ArrayRef<int64_t> dims, Value number) {
    for (auto [i, d] : llvm::enumerate(llvm::reverse(dims))) {
      if (i + 1 == dims.size()) {
        ivs[d] = number;
        return;
      }
      Value size = sizeOf(d);
      ivs[d] = b.createOrFold<arith::RemUIOp>(number, size);
      number = b.createOrFold<arith::DivUIOp>(number, size);
    }
  }

  void runPoint(Value point) {
    unfold(points, point);
    SmallVector<Value> kept;
    for (OpOperand &init : op.getDpsInitsMutable())
      if (isKept(init))
        kept.push_back(load(init));
    storeKept(addAll(sums, kept));
  }

  void storeKept(ValueRange kept) {
    for (OpOperand &init : op.getDpsInitsMutable())
      if (isKept(init)) {
        store(kept.front(), init);
        kept = kept.drop_front();
      }
  }

  /// Loops over the sums.
  SmallVector<Value> addAll(ArrayRef<int64_t> dims, ValueRange kept) {
    if (dims.empty())
      return element(kept);
    return loop(index(0), sizeOf(dims.front()), index(1), kept, [&](Value iv, ValueRange carried) {
      ivs[dims.front()] = iv;
      return addAll(dims.drop_front(), carried);
    });
  }

  //===- Points that threads share -------------------------------------------------===//

  /// Each of `numLanes` threads adds every so many-th element of a point; then half of them add the others' sums to
  /// theirs, and so on. All threads of the workgroup take part in each step, since they wait for each other.
  void runLanes(Value count) {
    SmallVector<Value> memory;
    for (Value init : op.getDpsInits())
      memory.push_back(group.memory(getElementTypeOrSelf(init.getType()), memory));
    int64_t atOnce = numThreads / numLanes;
    Value lane = arith::RemUIOp::create(b, thread, index(numLanes)),
          first = arith::DivUIOp::create(b, thread, index(numLanes));
    loop(index(0), count, index(atOnce), {}, [&](Value begin, ValueRange) {
      Value point = arith::AddIOp::create(b, begin, first);
      Value isPoint = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, point, count);
      // Threads without a point of their own compute the last one, too.
      unfold(points, arith::SelectOp::create(b, isPoint, point, arith::SubIOp::create(b, count, index(1))));
      SmallVector<Value> partial;
      for (size_t i = 0; i < memory.size(); ++i)
        partial.push_back(arith::ConstantOp::create(b, *arith::getNeutralElement(combiner(i))));
      Value all = extentOf(sums);
      partial = loop(lane, all, index(numLanes), partial, [&](Value number, ValueRange carried) {
        unfold(sums, number);
        return element(carried);
      });
      for (auto [each, value] : llvm::zip_equal(memory, partial))
        memref::StoreOp::create(b, value, each, thread);
      waitForThreads(b, group.target);
      for (int64_t half = numLanes / 2; half > 0; half /= 2) {
        Value isAdding = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, lane, index(half));
        only(isAdding, [&] {
          Value other = arith::AddIOp::create(b, thread, index(half));
          for (auto [i, each] : llvm::enumerate(memory)) {
            Value sum = combined(i, memref::LoadOp::create(b, each, thread), memref::LoadOp::create(b, each, other));
            memref::StoreOp::create(b, sum, each, thread);
          }
        });
        waitForThreads(b, group.target);
      }
      Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, index(0));
      only(arith::AndIOp::create(b, isPoint, isFirst), [&] {
        SmallVector<Value> totals;
        for (auto [i, each] : llvm::enumerate(memory))
          totals.push_back(combined(i, load(*op.getDpsInitOperand(i)), memref::LoadOp::create(b, each, thread)));
        storeKept(totals);
      });
      waitForThreads(b, group.target);
      return SmallVector<Value>();
    });
  }

  void only(Value condition, function_ref<void()> body) {
    auto branch = scf::IfOp::create(b, condition);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  Value combined(unsigned result, Value x, Value y) {
    Operation *combine = combiner(result);
    Value accumulator = op.getRegionOutputArgs()[result];
    Operation *made = b.clone(*combine);
    bool isLeft = combine->getOperand(0) == accumulator;
    made->setOperands(isLeft ? ValueRange{x, y} : ValueRange{y, x});
    return made->getResult(0);
  }

  Workgroup &group;
  Value thread;
  int64_t numThreads, numLanes = 1;
  /// The parallel loops and the others, the one along which memory is contiguous last.
  SmallVector<int64_t> points, sums;
};

/// Lets threads wait where one may read or write what another writes or reads.
class Waits {
public:
  explicit Waits(const Target &target) : target(target) {}

  /// Returns whether all threads have waited after the last access. `hasWaited` says so at the beginning.
  bool inBlock(Block &block, bool hasWaited) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<linalg::LinalgOp, memref::StoreOp>(op)) {
        ImplicitLocOpBuilder b(op.getLoc(), &op);
        if (!hasWaited)
          waitForThreads(b, target);
        b.setInsertionPointAfter(&op);
        waitForThreads(b, target);
        hasWaited = true;
      } else if (isa<memref::LoadOp>(op)) {
        hasWaited = false;
      } else if (op.getNumRegions() > 0) {
        bool isLoop = isa<LoopLikeOpInterface>(op), have = hasWaited;
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            have &= inBlock(inner, hasWaited && !isLoop);
        hasWaited = have;
      }
    }
    return hasWaited;
  }

private:
  const Target &target;
};

} // namespace

int64_t numThreadsFor(func::FuncOp function, const Target &target) {
  int64_t most = 1;
  function.walk([&](linalg::LinalgOp op) {
    if (op.hasPureBufferSemantics())
      most = std::max(most, std::max(stepsOfLoops(op, utils::IteratorType::parallel),
                                     stepsOfLoops(op, std::nullopt) / kFewElements));
  });
  if (most <= kFewElements)
    return 1;
  int64_t limit = target.isSpirv() ? kMostThreadsOfSpirv : kMostThreads;
  return std::min<int64_t>(llvm::PowerOf2Ceil(std::max(most, kWarp)), limit);
}

void shareAmongThreads(func::FuncOp function, int64_t numThreads, const Target &target) {
  IRRewriter rewriter(function.getContext());
  Waits(target).inBlock(function.front(), /*hasWaited=*/true);
  ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockBegin(function.getLoc(), &function.front());
  Workgroup group = {function, target, numThreads, numberOfThread(b)};
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, group.thread, zero);
  SmallVector<Operation *> writes;
  function.walk([&](Operation *op) {
    if (isa<linalg::LinalgOp>(op) || (isa<memref::StoreOp>(op) && !op->getParentOfType<linalg::LinalgOp>()))
      writes.push_back(op);
  });
  for (Operation *write : writes) {
    rewriter.setInsertionPoint(write);
    if (auto op = dyn_cast<linalg::LinalgOp>(write)) {
      SharedNest(rewriter, op, group).run();
      rewriter.eraseOp(op);
      continue;
    }
    auto branch = scf::IfOp::create(rewriter, write->getLoc(), isFirst);
    write->moveBefore(branch.thenBlock()->getTerminator());
  }
  setThreads(function, target, numThreads);
}

} // namespace dovetail
