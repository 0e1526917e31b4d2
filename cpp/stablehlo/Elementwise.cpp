// Counterparts of ops on corresponding elements.
#include "Exporter.h"
#include "Families.h"
#include "dialects/Pointwise.h"
#include "dialects/Shape.h"
#include "dialects/Special.h"

using namespace mlir;

namespace dovetail {

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;

/// Two ops with the same operands and the same meaning.
template <typename Theirs, typename Ours>
struct Same : Import<Same<Theirs, Ours>, Theirs> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    // Builders from a list of operands end the process where these have different shapes.
    if constexpr (Ours::template hasTrait<OpTrait::OneOperand>())
      results.push_back(e.make<Ours>(op->getOperand(0)));
    else
      results.push_back(e.make<Ours>(op->getOperand(0), op->getOperand(1)));
    return success();
  }
};
template <typename Theirs, typename Ours>
struct SameBack : Export<SameBack<Theirs, Ours>, Ours> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    OperationState state(e.loc, Theirs::getOperationName(), op->getOperands(), op->getResultTypes());
    results.push_back(e.builder.create(state)->getResult(0));
    return success();
  }
};
/// The ops have the same operands and the same meaning.
template <typename Theirs, typename Ours>
void attachSame(MLIRContext *context) {
  Theirs::template attachInterface<Same<Theirs, Ours>>(*context);
  Ours::template attachInterface<SameBack<Theirs, Ours>>(*context);
}

struct ImportConvert : Import<ImportConvert, stablehlo::ConvertOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    Value x = op->getOperand(0);
    Type element = getElementTypeOrSelf(op->getResult(0));
    if (Algebra::isComplex(x) && !isa<ComplexType>(element))
      x = e.real(x);
    results.push_back(e.convert(x, element));
    return success();
  }
};

/// The parts of elements, or their combinations, are a dimension more of the narrower array; the first has the low
/// bits.
struct ImportBitcast : Import<ImportBitcast, stablehlo::BitcastConvertOp> {
  static unsigned widthOf(Type element) {
    auto complex = dyn_cast<ComplexType>(element);
    return complex ? 2 * widthOf(complex.getElementType()) : element.getIntOrFloatBitWidth();
  }
  static Value as(Importer &e, Value x, Type element) {
    return Algebra::elementOf(x) == element ? x : e.make<BitcastOp>(Algebra::typeOf(x).clone(element), x);
  }

  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    Value x = op->getOperand(0);
    auto to = cast<RankedTensorType>(op->getResult(0).getType());
    Type from = Algebra::elementOf(x), element = to.getElementType();
    if (isa<ComplexType>(from) || isa<ComplexType>(element))
      return op->emitError() << "bitcast_convert: element types must be real, got: " << from << " and " << element;
    unsigned before = widthOf(from), after = widthOf(element);
    ArrayRef<int64_t> narrow = before > after ? to.getShape() : Algebra::typeOf(x).getShape();
    int64_t ratio = std::max(before, after) / std::min(before, after);
    if (std::max(before, after) % std::min(before, after) || (ratio > 1 && (narrow.empty() || narrow.back() != ratio)))
      return op->emitError() << "bitcast_convert: the array of narrower elements must have their number in a wider one "
                                "as its last size, got: "
                             << x.getType() << " and " << to;
    auto bits = [&](unsigned width) { return IntegerType::get(e.builder.getContext(), width, IntegerType::Unsigned); };
    if (before == after) {
      results.push_back(as(e, x, element));
      return success();
    }
    Value wide;
    int64_t last = Algebra::typeOf(x).getRank();
    if (before > after) {
      Value all = as(e, x, bits(before));
      Algebra::Values parts;
      auto shape = llvm::to_vector(Algebra::typeOf(x).getShape());
      shape.push_back(1);
      for (unsigned shift = 0; shift < before; shift += after) {
        Value part = e.convert(e.make<ShiftRightLogicalOp>(all, e.full(all, shift)), bits(after));
        parts.push_back(e.reshapedTo(part, shape));
      }
      wide = as(e, e.joined(parts, last), element);
    } else {
      Value all = as(e, x, bits(before));
      auto shape = llvm::to_vector(Algebra::typeOf(x).getShape().drop_back());
      for (int64_t i = 0; i < Algebra::sizeOf(x, last - 1); ++i) {
        Value part = e.convert(e.reshapedTo(e.slice(all, last - 1, i, 1), shape), bits(after));
        part = e.make<ShiftLeftOp>(part, e.full(part, i * before));
        wide = wide ? e.make<OrOp>(wide, part) : part;
      }
      wide = as(e, wide, element);
    }
    results.push_back(wide);
    return success();
  }
};

