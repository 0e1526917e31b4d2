// Lowering of scatters to `iree_linalg_ext.scatter`, whose windows have one element along the dimensions that it
// indexes and full size along the others, and which has a mask for windows to drop.
#include "IndexedRows.h"
#include "Product.h"
#include "Slices.h"
#include "cpp/dispatch/BlasCall.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/dispatch/RowUpdates.h"
#include "cpp/dispatch/SliceUpdates.h"
#include "cpp/iree/Aliases.h"
#include "cpp/iree/Ops.h"
#include "cpp/iree/Quirks.h"
#include "cpp/tensors/Target.h"
#include "dialects/Index.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The bytes of the shortest updates that the library makes: it takes single elements more slowly than the code
/// generator.
constexpr int64_t kLeastUpdate = 32;

/// Returns true if `sought` holds for a value in the backward slice of `value` (operands and captured values), or if
/// the slice has more than `most` values.
bool mayReach(Value value, size_t most, function_ref<bool(Value)> sought) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    if (i == most || sought(reached[i]))
      return true;
    Operation *producer = reached[i].getDefiningOp();
    if (!producer)
      continue;
    producer->walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        Operation *around = operand.getParentBlock()->getParentOp();
        if (!around || !producer->isAncestor(around))
          reached.insert(operand);
      }
    });
  }
  return false;
}

bool mayBeComputedFrom(Value value, Value x) {
  return mayReach(value, 1024, [&](Value next) { return next == x; });
}

/// Unknown, and therefore false, for values computed by many ops.
bool isConstant(Value value) { return !mayReach(value, 64, llvm::IsaPred<BlockArgument>); }

/// A scatter in transition to IREE's form, which has the dimensions that are indexed first.
struct ScatterForm : IndexedRows {
  Value updates;

  ScatterForm(ImplicitLocOpBuilder &b, const IndexedWindows &windows, Value updates)
      : IndexedRows(b, windows, updates), updates(updates) {
    stateSizes();
    if (indexed.empty())
      insertIndexedDim();
  }

