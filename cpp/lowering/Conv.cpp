// Lowering of convolutions. All targets can tile a contraction over the positions of a small kernel; convolutions for
// which that would be slow become a sum of products of slices, or one dot.
#include "dialects/Conv.h"
#include "Accumulators.h"
#include "Contraction.h"
#include "Convolution.h"
#include "Product.h"
#include "Window.h"
#include "cpp/dispatch/BlasCall.h"
#include "cpp/iree/Ops.h"
#include "cpp/iree/Quirks.h"
#include "cpp/tensors/Target.h"

using namespace mlir;

namespace dovetail {

namespace {

using Dims = Convolution::Dims;

/// Calls `each` with all vectors below `sizes`, in row-major order.
void forEachPlace(ArrayRef<int64_t> sizes, function_ref<void(ArrayRef<int64_t>)> each) {
  Dims place(sizes.size(), 0);
  for (size_t d = sizes.size();;) {
    each(place);
    for (d = sizes.size(); d-- > 0;) {
      if (++place[d] < sizes[d])
        break;
      place[d] = 0;
    }
    if (d == static_cast<size_t>(-1))
      return;
  }
}

/// Along a dimension, the elements from `start` on; `isKept` if the slice has the dimension.
struct Range {
  OpFoldResult start, size, stride;
  bool isKept;
};

/// The slice of `x` with a range along each label, and the labels of its dimensions.
std::pair<Value, Dims> sliced(const Convolution &conv, Value x, ArrayRef<int64_t> labels,
                              function_ref<std::optional<Range>(int64_t)> rangeOf) {
  SmallVector<OpFoldResult> starts, sizes, strides;
  Dims shape, kept;
  for (auto [label, whole] : llvm::zip_equal(labels, sizesOf(conv.b, x))) {
    Range range = rangeOf(label).value_or(Range{conv.b.getIndexAttr(0), whole, conv.b.getIndexAttr(1), true});
    starts.push_back(range.start);
    sizes.push_back(range.size);
    strides.push_back(range.stride);
    if (range.isKept) {
      shape.push_back(getConstantIntValue(range.size).value_or(ShapedType::kDynamic));
      kept.push_back(label);
    }
  }
  return {tensor::ExtractSliceOp::create(conv.b, withShape(x.getType(), shape), x, starts, sizes, strides), kept};
}

//===- Products of slices --------------------------------------------------------===//

/// An elementwise sum over the kernel's positions of products of slices, for convolutions that sum no channels.
Value sumOfSlices(const Convolution &conv, Type element, Type accumulator) {
  ImplicitLocOpBuilder &b = conv.b;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  OpFoldResult one = b.getIndexAttr(1);
  auto addInput = [&](std::pair<Value, Dims> slice) {
    inputs.push_back(slice.first);
    auto exprs = llvm::map_to_vector(slice.second,
                                     [&](int64_t label) { return b.getAffineDimExpr(placeOf(conv.ansDims, label)); });
    maps.push_back(AffineMap::get(conv.ansDims.size(), 0, exprs, b.getContext()));
  };
  auto kernel =
      llvm::map_to_vector(conv.windows, [&](int64_t label) { return *getConstantIntValue(conv.kernelSize(label)); });
  forEachPlace(kernel, [&](ArrayRef<int64_t> k) {
    addInput(sliced(conv, conv.lhs, conv.lhsDims, [&](int64_t label) -> std::optional<Range> {
      int64_t w = placeOf(conv.windows, label);
      if (conv.isWindow(label))
        return Range{b.getIndexAttr(k[w] * conv.dilations[w]), conv.ansSize(label), b.getIndexAttr(conv.strides[w]),
                     true};
      if (!conv.isIn(conv.ansDims, label))
        return Range{b.getIndexAttr(0), one, one, false};
      return std::nullopt;
    }));
    addInput(sliced(conv, conv.rhs, conv.rhsDims, [&](int64_t label) -> std::optional<Range> {
      if (conv.isWindow(label))
        return Range{b.getIndexAttr(k[placeOf(conv.windows, label)]), one, one, false};
      if (!conv.isIn(conv.ansDims, label))
        return Range{b.getIndexAttr(0), one, one, false};
      return std::nullopt;
    }));
  });
  return parallelLoops(b, conv.ansSizes(), scalar::lowered(accumulator), inputs, maps,
                       [&](OpBuilder &inner, Location loc, ValueRange args) {
                         scalar::ScalarBuilder source(loc, inner, element);
                         Value sum;
                         for (size_t i = 0; i < args.size(); i += 2) {
                           Value left = scalar::convert(source, args[i], accumulator),
                                 right = scalar::convert(source, args[i + 1], accumulator);
                           Value product = scalar::mul(source, left, right);
                           sum = sum ? scalar::add(source, sum, product) : product;
                         }
                         return sum;
                       });
}

//===- A dot ---------------------------------------------------------------------------===//

// If a large kernel has few positions, as in gradients with respect to kernels, a dot is a better contraction.

/// The loops of such a dot: over the dimensions of the result, then over the reduced dimensions in the operand's order,
/// so that they collapse to one loop without a transposition.
struct DotLoops {
  const Convolution &conv;
  Dims parallel, sums;

