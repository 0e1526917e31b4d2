// Lowering of sums of products: one `linalg.generic`; complex ones in real arithmetic.
#include "Contraction.h"
#include "Iree.h"

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
                                             Value product = scalar::mul(source, left, right);
                                             linalg::YieldOp::create(source, scalar::add(source, args[2], product));
                                           });
  return generic.getResult(0);
}

/// Four real contractions: three would be quicker, but lose accuracy where parts differ in magnitude.
static Value complexContraction(ImplicitLocOpBuilder &b, Value lhs, Value rhs, ComplexType element, SumOfProducts sum) {
  Type real = element.getElementType();
  auto part = [&](Value x, bool isImaginary) {
    return mapElements(b, x, real, [&](OpBuilder &inner, Location loc, Value value) {
      scalar::ScalarBuilder builder(loc, inner, element);
      return isImaginary ? scalar::imag(builder, value) : scalar::real(builder, value);
    });
  };
  Value lhsRe = part(lhs, false), lhsIm = part(lhs, true), rhsRe = part(rhs, false), rhsIm = part(rhs, true);
  Value reRe = sum(lhsRe, rhsRe, real, real), imIm = sum(lhsIm, rhsIm, real, real);
  Value reIm = sum(lhsRe, rhsIm, real, real), imRe = sum(lhsIm, rhsRe, real, real);
  // Fused with what joins them, the four are not vectorized, and for Vulkan not compiled.
  for (Value *each : {&reRe, &imIm, &reIm, &imRe})
    *each = computeBarrier(b, *each);
  SmallVector<OpFoldResult> sizes = sizesOf(b, reRe);
  SmallVector<AffineMap> maps(4, b.getMultiDimIdentityMap(sizes.size()));
  return parallelLoops(
      b, sizes, element, {reRe, imIm, reIm, imRe}, maps, [&](OpBuilder &inner, Location loc, ValueRange args) {
        scalar::ScalarBuilder builder(loc, inner, real);
        return scalar::complex(builder, scalar::sub(builder, args[0], args[1]), scalar::add(builder, args[2], args[3]));
      });
}

Value lowerContraction(ImplicitLocOpBuilder &b, Value lhs, Value rhs, Type element, Type result, SumOfProducts sum) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return converted(b, complexContraction(b, lhs, rhs, complex, sum), element, result);
  Type accumulator = accumulatorType(result);
  return converted(b, sum(lhs, rhs, element, accumulator), accumulator, result);
}

/// The operand with all its dimensions of loops from `first` on as one, which the code generator knows as a matrix
/// product's. If they are not side by side and in order, they are brought to the end.
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

Value lowerDot(ImplicitLocOpBuilder &b, Operand lhs, Operand rhs, int64_t numParallel, Type element, Type result) {
  int64_t numReduced = llvm::count_if(lhs.loops, [&](int64_t loop) { return loop >= numParallel; });
  if (numReduced > 1) {
    lhs = withOneReducedLoop(b, lhs, numParallel);
    rhs = withOneReducedLoop(b, rhs, numParallel);
    numReduced = 1;
  }
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
  return lowerContraction(b, lhs.value, rhs.value, element, result,
                          [&](Value x, Value y, Type element, Type accumulator) {
                            return contracted(b, loops, x, y, element, accumulator);
                          });
}

} // namespace dovetail
