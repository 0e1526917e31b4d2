// Elements of arrays that the code of an executable computes from those of other arrays, instead of reading them.
#include "ComputedElements.h"
#include "cpp/iree/Aliases.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

/// What takes more steps, such as random numbers, is computed once; and executables have few bindings.
constexpr int64_t kMostSteps = 128, kMostReads = 6;

//===- Which elements are computed ---------------------------------------------===//

/// Types that all targets have in memory as in registers, or that are computed like any other.
static bool isPlain(Type type) {
  return type.isIndex() || type.isInteger(1) || type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
         type.isInteger(64) || type.isF16() || type.isF32() || type.isF64();
}

/// Whether the sizes but the first one are known, so that a number gives a place.
static bool hasPlaces(Type type) {
  auto array = cast<RankedTensorType>(type);
  return array.getRank() == 0 || !ShapedType::isDynamicShape(array.getShape().drop_front());
}

static bool isConstantScalar(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

bool ComputedElements::canRead(Value array) const {
  Type element = getElementTypeOrSelf(array.getType());
  return isPlain(element) && !element.isIndex() && !element.isInteger(1) && hasPlaces(array.getType()) &&
         viewsOf(array).back() != viewsOf(changed).back() &&
         !(matchPattern(array, m_Constant()) && matchPattern(changed, m_Constant()));
}

std::optional<ComputedElements::Cost> ComputedElements::costOfUse(Value array) {
  if (std::optional<Cost> cost = costOf(array))
    return cost;
  return canRead(array) ? std::optional<Cost>(Cost{1, 1}) : std::nullopt;
}

std::optional<ComputedElements::Cost> ComputedElements::costOf(Value array) {
  auto found = costs.find(array);
  if (found != costs.end())
    return found->second;
  std::optional<Cost> cost = findCost(array);
  if (cost && (cost->steps > kMostSteps || cost->reads > kMostReads))
    cost = std::nullopt;
  return costs[array] = cost;
}

std::optional<ComputedElements::Cost> ComputedElements::findCost(Value array) {
  Operation *op = array.getDefiningOp();
  if (!op || !isPlain(getElementTypeOrSelf(array.getType())) || !hasPlaces(array.getType()))
    return std::nullopt;
  DenseElementsAttr elements;
  if (matchPattern(array, m_Constant(&elements)))
    return elements.isSplat() ? std::optional<Cost>(Cost{}) : std::nullopt;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return isConstantScalar(fill.value()) ? std::optional<Cost>(Cost{}) : std::nullopt;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return costOfOp(generic);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  bool isFixed = slice && slice.getStaticOffsets().size() == size_t(slice.getSourceType().getRank()) &&
                 !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
                 !ShapedType::isDynamicShape(slice.getStaticStrides());
  if (!isFixed && !isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op))
    return std::nullopt;
  if (!hasPlaces(op->getOperand(0).getType()))
    return std::nullopt;
  std::optional<Cost> cost = costOfUse(op->getOperand(0));
  if (cost)
    ++cost->steps;
  return cost;
}

std::optional<ComputedElements::Cost> ComputedElements::costOfOp(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return std::nullopt;
  auto isPlaces = [](AffineMap map) { return map.isProjectedPermutation(/*allowZeroInResults=*/true); };
  if (!llvm::all_of(op.getIndexingMapsArray(), isPlaces))
    return std::nullopt;
  Cost cost;
  auto add = [&](std::optional<Cost> of) {
    if (of) {
      cost.steps += of->steps;
      cost.reads += of->reads;
    }
    return of.has_value();
  };
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input) &&
        (!isa<RankedTensorType>(input->get().getType()) || !add(costOfUse(input->get()))))
      return std::nullopt;
  for (Operation &each : op.getBlock()->without_terminator()) {
    if (each.getNumRegions() > 0 || !llvm::all_of(each.getResultTypes(), isPlain))
      return std::nullopt;
    auto extract = dyn_cast<tensor::ExtractOp>(each);
    if (extract ? !add(costOfUse(extract.getTensor()))
                : !isa<linalg::IndexOp>(each) && !isa<arith::ArithDialect, math::MathDialect>(each.getDialect()))
      return std::nullopt;
    cost.steps += each.hasTrait<OpTrait::ConstantLike>() ? 0 : 1;
    for (Value operand : each.getOperands())
      if (operand.getParentBlock() != op.getBlock() && !isa<RankedTensorType>(operand.getType()) &&
          !operand.getType().isIndex() && !isConstantScalar(operand))
        return std::nullopt;
  }
  return cost;
}

