// The programs of a grid at once: a loop whose iterations work on blocks of arrays becomes ops on whole arrays.
#include "Grid.h"
#include "Create.h"
#include "Index.h"
#include "Pointwise.h"
#include "Vectorizing.h"

using namespace mlir;

namespace dovetail {

//===- Dependences ------------------------------------------------------------------------===//

LogicalResult Vectorizing::findCounter() {
  auto found = counterOf(loop);
  if (size < 1 || !loop.getXs().empty() || loop->getNumResults() != loop.getInits().size() || !found ||
      transforms.hasEffects(loop.getBody().front()))
    return failure();
  std::tie(counter, first) = *found;
  passed.emplace(loop, counter);
  return success();
}

//===- Values ---------------------------------------------------------------------------------===//

RankedTensorType Vectorizing::typeAs(Type type, Lanes is) {
  auto array = cast<RankedTensorType>(type);
  if (!is)
    return array;
  if (!is.isJoined)
    return withDim(array, is.dim, size);
  SmallVector<int64_t> shape(array.getShape());
  shape[is.dim] *= size;
  return withShape(array, shape);
}

Value Vectorizing::valueAs(Emitter &e, Value value, Lanes to) {
  Value as = made.lookup(value);
  Lanes from = lanes.lookup(value);
  if (from == to || !to)
    return as;
  if (from.isJoined) {
    as = e.reshape(as, typeAs(value.getType(), {from.dim, false}), {});
    from.isJoined = false;
  }
  as = e.batchAt(as, from.dim, to.dim);
  return to.isJoined ? e.reshape(as, typeAs(value.getType(), to), {}) : as;
}

std::optional<int64_t> Vectorizing::strideOf(const AffineIndex &index) {
  int64_t stride = 0;
  for (auto [symbol, coefficient] : index.terms) {
    if (symbol == counter) {
      stride += coefficient;
      continue;
    }
    if (!lanes.lookup(symbol))
      continue;
    Value passed = passedAs(cast<BlockArgument>(symbol));
    auto indices = passed ? affineIndices(passed) : std::nullopt;
    if (!indices || !firsts.contains(symbol))
      return std::nullopt;
    std::optional<int64_t> own = strideOf(indices->front());
    if (!own)
      return std::nullopt;
    stride += coefficient * *own;
  }
  return stride;
}

Value Vectorizing::firstOf(Emitter &e, Value symbol) {
  if (Value known = firsts.lookup(symbol))
    return known;
  if (symbol == counter)
    return e.full(cast<RankedTensorType>(counter.getType()), {}, first);
  return e.reshape(made.lookup(symbol), RankedTensorType::get({}, getElementTypeOrSelf(symbol)), {});
}

/// The starts of one window of an array that is the same in all programs.
static std::optional<SmallVector<AffineIndex>> startsOfOne(const Windows &windows) {
  auto starts = cast<RankedTensorType>(windows.starts.getType());
  bool isOne = starts.getRank() == 1 && cast<RankedTensorType>(windows.x.getType()).hasStaticShape();
  return isOne ? affineIndices(windows.starts) : std::nullopt;
}

//===- Ops ----------------------------------------------------------------------------------------===//

LogicalResult Vectorizing::visit(Emitter &e, Block &block) {
  for (Operation &op : opsOf(*block.getParent())) {
    Emitter here(e.builder, op.getLoc(), &transforms);
    here.batchSize = BatchSize(size);
    if (failed(visit(here, op)) || isTooLarge(op))
      return failure();
  }
  return success();
}

bool Vectorizing::isTooLarge(Operation &op) {
  auto elementsOf = [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.hasStaticShape() ? array.getNumElements() : 0;
  };
  int64_t most = kAlwaysKept;
  for (Type type : loop->getOperandTypes())
    most = std::max(most, 4 * elementsOf(type));
  return llvm::any_of(op.getResults(), [&](Value result) {
    Lanes is = lanes.lookup(result);
    return is && elementsOf(typeAs(result.getType(), is)) > most;
  });
}

LogicalResult Vectorizing::visit(Emitter &e, Operation &op) {
  if (op.getNumResults() == 1 && addedWindows.contains(op.getResult(0)))
    return success();
  bool isPassed = touchesPassed(op);
  if (!isVarying(op) && !isPassed) {
    if (Windows windows = windowsOf(op); windows && !windows.written)
      if (auto indices = startsOfOne(windows)) {
        Value starts = startsOfFirst(e, windows, *indices);
        set(op.getResult(0), windows.emit(e, made.lookup(windows.x), starts, {}, windows.window));
        return success();
      }
    IRMapping values;
    for (Value operand : op.getOperands())
      values.map(operand, made.lookup(operand));
    Operation *clone = e.builder.clone(op, values);
    for (auto [from, to] : llvm::zip_equal(op.getResults(), clone->getResults()))
      set(from, to);
    return success();
  }
  if (auto inner = dyn_cast<ScanOp>(op); inner && !(inner.getCount() && lanes.lookup(inner.getCount())))
    return visitLoop(e, inner);
  if (auto choice = dyn_cast<CaseOp>(op); choice && !lanes.lookup(choice.getIndex()))
    return visitBranches(e, choice);
  if (Windows windows = windowsOf(op); windows && visitWindows(e, windows))
    return success();
  if (auto slice = dyn_cast<SliceOp>(op); slice && visitSlice(e, slice))
    return success();
  if (isPassed)
    return failure();
  if (op.getNumResults() == 1 && sums.contains(op.getResult(0))) {
    if (!join(e, op, /*isSum=*/true))
      return failure();
    sums[op.getResult(0)] = made.lookup(op.getResult(0));
    return success();
  }
  return join(e, op) ? success() : batch(e, op);
}

/// An op on blocks along one of its factors, as an op on arrays that the blocks make up.
bool Vectorizing::join(Emitter &e, Operation &op, bool isSum) {
  std::optional<FactorMap> map = factorMap(&op);
  auto isStatic = [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.hasStaticShape();
  };
  if (!map || op.getNumRegions() || !llvm::all_of(op.getOperandTypes(), isStatic) ||
      !llvm::all_of(op.getResultTypes(), isStatic))
    return false;
  int64_t factor = FactorMap::kNone;
  for (auto [operand, dims] : llvm::zip_equal(op.getOperands(), map->operands))
    if (Lanes is = lanes.lookup(operand); is.isJoined && factor == FactorMap::kNone)
      factor = dims[is.dim];
  bool isReduced = llvm::is_contained(map->reduced, factor);
  if (!map->isDivisible(factor) || isReduced != isSum || (isSum && map->combiner != FactorMap::Combiner::Sum))
    return false;
  auto along = [&](ArrayRef<int64_t> dims) {
    auto *found = llvm::find(dims, factor);
    return found == dims.end() ? Lanes() : Lanes{found - dims.begin(), true};
  };
  for (auto [operand, dims] : llvm::zip_equal(op.getOperands(), map->operands)) {
    Lanes is = lanes.lookup(operand), wanted = along(dims);
    if (llvm::count(dims, factor) > 1 || (is.isJoined && !(is == wanted)) || (is && !wanted))
      return false;
  }
  SmallVector<Type> types;
  for (auto [result, dims] : llvm::zip_equal(op.getResults(), map->results)) {
    if (llvm::count(dims, factor) != (isSum ? 0 : 1))
      return false;
    types.push_back(typeAs(result.getType(), along(dims)));
  }
  SmallVector<Value> operands;
  for (auto [operand, dims] : llvm::zip_equal(op.getOperands(), map->operands))
    operands.push_back(valueAs(e, operand, along(dims)));
  Operation *all = cloneWith(e, &op, operands, types);
  for (auto [from, to, dims] : llvm::zip_equal(op.getResults(), all->getResults(), map->results))
    set(from, to, along(dims));
  return true;
}

LogicalResult Vectorizing::batch(Emitter &e, Operation &op) {
  SmallVector<Value> operands, results;
  SmallVector<int64_t> dims, resultDims;
  for (Value operand : op.getOperands()) {
    dims.push_back(lanes.lookup(operand).dim);
    operands.push_back(valueAs(e, operand, {dims.back(), false}));
  }
  if (failed(applyBatch(&op, e, operands, dims, results, resultDims)))
    return failure();
  for (auto [from, to, dim] : llvm::zip_equal(op.getResults(), results, resultDims))
    set(from, to, {dim, false});
  return success();
}

/// The starts of the first program's window.
Value Vectorizing::startsOfFirst(Emitter &e, const Windows &windows, ArrayRef<AffineIndex> indices) {
  auto known = llvm::map_to_vector(indices, [&](AffineIndex index) {
    int64_t stride = index.coefficientOf(counter);
    return index.add({first, {{counter, -1}}}, stride);
  });
  return emitIndices(e, known, getElementTypeOrSelf(windows.starts), [&](Value symbol) { return firstOf(e, symbol); });
}

/// Windows that are next to each other, as one.
bool Vectorizing::joinWindows(Emitter &e, const Windows &windows, ArrayRef<AffineIndex> indices, Value result) {
  auto type = cast<RankedTensorType>(windows.x.getType());
  Lanes is;
  SmallVector<int64_t> window(windows.window);
  for (auto [dim, index, extent] : llvm::zip_equal(windows.dims, indices, window)) {
    IndexRange range = rangeOf(index);
    std::optional<int64_t> stride = strideOf(index);
    bool isWithin = range.lowest >= 0 && range.highest + extent <= type.getDimSize(dim);
    if (!stride || !isWithin || (*stride != 0 && (is || *stride != extent)))
      return false;
    if (*stride == 0)
      continue;
    is = {dim, true};
    extent *= size;
  }
  if (!is)
    return false;
  Value starts = startsOfFirst(e, windows, indices);
  Value written = windows.written ? valueAs(e, windows.written, is) : Value();
  set(result, windows.emit(e, made.lookup(windows.x), starts, written, window), written ? Lanes() : is);
  return true;
}

/// Returns false if the op's own batching rule applies.
bool Vectorizing::visitWindows(Emitter &e, const Windows &windows) {
  if (lanes.lookup(windows.x) || (windows.written && !passed->contains(windows.x)))
    return false;
  Value result = windows.op->getResult(0);
  if (auto indices = startsOfOne(windows); indices && joinWindows(e, windows, *indices, result))
    return true;
  if (!windows.written)
    return false;
  // A window for each program.
  Value starts = valueAs(e, windows.starts, {0, false}), written = valueAs(e, windows.written, {0, false});
  set(result, windows.emit(e, made.lookup(windows.x), starts, written, windows.window));
  return true;
}

/// A slice of a window is a window: those that overlap may have slices that do not.
bool Vectorizing::visitSlice(Emitter &e, SliceOp op) {
  auto gather = op.getX().getDefiningOp<GatherOp>();
  if (!gather || llvm::any_of(op.getStrides(), [](int64_t stride) { return stride != 1; }))
    return false;
  Windows windows = windowsOf(*gather);
  auto indices = startsOfOne(windows);
  if (!indices || lanes.lookup(windows.x))
    return false;
  SmallVector<int64_t> window;
  llvm::SmallBitVector isIndexed(op.getType().getRank());
  for (auto [dim, extent, index] : llvm::zip_equal(windows.dims, windows.window, *indices)) {
    // A window that is not within the array reads as zeros, also where a slice of it would be.
    IndexRange range = rangeOf(index);
    if (range.lowest < 0 || range.highest + extent > gather.getX().getType().getDimSize(dim))
      return false;
    index.constant += op.getStarts()[dim];
    window.push_back(op.getType().getDimSize(dim));
    isIndexed.set(dim);
  }
  for (int64_t d = 0; d < op.getType().getRank(); ++d)
    if (!isIndexed.test(d) && op.getType().getDimSize(d) != op.getX().getType().getDimSize(d))
      return false;
  windows.window = window;
  return joinWindows(e, windows, *indices, op.getResult());
}

/// What an iteration adds to a carry, if it does nothing else with it.
static Value addedTo(ScanOp loop, unsigned carry) {
  Value argument = loop.getBody().getArgument(carry), next = returned(loop.getBody())[carry];
  auto sum = next.getDefiningOp<AddOp>();
  if (!sum || !argument.hasOneUse() || !next.hasOneUse() || (sum.getX() != argument && sum.getY() != argument))
    return nullptr;
  Value added = sum.getX() == argument ? sum.getY() : sum.getX();
  return added.getDefiningOp() && added.hasOneUse() ? added : nullptr;
}

/// The windows of all programs, added to an array in their order.
Value Vectorizing::addWindows(Emitter &e, const AddedWindow &added, Value x) {
  const Windows &windows = added.windows;
  auto startType = cast<RankedTensorType>(windows.starts.getType());
  auto type = cast<RankedTensorType>(windows.written.getType());
  // One list of windows: code generators know scatters of that form best.
  int64_t count = size;
  for (int64_t n : startType.getShape().drop_back())
    count *= n;
  SmallVector<int64_t> shape(type.getShape().drop_front(startType.getRank() - 1));
  shape.insert(shape.begin(), count);
  Value starts = valueAs(e, windows.starts, {0, false}), values = valueAs(e, added.added, {0, false});
  starts = e.reshape(starts, withShape(startType, {count, startType.getShape().back()}), {});
  values = e.reshape(values, withShape(type, shape), {});
  return e.make<ScatterAddOp>(x, starts, values, windows.dims, windows.window, false);
}

LogicalResult Vectorizing::run(Emitter &e, SmallVectorImpl<Value> &results) {
  if (failed(findCounter()))
    return failure();
  ValueRange values = returned(loop.getBody());
  for (auto [i, argument] : llvm::enumerate(loop.getBody().getArguments())) {
    bool isCarry = i < loop.getInits().size();
    Value operand = loop->getOperand(i);
    if (argument == counter) {
      auto type = RankedTensorType::get({size}, getElementTypeOrSelf(counter));
      Value numbers = e.make<IotaOp>(type, 0, ValueRange());
      set(argument, e.add(numbers, first), {0, false});
      continue;
    }
    set(argument, operand);
    // An array that each program overwrites, without reading it, is passed on from none to another.
    if (!isCarry || argument.use_empty() || values[i] == argument)
      continue;
    if (Value added = addedTo(loop, i)) {
      sums[added] = nullptr;
      continue;
    }
    PassedArrays before = *passed;
    if (passed->add(i))
      continue;
    // Windows that programs add to may overlap.
    std::optional<AddedWindow> added = addedWindowOf(loop, i);
    if (!added)
      return failure();
    *passed = std::move(before);
    addedWindows[values[i]] = *added;
  }
  if (failed(visit(e, loop.getBody().front())))
    return failure();
  for (auto [i, value] : llvm::enumerate(values)) {
    if (loop.getBody().getArgument(i) == counter) {
      results.push_back(e.full(cast<RankedTensorType>(value.getType()), {}, first + size));
      continue;
    }
    if (Value added = addedTo(loop, i)) {
      Value sum = sums.lookup(added);
      if (!sum)
        return failure();
      results.push_back(e.add(loop.getInits()[i], sum));
      continue;
    }
    if (auto it = addedWindows.find(value); it != addedWindows.end()) {
      results.push_back(addWindows(e, it->second, loop.getInits()[i]));
      continue;
    }
    Lanes is = lanes.lookup(value);
    if (!is) {
      results.push_back(made.lookup(value));
      continue;
    }
    // The last program's.
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> starts(type.getRank() + 1, 0);
    starts[0] = size - 1;
    auto row = withDim(type, 0, 1);
    Value last = e.make<SliceOp>(row, valueAs(e, value, {0, false}), starts, SmallVector<int64_t>(starts.size(), 1),
                                 ValueRange());
    results.push_back(e.reshape(last, type, {}));
  }
  return success();
}

LogicalResult vectorizeGrid(Emitter &e, Operation *loop, SmallVectorImpl<Value> &results) {
  auto scan = cast<ScanOp>(loop);
  e.batchSize = BatchSize(scan.getLength());
  return Vectorizing(e, scan).run(e, results);
}

} // namespace dovetail