  /// Refines the updates' type by what is known of their sizes.
  void stateSizes() {
    auto type = cast<RankedTensorType>(updates.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, size] : llvm::zip_equal(dims, window))
      shape[numIndexed + dim] = size;
    auto ofIndices = cast<RankedTensorType>(indices.getType());
    for (int64_t d = 0; d < numIndexed; ++d)
      if (!ofIndices.isDynamicDim(d))
        shape[d] = ofIndices.getDimSize(d);
    if (shape != type.getShape())
      updates = tensor::CastOp::create(b, withShape(type, shape), updates);
  }

  /// Windows of full size along all dimensions become positions along a new first one.
  void insertIndexedDim() {
    x = withUnitDim(x, 0);
    updates = withUnitDim(updates, numIndexed);
    for (SmallVector<int64_t> *list : {&dims, &whole})
      for (int64_t &dim : *list)
        ++dim;
    indexed.push_back(0);
  }

  Value withUnitDim(Value value, int64_t position) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + position, 1);
    SmallVector<OpFoldResult> sizes = sizesOf(b, value);
    sizes.insert(sizes.begin() + position, b.getIndexAttr(1));
    // The new dimension shares a group with the one after it, or else with the last.
    SmallVector<ReassociationIndices> groups;
    for (int64_t d = 0, shift = 0; d < type.getRank(); ++d) {
      ReassociationIndices group;
      if (d == position) {
        group.push_back(d);
        shift = 1;
      }
      group.push_back(d + shift);
      if (d + 1 == type.getRank() && position == type.getRank())
        group.push_back(position);
      groups.push_back(group);
    }
    return tensor::ExpandShapeOp::create(b, withShape(type, shape), expandable(b, value), groups, sizes);
  }

  Value mask() {
    SmallVector<Value> last = lastStarts(b, x, dims, window);
    return parallelLoops(b, loopSizes(), b.getI1Type(), {}, {}, [&](OpBuilder &inner, Location loc, ValueRange) {
      ImplicitLocOpBuilder body(loc, inner);
      return isInside(body, last);
    });
  }

  /// IREE's position of the elements of these loops, one index for each of `indexed`.
  Value places() {
    SmallVector<OpFoldResult> sizes = loopSizes();
    int64_t column = sizes.size();
    sizes.push_back(b.getIndexAttr(indexed.size()));
    return parallelLoops(b, sizes, b.getI32Type(), {}, {}, [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
      ImplicitLocOpBuilder body(loc, inner);
      Value chosen;
      for (auto [i, dim] : llvm::enumerate(indexed)) {
        Value place = placeAlong(body, dim);
        if (chosen) {
          Value here = arith::CmpIOp::create(body, arith::CmpIPredicate::eq, linalg::IndexOp::create(body, column),
                                             arith::ConstantIndexOp::create(body, i));
          place = arith::SelectOp::create(body, here, place, chosen);
        }
        chosen = place;
      }
      return arith::IndexCastOp::create(body, body.getI32Type(), chosen);
    });
  }

  /// The updates with their dimensions in the order of the loops, without single ones, then those of full size.
  Value orderedUpdates() {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, numIndexed)), single;
    for (int64_t dim : indexed)
      if (!llvm::is_contained(spread, dim))
        single.push_back(numIndexed + dim);
    for (ArrayRef<int64_t> list : {ArrayRef(spread), ArrayRef(whole)})
      for (int64_t dim : list)
        order.push_back(numIndexed + dim);
    SmallVector<OpFoldResult> sizes = sizesOf(b, updates);
    SmallVector<OpFoldResult> kept = sizes, zeros(sizes.size(), b.getIndexAttr(0)),
                              ones(sizes.size(), b.getIndexAttr(1));
    SmallVector<int64_t> shape, position(sizes.size());
    for (int64_t d = 0, e = sizes.size(); d < e; ++d) {
      position[d] = shape.size();
      if (!llvm::is_contained(single, d))
        shape.push_back(cast<RankedTensorType>(updates.getType()).getDimSize(d));
      else
        kept[d] = b.getIndexAttr(1);
    }
    Value dropped = updates;
    if (!single.empty())
      dropped = tensor::ExtractSliceOp::create(b, withShape(updates.getType(), shape), updates, zeros, kept, ones);
    for (int64_t &d : order)
      d = position[d];
    return transposed(b, dropped, order);
  }

  Value withoutFirstDim(Value value, RankedTensorType type) {
    SmallVector<ReassociationIndices> groups;
    for (int64_t d = 0; d < type.getRank(); ++d)
      groups.push_back(d == 0 ? ReassociationIndices{0, 1} : ReassociationIndices{d + 1});
    return tensor::CollapseShapeOp::create(b, type, value, groups);
  }

  /// All dimensions of the loops as one; IREE requires at least one.
  Value withOneLoop(Value value) {
    int64_t numLoops = numIndexed + spread.size();
    auto type = cast<RankedTensorType>(value.getType());
    if (numLoops == 1)
      return value;
    SmallVector<ReassociationIndices> groups;
    if (numLoops == 0)
      return withUnitDim(value, 0);
    groups.emplace_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, numLoops)));
    for (int64_t d = numLoops; d < type.getRank(); ++d)
      groups.push_back({d});
    return tensor::CollapseShapeOp::create(b, value, groups);
  }

  /// The array with the dimensions that are indexed first. A copy of what the updates or indices are computed from:
  /// IREE would take it for a copy that these are computed from, too, and overwrite that.
  Value ordered(ArrayRef<int64_t> order) {
    Value all = viewsOf(x).back();
    bool isShared = !llvm::is_sorted(order) && (mayBeComputedFrom(updates, all) || mayBeComputedFrom(indices, all));
    return transposed(b, isShared ? optimizationBarrier(b, x).front() : x, order);
  }

  Value emit(function_ref<Value(Value, Value)> update) {
    SmallVector<int64_t> order = indexed;
    llvm::append_range(order, whole);
    SmallVector<int64_t> back(order.size());
    for (auto [i, dim] : llvm::enumerate(order))
      back[dim] = i;
    return transposed(b, update(ordered(order), withOneLoop(orderedUpdates())), back);
  }

  /// By code that takes the number, of that type, of the row from which on an update is, which may be of several rows.
  Value byRows(IntegerType number, bool mayBeOfSeveral,
               function_ref<Value(Value x, Value rows, Value updates)> update) {
    if (!mayBeOfSeveral || !hasContiguousWindows())
      return emit([&](Value ordered, Value updates) { return update(ordered, withOneLoop(rows(number)), updates); });
    // One update for each window.
    spread.clear();
    return update(x, withOneLoop(rows(number)), withOneLoop(updates));
  }

  /// By the library, which has a function for it.
  Value call(blas::Update update) {
    return byRows(b.getI32Type(), true, [&](Value x, Value rows, Value updates) {
      return callScatter(b, update, x, rows, updates, numRows(), rowBytes());
    });
  }

  /// By threads of a GPU. Buffers of Vulkan and Metal have less than 2^31 rows.
  Value byThreads(const RowUpdate &update) {
    std::optional<int64_t> known = getConstantIntValue(numRows());
    bool isSmall = Target(b.getInsertionBlock()->getParentOp()).isSpirv() ||
                   (known && *known <= std::numeric_limits<int32_t>::max());
    IntegerType number = isSmall ? b.getI32Type() : b.getI64Type();
    return byRows(number, update.isUnique, [&](Value x, Value rows, Value updates) {
      return updateRowsInThreads(b, update, x, rows, updates, numRows(), rowElements());
    });
  }

  Value generate(bool isUnique, llvm::function_ref<Value(OpBuilder &, Location, Value, Value)> step) {
    return emit([&](Value ordered, Value updates) {
      Value result = scatterWindows(b, ordered, withOneLoop(places()), withOneLoop(mask()), updates, isUnique, step);
      // A pad fused behind a scatter that computes does not compile.
      return computeBarrier(b, result);
    });
  }
};

