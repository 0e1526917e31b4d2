// Lowering of sums of products: one `linalg.generic`; complex ones in real arithmetic.
#include "Contraction.h"
#include "Accumulators.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Target.h"

using namespace mlir;

namespace dovetail {

Value contracted(ImplicitLocOpBuilder &b, const ContractionLoops &loops, Value lhs, Value rhs, Type element,
                 Type accumulator) {
  scalar::ScalarBuilder outer(b.getLoc(), b, accumulator);
  Value init = filled(b, loops.sizes, scalar::zero(outer));
  auto generic = linalg::GenericOp::create(b, init.getType(), ValueRange{lhs, rhs}, init, loops.maps, loops.iterators,
                                           [&](OpBuilder &inner, Location loc, ValueRange args) {
                                             scalar::ScalarBuilder source(loc, inner, element);
                                             Value left = scalar::convert(source, args[0], accumulator),
                                                   right = scalar::convert(source, args[1], accumulator);
                                             scalar::ScalarBuilder step(loc, inner, accumulator);
                                             Value product = scalar::mul(step, left, right);
                                             linalg::YieldOp::create(step, scalar::add(step, args[2], product));
                                           });
  return generic.getResult(0);
}

/// Four real contractions: three would be faster, but lose accuracy if parts differ in magnitude.
static Value complexContraction(ImplicitLocOpBuilder &b, Value lhs, Value rhs, ComplexType element, Type accumulator,
                                SumOfProducts sum) {
  Type real = element.getElementType();
  auto part = [&](Value x, bool isImaginary) {
    return mapElements(b, x, real, [&](OpBuilder &inner, Location loc, Value value) {
      scalar::ScalarBuilder builder(loc, inner, element);
      return isImaginary ? scalar::imag(builder, value) : scalar::real(builder, value);
    });
  };
  Value lhsRe = part(lhs, false), lhsIm = part(lhs, true), rhsRe = part(rhs, false), rhsIm = part(rhs, true);
  Value reRe = sum(lhsRe, rhsRe, real, accumulator), imIm = sum(lhsIm, rhsIm, real, accumulator);
  Value reIm = sum(lhsRe, rhsIm, real, accumulator), imRe = sum(lhsIm, rhsRe, real, accumulator);
  // If they were fused with the op that joins them, the four would not be vectorized, and would not compile for Vulkan.
  for (Value *each : {&reRe, &imIm, &reIm, &imRe})
    *each = computeBarrier(b, *each);
  SmallVector<OpFoldResult> sizes = sizesOf(b, reRe);
  SmallVector<AffineMap> maps(4, b.getMultiDimIdentityMap(sizes.size()));
  return parallelLoops(
      b, sizes, element, {reRe, imIm, reIm, imRe}, maps, [&](OpBuilder &inner, Location loc, ValueRange args) {
        scalar::ScalarBuilder wide(loc, inner, accumulator), builder(loc, inner, real);
        Value re = scalar::sub(wide, args[0], args[1]), im = scalar::add(wide, args[2], args[3]);
        return scalar::complex(builder, scalar::convert(wide, re, real), scalar::convert(wide, im, real));
      });
}

Type partType(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

Value lowerContraction(ImplicitLocOpBuilder &b, Value lhs, Value rhs, Type element, Type result, Type accumulator,
                       SumOfProducts sum) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return converted(b, complexContraction(b, lhs, rhs, complex, accumulator, sum), element, result);
  return converted(b, sum(lhs, rhs, element, accumulator), accumulator, result);
}

/// The operand with all its dimensions for the loops from `first` on collapsed into one, which the code generator
/// recognizes as that of a matrix product. If they are not adjacent and in order, they are moved to the end.
static Operand withOneReducedLoop(ImplicitLocOpBuilder &b, Operand operand, int64_t first) {
  auto isReduced = [&](int64_t loop) { return loop >= first; };
  auto *begin = llvm::find_if(operand.loops, isReduced);
  auto *end = std::find_if_not(begin, operand.loops.end(), isReduced);
  if (std::any_of(end, operand.loops.end(), isReduced) || !std::is_sorted(begin, end)) {
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, operand.loops.size()));
    llvm::stable_sort(order, [&](int64_t i, int64_t j) {
      return std::max(operand.loops[i], first - 1) < std::max(operand.loops[j], first - 1);
    });
    Value moved = transposed(b, operand.value, order);
    auto loops = llvm::map_to_vector(order, [&](int64_t dim) { return operand.loops[dim]; });
    return withOneReducedLoop(b, {moved, loops}, first);
  }
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> loops;
  for (auto [dim, loop] : llvm::enumerate(operand.loops)) {
    if (!isReduced(loop) || groups.empty() || !isReduced(operand.loops[dim - 1])) {
      groups.emplace_back();
      loops.push_back(std::min(loop, first));
    }
    groups.back().push_back(dim);
  }
  return {tensor::CollapseShapeOp::create(b, operand.value, groups), loops};
}

