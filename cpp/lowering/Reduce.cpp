// Lowering of reductions: `linalg.generic` with reduction loops.
#include "dialects/Reduce.h"
#include "Lowering.h"

using namespace mlir;

namespace dovetail {

/// Which loops reduce, and the map to the result's dimensions.
static std::pair<SmallVector<utils::IteratorType>, AffineMap> reductionLoops(Builder &b, int64_t rank,
                                                                             ArrayRef<int64_t> dims) {
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  SmallVector<AffineExpr> kept;
  for (int64_t d = 0; d < rank; ++d) {
    if (llvm::is_contained(dims, d))
      loops[d] = utils::IteratorType::reduction;
    else
      kept.push_back(b.getAffineDimExpr(d));
  }
  return {loops, AffineMap::get(rank, 0, kept, b.getContext())};
}

static SmallVector<OpFoldResult> keptSizes(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> dims) {
  SmallVector<OpFoldResult> kept;
  for (auto [d, size] : llvm::enumerate(sizesOf(b, x)))
    if (!llvm::is_contained(dims, d))
      kept.push_back(size);
  return kept;
}

Value lowerReduce(ImplicitLocOpBuilder &b, ReduceOpInterface op, Value x) {
  Type element = getElementTypeOrSelf(op->getOperand(0)), accumulator = accumulatorType(element);
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  auto [loops, resultMap] = reductionLoops(b, rank, op.getDims());
  scalar::ScalarBuilder outer(b.getLoc(), b, accumulator);
  SmallVector<OpFoldResult> sizes = keptSizes(b, x, op.getDims());
  Value neutral = op.emitNeutral(outer);
  if (auto type = cast<RankedTensorType>(x.getType());
      type.hasStaticShape() && type.getNumElements() == 0 && accumulator == element)
    return filledAlone(b, sizes, neutral);
  Value init = filled(b, sizes, neutral);
  auto reduced = linalg::GenericOp::create(b, init.getType(), x, init, {b.getMultiDimIdentityMap(rank), resultMap},
                                           loops, [&](OpBuilder &inner, Location loc, ValueRange args) {
                                             scalar::ScalarBuilder source(loc, inner, element);
                                             Value value = scalar::convert(source, args[0], accumulator);
                                             scalar::ScalarBuilder step(loc, inner, accumulator);
                                             linalg::YieldOp::create(step, op.emitStep(step, args[1], value));
                                           });
  return converted(b, reduced.getResult(0), accumulator, element);
}

SmallVector<Value, 2> extremeOf(scalar::ScalarBuilder &b, bool isMaximum, Indexed best, Indexed candidate) {
  Value isBetter =
      isMaximum ? scalar::less(b, best.value, candidate.value) : scalar::less(b, candidate.value, best.value);
  Value isTie = scalar::equal(b, candidate.value, best.value);
  if (isa<FloatType>(b.elementType)) {
    Value isNan = scalar::notEqual(b, candidate.value, candidate.value);
    Value wasNan = scalar::notEqual(b, best.value, best.value);
    isBetter = scalar::bitOr(b, isBetter, scalar::bitAnd(b, isNan, scalar::bitNot(b, wasNan)));
    isTie = scalar::bitOr(b, isTie, scalar::bitAnd(b, isNan, wasNan));
  }
  Value isEarlier = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, candidate.index, best.index);
  Value take = scalar::bitOr(b, isBetter, scalar::bitAnd(b, isTie, isEarlier));
  return {scalar::select(b, take, candidate.value, best.value), scalar::select(b, take, candidate.index, best.index)};
}

namespace {

/// Carries the extreme element and its index.
template <typename Op, bool isMaximum>
struct ArgReduceLowering : LowerOpInterface::ExternalModel<ArgReduceLowering<Op, isMaximum>, Op> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto arg = cast<Op>(op);
    Value x = operands[0];
    Type element = getElementTypeOrSelf(arg.getX());
    Type indexElement = getElementTypeOrSelf(arg.getAns());
    int64_t dimension = arg.getDimension(), rank = cast<RankedTensorType>(x.getType()).getRank();
    auto [loops, resultMap] = reductionLoops(b, rank, dimension);
    SmallVector<OpFoldResult> sizes = keptSizes(b, x, dimension);
    scalar::ScalarBuilder values(b.getLoc(), b, element);
    Value worst = isMaximum ? scalar::lowest(values) : scalar::highest(values);
    scalar::ScalarBuilder indices(b.getLoc(), b, indexElement);
    Value initValue = filled(b, sizes, worst), initIndex = filled(b, sizes, scalar::zero(indices));
    auto generic = linalg::GenericOp::create(
        b, TypeRange{initValue.getType(), initIndex.getType()}, x, ValueRange{initValue, initIndex},
        {b.getMultiDimIdentityMap(rank), resultMap, resultMap}, loops,
        [&](OpBuilder &inner, Location loc, ValueRange args) {
          scalar::ScalarBuilder builder(loc, inner, element);
          Value index = linalg::IndexOp::create(builder, dimension);
          index = arith::IndexCastOp::create(builder, args[2].getType(), index);
          linalg::YieldOp::create(builder, extremeOf(builder, isMaximum, {args[1], args[2]}, {args[0], index}));
        });
    results.push_back(generic.getResult(1));
    return success();
  }
};

} // namespace

void attachReduceLowerings(MLIRContext *context) {
  ArgmaxOp::attachInterface<ArgReduceLowering<ArgmaxOp, true>>(*context);
  ArgminOp::attachInterface<ArgReduceLowering<ArgminOp, false>>(*context);
}

} // namespace dovetail