/// The slice that all windows are, if it is known where they are.
std::optional<SliceOfWindows> sliceToUpdate(const IndexedWindows &windows, Value indices) {
  auto type = cast<RankedTensorType>(windows.x.getType());
  std::optional<SliceOfWindows> slice = SliceOfWindows::find(indices, windows.dims, windows.window, type);
  // That would be a pad, which the code generator crashes on.
  bool isKnown = matchPattern(windows.x, m_Constant()) || windows.x.getDefiningOp<linalg::FillOp>();
  if (slice && slice->isContiguous() && isa<ComplexType>(type.getElementType()) && isKnown)
    return std::nullopt;
  return slice;
}

bool isSlice(Value array) {
  return llvm::any_of(viewsOf(array),
                      [](Value view) { return view.getDefiningOp<tensor::ExtractSliceOp>() != nullptr; });
}

/// Whether the updates are a slice of the array, or of one that it was computed from.
bool areSliceOf(Value updates, Value x) { return isSlice(updates) && mayBeComputedFrom(x, viewsOf(updates).back()); }

/// Whether both are the same array, or views of one.
bool areOfOneArray(Value a, Value b) { return viewsOf(a).back() == viewsOf(b).back(); }

/// A slice in memory of its own, copied before what follows it changes the array. On the CPU a dispatch copies it: the
/// array that enters a barrier is needed until the end, and is copied instead where it is changed.
Value copiedSlice(ImplicitLocOpBuilder &b, Value slice) {
  auto type = cast<RankedTensorType>(slice.getType());
  auto program = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (type.hasStaticShape() && Target(program).isCpu()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(slice);
    Shape shape = {type.getElementType(), getAsIndexOpFoldResult(b.getContext(), type.getShape())};
    auto copied = dispatchOnce(b, slice, shape, [](ImplicitLocOpBuilder &, ValueRange inside) {
      return FailureOr<SmallVector<Value>>(SmallVector<Value>(inside));
    });
    if (succeeded(copied))
      return copied->front();
  }
  return optimizationBarrier(b, slice).front();
}

/// The array with that slice updated. If its elements follow each other, the update fuses with what makes the updates.
Value changeSlice(ImplicitLocOpBuilder &b, const SliceOfWindows &slice, Value x, Value windows,
                  function_ref<Value(OpBuilder &, Location, Value, Value)> step) {
  Value updates = slice.sliceFrom(b, windows);
  bool hasGaps = !slice.strides.empty() && slice.strides.back() != 1;
  if (hasGaps && !isInDispatch(b) && Target(b.getInsertionBlock()->getParentOp()).isCpu())
    if (Value changed = updateSlice(b, x, updates, slice.starts, slice.strides, step))
      return changed;
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(slice.shape.size()));
  Value changed =
      parallelLoops(b, getAsIndexOpFoldResult(b.getContext(), slice.shape), getElementTypeOrSelf(x),
                    {slice.read(b, x), updates}, maps, [&](OpBuilder &inner, Location loc, ValueRange elements) {
                      return step(inner, loc, elements[0], elements[1]);
                    });
  return slice.write(b, changed, x);
}

/// How the library changes elements, or nothing.
std::optional<blas::Update> ofLibrary(RowUpdate::Kind kind, Type element) {
  if (kind == RowUpdate::Step)
    return std::nullopt;
  return kind == RowUpdate::Replace ? replacing(element) : adding(element);
}

template <typename Op, RowUpdate::Kind kind>
struct ScatterLowering : LowerOpInterface::ExternalModel<ScatterLowering<Op, kind>, Op> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    Type element = getElementTypeOrSelf(cast<Op>(op).getX()), wide = changedAs(b, element);
    // Else IREE would take the two conversions for one array.
    bool isShared = wide != element && areOfOneArray(operands[0], operands[2]);
    Value x = isShared ? optimizationBarrier(b, operands[0]).front() : operands[0];
    SmallVector<Value> given = {converted(b, x, element, wide), operands[1], converted(b, operands[2], element, wide)};
    if (failed(lowerElements(op, b, given, wide, results)))
      return failure();
    results[0] = converted(b, results[0], wide, element);
    return success();
  }

