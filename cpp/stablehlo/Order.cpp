// Counterparts of sorting.
#include "Exporter.h"
#include "Families.h"
#include "dialects/Create.h"
#include "dialects/Index.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Shape.h"
#include "dialects/Sort.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;

/// A comparator that orders by some operands, one after the other: in increasing order, or all in decreasing order.
struct Keys {
  SmallVector<unsigned> operands;
  bool isDecreasing = false;
};

/// The argument of which a value is the key: itself, or with one zero and one NaN in place of all.
BlockArgument keyOf(Value value) {
  while (auto select = value.getDefiningOp<stablehlo::SelectOp>())
    value = matchPattern(select.getOnTrue(), m_Constant()) || select.getOnTrue().getDefiningOp<stablehlo::ConstantOp>()
                ? select.getOnFalse()
                : select.getOnTrue();
  return dyn_cast<BlockArgument>(value);
}

/// The operand whose elements a comparison compares, the first with the second.
std::optional<unsigned> comparedBy(stablehlo::CompareOp compare) {
  BlockArgument x = keyOf(compare.getLhs()), y = keyOf(compare.getRhs());
  bool isPair = x && y && x.getArgNumber() % 2 == 0 && y.getArgNumber() == x.getArgNumber() + 1;
  return isPair ? std::optional(x.getArgNumber() / 2) : std::nullopt;
}

/// Recognizes (x0 < y0) | ((x0 == y0) & ((x1 < y1) | …)), which is translated from a lexicographic order.
std::optional<Keys> keysOf(Value isBefore) {
  Keys keys;
  while (true) {
    auto either = isBefore.getDefiningOp<stablehlo::OrOp>();
    auto first = (either ? either.getLhs() : isBefore).getDefiningOp<stablehlo::CompareOp>();
    std::optional<unsigned> operand = first ? comparedBy(first) : std::nullopt;
    if (!operand)
      return std::nullopt;
    auto direction = first.getComparisonDirection();
    bool isDecreasing = direction == stablehlo::Comparison::GT;
    if ((!isDecreasing && direction != stablehlo::Comparison::LT) ||
        (!keys.operands.empty() && isDecreasing != keys.isDecreasing))
      return std::nullopt;
    keys.isDecreasing = isDecreasing;
    keys.operands.push_back(*operand);
    if (!either)
      return keys;
    auto both = either.getRhs().getDefiningOp<stablehlo::AndOp>();
    auto isEqual = both ? both.getLhs().getDefiningOp<stablehlo::CompareOp>() : nullptr;
    if (!isEqual || isEqual.getComparisonDirection() != stablehlo::Comparison::EQ || comparedBy(isEqual) != operand)
      return std::nullopt;
    isBefore = both.getRhs();
  }
}

struct ImportSort : Import<ImportSort, stablehlo::SortOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto sort = cast<stablehlo::SortOp>(op);
    int64_t dim = static_cast<int64_t>(sort.getDimension());
    if (dim < 0)
      dim += Algebra::typeOf(sort.getInputs()[0]).getRank();
    std::optional<Keys> keys = keysOf(returned(sort.getComparator())[0]);
    // The same order by the parts of complex numbers is that of the numbers.
    return keys ? byKeys(e, sort, *keys, dim, results) : byComparisons(e, sort, dim, results);
  }

  static LogicalResult byKeys(Importer &e, stablehlo::SortOp sort, const Keys &keys, int64_t dim, Results &results) {
    SmallVector<unsigned> order(keys.operands);
    for (unsigned i = 0; i < sort.getInputs().size(); ++i)
      if (!llvm::is_contained(order, i))
        order.push_back(i);
    auto operands = llvm::map_to_vector(order, [&](unsigned i) { return sort.getInputs()[i]; });
    auto made = SortOp::create(e.builder, e.loc, operands, dim, keys.operands.size(), IntegerAttr(), keys.isDecreasing,
                               BoolAttr());
    results.assign(sort.getInputs().size(), {});
    for (auto [i, result] : llvm::zip_equal(order, made->getResults()))
      results[i] = result;
    return success();
  }

  /// By any comparator: an element's place is the number of elements that come before it.
  static LogicalResult byComparisons(Importer &e, stablehlo::SortOp sort, int64_t dim, Results &results) {
    if (failed(e.translate(sort.getComparator())))
      return failure();
    auto type = Algebra::typeOf(sort.getInputs()[0]);
    if (!type.hasStaticShape())
      return sort.emitError() << "sort: sizes must be known for this comparator, got: " << type;
    int64_t size = type.getDimSize(dim), rank = type.getRank();
    // Elements vary along `dim`, and those that they are compared with along a dimension more.
    SmallVector<int64_t> shape(type.getShape()), own, others;
    shape.push_back(size);
    for (int64_t d = 0; d < rank; ++d) {
      own.push_back(d);
      others.push_back(d == dim ? rank : d);
    }
    Algebra::Values before, after;
    for (Value x : sort.getInputs()) {
      auto pairs = Algebra::typeOf(x).clone(shape);
      Value mine = e.broadcast(x, own, pairs, {}), theirs = e.broadcastInDim(x, others, pairs, {});
      before.append({theirs, mine});
      after.append({mine, theirs});
    }
    FailureOr<Algebra::Values> isBefore = e.onElements(sort.getComparator(), before);
    FailureOr<Algebra::Values> isAfter = e.onElements(sort.getComparator(), after);
    if (failed(isBefore) || failed(isAfter))
      return failure();
    Value like = (*isBefore)[0];
    Value isEarlier = e.less(e.placesIn(like, rank), e.placesIn(like, dim));
    Value comes = e.either((*isBefore)[0], e.both(e.negation((*isAfter)[0]), isEarlier));
    Value place = e.reduceSum(e.convert(comes, e.builder.getI32Type()), {rank});
    Algebra::Values operands{place};
    llvm::append_range(operands, sort.getInputs());
    auto made = SortOp::create(e.builder, e.loc, operands, dim, 1, IntegerAttr(), false, BoolAttr());
    llvm::append_range(results, made->getResults().drop_front());
    return success();
  }
};