/// Numbers in the order of the bits of floats, -NaN first and NaN last.
Value totalOrder(Importer &e, Value x) {
  auto type = Algebra::typeOf(x);
  unsigned width = type.getElementTypeBitWidth();
  Type integer = e.builder.getIntegerType(width);
  Value bits = e.make<BitcastOp>(type.clone(integer), x);
  auto filled = [&](APInt value) {
    return e.full(type.clone(integer), e.sizes(x), cast<TypedAttr>(IntegerAttr::get(integer, value)));
  };
  Value isNegative = e.make<CompareOp>(CompareDirection::LT, bits, filled(APInt(width, 0)));
  return e.make<SelectOp>(isNegative, e.make<XorOp>(bits, filled(APInt::getSignedMaxValue(width))), bits);
}

struct ImportCompare : Import<ImportCompare, stablehlo::CompareOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto compare = cast<stablehlo::CompareOp>(op);
    Value x = compare.getLhs(), y = compare.getRhs();
    if (isa<FloatType>(Algebra::elementOf(x)) && compare.getCompareType() == stablehlo::ComparisonKind::TOTALORDER)
      x = totalOrder(e, x), y = totalOrder(e, y);
    // Both list the directions in one order.
    auto direction = static_cast<CompareDirection>(compare.getComparisonDirection());
    results.push_back(e.make<CompareOp>(direction, x, y));
    return success();
  }
};

struct ImportSelect : Import<ImportSelect, stablehlo::SelectOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    Value x = op->getOperand(1);
    results.push_back(e.make<SelectOp>(e.shapedLike(op->getOperand(0), x), x, op->getOperand(2)));
    return success();
  }
};

/// The greater of two arrays, or the lesser. Complex numbers are in lexicographic order.
template <bool isMax>
Value extremeOf(Importer &e, Value x, Value y) {
  if (!Algebra::isComplex(x))
    return isMax ? e.make<MaxOp>(x, y) : e.make<MinOp>(x, y);
  Value first = isMax ? x : y, second = isMax ? y : x;
  Value isAhead = e.less(e.real(second), e.real(first)), isEven = e.same(e.real(second), e.real(first));
  return e.select(e.either(isAhead, e.both(isEven, e.less(e.imag(second), e.imag(first)))), x, y);
}
template <typename Theirs, bool isMax>
struct ImportExtreme : Import<ImportExtreme<Theirs, isMax>, Theirs> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    results.push_back(extremeOf<isMax>(e, op->getOperand(0), op->getOperand(1)));
    return success();
  }
};

/// The angle of x + i y. Of complex numbers it is -i log((x + i y) / sqrt(x^2 + y^2)).
struct ImportAtan2 : Import<ImportAtan2, stablehlo::Atan2Op> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    Value y = op->getOperand(0), x = op->getOperand(1);
    if (!Algebra::isComplex(x)) {
      results.push_back(e.make<Atan2Op>(y, x));
      return success();
    }
    Value length = e.make<SqrtOp>(e.add(e.mul(x, x), e.mul(y, y)));
    Value point = e.add(x, e.complex(e.neg(e.imag(y)), e.real(y)));
    Value angle = e.make<LogOp>(e.div(point, length));
    results.push_back(e.complex(e.imag(angle), e.neg(e.real(angle))));
    return success();
  }
};