//===- Their code --------------------------------------------------------------===//

using Place = SmallVector<OpFoldResult>;

static OpFoldResult number(OpBuilder &b, int64_t value) { return b.getIndexAttr(value); }

static OpFoldResult plus(ImplicitLocOpBuilder &b, OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> ofX = getConstantIntValue(x), ofY = getConstantIntValue(y);
  if (ofX && ofY)
    return number(b, *ofX + *ofY);
  if (ofX == 0)
    return y;
  if (ofY == 0)
    return x;
  return arith::AddIOp::create(b, asValue(b, x), asValue(b, y)).getResult();
}

static OpFoldResult times(ImplicitLocOpBuilder &b, OpFoldResult x, int64_t factor) {
  if (std::optional<int64_t> known = getConstantIntValue(x))
    return number(b, *known * factor);
  if (factor <= 1)
    return factor == 1 ? x : number(b, 0);
  return arith::MulIOp::create(b, asValue(b, x), arith::ConstantIndexOp::create(b, factor)).getResult();
}

/// The number of a place among the places of some sizes, of which the first does not matter.
static OpFoldResult numberOf(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> place, ArrayRef<int64_t> sizes) {
  OpFoldResult result = number(b, 0);
  for (auto [i, x] : llvm::enumerate(place))
    result = plus(b, i == 0 ? result : times(b, result, sizes[i]), x);
  return result;
}

/// The place with that number.
static Place placeOf(ImplicitLocOpBuilder &b, OpFoldResult rest, ArrayRef<int64_t> sizes) {
  Place place(sizes.size(), number(b, 0));
  for (size_t d = sizes.size(); d-- > 0;) {
    bool isLast = llvm::all_of(sizes.take_front(d), [](int64_t size) { return size == 1; });
    if (isLast || sizes[d] == 1) {
      place[d] = isLast && sizes[d] != 1 ? rest : number(b, 0);
      if (isLast)
        break;
      continue;
    }
    if (std::optional<int64_t> known = getConstantIntValue(rest)) {
      place[d] = number(b, *known % sizes[d]);
      rest = number(b, *known / sizes[d]);
      continue;
    }
    Value all = asValue(b, rest), size = arith::ConstantIndexOp::create(b, sizes[d]);
    place[d] = arith::RemUIOp::create(b, all, size).getResult();
    rest = arith::DivUIOp::create(b, all, size).getResult();
  }
  return place;
}

Value ComputedElements::element(ImplicitLocOpBuilder &b, Value array, Value number) {
  return at(b, array, placeOf(b, number, cast<RankedTensorType>(array.getType()).getShape()));
}

Value ComputedElements::at(ImplicitLocOpBuilder &b, Value array, const Place &place) {
  for (auto &[where, value] : known[array])
    if (where == place)
      return value;
  Value value = costOf(array) ? compute(b, array, place) : read(b, array, place);
  known[array].push_back({place, value});
  return value;
}

