// Lowering of contractions: a `linalg.generic` over the loops of the factor map; complex ones in real arithmetic.
#include "Lowering.h"

using namespace mlir;

namespace dovetail {

namespace {

/// One contraction of a dot's shape.
struct Contraction {
  ImplicitLocOpBuilder &b;
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> loops;
  SmallVector<OpFoldResult> sizes;

  Contraction(ImplicitLocOpBuilder &b, DotGeneralOp op, Value lhs, Value rhs) : b(b) {
    FactorMap factors = op.factorMap();
    int64_t numParallel = factors.results[0].size(), numLoops = numParallel + factors.reduced.size();
    auto map = [&](ArrayRef<int64_t> dims) {
      auto exprs = llvm::map_to_vector(dims, [&](int64_t dim) { return b.getAffineDimExpr(dim); });
      return AffineMap::get(numLoops, 0, exprs, b.getContext());
    };
    maps = {map(factors.operands[0]), map(factors.operands[1]), map(factors.results[0])};
    loops.assign(numParallel, utils::IteratorType::parallel);
    loops.resize(numLoops, utils::IteratorType::reduction);
    sizes.resize(numParallel);
    for (auto [dims, value] : {std::pair(factors.operands[0], lhs), std::pair(factors.operands[1], rhs)})
      for (auto [dim, size] : llvm::zip_equal(dims, sizesOf(b, value)))
        if (dim < numParallel)
          sizes[dim] = size;
  }

  /// Operands of dialect element type `element`, summed in `accumulator`.
  Value emit(Value lhs, Value rhs, Type element, Type accumulator) {
    scalar::ScalarBuilder outer(b.getLoc(), b, accumulator);
    Value init = filled(b, sizes, scalar::zero(outer));
    auto generic = linalg::GenericOp::create(b, init.getType(), ValueRange{lhs, rhs}, init, maps, loops,
                                             [&](OpBuilder &inner, Location loc, ValueRange args) {
                                               scalar::ScalarBuilder source(loc, inner, element);
                                               Value x = scalar::convert(source, args[0], accumulator),
                                                     y = scalar::convert(source, args[1], accumulator);
                                               Value sum = scalar::add(source, args[2], scalar::mul(source, x, y));
                                               linalg::YieldOp::create(source, sum);
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
      results.push_back(lowerComplex(b, contraction, operands[0], operands[1], element, result));
      return success();
    }
    Type accumulator = accumulatorType(result);
    Value sum = contraction.emit(operands[0], operands[1], element, accumulator);
    results.push_back(convertElements(b, sum, accumulator, result));
    return success();
  }

  static Value convertElements(ImplicitLocOpBuilder &b, Value x, Type from, Type to) {
    if (from == to)
      return x;
    return mapElements(b, x, scalar::lowered(to), [&](OpBuilder &inner, Location loc, Value value) {
      scalar::ScalarBuilder builder(loc, inner, from);
      return scalar::convert(builder, value, to);
    });
  }

  /// Four real contractions: three would be quicker, but lose accuracy where parts differ in magnitude.
  static Value lowerComplex(ImplicitLocOpBuilder &b, Contraction &contraction, Value lhs, Value rhs, Type element,
                            Type result) {
    Type real = cast<ComplexType>(element).getElementType();
    auto part = [&](Value x, bool isImaginary) {
      return mapElements(b, x, real, [&](OpBuilder &inner, Location loc, Value value) {
        scalar::ScalarBuilder builder(loc, inner, element);
        return isImaginary ? scalar::imag(builder, value) : scalar::real(builder, value);
      });
    };
    Value lhsRe = part(lhs, false), lhsIm = part(lhs, true), rhsRe = part(rhs, false), rhsIm = part(rhs, true);
    Value reRe = contraction.emit(lhsRe, rhsRe, real, real), imIm = contraction.emit(lhsIm, rhsIm, real, real);
    Value reIm = contraction.emit(lhsRe, rhsIm, real, real), imRe = contraction.emit(lhsIm, rhsRe, real, real);
    SmallVector<AffineMap> maps(4, b.getMultiDimIdentityMap(contraction.sizes.size()));
    Value joined = parallelLoops(b, contraction.sizes, element, {reRe, imIm, reIm, imRe}, maps,
                                 [&](OpBuilder &inner, Location loc, ValueRange args) {
                                   scalar::ScalarBuilder builder(loc, inner, real);
                                   return scalar::complex(builder, scalar::sub(builder, args[0], args[1]),
                                                          scalar::add(builder, args[2], args[3]));
                                 });
    return convertElements(b, joined, element, result);
  }
};

} // namespace

void attachDotLowerings(MLIRContext *context) { DotGeneralOp::attachInterface<DotGeneralLowering>(*context); }

} // namespace dovetail
