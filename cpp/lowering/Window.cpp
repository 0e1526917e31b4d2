// Lowering of reductions over sliding windows: `linalg.generic` with one loop over the windows and one over each.
#include "Window.h"
#include "Accumulators.h"
#include "dialects/Window.h"

using namespace mlir;

namespace dovetail {

OpFoldResult windowCount(ImplicitLocOpBuilder &b, OpFoldResult size, OpFoldResult window, int64_t stride,
                         int64_t dilation) {
  auto knownSize = getConstantIntValue(size), knownWindow = getConstantIntValue(window);
  if (knownSize && knownWindow)
    return b.getIndexAttr(Windows{{*knownWindow}, {stride}, {dilation}}.count(*knownSize, 0));
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, value); };
  Value last = arith::SubIOp::create(b, asValue(b, window), index(1));
  Value span = arith::AddIOp::create(b, arith::MulIOp::create(b, last, index(dilation)), index(1));
  span = arith::MaxSIOp::create(b, span, index(0));
  Value starts = arith::AddIOp::create(b, arith::SubIOp::create(b, asValue(b, size), span), index(stride));
  return arith::DivUIOp::create(b, arith::MaxSIOp::create(b, starts, index(0)), index(stride)).getResult();
}

Value withoutRest(ImplicitLocOpBuilder &b, Value x, AffineMap map, ArrayRef<OpFoldResult> loops) {
  SmallVector<AffineExpr> last;
  llvm::SmallBitVector isKnown(loops.size()), isOne(loops.size());
  for (auto [i, size] : llvm::enumerate(loops)) {
    std::optional<int64_t> known = getConstantIntValue(size);
    isKnown[i] = known.has_value();
    isOne[i] = known == 1;
    last.push_back(b.getAffineConstantExpr(known.value_or(1) - 1));
  }
  SmallVector<OpFoldResult> sizes = sizesOf(b, x);
  bool hasRest = false;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), sizes)) {
    llvm::SmallBitVector used(loops.size());
    expr.walk([&](AffineExpr part) {
      if (auto loop = dyn_cast<AffineDimExpr>(part))
        used.set(loop.getPosition());
    });
    if (isa<AffineDimExpr>(expr) || !used.anyCommon(isOne) || used.test(isKnown))
      continue;
    int64_t extent = cast<AffineConstantExpr>(expr.replaceDims(last)).getValue() + 1;
    hasRest |= getConstantIntValue(size) != extent;
    size = b.getIndexAttr(extent);
  }
  if (!hasRest)
    return x;
  SmallVector<OpFoldResult> starts(sizes.size(), b.getIndexAttr(0)), ones(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, x, starts, sizes, ones);
}

namespace {

/// The loops over windows and, for windows of more than one element, over these.
struct WindowLoops {
  ImplicitLocOpBuilder &b;
  Windows windows;
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> sliding;

  WindowLoops(ImplicitLocOpBuilder &b, Windows all, Value x) : b(b), windows(std::move(all)) {
    for (auto [d, size] : llvm::enumerate(sizesOf(b, x))) {
      sizes.push_back(
          windowCount(b, size, b.getIndexAttr(windows.window[d]), windows.strides[d], windows.dilations[d]));
      if (windows.window[d] > 1)
        sliding.push_back(d);
    }
  }

  int64_t rank() const { return sizes.size(); }

  /// Computes new accumulators from the arrays' elements at a position of the window, the offset of that position, the
  /// elements of the arrays in `ofWindows`, and the accumulators.
  using Step = function_ref<SmallVector<Value, 2>(OpBuilder &, Location, ValueRange elements, Value offset,
                                                  ValueRange ofWindows, ValueRange accumulators)>;

  /// The final accumulator of each window, starting from the `neutral` ones.
  Value reduced(ValueRange elements, ValueRange ofWindows, ValueRange neutral, Step step) const {
    // An array may be shorter than its windows, and then there are no windows; slices and loops cannot express that.
    if (llvm::any_of(sizes, [](OpFoldResult size) { return getConstantIntValue(size) == std::optional<int64_t>(0); }))
      return empty(b, sizes, neutral.back().getType());
    // The code generator vectorizes no reduction that carries two values or uses indices.
    constexpr int64_t fewSteps = 32;
    bool isPlain = ofWindows.empty() && elements.size() == 1 && neutral.size() == 1;
    return isPlain || windowSize() > fewSteps ? inLoops(elements, ofWindows, neutral, step)
                                              : inSteps(elements, ofWindows, neutral, step);
  }

