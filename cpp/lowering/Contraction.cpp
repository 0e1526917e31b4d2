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

} // namespace dovetail
