// Reads and updates windows at given indices by sequential loops over slices.
#include "IndexedWindows.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

Value indexOf(ImplicitLocOpBuilder &b, Value number, Type element) {
  Type index = b.getIndexType();
  return element.isUnsignedInteger() ? arith::IndexCastUIOp::create(b, index, number).getResult()
                                     : arith::IndexCastOp::create(b, index, number).getResult();
}

Value isWithin(ImplicitLocOpBuilder &b, Value start, Value last) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value afterFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, start, zero);
  Value beforeLast = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, start, last);
  return arith::AndIOp::create(b, afterFirst, beforeLast);
}

SmallVector<Value> lastStarts(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> dims, ArrayRef<int64_t> window) {
  SmallVector<OpFoldResult> available = sizesOf(b, x);
  SmallVector<Value> last;
  for (auto [dim, size] : llvm::zip_equal(dims, window)) {
    Value whole = asValue(b, available[dim]);
    last.push_back(b.createOrFold<arith::SubIOp>(whole, arith::ConstantIndexOp::create(b, size)));
  }
  return last;
}

/// Smaller windows are read just as fast one by one, at their use.
constexpr int64_t kMinElements = 16;

namespace {

RankedTensorType typeOf(const IndexedWindows &windows) {
  auto type = cast<RankedTensorType>(windows.x.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, size] : llvm::zip_equal(windows.dims, windows.window))
    shape[dim] = size;
  return withShape(type, shape);
}

/// One window: its position, and whether it is wholly within the array.
struct WindowSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  Value isInside;

  /// The closest one within the array to that at `loops`.
  WindowSlice(ImplicitLocOpBuilder &b, const IndexedWindows &windows, ValueRange loops)
      : sizes(sizesOf(b, windows.x)), strides(sizes.size(), b.getIndexAttr(1)) {
    offsets.assign(sizes.size(), b.getIndexAttr(0));
    Value zero = arith::ConstantIndexOp::create(b, 0);
    for (auto [i, end] : llvm::enumerate(lastStarts(b, windows.x, windows.dims, windows.window))) {
      int64_t dim = windows.dims[i];
      SmallVector<Value> index(loops);
      index.push_back(arith::ConstantIndexOp::create(b, i));
      Value asked = indexOf(b, tensor::ExtractOp::create(b, windows.indices, index), windows.indexElement);
      sizes[dim] = b.getIndexAttr(windows.window[i]);
      offsets[dim] = asked;
      if (windows.areWithin)
        continue;
      Value within = isWithin(b, asked, end);
      isInside = isInside ? arith::AndIOp::create(b, isInside, within).getResult() : within;
      offsets[dim] = arith::MaxSIOp::create(b, arith::MinSIOp::create(b, asked, end), zero).getResult();
    }
  }

  Value of(ImplicitLocOpBuilder &b, const IndexedWindows &windows) const {
    return tensor::ExtractSliceOp::create(b, typeOf(windows), windows.x, offsets, sizes, strides);
  }

  /// The same window of an array in which the dimensions of `loops` come first.
  WindowSlice below(ImplicitLocOpBuilder &b, ValueRange loops) const {
    WindowSlice other = *this;
    for (OpFoldResult &offset : other.offsets)
      offset = b.getIndexAttr(0);
    SmallVector<OpFoldResult> first = llvm::to_vector_of<OpFoldResult>(loops), ones(loops.size(), b.getIndexAttr(1));
    other.offsets.insert(other.offsets.begin(), first.begin(), first.end());
    other.sizes.insert(other.sizes.begin(), ones.begin(), ones.end());
    other.strides.insert(other.strides.begin(), ones.begin(), ones.end());
    return other;
  }
};

using LoopBody = function_ref<Value(ImplicitLocOpBuilder &, ValueRange, Value)>;

Value repeated(ImplicitLocOpBuilder &b, Value count, Value array,
               function_ref<Value(ImplicitLocOpBuilder &, Value, Value)> body) {
  Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  return scf::ForOp::create(b, zero, count, one, array,
                            [&](OpBuilder &inner, Location loc, Value i, ValueRange now) {
                              ImplicitLocOpBuilder each(loc, inner);
                              scf::YieldOp::create(each, body(each, i, now[0]));
                            })
      .getResult(0);
}