struct ImportClamp : Import<ImportClamp, stablehlo::ClampOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    Value x = op->getOperand(1);
    Value low = e.shapedLike(op->getOperand(0), x), high = e.shapedLike(op->getOperand(2), x);
    bool isReal = !Algebra::isComplex(x);
    results.push_back(isReal ? e.make<ClampOp>(low, x, high) : extremeOf<false>(e, extremeOf<true>(e, x, low), high));
    return success();
  }
};

struct ImportReducePrecision : Import<ImportReducePrecision, stablehlo::ReducePrecisionOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto reduce = cast<stablehlo::ReducePrecisionOp>(op);
    results.push_back(
        e.make<ReducePrecisionOp>(reduce.getOperand(), reduce.getExponentBits(), reduce.getMantissaBits()));
    return success();
  }
};

struct ImportMap : Import<ImportMap, stablehlo::MapOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto map = cast<stablehlo::MapOp>(op);
    if (failed(e.translate(map.getComputation())))
      return failure();
    FailureOr<Algebra::Values> found = e.onElements(map.getComputation(), map.getInputs());
    if (failed(found))
      return failure();
    llvm::append_range(results, *found);
    return success();
  }
};

struct ImportSquare : Import<ImportSquare, chlo::SquareOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    results.push_back(e.mul(op->getOperand(0), op->getOperand(0)));
    return success();
  }
};

/// Whether an element is an infinity: of both signs, or of one.
template <typename Theirs>
struct ImportIsInf : Import<ImportIsInf<Theirs>, Theirs> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Value x = op->getOperand(0);
    if (std::is_same_v<Theirs, chlo::IsInfOp>)
      x = e.make<AbsOp>(x);
    results.push_back(e.equal(x, e.full(x, std::is_same_v<Theirs, chlo::IsNegInfOp> ? -infinity : infinity)));
    return success();
  }
};

/// A part of a real number is itself or zero.
template <typename Theirs, bool isReal>
struct ImportPart : Import<ImportPart<Theirs, isReal>, Theirs> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    Value x = op->getOperand(0);
    if (Algebra::isComplex(x))
      results.push_back(isReal ? e.make<RealOp>(x) : e.make<ImagOp>(x));
    else
      results.push_back(isReal ? x : e.zerosLike(x));
    return success();
  }
};

/// Sums and products of bools are "or" and "and".
template <typename Theirs, typename Ours, typename OfBools>
struct SameOrOfBools : Import<SameOrOfBools<Theirs, Ours, OfBools>, Theirs> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    Value x = op->getOperand(0), y = op->getOperand(1);
    results.push_back(Algebra::elementOf(x).isInteger(1) ? e.make<OfBools>(x, y) : e.make<Ours>(x, y));
    return success();
  }
};

//===- To StableHLO ----------------------------------------------------------------===//

struct ExportCompare : Export<ExportCompare, CompareOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto compare = cast<CompareOp>(op);
    Type element = Algebra::elementOf(compare.getX());
    bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
    auto kind = isa<IntegerType>(element)
                    ? isUnsigned ? stablehlo::ComparisonKind::UNSIGNED : stablehlo::ComparisonKind::SIGNED
                    : stablehlo::ComparisonKind::FLOAT;
    auto direction = static_cast<stablehlo::Comparison>(compare.getDirection());
    results.push_back(e.theirs<stablehlo::CompareOp>(op->getResult(0).getType(), compare.getX(), compare.getY(),
                                                     direction,
                                                     stablehlo::ComparisonKindAttr::get(op->getContext(), kind)));
    return success();
  }
};