/// The trip count of a loop over the operand.
static int64_t sizeOf(const Operand &operand, int64_t loop) {
  int64_t dim = llvm::find(operand.loops, loop) - operand.loops.begin();
  return cast<RankedTensorType>(operand.value.getType()).getDimSize(dim);
}

/// Returns true if the operand runs over a loop of the result that the other operand does not.
static bool hasOwnLoop(const Operand &operand, const Operand &other, int64_t numParallel) {
  auto shape = cast<RankedTensorType>(operand.value.getType()).getShape();
  return llvm::any_of(llvm::zip_equal(operand.loops, shape), [&](auto each) {
    auto [loop, size] = each;
    return loop < numParallel && size != 1 && !llvm::is_contained(other.loops, loop);
  });
}

/// The loops over the dimensions of both operands and, the first `numParallel` of them, over those of the result.
static ContractionLoops loopsOf(ImplicitLocOpBuilder &b, const Operand &lhs, const Operand &rhs, int64_t numParallel,
                                int64_t numReduced) {
  ContractionLoops loops;
  SmallVector<int64_t> resultLoops = range(0, numParallel);
  for (ArrayRef<int64_t> dims : {lhs.loops, rhs.loops, resultLoops}) {
    auto exprs = llvm::map_to_vector(dims, [&](int64_t dim) { return b.getAffineDimExpr(dim); });
    loops.maps.push_back(AffineMap::get(numParallel + numReduced, 0, exprs, b.getContext()));
  }
  loops.iterators.assign(numParallel, utils::IteratorType::parallel);
  loops.iterators.resize(numParallel + numReduced, utils::IteratorType::reduction);
  loops.sizes.resize(numParallel);
  for (const Operand &operand : {lhs, rhs})
    for (auto [loop, size] : llvm::zip_equal(operand.loops, sizesOf(b, operand.value)))
      if (loop < numParallel)
        loops.sizes[loop] = size;
  return loops;
}

//===- Long sums in blocks -----------------------------------------------------------===//

/// Shorter sums are not split, and no sum is split into fewer or shorter blocks; little would be gained.
constexpr int64_t kLongSum = 1000, kFewestBlocks = 4, kLeastBlock = 250;

/// The block size for a long sum of products, if the results of the blocks take no more memory than the operands;
/// otherwise 0.
static int64_t blockOf(const Operand &lhs, const Operand &rhs, int64_t numParallel) {
  auto sizes = [&](const Operand &operand) {
    return llvm::zip_equal(operand.loops, cast<RankedTensorType>(operand.value.getType()).getShape());
  };
  int64_t length = 0, rows = 1, columns = 1;
  for (const Operand *operand : {&lhs, &rhs})
    for (auto [loop, size] : sizes(*operand)) {
      if (ShapedType::isDynamic(size))
        return 0;
      if (loop >= numParallel)
        length = size;
      else if (!llvm::is_contained((operand == &lhs ? rhs : lhs).loops, loop))
        (operand == &lhs ? rows : columns) *= size;
    }
  if (length < kLongSum || rows == 0 || columns == 0)
    return 0;
  int64_t least = std::max<int64_t>(kLeastBlock, llvm::divideCeil(rows * columns, rows + columns));
  for (int64_t block = least; block < 2 * least; ++block)
    if (length % block == 0)
      return length / block >= kFewestBlocks ? block : 0;
  return length / least >= kFewestBlocks ? least : 0;
}

