// Dependences of the programs of a grid: by the windows that they access of what the loop carries.
#include "GridDependences.h"
#include "Index.h"
#include "Pointwise.h"
#include "Shape.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dovetail {

//===- Windows ------------------------------------------------------------------------------===//

Windows windowsOf(Operation &op) {
  return llvm::TypeSwitch<Operation *, Windows>(&op)
      .Case([](GatherOp op) { return Windows{op, op.getX(), op.getIndices(), {}, op.getDims(), op.getWindow()}; })
      .Case<ScatterOp, ScatterAddOp, ScatterMulOp, ScatterMinOp, ScatterMaxOp>([](auto op) {
        return Windows{op, op.getX(), op.getIndices(), op.getUpdates(), op.getDims(), op.getWindow()};
      })
      .Default(Windows());
}

/// The starts along each dimension of one window, if they are constants and it is within the array.
static std::optional<SmallVector<int64_t>> knownStarts(Windows windows, RankedTensorType type, Value starts,
                                                       ArrayRef<int64_t> window) {
  DenseIntElementsAttr known;
  if (cast<RankedTensorType>(starts.getType()).getRank() != 1 || !matchPattern(starts, m_Constant(&known)))
    return std::nullopt;
  SmallVector<int64_t> from(type.getRank());
  for (auto [dim, start, size] : llvm::zip_equal(windows.dims, known.getValues<APInt>(), window)) {
    from[dim] = start.getSExtValue();
    if (from[dim] < 0 || from[dim] + size > type.getDimSize(dim))
      return std::nullopt;
  }
  return from;
}

Value Windows::emit(Emitter &e, Value x, Value starts, Value written, ArrayRef<int64_t> window) const {
  auto type = cast<RankedTensorType>(x.getType());
  std::optional<SmallVector<int64_t>> from = knownStarts(*this, type, starts, window);
  if (written) {
    // What replaces all of an array is the array.
    if (from && isa<ScatterOp>(op) && written.getType() == type)
      return written;
    auto unique = e.builder.getBoolAttr(true);
    Operation *all = cloneWith(e, op, {x, starts, written}, {type});
    all->setAttr("window", e.builder.getDenseI64ArrayAttr(window));
    all->setAttr("unique", unique);
    return all->getResult(0);
  }
  if (!from)
    return e.make<GatherOp>(x, starts, dims, window);
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, size] : llvm::zip_equal(dims, window))
    shape[dim] = size;
  return e.make<SliceOp>(withShape(type, shape), x, *from, SmallVector<int64_t>(type.getRank(), 1), ValueRange());
}

static Value throughReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  return value;
}

/// Whether a clamp changes no start of one window that is within the array.
static bool keepsWithin(ClampOp clamp, const Windows &windows) {
  DenseIntElementsAttr low, high;
  if (!matchPattern(clamp.getLo(), m_Constant(&low)) || !matchPattern(clamp.getHi(), m_Constant(&high)) ||
      high.getNumElements() != int64_t(windows.dims.size()))
    return false;
  auto type = cast<RankedTensorType>(windows.x.getType());
  auto isZero = [](APInt value) { return value.isZero(); };
  return llvm::all_of(low.getValues<APInt>(), isZero) &&
         llvm::all_of(llvm::zip_equal(windows.dims, windows.window, high.getValues<APInt>()), [&](auto each) {
           auto [dim, extent, highest] = each;
           return highest.getSExtValue() == type.getDimSize(dim) - extent;
         });
}

/// Whether a read of one window, where it is within the array, is of the elements that are written.
static bool isReadOf(const Windows &read, const Windows &write) {
  if (read.x != write.x || read.dims != write.dims || read.window != write.window)
    return false;
  Value start = throughReshapes(read.starts), wanted = throughReshapes(write.starts);
  while (start != wanted) {
    auto clamp = start.getDefiningOp<ClampOp>();
    if (!clamp || !keepsWithin(clamp, write))
      return false;
    start = throughReshapes(clamp.getX());
  }
  return true;
}

/// The value without reshapes, if each is used once only.
static Value onlyThroughReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    if (!value.hasOneUse())
      return nullptr;
    value = reshape.getX();
  }
  return value.hasOneUse() ? value : nullptr;
}

static bool isStatic(Type type) { return cast<RankedTensorType>(type).hasStaticShape(); }

std::optional<AddedWindow> addedWindowOf(ScanOp loop, unsigned carry) {
  Value argument = loop.getBody().getArgument(carry), next = returned(loop.getBody())[carry];
  Operation *op = next.getDefiningOp();
  Windows write = op && next.hasOneUse() ? windowsOf(*op) : Windows();
  if (!write || write.x != argument || !llvm::all_of(op->getOperandTypes(), isStatic))
    return std::nullopt;
  if (isa<ScatterAddOp>(op) && argument.hasOneUse())
    return AddedWindow{write, write.written};
  if (!isa<ScatterOp>(op) || !isOneWindow(write.starts) || llvm::range_size(argument.getUses()) != 2)
    return std::nullopt;
  Value written = onlyThroughReshapes(write.written);
  auto sum = written ? written.getDefiningOp<AddOp>() : AddOp();
  if (!sum)
    return std::nullopt;
  for (auto [own, added] : {std::pair(sum.getX(), sum.getY()), std::pair(sum.getY(), sum.getX())}) {
    Value found = onlyThroughReshapes(own);
    auto gather = found ? found.getDefiningOp<GatherOp>() : GatherOp();
    if (gather && isReadOf(windowsOf(*gather), write))
      return AddedWindow{write, added};
  }
  return std::nullopt;
}

