// Lowering of convolutions: a contraction over the kernel's places, or its terms written out where no channels are
// summed.
#include "dialects/Conv.h"
#include "Contraction.h"

using namespace mlir;

namespace dovetail {

namespace {

using Dims = SmallVector<int64_t>;

/// A convolution whose result has the dimensions that the first loops run over.
struct Convolution {
  ImplicitLocOpBuilder &b;
  ArrayRef<int64_t> lhsDims, rhsDims, ansDims, windows, strides, dilations;
  Dims contracting;
  SmallVector<OpFoldResult> sizes;

  Convolution(ImplicitLocOpBuilder &b, ConvOp op, Value lhs, Value rhs)
      : b(b), lhsDims(op.getLhsDims()), rhsDims(op.getRhsDims()), ansDims(op.getAnsDims()), windows(op.getWindows()),
        strides(op.getStrides()), dilations(op.getDilations()), contracting(op.factorMap().reduced),
        sizes(ansDims.size()) {
    auto take = [&](ArrayRef<int64_t> labels, Value x) {
      for (auto [label, size] : llvm::zip_equal(labels, sizesOf(b, x)))
        if (loopOf(label) < numParallel() && !isWindow(label))
          sizes[loopOf(label)] = size;
    };
    take(lhsDims, lhs);
    take(rhsDims, rhs);
    for (auto [label, stride, dilation] : llvm::zip_equal(windows, strides, dilations))
      sizes[loopOf(label)] = windowCount(b, sizeOf(lhs, lhsDims, label), sizeOf(rhs, rhsDims, label), stride, dilation);
  }

  int64_t numParallel() const { return ansDims.size(); }
  int64_t numLoops() const { return numParallel() + windows.size() + contracting.size(); }
  bool isWindow(int64_t label) const { return llvm::is_contained(windows, label); }
  static int64_t find(ArrayRef<int64_t> labels, int64_t label) { return llvm::find(labels, label) - labels.begin(); }

  /// The loop over a label of the result, or the reduction over a contracting one: these come after the windows'.
  int64_t loopOf(int64_t label) const {
    int64_t loop = find(ansDims, label);
    if (loop < numParallel())
      return loop;
    return numParallel() + windows.size() + find(contracting, label);
  }

  OpFoldResult sizeOf(Value x, ArrayRef<int64_t> labels, int64_t label) const {
    return sizesOf(b, x)[find(labels, label)];
  }

  ContractionLoops loops() const {
    ContractionLoops loops;
    auto place = [&](int64_t label) { return b.getAffineDimExpr(loopOf(label)); };
    auto kernel = [&](int64_t label) { return b.getAffineDimExpr(numParallel() + find(windows, label)); };
    auto map = [&](ArrayRef<int64_t> labels, auto windowed) {
      auto exprs = llvm::map_to_vector(
          labels, [&](int64_t label) -> AffineExpr { return isWindow(label) ? windowed(label) : place(label); });
      loops.maps.push_back(AffineMap::get(numLoops(), 0, exprs, b.getContext()));
    };
    map(lhsDims, [&](int64_t label) {
      int64_t w = find(windows, label);
      return place(label) * strides[w] + kernel(label) * dilations[w];
    });
    map(rhsDims, kernel);
    map(ansDims, place);
    loops.iterators.assign(numParallel(), utils::IteratorType::parallel);
    loops.iterators.resize(numLoops(), utils::IteratorType::reduction);
    loops.sizes = sizes;
    return loops;
  }
};

/// Terms written out: an elementwise sum of products of slices, which is vectorised better where no channels are
/// summed.
struct Terms {
  const Convolution &conv;
  ArrayRef<int64_t> lhsShape;
  Dims kernel;

  Terms(const Convolution &conv, ConvOp op) : conv(conv), lhsShape(op.getLhs().getType().getShape()) {
    for (int64_t label : conv.windows)
      kernel.push_back(op.getRhs().getType().getDimSize(Convolution::find(conv.rhsDims, label)));
  }