struct ExportReducePrecision : Export<ExportReducePrecision, ReducePrecisionOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto reduce = cast<ReducePrecisionOp>(op);
    results.push_back(e.theirs<stablehlo::ReducePrecisionOp>(op->getResult(0).getType(), reduce.getX(),
                                                             reduce.getExponentBits(), reduce.getMantissaBits()));
    return success();
  }
};

/// An op that is none in StableHLO.
template <typename Ours>
struct ExportIdentity : Export<ExportIdentity<Ours>, Ours> {
  LogicalResult exportTo(Operation *op, Exporter &, Results &results) const {
    results.push_back(op->getOperand(0));
    return success();
  }
};

} // namespace

void attachElementwiseCounterparts(MLIRContext *c) {
  attachSame<stablehlo::AbsOp, AbsOp>(c);
  attachSame<stablehlo::AndOp, AndOp>(c);
  attachSame<stablehlo::CbrtOp, CbrtOp>(c);
  attachSame<stablehlo::CeilOp, CeilOp>(c);
  attachSame<stablehlo::ClzOp, CountLeadingZerosOp>(c);
  attachSame<stablehlo::ComplexOp, ComplexOp>(c);
  attachSame<stablehlo::CosineOp, CosOp>(c);
  attachSame<stablehlo::DivOp, DivOp>(c);
  attachSame<stablehlo::ExpOp, ExpOp>(c);
  attachSame<stablehlo::Expm1Op, Expm1Op>(c);
  attachSame<stablehlo::FloorOp, FloorOp>(c);
  attachSame<stablehlo::IsFiniteOp, IsFiniteOp>(c);
  attachSame<stablehlo::LogOp, LogOp>(c);
  attachSame<stablehlo::Log1pOp, Log1pOp>(c);
  attachSame<stablehlo::LogisticOp, LogisticOp>(c);
  attachSame<stablehlo::NegOp, NegOp>(c);
  attachSame<stablehlo::NotOp, NotOp>(c);
  attachSame<stablehlo::OrOp, OrOp>(c);
  attachSame<stablehlo::PopcntOp, PopulationCountOp>(c);
  attachSame<stablehlo::PowOp, PowOp>(c);
  attachSame<stablehlo::RemOp, RemOp>(c);
  attachSame<stablehlo::RoundAwayOp, RoundAwayOp>(c);
  attachSame<stablehlo::RoundEvenOp, RoundEvenOp>(c);
  attachSame<stablehlo::RsqrtOp, RsqrtOp>(c);
  attachSame<stablehlo::ShiftLeftOp, ShiftLeftOp>(c);
  attachSame<stablehlo::ShiftRightArithmeticOp, ShiftRightArithmeticOp>(c);
  attachSame<stablehlo::ShiftRightLogicalOp, ShiftRightLogicalOp>(c);
  attachSame<stablehlo::SignOp, SignOp>(c);
  attachSame<stablehlo::SineOp, SinOp>(c);
  attachSame<stablehlo::SqrtOp, SqrtOp>(c);
  attachSame<stablehlo::SubOp, SubOp>(c);
  attachSame<stablehlo::TanOp, TanOp>(c);
  attachSame<stablehlo::TanhOp, TanhOp>(c);
  attachSame<stablehlo::XorOp, XorOp>(c);
  attachSame<chlo::AcosOp, AcosOp>(c);
  attachSame<chlo::AcoshOp, AcoshOp>(c);
  attachSame<chlo::AsinOp, AsinOp>(c);
  attachSame<chlo::AsinhOp, AsinhOp>(c);
  attachSame<chlo::AtanOp, AtanOp>(c);
  attachSame<chlo::AtanhOp, AtanhOp>(c);
  attachSame<chlo::BesselI1eOp, BesselI1eOp>(c);
  attachSame<chlo::ConjOp, ConjOp>(c);
  attachSame<chlo::CoshOp, CoshOp>(c);
  attachSame<chlo::DigammaOp, DigammaOp>(c);
  attachSame<chlo::ErfOp, ErfOp>(c);
  attachSame<chlo::ErfInvOp, ErfInvOp>(c);
  attachSame<chlo::ErfcOp, ErfcOp>(c);
  attachSame<chlo::LgammaOp, LgammaOp>(c);
  attachSame<chlo::NextAfterOp, NextafterOp>(c);
  attachSame<chlo::PolygammaOp, PolygammaOp>(c);
  attachSame<chlo::SinhOp, SinhOp>(c);
  chlo::TanOp::attachInterface<Same<chlo::TanOp, TanOp>>(*c);
  attachSame<chlo::ZetaOp, ZetaOp>(c);
  stablehlo::MaxOp::attachInterface<ImportExtreme<stablehlo::MaxOp, true>>(*c);
  stablehlo::MinOp::attachInterface<ImportExtreme<stablehlo::MinOp, false>>(*c);
  MaxOp::attachInterface<SameBack<stablehlo::MaxOp, MaxOp>>(*c);
  MinOp::attachInterface<SameBack<stablehlo::MinOp, MinOp>>(*c);
  stablehlo::Atan2Op::attachInterface<ImportAtan2>(*c);
  Atan2Op::attachInterface<SameBack<stablehlo::Atan2Op, Atan2Op>>(*c);
  stablehlo::AddOp::attachInterface<SameOrOfBools<stablehlo::AddOp, AddOp, OrOp>>(*c);
  stablehlo::MulOp::attachInterface<SameOrOfBools<stablehlo::MulOp, MulOp, AndOp>>(*c);
  stablehlo::RealOp::attachInterface<ImportPart<stablehlo::RealOp, true>>(*c);
  stablehlo::ImagOp::attachInterface<ImportPart<stablehlo::ImagOp, false>>(*c);
  stablehlo::ConvertOp::attachInterface<ImportConvert>(*c);
  stablehlo::BitcastConvertOp::attachInterface<ImportBitcast>(*c);
  stablehlo::CompareOp::attachInterface<ImportCompare>(*c);
  stablehlo::SelectOp::attachInterface<ImportSelect>(*c);
  stablehlo::ClampOp::attachInterface<ImportClamp>(*c);
  stablehlo::ReducePrecisionOp::attachInterface<ImportReducePrecision>(*c);
  stablehlo::MapOp::attachInterface<ImportMap>(*c);
  AddOp::attachInterface<SameBack<stablehlo::AddOp, AddOp>>(*c);
  MulOp::attachInterface<SameBack<stablehlo::MulOp, MulOp>>(*c);
  RealOp::attachInterface<SameBack<stablehlo::RealOp, RealOp>>(*c);
  ImagOp::attachInterface<SameBack<stablehlo::ImagOp, ImagOp>>(*c);
  ConvertOp::attachInterface<SameBack<stablehlo::ConvertOp, ConvertOp>>(*c);
  BitcastOp::attachInterface<SameBack<stablehlo::BitcastConvertOp, BitcastOp>>(*c);
  SelectOp::attachInterface<SameBack<stablehlo::SelectOp, SelectOp>>(*c);
  ClampOp::attachInterface<SameBack<stablehlo::ClampOp, ClampOp>>(*c);
  CompareOp::attachInterface<ExportCompare>(*c);
  ReducePrecisionOp::attachInterface<ExportReducePrecision>(*c);
  StopGradientOp::attachInterface<ExportIdentity<StopGradientOp>>(*c);
  chlo::SquareOp::attachInterface<ImportSquare>(*c);
  chlo::IsInfOp::attachInterface<ImportIsInf<chlo::IsInfOp>>(*c);
  chlo::IsNegInfOp::attachInterface<ImportIsInf<chlo::IsNegInfOp>>(*c);
  chlo::IsPosInfOp::attachInterface<ImportIsInf<chlo::IsPosInfOp>>(*c);
}

} // namespace dovetail