//===- Loops ----------------------------------------------------------------------------------===//

std::optional<std::pair<BlockArgument, int64_t>> counterOf(ScanOp loop) {
  for (BlockArgument argument : loop.getBody().getArguments().take_front(loop.getInits().size())) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (type.getRank() == 0 && type.getElementType().isInteger(32))
      if (IndexRange range = rangeOf(argument); range.highest != IndexRange::kUnknown)
        return std::pair(argument, range.lowest);
  }
  return std::nullopt;
}

AffineIndex PassedArrays::inLoop(const AffineIndex &index) const {
  AffineIndex result{index.constant, {}};
  for (auto [symbol, coefficient] : index.terms) {
    Value passed = isOfLoop(symbol) ? Value() : passedAs(cast<BlockArgument>(symbol));
    auto indices = passed ? affineIndices(passed) : std::nullopt;
    result.add(indices && indices->size() == 1 ? inLoop(indices->front()) : AffineIndex{0, {{symbol, 1}}}, coefficient);
  }
  return result;
}

//===- Arrays that are passed on ----------------------------------------------------------------===//

bool PassedArrays::isVersion(Value value, unsigned carry) const {
  auto known = carryOf.find(value);
  return known != carryOf.end() && known->second == carry;
}

bool PassedArrays::follow(Value version, unsigned carry) {
  if (!carryOf.try_emplace(version, carry).second)
    return true;
  return llvm::all_of(version.getUses(), [&](OpOperand &use) { return followUse(use, carry); });
}

bool PassedArrays::followUse(OpOperand &use, unsigned carry) {
  Operation *op = use.getOwner();
  unsigned i = use.getOperandNumber();
  if (Windows windows = windowsOf(*op)) {
    auto indices = affineIndices(windows.starts);
    if (i != 0 || !indices || cast<RankedTensorType>(windows.starts.getType()).getRank() != 1)
      return false;
    auto own = llvm::map_to_vector(*indices, [&](const AffineIndex &index) { return inLoop(index); });
    accesses.push_back({own, windows.dims, windows.window});
    return !windows.written || follow(op->getResult(0), carry);
  }
  if (auto inner = dyn_cast<ScanOp>(op)) {
    unsigned numInits = inner.getInits().size(), numXs = inner.getXs().size();
    if ((i >= numInits && i < numInits + numXs) || i >= inner.getBody().getNumArguments() ||
        !follow(inner.getBody().getArgument(i), carry))
      return false;
    return i >= numInits || (isVersion(returned(inner.getBody())[i], carry) && follow(inner.getResult(i), carry));
  }
  if (auto choice = dyn_cast<CaseOp>(op)) {
    if (i == 0 ||
        !llvm::all_of(choice.getBranches(), [&](Region &branch) { return follow(branch.getArgument(i - 1), carry); }))
      return false;
    return llvm::all_of(choice->getResults(), [&](OpResult result) {
      auto isGiven = [&](Region &branch) { return isVersion(returned(branch)[result.getResultNumber()], carry); };
      return llvm::none_of(choice.getBranches(), isGiven) ||
             (llvm::all_of(choice.getBranches(), isGiven) && follow(result, carry));
    });
  }
  auto yield = dyn_cast<YieldOp>(op);
  if (!yield)
    return false;
  Operation *parent = yield->getParentOp();
  // What a branch returns is checked where the branch is chosen.
  if (isa<CaseOp>(parent))
    return true;
  auto own = dyn_cast<ScanOp>(parent);
  return own && i < own.getInits().size() && isVersion(own.getBody().getArgument(i), carry);
}

bool PassedArrays::areDisjointAlong(int64_t dim) const {
  ScanOp grid = loop;
  unsigned numOfPrograms = grid.getInits().size() + grid.getXs().size();
  int64_t stride = 0, lowest = 0, highest = 0;
  AffineIndex common;
  for (auto [n, access] : llvm::enumerate(accesses)) {
    auto *found = llvm::find(access.dims, dim);
    if (found == access.dims.end())
      return false;
    unsigned i = found - access.dims.begin();
    AffineIndex start = access.starts[i], shared;
    int64_t own = start.coefficientOf(counter);
    start.add({0, {{counter, 1}}}, -own);
    for (auto [symbol, coefficient] : start.terms) {
      if (!isOfLoop(symbol))
        continue;
      // What differs between programs may make their windows overlap.
      if (cast<BlockArgument>(symbol).getArgNumber() < numOfPrograms)
        return false;
      shared.add({0, {{symbol, 1}}}, coefficient);
    }
    IndexRange range = rangeOf(start.add(shared, -1));
    range.highest += access.window[i];
    if (n == 0)
      std::tie(stride, common, lowest, highest) = std::tuple(own, shared, range.lowest, range.highest);
    if (own != stride || !(shared == common))
      return false;
    lowest = std::min(lowest, range.lowest);
    highest = std::max(highest, range.highest);
  }
  return stride > 0 && highest - lowest <= stride;
}

bool PassedArrays::areDisjoint() const {
  return accesses.empty() || llvm::any_of(accesses.front().dims, [&](int64_t dim) { return areDisjointAlong(dim); });
}

bool PassedArrays::add(unsigned carry) {
  accesses.clear();
  Value next = returned(loop.getBody())[carry];
  return follow(loop.getBody().getArgument(carry), carry) && isVersion(next, carry) && areDisjoint();
}

} // namespace dovetail