  DotLoops(const Convolution &conv, Dims parallel)
      : conv(conv), parallel(std::move(parallel)),
        sums(llvm::to_vector(llvm::make_filter_range(
            conv.lhsDims, [&](int64_t label) { return conv.isWindow(label) || !conv.isIn(conv.ansDims, label); }))) {}

  int64_t sum(int64_t label) const { return parallel.size() + placeOf(sums, label); }
  int64_t of(int64_t label) const { return conv.isIn(sums, label) ? sum(label) : placeOf(parallel, label); }
  Operand rhs() const {
    return {conv.rhs, llvm::map_to_vector(conv.rhsDims, [&](int64_t label) { return of(label); })};
  }
};

/// A dot for each position.
Value dotsByPlace(const Convolution &conv, Type element, Type result, Type accumulator) {
  ImplicitLocOpBuilder &b = conv.b;
  DotLoops loops(conv, llvm::to_vector(llvm::make_filter_range(conv.ansDims,
                                                               [&](int64_t label) { return !conv.isWindow(label); })));
  SmallVector<OpFoldResult> sizes = conv.ansSizes(), extents(sizes);
  SmallVector<OpFoldResult> starts(sizes.size(), b.getIndexAttr(0)), ones(sizes.size(), b.getIndexAttr(1));
  Value ans = empty(b, sizes, scalar::lowered(result));
  auto places =
      llvm::map_to_vector(conv.windows, [&](int64_t label) { return *getConstantIntValue(conv.ansSize(label)); });
  forEachPlace(places, [&](ArrayRef<int64_t> p) {
    auto [slice, labels] = sliced(conv, conv.lhs, conv.lhsDims, [&](int64_t label) -> std::optional<Range> {
      if (!conv.isWindow(label))
        return std::nullopt;
      int64_t w = placeOf(conv.windows, label);
      return Range{b.getIndexAttr(p[w] * conv.strides[w]), conv.kernelSize(label), b.getIndexAttr(conv.dilations[w]),
                   true};
    });
    Dims sliceLoops = llvm::map_to_vector(labels, [&](int64_t label) { return loops.of(label); });
    Value dot = lowerDot(b, {slice, sliceLoops}, loops.rhs(), loops.parallel.size(), element, result, accumulator);
    for (auto [w, label] : llvm::enumerate(conv.windows)) {
      starts[placeOf(conv.ansDims, label)] = b.getIndexAttr(p[w]);
      extents[placeOf(conv.ansDims, label)] = b.getIndexAttr(1);
    }
    ans = tensor::InsertSliceOp::create(b, dot, ans, starts, extents, ones);
  });
  return ans;
}

/// The elements of `lhs` for each position of the result and of the kernel: `lhs` with the kernel's positions instead
/// of its own. The result's are before the kernel's, or before the dimensions behind them.
Operand patchesOf(const Convolution &conv, const DotLoops &dot, bool startWithPlaces) {
  ImplicitLocOpBuilder &b = conv.b;
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> exprs(conv.lhsDims.size(), b.getAffineConstantExpr(0));
  Dims loops;
  auto addDim = [&](OpFoldResult size, int64_t loop) {
    sizes.push_back(size);
    loops.push_back(loop);
    return b.getAffineDimExpr(sizes.size() - 1);
  };
  auto addPlaces = [&] {
    for (auto [d, label] : llvm::enumerate(conv.lhsDims))
      if (conv.isWindow(label))
        exprs[d] = exprs[d] + addDim(conv.ansSize(label), placeOf(conv.ansDims, label)) *
                                  conv.strides[placeOf(conv.windows, label)];
  };
  SmallVector<OpFoldResult> whole = sizesOf(b, conv.lhs);
  auto isAtPlaces = [&](size_t d) {
    auto rest = ArrayRef(conv.lhsDims).drop_front(d);
    return startWithPlaces ? conv.isWindow(rest.front())
                           : llvm::none_of(rest, [&](int64_t label) { return conv.isWindow(label); });
  };
  bool hasPlaces = false;
  for (auto [d, label] : llvm::enumerate(conv.lhsDims)) {
    if (!hasPlaces && isAtPlaces(d)) {
      addPlaces();
      hasPlaces = true;
    }
    if (conv.isWindow(label))
      exprs[d] =
          exprs[d] + addDim(conv.kernelSize(label), dot.of(label)) * conv.dilations[placeOf(conv.windows, label)];
    else
      exprs[d] = addDim(whole[d], dot.of(label));
  }
  if (!hasPlaces)
    addPlaces();
  Type stored = getElementTypeOrSelf(conv.lhs);
  AffineMap map = AffineMap::get(sizes.size(), 0, exprs, b.getContext());
  Value lhs = withoutRest(b, conv.lhs, map, sizes);
  Value patches =
      parallelLoops(b, sizes, stored, lhs, map, [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  // Fused with the dot, they would be the slow contraction again.
  return {computeBarrier(b, patches), loops};
}

/// A dot with an array that repeats the elements of `lhs` for each position of the result, for large kernels with few
/// positions: those of gradients with respect to kernels.
Value dotOfPatches(const Convolution &conv, Type element, Type result, Type accumulator) {
  DotLoops loops(conv, conv.ansDims);
  return lowerDot(conv.b, patchesOf(conv, loops, false), loops.rhs(), conv.ansDims.size(), element, result,
                  accumulator);
}

//===- A contraction -----------------------------------------------------------------===//

Value contraction(const Convolution &conv, Type element, Type accumulator) {
  ImplicitLocOpBuilder &b = conv.b;
  Dims sums = conv.contracting();
  int64_t numParallel = conv.ansDims.size(), numLoops = numParallel + conv.windows.size() + sums.size();
  auto place = [&](int64_t label) {
    int64_t loop = placeOf(conv.ansDims, label);
    int64_t sum = numParallel + conv.windows.size() + placeOf(sums, label);
    return b.getAffineDimExpr(loop < numParallel ? loop : sum);
  };
  auto kernel = [&](int64_t label) { return b.getAffineDimExpr(numParallel + placeOf(conv.windows, label)); };
  ContractionLoops loops;
  auto addMap = [&](ArrayRef<int64_t> labels, auto windowed) {
    auto exprs = llvm::map_to_vector(
        labels, [&](int64_t label) -> AffineExpr { return conv.isWindow(label) ? windowed(label) : place(label); });
    loops.maps.push_back(AffineMap::get(numLoops, 0, exprs, b.getContext()));
  };
  addMap(conv.lhsDims, [&](int64_t label) {
    int64_t w = placeOf(conv.windows, label);
    return place(label) * conv.strides[w] + kernel(label) * conv.dilations[w];
  });
  addMap(conv.rhsDims, kernel);
  addMap(conv.ansDims, place);
  loops.iterators.assign(numParallel, utils::IteratorType::parallel);
  loops.iterators.resize(numLoops, utils::IteratorType::reduction);
  loops.sizes = conv.ansSizes();
  SmallVector<OpFoldResult> allSizes(loops.sizes);
  for (int64_t label : conv.windows)
    allSizes.push_back(conv.kernelSize(label));
  for (int64_t label : sums)
    allSizes.push_back(conv.sizeOf(conv.lhs, conv.lhsDims, label));
  Value lhs = withoutRest(b, conv.lhs, loops.maps[0], allSizes);
  return contracted(b, loops, lhs, conv.rhs, element, accumulator);
}

/// The number of positions to which a row is padded: the code generator vectorizes rows of a multiple of 8 positions
/// twice as well as those of a multiple of 4, and these twice as well as others.
int64_t roundedRow(int64_t count) {
  int64_t eights = llvm::alignTo(count, 8), fours = llvm::alignTo(count, 4);
  return count < 4 ? count : 3 * eights <= 4 * fours ? eights : fours;
}

/// The operand with as many zeros at the end of the last window's dimension as the longer rows read.
void lengthenRows(Convolution &conv) {
  if (conv.windows.empty() || isa<ComplexType>(getElementTypeOrSelf(conv.lhs)))
    return;
  int64_t label = *llvm::find_if(llvm::reverse(conv.lhsDims), [&](int64_t label) { return conv.isWindow(label); });
  int64_t w = placeOf(conv.windows, label), d = placeOf(conv.lhsDims, label);
  auto type = cast<RankedTensorType>(conv.lhs.getType());
  auto count = getConstantIntValue(conv.ansSize(label)), kernel = getConstantIntValue(conv.kernelSize(label));
  if (!type.hasStaticShape() || !count || !kernel || roundedRow(*count) == *count)
    return;
  int64_t needed = (roundedRow(*count) - 1) * conv.strides[w] + (*kernel - 1) * conv.dilations[w] + 1;
  Dims low(type.getRank(), 0), high(low), shape(type.getShape());
  high[d] = needed - shape[d];
  shape[d] = needed;
  auto attrs = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(conv.b.getContext(), values); };
  scalar::ScalarBuilder outer(conv.b.getLoc(), conv.b, type.getElementType());
  conv.lhs =
      tensor::PadOp::create(conv.b, withShape(type, shape), conv.lhs, attrs(low), attrs(high), scalar::zero(outer));
}

/// Whether the code generator has no tiles for the contraction: it drops loops over a single position of the kernel,
/// and recognizes no convolution in what is left of several dimensions, nor in one of groups. A dot is up to 75 times
/// as fast.
bool isSlowContraction(const Convolution &conv) {
  bool hasGroups = llvm::any_of(conv.lhsDims, [&](int64_t label) {
    return !conv.isWindow(label) && conv.isIn(conv.rhsDims, label) && conv.isIn(conv.ansDims, label);
  });
  int64_t numLong = llvm::count_if(conv.windows, [&](int64_t label) {
    return getConstantIntValue(conv.kernelSize(label)) != std::optional<int64_t>(1);
  });
  return numLong != 0 && (hasGroups || (numLong == 1 && conv.windows.size() > 1));
}

/// A dot with an array that repeats the elements of `lhs` for each position of the kernel.
Value dotOfRows(const Convolution &conv, Operation *op, Type element, Type result, Type accumulator) {
  ChannelsLast last(conv);
  const Convolution &ordered = last.conv;
  DotLoops loops(ordered, ordered.ansDims);
  Operand lhs = patchesOf(ordered, loops, true), rhs = loops.rhs();
  int64_t numParallel = ordered.ansDims.size();
  Value ans = lowerProduct(conv.b, op, lhs, rhs, numParallel);
  return last.restored(ans ? ans : lowerDot(conv.b, lhs, rhs, numParallel, element, result, accumulator));
}

/// The contraction of `conv` with its dimensions in the given order.
Value contractionInOrder(const Convolution &conv, Type element, Type accumulator) {
  ChannelsLast last(conv);
  Convolution ordered = last.conv;
  SmallVector<OpFoldResult> sizes = ordered.ansSizes();
  lengthenRows(ordered);
  Value ans = contraction(ordered, element, accumulator);
  if (SmallVector<OpFoldResult> longer = ordered.ansSizes(); longer != sizes) {
    SmallVector<OpFoldResult> starts(sizes.size(), conv.b.getIndexAttr(0)), ones(sizes.size(), conv.b.getIndexAttr(1));
    ans = tensor::ExtractSliceOp::create(conv.b, ans, starts, sizes, ones);
  }
  return last.restored(ans);
}

//===- Sums of products by the library -----------------------------------------------===//

/// A convolution of sequences, with channels before or after their positions, as sums over the kernel's positions of
/// products of matrices; null for others, and small ones. Each product reads a window of `lhs` in place.
Value productsOfWindows(const Convolution &conv, Operation *op) {
  auto isStatic = [](Value x) { return cast<RankedTensorType>(x.getType()).hasStaticShape(); };
  if (conv.windows.size() != 1 || conv.lhsDims.size() != 3 || conv.rhsDims.size() != 3 || conv.ansDims.size() != 3 ||
      !isStatic(conv.lhs) || !isStatic(conv.rhs) || !mayCallProducts(conv.b, op))
    return {};
  int64_t w = conv.windows[0], n = conv.lhsDims[0], o = -1, c = -1;
  for (int64_t label : conv.rhsDims)
    if (label != w)
      (conv.isIn(conv.ansDims, label) ? o : c) = label;
  bool isLast = conv.lhsDims[2] == c;
  Dims positions = isLast ? Dims{n, w, c} : Dims{n, c, w}, results = isLast ? Dims{n, w, o} : Dims{n, o, w};
  if (o < 0 || c < 0 || n == w || n == c || conv.lhsDims != positions || conv.ansDims != results ||
      (!isLast && conv.strides[0] != 1))
    return {};
  auto size = [](OpFoldResult known) { return *getConstantIntValue(known); };
  int64_t length = size(conv.sizeOf(conv.lhs, conv.lhsDims, w)), inputs = size(conv.sizeOf(conv.lhs, conv.lhsDims, c)),
          outputs = size(conv.ansSize(o)), count = size(conv.ansSize(w)), taps = size(conv.kernelSize(w)),
          batch = size(conv.ansSize(n));
  // The library adds up terms in the type of elements, and counts in 32 bits.
  constexpr int64_t mostTerms = 8192, fewChannels = 8, mostRows = std::numeric_limits<int32_t>::max();
  constexpr double littleWork = 1 << 20;
  if (taps * inputs > mostTerms || length * conv.strides[0] > mostRows ||
      std::min({inputs, outputs, count}) < fewChannels || double(batch) * count * inputs * outputs * taps < littleWork)
    return {};
  ImplicitLocOpBuilder &b = conv.b;
  Dims order = llvm::map_to_vector(isLast ? Dims{w, c, o} : Dims{w, o, c},
                                   [&](int64_t label) { return placeOf(conv.rhsDims, label); });
  Value kernel = transposed(b, conv.rhs, order);
  auto type = cast<RankedTensorType>(conv.lhs.getType());
  blas::Strides ofKernel = {isLast ? outputs : inputs, 0, inputs * outputs};
  if (isLast) {
    blas::Strides ofWindows = {conv.strides[0] * inputs, length * inputs, conv.dilations[0] * inputs};
    WindowsCall call = {batch, count, outputs, inputs, taps, ofWindows, ofKernel};
    return callWindows(b, call, conv.lhs, kernel, type.clone({batch, count, outputs}));
  }
  blas::Strides ofWindows = {length, inputs * length, conv.dilations[0]};
  WindowsCall call = {batch, outputs, count, inputs, taps, ofKernel, ofWindows};
  return callWindows(b, call, kernel, conv.lhs, type.clone({batch, outputs, count}));
}

struct ConvLowering : LowerOpInterface::ExternalModel<ConvLowering, ConvOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto conv = cast<ConvOp>(op);
    auto of = [&](Value lhs, Value rhs) {
      return Convolution{b,
                         lhs,
                         rhs,
                         Dims(conv.getLhsDims()),
                         Dims(conv.getRhsDims()),
                         Dims(conv.getAnsDims()),
                         Dims(conv.getWindows()),
                         Dims(conv.getStrides()),
                         Dims(conv.getDilations())};
    };
    Convolution whole = of(operands[0], operands[1]);
    Type element = getElementTypeOrSelf(conv.getLhs()), result = getElementTypeOrSelf(conv.getType());
    constexpr int64_t many = 64;
    auto isEmpty = [](Value x) { return llvm::is_contained(cast<RankedTensorType>(x.getType()).getShape(), 0); };
    if (isEmpty(conv) || isEmpty(conv.getLhs()) || isEmpty(conv.getRhs())) {
      // An empty operand has no slices, and the operand may be shorter than the kernel; loops cannot express that.
      scalar::ScalarBuilder outer(b.getLoc(), b, result);
      results.push_back(filledAlone(b, whole.ansSizes(), scalar::zero(outer)));
      return success();
    }
    auto kernel = whole.places([&](int64_t label) { return whole.kernelSize(label); }, many);
    auto places = whole.places([&](int64_t label) { return whole.ansSize(label); }, many);
    if (places && !conv.getWindows().empty() && (!kernel || *places < *kernel)) {
      constexpr int64_t few = 25;
      Type sum = sumType(op, partType(result));
      results.push_back(*places <= few ? dotsByPlace(whole, element, result, sum)
                                       : dotOfPatches(whole, element, result, sum));
      return success();
    }
    if (Value products = productsOfWindows(whole, op)) {
      results.push_back(products);
      return success();
    }
    bool inSlices = kernel && *kernel > 1 && !whole.sumsChannels();
    if (kernel && !inSlices && Target(op).isCpu() && isSlowContraction(whole)) {
      results.push_back(dotOfRows(whole, op, element, result, sumType(op, partType(result))));
      return success();
    }
    results.push_back(lowerContraction(b, operands[0], operands[1], element, result, accumulatorType(partType(result)),
                                       [&](Value lhs, Value rhs, Type element, Type accumulator) {
                                         return inSlices ? sumOfSlices(of(lhs, rhs), element, accumulator)
                                                         : contractionInOrder(of(lhs, rhs), element, accumulator);
                                       }));
    return success();
  }
};

} // namespace

void attachConvLowerings(MLIRContext *context) { ConvOp::attachInterface<ConvLowering>(*context); }

} // namespace dovetail