int64_t blockAcross(int64_t size, ArrayRef<int64_t> inner) {
  // Blocks of long rows are short, so that the code generator can hold all sums of a vector in registers; those of
  // short rows are long, so that it has enough work.
  constexpr int64_t longRow = 256, longSum = 100;
  bool isLong = llvm::any_of(inner, ShapedType::isDynamic) || llvm::product_of(inner) >= longRow;
  int64_t best = isLong ? 8 : 64, least = best / 2, most = best * 2;
  bool isInnermost = llvm::all_of(inner, [](int64_t each) { return each == 1; });
  if (ShapedType::isDynamic(size) || size < longSum || isInnermost)
    return 0;
  for (int64_t distance = 0; distance <= most - best; ++distance)
    for (int64_t block : {best + distance, best - distance})
      if (block >= least && size % block == 0)
        return block;
  return 0;
}

bool isInParts(int64_t terms, int64_t results) {
  constexpr int64_t manyTerms = 1 << 17, enough = 16;
  return terms >= manyTerms && results < enough && results != 0;
}

int64_t partsOfReduction(int64_t size) {
  constexpr int64_t most = 64, least = 4;
  for (int64_t each : {kLanes, int64_t(1)})
    for (int64_t parts = most; parts >= least; --parts)
      if (size % (parts * each) == 0)
        return parts;
  return 0;
}

bool isStored(Value x) {
  Operation *op = x.getDefiningOp();
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op))
    return isStored(op->getOperand(0));
  return !isa_and_nonnull<linalg::LinalgOp>(op);
}

/// `blockAcross` for a vector and a matrix whose rows are multiplied by single elements of the vector.
static int64_t blockAcross(const Operand &lhs, const Operand &rhs, int64_t numParallel) {
  for (const Operand *operand : {&lhs, &rhs}) {
    auto shape = cast<RankedTensorType>(operand->value.getType()).getShape();
    int64_t dim = llvm::find(operand->loops, numParallel) - operand->loops.begin();
    if (int64_t block = blockAcross(shape[dim], shape.drop_front(dim + 1)))
      return block;
  }
  return 0;
}

/// The number of products in each part, if few results have many terms; 0 if the sum is not split.
static int64_t blockOfParts(const Operand &lhs, const Operand &rhs, int64_t numParallel) {
  int64_t terms = sizeOf(lhs, numParallel), results = 1;
  for (int64_t loop = 0; loop < numParallel; ++loop) {
    int64_t size = sizeOf(llvm::is_contained(lhs.loops, loop) ? lhs : rhs, loop);
    if (ShapedType::isDynamic(size))
      return 0;
    results *= size;
  }
  if (ShapedType::isDynamic(terms) || !isInParts(terms, results))
    return 0;
  int64_t parts = partsOfReduction(terms);
  return parts ? terms / parts : 0;
}

/// The slice of the operand for `count` products from `from` on.
static Operand partOf(ImplicitLocOpBuilder &b, const Operand &operand, int64_t loop, int64_t from, int64_t count) {
  return {sliced(b, operand.value, llvm::find(operand.loops, loop) - operand.loops.begin(), from, count),
          operand.loops};
}

/// The operand with its summed dimension split into blocks, over which the first loop runs.
static Operand inBlocksOf(ImplicitLocOpBuilder &b, const Operand &operand, int64_t loop, int64_t block) {
  auto type = cast<RankedTensorType>(operand.value.getType());
  SmallVector<int64_t> shape, loops;
  SmallVector<ReassociationIndices> groups;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    groups.push_back({int64_t(shape.size())});
    if (operand.loops[dim] == loop) {
      groups.back().push_back(shape.size() + 1);
      shape.push_back(size / block);
      loops.push_back(0);
    }
    shape.push_back(operand.loops[dim] == loop ? block : size);
    loops.push_back(operand.loops[dim] + 1);
  }
  return {tensor::ExpandShapeOp::create(b, withShape(type, shape), operand.value, groups), loops};
}