  /// Whether there are few terms, and nothing to sum within one.
  bool isApplicable() const {
    constexpr int64_t manyTerms = 64;
    int64_t count = 1;
    for (int64_t size : kernel) {
      if (ShapedType::isDynamic(size) || size > manyTerms)
        return false;
      count *= size;
    }
    for (auto [d, label] : llvm::enumerate(conv.lhsDims))
      if (isContracting(label) && lhsShape[d] != 1)
        return false;
    return count > 1 && count <= manyTerms;
  }

  bool isContracting(int64_t label) const { return !llvm::is_contained(conv.ansDims, label); }

  /// What of an operand meets place `k` of the kernel, without the dimensions that are one element then; and its map.
  std::pair<Value, AffineMap> slice(Value x, ArrayRef<int64_t> labels, ArrayRef<int64_t> k, bool isLhs) const {
    ImplicitLocOpBuilder &b = conv.b;
    SmallVector<OpFoldResult> starts, sizes, strides;
    Dims shape;
    SmallVector<AffineExpr> exprs;
    for (auto [label, size] : llvm::zip_equal(labels, sizesOf(b, x))) {
      OpFoldResult start = b.getIndexAttr(0), stride = b.getIndexAttr(1);
      bool isKept = !isContracting(label);
      if (conv.isWindow(label)) {
        int64_t w = Convolution::find(conv.windows, label);
        start = b.getIndexAttr(k[w] * (isLhs ? conv.dilations[w] : 1));
        stride = b.getIndexAttr(isLhs ? conv.strides[w] : 1);
        size = isLhs ? conv.sizes[conv.loopOf(label)] : OpFoldResult(b.getIndexAttr(1));
        isKept = isLhs;
      }
      starts.push_back(start);
      sizes.push_back(size);
      strides.push_back(stride);
      if (isKept) {
        shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
        exprs.push_back(b.getAffineDimExpr(conv.loopOf(label)));
      }
    }
    Value part = tensor::ExtractSliceOp::create(b, withShape(x.getType(), shape), x, starts, sizes, strides);
    return {part, AffineMap::get(conv.numParallel(), 0, exprs, b.getContext())};
  }

  Value sum(Value lhs, Value rhs, Type element, Type accumulator) const {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    Dims k(kernel.size(), 0);
    do {
      for (auto [value, map] : {slice(lhs, conv.lhsDims, k, true), slice(rhs, conv.rhsDims, k, false)}) {
        inputs.push_back(value);
        maps.push_back(map);
      }
    } while (next(k));
    return parallelLoops(conv.b, conv.sizes, scalar::lowered(accumulator), inputs, maps,
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

  /// The next place in row-major order; false after the last.
  bool next(Dims &k) const {
    for (size_t d = k.size(); d-- > 0;) {
      if (++k[d] < kernel[d])
        return true;
      k[d] = 0;
    }
    return false;
  }
};

struct ConvLowering : LowerOpInterface::ExternalModel<ConvLowering, ConvOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto conv = cast<ConvOp>(op);
    Convolution convolution(b, conv, operands[0], operands[1]);
    Terms terms(convolution, conv);
    bool inTerms = terms.isApplicable() && !llvm::is_contained(conv.getType().getShape(), 0);
    results.push_back(lowerContraction(
        b, operands[0], operands[1], getElementTypeOrSelf(conv.getLhs()), getElementTypeOrSelf(conv.getType()),
        [&](Value lhs, Value rhs, Type element, Type accumulator) {
          return inTerms ? terms.sum(lhs, rhs, element, accumulator)
                         : contracted(b, convolution.loops(), lhs, rhs, element, accumulator);
        }));
    return success();
  }
};

} // namespace

void attachConvLowerings(MLIRContext *context) { ConvOp::attachInterface<ConvLowering>(*context); }

} // namespace dovetail