  Value inLoops(ValueRange elements, ValueRange ofWindows, ValueRange neutral, Step step) const {
    int64_t numLoops = rank() + sliding.size();
    SmallVector<AffineExpr> place, within;
    SmallVector<int64_t> shape;
    SmallVector<OpFoldResult> loops(sizes);
    for (int64_t d = 0; d < rank(); ++d)
      place.push_back(b.getAffineDimExpr(d) * windows.strides[d]);
    for (auto [i, d] : llvm::enumerate(sliding)) {
      AffineExpr loop = b.getAffineDimExpr(rank() + i);
      place[d] = place[d] + loop * windows.dilations[d];
      within.push_back(loop);
      shape.push_back(windows.window[d]);
      loops.push_back(b.getIndexAttr(windows.window[d]));
    }
    auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(numLoops, 0, exprs, b.getContext()); };
    AffineMap identity = AffineMap::getMultiDimIdentityMap(rank(), b.getContext());
    SmallVector<AffineMap> maps(elements.size(), map(place));
    maps.append(ofWindows.size() + neutral.size(), map(identity.getResults()));
    SmallVector<Value> inits,
        inputs = llvm::map_to_vector(elements, [&](Value x) { return withoutRest(b, x, map(place), loops); });
    llvm::append_range(inputs, ofWindows);
    if (!sliding.empty()) {
      // Nothing reads it: it determines the extent of the loops over a window.
      maps.insert(maps.begin() + inputs.size(), map(within));
      inputs.push_back(tensor::EmptyOp::create(b, shape, b.getI8Type()));
    }
    for (Value scalar : neutral)
      inits.push_back(filled(b, sizes, scalar));
    SmallVector<utils::IteratorType> iterators(rank(), utils::IteratorType::parallel);
    iterators.resize(numLoops, utils::IteratorType::reduction);
    auto types = llvm::map_to_vector(inits, [](Value init) { return init.getType(); });
    auto generic = linalg::GenericOp::create(
        b, types, inputs, inits, maps, iterators, [&](OpBuilder &inner, Location loc, ValueRange args) {
          linalg::YieldOp::create(inner, loc,
                                  step(inner, loc, args.take_front(elements.size()), offsetOfLoops(inner, loc),
                                       args.slice(elements.size(), ofWindows.size()), args.take_back(neutral.size())));
        });
    return generic.getResults().back();
  }

  Value inSteps(ValueRange elements, ValueRange ofWindows, ValueRange neutral, Step step) const {
    SmallVector<Value> inputs(ofWindows);
    SmallVector<OpFoldResult> strides = attributes(windows.strides);
    auto shape = llvm::map_to_vector(
        sizes, [](OpFoldResult size) { return getConstantIntValue(size).value_or(ShapedType::kDynamic); });
    SmallVector<int64_t> place(rank(), 0);
    for (int64_t offset = 0; offset < windowSize(); ++offset) {
      for (int64_t d = rank() - 1, rest = offset; d >= 0; rest /= windows.window[d--])
        place[d] = rest % windows.window[d] * windows.dilations[d];
      for (Value x : elements)
        inputs.push_back(
            tensor::ExtractSliceOp::create(b, withShape(x.getType(), shape), x, attributes(place), sizes, strides));
    }
    SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(rank()));
    return parallelLoops(
        b, sizes, neutral.back().getType(), inputs, maps, [&](OpBuilder &inner, Location loc, ValueRange args) {
          SmallVector<Value, 2> accumulators(neutral);
          for (int64_t i = 0; i < windowSize(); ++i) {
            Value offset = arith::ConstantOp::create(inner, loc, inner.getI32IntegerAttr(i));
            accumulators = step(inner, loc, args.slice(ofWindows.size() + i * elements.size(), elements.size()), offset,
                                args.take_front(ofWindows.size()), accumulators);
          }
          return accumulators.back();
        });
  }

  SmallVector<OpFoldResult> attributes(ArrayRef<int64_t> values) const {
    return getAsIndexOpFoldResult(b.getContext(), values);
  }

  /// The number of window elements before the position of the loops.
  Value offsetOfLoops(OpBuilder &inner, Location loc) const {
    ImplicitLocOpBuilder body(loc, inner);
    Value offset = arith::ConstantIndexOp::create(body, 0);
    for (auto [i, d] : llvm::enumerate(sliding)) {
      Value size = arith::ConstantIndexOp::create(body, windows.window[d]);
      offset = arith::AddIOp::create(body, arith::MulIOp::create(body, offset, size),
                                     linalg::IndexOp::create(body, rank() + i));
    }
    return arith::IndexCastOp::create(body, body.getI32Type(), offset);
  }

  int64_t windowSize() const {
    int64_t count = 1;
    for (int64_t size : windows.window)
      count *= size;
    return count;
  }
};