/// Carries an array through loops over `sizes`, in row-major order.
Value forEach(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes, SmallVector<Value> loops, Value array,
              LoopBody body) {
  if (sizes.empty())
    return body(b, loops, array);
  auto within = [&](ImplicitLocOpBuilder &each, Value i, Value now) {
    SmallVector<Value> inner(loops);
    inner.push_back(i);
    return forEach(each, sizes.drop_front(), inner, now, body);
  };
  if (isConstantIntValue(sizes[0], 1))
    return within(b, arith::ConstantIndexOp::create(b, 0), array);
  return repeated(b, asValue(b, sizes[0]), array, within);
}

SmallVector<OpFoldResult> loopSizes(ImplicitLocOpBuilder &b, const IndexedWindows &windows) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, windows.indices);
  sizes.pop_back();
  return sizes;
}

/// The elements of one window, or zeros.
Value readAt(ImplicitLocOpBuilder &b, const IndexedWindows &windows, const WindowSlice &window) {
  Value slice = window.of(b, windows);
  if (!window.isInside)
    return slice;
  Type element = getElementTypeOrSelf(windows.x);
  return mapElements(b, slice, element, [&](OpBuilder &inner, Location loc, Value x) -> Value {
    scalar::ScalarBuilder builder(loc, inner, element);
    return scalar::select(builder, window.isInside, x, scalar::zero(builder));
  });
}

} // namespace

bool IndexedWindows::areForSlices() const {
  auto type = cast<RankedTensorType>(x.getType());
  if (llvm::any_of(dims, [&](int64_t dim) { return type.isDynamicDim(dim); }))
    return false;
  RankedTensorType whole = typeOf(*this);
  auto loops = cast<RankedTensorType>(indices.getType()).getShape().drop_back();
  return llvm::all_of(loops, [](int64_t size) { return size == 1; }) || !whole.hasStaticShape() ||
         whole.getNumElements() >= kMinElements;
}

Value readWindows(ImplicitLocOpBuilder &b, const IndexedWindows &windows) {
  SmallVector<OpFoldResult> loops = loopSizes(b, windows), sizes = loops, ofWindow = sizesOf(b, windows.x);
  for (auto [dim, size] : llvm::zip_equal(windows.dims, windows.window))
    ofWindow[dim] = b.getIndexAttr(size);
  llvm::append_range(sizes, ofWindow);
  if (loops.empty())
    return readAt(b, windows, WindowSlice(b, windows, {}));
  Value all = empty(b, sizes, getElementTypeOrSelf(windows.x));
  return forEach(b, loops, {}, all, [&](ImplicitLocOpBuilder &each, ValueRange at, Value now) -> Value {
    WindowSlice window(each, windows, at), target = window.below(each, at);
    return tensor::InsertSliceOp::create(each, readAt(each, windows, window), now, target.offsets, target.sizes,
                                         target.strides);
  });
}

Value updateWindows(ImplicitLocOpBuilder &b, const IndexedWindows &windows, Value updates,
                    function_ref<Value(OpBuilder &, Location, Value, Value)> step) {
  return forEach(b, loopSizes(b, windows), {}, windows.x, [&](ImplicitLocOpBuilder &each, ValueRange at, Value now) {
    IndexedWindows current = windows;
    current.x = now;
    WindowSlice window(each, current, at);
    auto write = [&](ImplicitLocOpBuilder &once, Value, Value array) -> Value {
      WindowSlice source = window.below(once, at);
      Value update =
          tensor::ExtractSliceOp::create(once, typeOf(windows), updates, source.offsets, source.sizes, source.strides);
      Value old =
          tensor::ExtractSliceOp::create(once, typeOf(windows), array, window.offsets, window.sizes, window.strides);
      AffineMap all = once.getMultiDimIdentityMap(window.sizes.size());
      SmallVector<utils::IteratorType> kinds(window.sizes.size(), utils::IteratorType::parallel);
      auto changed =
          linalg::GenericOp::create(once, old.getType(), update, old, ArrayRef<AffineMap>{all, all}, kinds,
                                    [&](OpBuilder &inner, Location loc, ValueRange elements) {
                                      linalg::YieldOp::create(inner, loc, step(inner, loc, elements[1], elements[0]));
                                    });
      return tensor::InsertSliceOp::create(once, changed.getResult(0), array, window.offsets, window.sizes,
                                           window.strides);
    };
    if (!window.isInside)
      return write(each, {}, now);
    // A loop that runs once or never updates in place; a branch would not.
    Value zero = arith::ConstantIndexOp::create(each, 0), one = arith::ConstantIndexOp::create(each, 1);
    return repeated(each, arith::SelectOp::create(each, window.isInside, one, zero), now, write);
  });
}

} // namespace dovetail