/// A contraction with one reduction loop, in blocks of `block` products; each block is summed in `accumulator`, and the
/// blocks in `sum`.
static Value sumOfBlocks(ImplicitLocOpBuilder &b, const Operand &lhs, const Operand &rhs, int64_t numParallel,
                         int64_t block, Type element, Type accumulator, Type sum) {
  int64_t length = sizeOf(lhs, numParallel), rest = length % block;
  auto part = [&](const Operand &operand, int64_t from, int64_t count) {
    return partOf(b, operand, numParallel, from, count);
  };
  Operand x = inBlocksOf(b, part(lhs, 0, length - rest), numParallel, block);
  Operand y = inBlocksOf(b, part(rhs, 0, length - rest), numParallel, block);
  ContractionLoops loops = loopsOf(b, x, y, numParallel + 1, 1);
  Value blocks = contracted(b, loops, x.value, y.value, element, accumulator);
  // The code generator would choose tiles of several blocks, and compute incomplete ones block by block.
  if (numParallel == 0 && Target(b.getInsertionBlock()->getParentOp()).isCpu())
    setTiles(blocks.getDefiningOp(), {1, 0}, {1, 0}, {0, 4 * kLanes});
  Value init;
  if (rest) {
    x = part(lhs, length - rest, rest);
    y = part(rhs, length - rest, rest);
    Value last = contracted(b, loopsOf(b, x, y, numParallel, 1), x.value, y.value, element, accumulator);
    init = computeBarrier(b, converted(b, last, accumulator, sum));
  } else {
    scalar::ScalarBuilder outer(b.getLoc(), b, sum);
    init = filled(b, ArrayRef(loops.sizes).drop_front(), scalar::zero(outer));
  }
  AffineMap all = b.getMultiDimIdentityMap(numParallel + 1);
  SmallVector<utils::IteratorType> iterators(numParallel + 1, utils::IteratorType::parallel);
  iterators[0] = utils::IteratorType::reduction;
  auto generic = linalg::GenericOp::create(b, init.getType(), blocks, init, {all, all.dropResult(0)}, iterators,
                                           [&](OpBuilder &inner, Location loc, ValueRange args) {
                                             scalar::ScalarBuilder narrow(loc, inner, accumulator),
                                                 step(loc, inner, sum);
                                             Value value = scalar::convert(narrow, args[0], sum);
                                             linalg::YieldOp::create(step, scalar::add(step, args[1], value));
                                           });
  return generic.getResult(0);
}

/// Returns true for products along rows in a loop whose operands stay in a cache, where memory is no bottleneck.
static bool isRepeatedInCache(ImplicitLocOpBuilder &b, const Operand &lhs, const Operand &rhs, int64_t numParallel) {
  constexpr int64_t mostElements = 1 << 20;
  auto isFit = [&](const Operand &operand) {
    auto type = cast<RankedTensorType>(operand.value.getType());
    bool isRow = !operand.loops.empty() && operand.loops.back() >= numParallel;
    return isRow && type.hasStaticShape() && type.getNumElements() <= mostElements;
  };
  return isFit(lhs) && isFit(rhs) && !isa<func::FuncOp>(b.getInsertionBlock()->getParentOp());
}

Value lowerDot(ImplicitLocOpBuilder &b, Operand lhs, Operand rhs, int64_t numParallel, Type element, Type result,
               Type sum) {
  int64_t numReduced = llvm::count_if(lhs.loops, [&](int64_t loop) { return loop >= numParallel; });
  if (numReduced > 1) {
    lhs = withOneReducedLoop(b, lhs, numParallel);
    rhs = withOneReducedLoop(b, rhs, numParallel);
    numReduced = 1;
  }
  bool isMatrix = hasOwnLoop(lhs, rhs, numParallel) && hasOwnLoop(rhs, lhs, numParallel);
  Type narrow = accumulatorType(partType(result));
  int64_t terms = numReduced ? sizeOf(lhs, numParallel) : 1;
  if (isShortSum(terms) || (!isMatrix && isRepeatedInCache(b, lhs, rhs, numParallel) && isShortRow(terms)))
    sum = narrow;
  int64_t block = 0;
  if (narrow != sum && numReduced == 1)
    block = isMatrix ? blockOf(lhs, rhs, numParallel) : blockAcross(lhs, rhs, numParallel);
  if (!isMatrix && !block) {
    narrow = sum;
    block = numReduced ? blockOfParts(lhs, rhs, numParallel) : 0;
  }
  ContractionLoops loops = loopsOf(b, lhs, rhs, numParallel, numReduced);
  return lowerContraction(b, lhs.value, rhs.value, element, result, block ? sum : narrow,
                          [&](Value x, Value y, Type element, Type accumulator) {
                            return block ? sumOfBlocks(b, {x, lhs.loops}, {y, rhs.loops}, numParallel, block, element,
                                                       narrow, accumulator)
                                         : contracted(b, loops, x, y, element, accumulator);
                          });
}

} // namespace dovetail