template <typename Op>
struct ReduceWindowLowering : LowerOpInterface::ExternalModel<ReduceWindowLowering<Op>, Op> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    Type element = getElementTypeOrSelf(op->getOperand(0)), accumulator = accumulatorType(element);
    WindowLoops loops(b, windowsOf(cast<Op>(op)), operands[0]);
    scalar::ScalarBuilder outer(b.getLoc(), b, accumulator);
    auto step = [&](OpBuilder &inner, Location loc, ValueRange x, Value, ValueRange,
                    ValueRange sum) -> SmallVector<Value, 2> {
      scalar::ScalarBuilder source(loc, inner, element), builder(loc, inner, accumulator);
      return {Op::emitStep(builder, sum[0], scalar::convert(source, x[0], accumulator))};
    };
    Value sum = loops.reduced(operands[0], {}, Op::emitNeutral(outer), step);
    results.push_back(converted(b, sum, accumulator, element));
    return success();
  }
};

template <typename Op, bool isMaximum>
struct WindowArgReduceLowering : LowerOpInterface::ExternalModel<WindowArgReduceLowering<Op, isMaximum>, Op> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    Type element = getElementTypeOrSelf(op->getOperand(0));
    WindowLoops loops(b, windowsOf(cast<Op>(op)), operands[0]);
    scalar::ScalarBuilder values(b.getLoc(), b, element);
    Value worst = isMaximum ? scalar::lowest(values) : scalar::highest(values);
    Value first = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    auto step = [&](OpBuilder &inner, Location loc, ValueRange x, Value offset, ValueRange, ValueRange best) {
      scalar::ScalarBuilder builder(loc, inner, element);
      return extremeOf(builder, isMaximum, {best[0], best[1]}, {x[0], offset});
    };
    results.push_back(loops.reduced(operands[0], {}, {worst, first}, step));
    return success();
  }
};

struct WindowTakeLowering : LowerOpInterface::ExternalModel<WindowTakeLowering, WindowTakeOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    Type element = getElementTypeOrSelf(op->getOperand(0));
    WindowLoops loops(b, windowsOf(cast<WindowTakeOp>(op)), operands[0]);
    // The offsets may be known to have more static sizes, or fewer, than follow from the windows.
    loops.sizes = sizesOf(b, operands[1]);
    scalar::ScalarBuilder outer(b.getLoc(), b, element);
    auto step = [&](OpBuilder &inner, Location loc, ValueRange x, Value offset, ValueRange wanted,
                    ValueRange taken) -> SmallVector<Value, 2> {
      scalar::ScalarBuilder builder(loc, inner, element);
      Value isTaken = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, wanted[0], offset);
      return {scalar::select(builder, isTaken, x[0], taken[0])};
    };
    results.push_back(loops.reduced(operands[0], operands[1], scalar::zero(outer), step));
    return success();
  }
};

struct WindowPutLowering : LowerOpInterface::ExternalModel<WindowPutLowering, WindowPutOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto put = cast<WindowPutOp>(op);
    Type element = getElementTypeOrSelf(put.getX()), accumulator = accumulatorType(element);
    SmallVector<int64_t> ones(put.getWindow().size(), 1), window(put.getWindow()), dilations(put.getDilations());
    WindowLoops loops(b, {window, ones, dilations}, operands[0]);
    scalar::ScalarBuilder outer(b.getLoc(), b, accumulator);
    auto step = [&](OpBuilder &inner, Location loc, ValueRange x, Value offset, ValueRange,
                    ValueRange sum) -> SmallVector<Value, 2> {
      scalar::ScalarBuilder source(loc, inner, element), builder(loc, inner, accumulator);
      Value last = arith::ConstantOp::create(builder, builder.getI32IntegerAttr(loops.windowSize() - 1));
      Value fromEnd = arith::SubIOp::create(builder, last, offset);
      Value isPut = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, x[1], fromEnd);
      Value added = scalar::add(builder, sum[0], scalar::convert(source, x[0], accumulator));
      return {scalar::select(builder, isPut, added, sum[0])};
    };
    Value sum = loops.reduced({operands[0], operands[1]}, {}, scalar::zero(outer), step);
    results.push_back(converted(b, sum, accumulator, element));
    return success();
  }
};

} // namespace

void attachWindowLowerings(MLIRContext *context) {
  ReduceWindowSumOp::attachInterface<ReduceWindowLowering<ReduceWindowSumOp>>(*context);
  ReduceWindowMaxOp::attachInterface<ReduceWindowLowering<ReduceWindowMaxOp>>(*context);
  ReduceWindowMinOp::attachInterface<ReduceWindowLowering<ReduceWindowMinOp>>(*context);
  WindowArgmaxOp::attachInterface<WindowArgReduceLowering<WindowArgmaxOp, true>>(*context);
  WindowArgminOp::attachInterface<WindowArgReduceLowering<WindowArgminOp, false>>(*context);
  WindowTakeOp::attachInterface<WindowTakeLowering>(*context);
  WindowPutOp::attachInterface<WindowPutLowering>(*context);
}

} // namespace dovetail
