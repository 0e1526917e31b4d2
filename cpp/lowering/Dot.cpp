// Lowering of contractions: a `linalg.generic` over the loops of the factor map; complex ones in real arithmetic.
#include "dialects/Dot.h"
#include "Iree.h"
#include "Lowering.h"

using namespace mlir;

namespace dovetail {

namespace {

/// An operand of a contraction, with the loop that runs over each of its dimensions.
struct Operand {
  Value value;
  SmallVector<int64_t> loops;
};

/// The operand with all its dimensions of loops from `first` on as one, which the code generator knows as a matrix
/// product's. If they are not side by side and in order, they are brought to the end.
Operand withOneReducedLoop(ImplicitLocOpBuilder &b, Operand operand, int64_t first) {
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

/// The loops of a dot and its operands as the loops take them.
struct Contraction {
  ImplicitLocOpBuilder &b;
  Operand lhs, rhs;
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> loops;
  SmallVector<OpFoldResult> sizes;

  Contraction(ImplicitLocOpBuilder &b, DotGeneralOp op, Value lhsValue, Value rhsValue) : b(b) {
    FactorMap factors = op.factorMap();
    int64_t numParallel = factors.results[0].size(), numReduced = factors.reduced.size();
    lhs = {lhsValue, factors.operands[0]};
    rhs = {rhsValue, factors.operands[1]};
    if (numReduced > 1) {
      lhs = withOneReducedLoop(b, lhs, numParallel);
      rhs = withOneReducedLoop(b, rhs, numParallel);
      numReduced = 1;
    }
    auto map = [&](ArrayRef<int64_t> dims) {
      auto exprs = llvm::map_to_vector(dims, [&](int64_t dim) { return b.getAffineDimExpr(dim); });
      return AffineMap::get(numParallel + numReduced, 0, exprs, b.getContext());
    };
    maps = {map(lhs.loops), map(rhs.loops), map(factors.results[0])};
    loops.assign(numParallel, utils::IteratorType::parallel);
    loops.resize(numParallel + numReduced, utils::IteratorType::reduction);
    sizes.resize(numParallel);
    for (const Operand &operand : {lhs, rhs})
      for (auto [loop, size] : llvm::zip_equal(operand.loops, sizesOf(b, operand.value)))
        if (loop < numParallel)
          sizes[loop] = size;
  }

  /// The products of `x` and `y`, of dialect element type `element`, summed in `accumulator`.
  Value emit(Value x, Value y, Type element, Type accumulator) {
    scalar::ScalarBuilder outer(b.getLoc(), b, accumulator);
    Value init = filled(b, sizes, scalar::zero(outer));
    auto generic = linalg::GenericOp::create(b, init.getType(), ValueRange{x, y}, init, maps, loops,
                                             [&](OpBuilder &inner, Location loc, ValueRange args) {
                                               scalar::ScalarBuilder source(loc, inner, element);
                                               Value left = scalar::convert(source, args[0], accumulator),
                                                     right = scalar::convert(source, args[1], accumulator);
                                               Value product = scalar::mul(source, left, right);
                                               linalg::YieldOp::create(source, scalar::add(source, args[2], product));
                                             });
    return generic.getResult(0);
  }
};

struct DotGeneralLowering : LowerOpInterface::ExternalModel<DotGeneralLowering, DotGeneralOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto dot = cast<DotGeneralOp>(op);
    Type element = getElementTypeOrSelf(dot.getLhs()), result = getElementTypeOrSelf(dot.getType());
    Contraction contraction(b, dot, operands[0], operands[1]);
    if (isa<ComplexType>(element)) {
      results.push_back(lowerComplex(b, contraction, element, result));
      return success();
    }
    Type accumulator = accumulatorType(result);
    Value sum = contraction.emit(contraction.lhs.value, contraction.rhs.value, element, accumulator);
    results.push_back(converted(b, sum, accumulator, result));
    return success();
  }

  /// Four real contractions: three would be quicker, but lose accuracy where parts differ in magnitude.
  static Value lowerComplex(ImplicitLocOpBuilder &b, Contraction &contraction, Type element, Type result) {
    Type real = cast<ComplexType>(element).getElementType();
    auto part = [&](Value x, bool isImaginary) {
      return mapElements(b, x, real, [&](OpBuilder &inner, Location loc, Value value) {
        scalar::ScalarBuilder builder(loc, inner, element);
        return isImaginary ? scalar::imag(builder, value) : scalar::real(builder, value);
      });
    };
    Value lhs = contraction.lhs.value, rhs = contraction.rhs.value;
    Value lhsRe = part(lhs, false), lhsIm = part(lhs, true), rhsRe = part(rhs, false), rhsIm = part(rhs, true);
    Value reRe = contraction.emit(lhsRe, rhsRe, real, real), imIm = contraction.emit(lhsIm, rhsIm, real, real);
    Value reIm = contraction.emit(lhsRe, rhsIm, real, real), imRe = contraction.emit(lhsIm, rhsRe, real, real);
    // Fused with what joins them, the four are not vectorized, and for Vulkan not compiled.
    for (Value *sum : {&reRe, &imIm, &reIm, &imRe})
      *sum = computeBarrier(b, *sum);
    SmallVector<AffineMap> maps(4, b.getMultiDimIdentityMap(contraction.sizes.size()));
    Value joined = parallelLoops(b, contraction.sizes, element, {reRe, imIm, reIm, imRe}, maps,
                                 [&](OpBuilder &inner, Location loc, ValueRange args) {
                                   scalar::ScalarBuilder builder(loc, inner, real);
                                   return scalar::complex(builder, scalar::sub(builder, args[0], args[1]),
                                                          scalar::add(builder, args[2], args[3]));
                                 });
    return converted(b, joined, element, result);
  }
};

} // namespace

void attachDotLowerings(MLIRContext *context) { DotGeneralOp::attachInterface<DotGeneralLowering>(*context); }

} // namespace dovetail