/// The greatest elements of the last dimension, and their indices.
struct ImportTopK : Import<ImportTopK, chlo::TopKOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    Value x = op->getOperand(0);
    int64_t dim = Algebra::typeOf(x).getRank() - 1, k = cast<chlo::TopKOp>(op).getK();
    Value places = e.convert(e.placesIn(x, dim), getElementTypeOrSelf(op->getResult(1)));
    auto made = SortOp::create(e.builder, e.loc, ValueRange{x, places}, dim, 1, e.builder.getI64IntegerAttr(k), true,
                               BoolAttr());
    llvm::append_range(results, made->getResults());
    return success();
  }
};

//===- To StableHLO ----------------------------------------------------------------===//

/// The order of `sort`: a NaN comes after all numbers, and complex numbers are ordered by their parts.
struct ExportSort : Export<ExportSort, SortOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto sort = cast<SortOp>(op);
    if (sort.getFirst() && failed(requireSizes(op)))
      return failure();
    auto made =
        stablehlo::SortOp::create(e.builder, e.loc, sort.getXs().getTypes(), sort.getXs(), sort.getDimension(), true);
    SmallVector<Type> types;
    for (Value x : sort.getXs())
      types.append(2, RankedTensorType::get({}, Algebra::elementOf(x)));
    e.fillBody(made.getComparator(), types, [&](Exporter &inner, ValueRange xs) {
      Value isBefore;
      auto before = [&](Value x, Value y) {
        Value isLess = inner.less(x, y), isSame = inner.same(x, y);
        if (isa<FloatType>(Algebra::elementOf(x))) {
          Value isNumber = inner.same(x, x), isNan = inner.compare(CompareDirection::NE, y, y);
          isLess = inner.either(isLess, inner.both(isNumber, isNan));
          isSame = inner.either(isSame, inner.both(inner.negation(isNumber), isNan));
        }
        isBefore = isBefore ? inner.either(isLess, inner.both(isSame, isBefore)) : isLess;
      };
      for (int64_t i = sort.getNumKeys() - 1; i >= 0; --i) {
        Value x = xs[2 * i], y = xs[2 * i + 1];
        if (sort.getDescending())
          std::swap(x, y);
        if (Algebra::isComplex(x))
          before(inner.imag(x), inner.imag(y));
        before(inner.real(x), inner.real(y));
      }
      return Algebra::Values{isBefore};
    });
    for (auto [all, type] : llvm::zip_equal(made->getResults(), op->getResultTypes())) {
      auto part = cast<RankedTensorType>(type);
      SmallVector<int64_t> starts(part.getRank(), 0), ones(part.getRank(), 1);
      results.push_back(sort.getFirst() ? e.theirs<stablehlo::SliceOp>(part, all, starts, part.getShape(), ones)
                                        : Value(all));
    }
    return success();
  }
};

} // namespace

void attachOrderCounterparts(MLIRContext *c) {
  SortOp::attachInterface<ExportSort>(*c);
  stablehlo::SortOp::attachInterface<ImportSort>(*c);
  chlo::TopKOp::attachInterface<ImportTopK>(*c);
}

} // namespace dovetail