private:
  /// The type in which elements change. Threads of GPUs do not change numbers of a few bits, nor floats of a byte; and
  /// IREE's scatter, which all threads of a workgroup run, would change them several times.
  static Type changedAs(ImplicitLocOpBuilder &b, Type element) {
    if (kind == RowUpdate::Replace || isa<ComplexType>(element) || element.isInteger(1) || isInDispatch(b) ||
        !Target(b.getInsertionBlock()->getParentOp()).isGpu() || element.getIntOrFloatBitWidth() > 8)
      return element;
    if (isa<FloatType>(element))
      return b.getF32Type();
    return IntegerType::get(b.getContext(), 32, cast<IntegerType>(element).getSignedness());
  }

  /// `element` is the dialect's type of the operands' elements.
  static LogicalResult lowerElements(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands, Type element,
                                     SmallVectorImpl<Value> &results) {
    auto scatter = cast<Op>(op);
    auto updates = cast<RankedTensorType>(operands[2].getType()), type = cast<RankedTensorType>(operands[0].getType());
    if (llvm::is_contained(updates.getShape(), 0) || llvm::is_contained(type.getShape(), 0)) {
      results.push_back(operands[0]);
      return success();
    }
    if (scatter.getDims().empty() && !type.hasStaticShape())
      return op->emitError() << "no lowering for '" << op->getName() << "' of whole arrays whose size is not known";
    Type indexElement = getElementTypeOrSelf(scatter.getIndices());
    auto step = [&](OpBuilder &inner, Location loc, Value old, Value update) {
      scalar::ScalarBuilder builder(loc, inner, element);
      return Op::step(builder, old, update);
    };
    IndexedWindows windows = {operands[0], operands[1], scatter.getDims(), scatter.getWindow(), indexElement};
    if (std::optional<SliceOfWindows> slice = sliceToUpdate(windows, scatter.getIndices())) {
      // IREE 3.13 would copy it within the array, which it refuses to do if the two slices overlap.
      Value updates = operands[2];
      if (!isInDispatch(b) && areSliceOf(updates, windows.x))
        updates = copiedSlice(b, updates);
      results.push_back(changeSlice(b, *slice, windows.x, updates, step));
      return success();
    }
    if (isInDispatch(b)) {
      results.push_back(updateWindows(b, windows, operands[2], step));
      return success();
    }
    // Instead of all of the array, which is overwritten while a slice of it is read.
    SmallVector<Value> inputs(operands);
    for (Value &input : MutableArrayRef(inputs).drop_front())
      if (isSlice(input) && areOfOneArray(input, windows.x))
        input = copiedSlice(b, input);
    windows.indices = inputs[1];
    auto returnOf = [&](ScatterForm &form, Value result) {
      results.push_back(result.getType() == type ? result : form.withoutFirstDim(result, type));
      return success();
    };
    RowUpdate update = {kind, scatter.isUnique(), op->getName().stripDialect(), step};
    if (mayUpdateInThreads(b, update, type.getElementType())) {
      ScatterForm form(b, windows, inputs[2]);
      return returnOf(form, form.byThreads(update));
    }
    if (std::optional<blas::Update> known = ofLibrary(kind, type.getElementType());
        known && mayCallLibrary(b, op) && IndexedRows(b, windows, inputs[2]).assumedUpdateBytes() >= kLeastUpdate) {
      ScatterForm form(b, windows, inputs[2]);
      return returnOf(form, form.call(*known));
    }
    // The code generator updates the array in place, so the computation must not read the same array. Two constants
    // that fold to the same elements are the same array.
    bool changesConstant = isConstant(operands[0]);
    for (Value &input : MutableArrayRef(inputs).drop_front())
      if (areOfOneArray(input, operands[0]))
        inputs[0] = optimizationBarrier(b, operands[0]).front();
      else if (mayBeComputedFrom(input, operands[0]) || (changesConstant && isConstant(input)))
        input = computeBarrier(b, input);
    // It would copy a part of another array to the stack, which cannot hold an unknown size.
    if (!type.hasStaticShape() && operands[0].getDefiningOp<tensor::ExtractSliceOp>())
      inputs[0] = computeBarrier(b, inputs[0]);
    windows.x = inputs[0];
    windows.indices = inputs[1];
    ScatterForm form(b, windows, inputs[2]);
    return returnOf(form, form.generate(scatter.getUnique(), step));
  }
};

} // namespace

template <typename Op, RowUpdate::Kind kind>
static void attach(MLIRContext *context) {
  Op::template attachInterface<ScatterLowering<Op, kind>>(*context);
}

void attachScatterLowerings(MLIRContext *context) {
  attach<ScatterOp, RowUpdate::Replace>(context);
  attach<ScatterAddOp, RowUpdate::Add>(context);
  attach<ScatterMulOp, RowUpdate::Step>(context);
  attach<ScatterMinOp, RowUpdate::Step>(context);
  attach<ScatterMaxOp, RowUpdate::Step>(context);
}

} // namespace dovetail