Value ComputedElements::compute(ImplicitLocOpBuilder &b, Value array, const Place &place) {
  Operation *op = array.getDefiningOp();
  DenseElementsAttr elements;
  if (matchPattern(array, m_Constant(&elements)))
    return arith::ConstantOp::create(b, elements.getSplatValue<TypedAttr>());
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return b.clone(*fill.value().getDefiningOp())->getResult(0);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return computeOp(b, generic, place);
  Value source = op->getOperand(0);
  ArrayRef<int64_t> from = cast<RankedTensorType>(source.getType()).getShape(),
                    to = cast<RankedTensorType>(array.getType()).getShape();
  if (isa<tensor::CastOp>(op))
    return at(b, source, place);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    Place wide;
    for (int64_t d = 0, next = 0, rank = from.size(); d < rank; ++d) {
      OpFoldResult within = dropped.test(d) ? number(b, 0) : times(b, place[next++], slice.getStaticStrides()[d]);
      wide.push_back(plus(b, within, number(b, slice.getStaticOffsets()[d])));
    }
    return at(b, source, wide);
  }
  auto groups = isa<tensor::ExpandShapeOp>(op) ? cast<tensor::ExpandShapeOp>(op).getReassociationIndices()
                                               : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  Place moved;
  for (auto [i, group] : llvm::enumerate(groups)) {
    size_t first = group.front(), size = group.size();
    if (isa<tensor::ExpandShapeOp>(op))
      moved.push_back(numberOf(b, ArrayRef(place).slice(first, size), to.slice(first, size)));
    else
      llvm::append_range(moved, placeOf(b, place[i], from.slice(first, size)));
  }
  // An array of one element has no groups.
  if (groups.empty())
    moved.assign(from.size(), number(b, 0));
  return at(b, source, moved);
}

Value ComputedElements::computeOp(ImplicitLocOpBuilder &b, linalg::GenericOp op, const Place &place) {
  Place loops(op.getNumLoops());
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [d, at] : llvm::enumerate(place))
    loops[written.getDimPosition(d)] = at;
  IRMapping values;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!op.payloadUsesValueFromOperand(input))
      continue;
    Place from;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
      from.push_back(isa<AffineDimExpr>(expr) ? loops[cast<AffineDimExpr>(expr).getPosition()]
                                              : number(b, cast<AffineConstantExpr>(expr).getValue()));
    values.map(op.getMatchingBlockArgument(input), at(b, input->get(), from));
  }
  for (Operation &each : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(each)) {
      values.map(index.getResult(), asValue(b, loops[index.getDim()]));
      continue;
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(each)) {
      Place from;
      for (Value index : extract.getIndices()) {
        std::optional<int64_t> known = getConstantIntValue(index);
        from.push_back(known ? number(b, *known) : OpFoldResult(values.lookup(index)));
      }
      values.map(extract.getResult(), at(b, extract.getTensor(), from));
      continue;
    }
    for (Value operand : each.getOperands())
      if (!values.contains(operand))
        values.map(operand, numberFromOutside(b, operand));
    b.clone(each, values);
  }
  return values.lookup(op.getBlock()->getTerminator()->getOperand(0));
}

Value ComputedElements::numberFromOutside(ImplicitLocOpBuilder &b, Value number) {
  if (isConstantScalar(number))
    return b.clone(*number.getDefiningOp())->getResult(0);
  Value &loaded = inside[number];
  if (!loaded) {
    ImplicitLocOpBuilder begin = ImplicitLocOpBuilder::atBlockBegin(b.getLoc(), entry);
    loaded =
        arith::IndexCastOp::create(begin, begin.getIndexType(), executable.load(begin, executable.addConstant(number)));
  }
  return loaded;
}

Value ComputedElements::read(ImplicitLocOpBuilder &b, Value array, const Place &place) {
  auto type = cast<RankedTensorType>(array.getType());
  Value &memory = inside[array];
  if (!memory) {
    ImplicitLocOpBuilder begin = ImplicitLocOpBuilder::atBlockBegin(b.getLoc(), entry);
    SmallVector<Value> sizes = dynamicSizes(outer, array);
    int64_t size = type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
    SmallVector<Value> ofView;
    Executable::Binding binding = executable.addInput(array, sizes);
    if (!type.hasStaticShape()) {
      Value first = arith::IndexCastOp::create(begin, begin.getIndexType(),
                                               executable.load(begin, executable.addConstant(sizes.front())));
      ofView.push_back(asValue(begin, times(begin, first, ShapedType::getNumElements(type.getShape().drop_front()))));
    }
    memory = executable.view(begin, binding, MemRefType::get(size, type.getElementType()), ofView);
  }
  return memref::LoadOp::create(b, memory, asValue(b, numberOf(b, place, type.getShape())));
}

} // namespace dovetail
