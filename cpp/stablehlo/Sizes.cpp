// Counterparts of ops whose sizes are operands, and sizes that are known before a program runs.
#include "Families.h"
#include "Importer.h"
#include "dialects/Control.h"
#include "dialects/Create.h"
#include "dialects/Index.h"
#include "dialects/Pointwise.h"
#include "dialects/Shape.h"
#include "dialects/Size.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

//===- Known elements ----------------------------------------------------------------===//

/// The element of an op on corresponding elements, from those of its operands; sums wrap around.
static std::optional<int64_t> combine(Operation *op, ArrayRef<int64_t> x) {
  auto bits = [&](unsigned i) { return static_cast<uint64_t>(x[i]); };
  if (isa<ConvertOp>(op))
    return x[0];
  if (isa<AddOp>(op))
    return static_cast<int64_t>(bits(0) + bits(1));
  if (isa<SubOp>(op))
    return static_cast<int64_t>(bits(0) - bits(1));
  if (isa<MulOp>(op))
    return static_cast<int64_t>(bits(0) * bits(1));
  if (isa<DivOp, RemOp>(op) && !x[1])
    return std::nullopt;
  // The quotient of the least number by -1 is no number of 64 bits.
  if (isa<DivOp>(op))
    return x[1] == -1 ? static_cast<int64_t>(-bits(0)) : x[0] / x[1];
  if (isa<RemOp>(op))
    return x[1] == -1 ? 0 : x[0] % x[1];
  if (isa<MinOp>(op))
    return std::min(x[0], x[1]);
  if (isa<MaxOp>(op))
    return std::max(x[0], x[1]);
  if (isa<ClampOp>(op))
    return std::min(std::max(x[0], x[1]), x[2]);
  if (isa<NegOp>(op))
    return static_cast<int64_t>(-bits(0));
  if (isa<SignOp>(op))
    return (x[0] > 0) - (x[0] < 0);
  if (isa<AndOp>(op))
    return x[0] & x[1];
  if (isa<OrOp>(op))
    return x[0] | x[1];
  if (isa<NotOp>(op))
    return ~x[0];
  if (isa<SelectOp>(op))
    return x[0] ? x[1] : x[2];
  if (auto compare = dyn_cast<CompareOp>(op))
    switch (compare.getDirection()) {
    case CompareDirection::EQ:
      return x[0] == x[1];
    case CompareDirection::NE:
      return x[0] != x[1];
    case CompareDirection::LT:
      return x[0] < x[1];
    case CompareDirection::LE:
      return x[0] <= x[1];
    case CompareDirection::GT:
      return x[0] > x[1];
    case CompareDirection::GE:
      return x[0] >= x[1];
    }
  return std::nullopt;
}

/// A number with the bits that its element type has.
static int64_t wrapped(int64_t value, Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  APInt bits(64, static_cast<uint64_t>(value));
  bits = bits.zextOrTrunc(width).zextOrTrunc(std::min(width, 64u));
  return element.isUnsignedInteger() || width == 1 ? static_cast<int64_t>(bits.getZExtValue()) : bits.getSExtValue();
}

namespace {

/// Elements of vectors as far as they follow from constants; each is found once, however often it is used.
class KnownElements {
public:
  std::optional<int64_t> at(Value vector, int64_t i) {
    auto [place, isNew] = found.try_emplace({vector, i});
    if (isNew) {
      std::optional<int64_t> element = find(vector, i);
      found[{vector, i}] = element;
      return element;
    }
    return place->second;
  }

private:
  std::optional<int64_t> find(Value vector, int64_t i);

  llvm::DenseMap<std::pair<Value, int64_t>, std::optional<int64_t>> found;
};

std::optional<int64_t> KnownElements::find(Value vector, int64_t i) {
  auto type = dyn_cast<RankedTensorType>(vector.getType());
  if (!type || !type.hasStaticShape() || !isa<IntegerType>(type.getElementType()) || i < 0 ||
      i >= type.getNumElements())
    return std::nullopt;
  DenseIntElementsAttr elements;
  if (matchPattern(vector, m_Constant(&elements))) {
    APInt element = elements.isSplat() ? elements.getSplatValue<APInt>() : elements.getValues<APInt>()[i];
    return wrapped(element.sextOrTrunc(64).getSExtValue(), type.getElementType());
  }
  Operation *op = vector.getDefiningOp();
  if (!op || op->getNumResults() != 1)
    return std::nullopt;
  if (auto join = dyn_cast<ConcatenateOp>(op); join && join.getDimension() == 0) {
    for (Value part : join.getXs()) {
      if (!Algebra::typeOf(part).hasStaticShape())
        return std::nullopt;
      int64_t size = Algebra::typeOf(part).getNumElements();
      if (i < size)
        return at(part, i);
      i -= size;
    }
    return std::nullopt;
  }
  if (auto slice = dyn_cast<SliceOp>(op); slice && type.getRank() == 1)
    return at(slice.getX(), slice.getStarts()[0] + i * slice.getStrides()[0]);
  if (isa<ReshapeOp>(op))
    return at(op->getOperand(0), i);
  if (isa<BroadcastOp>(op))
    return cast<RankedTensorType>(op->getOperand(0).getType()).getRank() == 0 ? at(op->getOperand(0), 0) : std::nullopt;
  if (op->hasTrait<OpTrait::IsTerminator>() || isa<ConcatenateOp, SliceOp>(op))
    return std::nullopt;
  SmallVector<int64_t> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known = at(operand, i);
    if (!known)
      return std::nullopt;
    operands.push_back(*known);
  }
  std::optional<int64_t> element = operands.empty() ? std::nullopt : combine(op, operands);
  return element ? std::optional<int64_t>(wrapped(*element, type.getElementType())) : std::nullopt;
}

} // namespace

std::optional<int64_t> knownElement(Value vector, int64_t i) { return KnownElements().at(vector, i); }

std::optional<SmallVector<int64_t>> knownElements(Value vector) {
  SmallVector<int64_t> elements;
  if (!Algebra::typeOf(vector).hasStaticShape())
    return std::nullopt;
  KnownElements known;
  for (int64_t i = 0, size = Algebra::typeOf(vector).getNumElements(); i < size; ++i) {
    std::optional<int64_t> element = known.at(vector, i);
    if (!element)
      return std::nullopt;
    elements.push_back(*element);
  }
  return elements;
}

RankedTensorType Importer::typeFrom(Value shape, RankedTensorType type) {
  SmallVector<int64_t> sizes(type.getShape());
  for (auto [i, size] : llvm::enumerate(sizes))
    if (ShapedType::isDynamic(size))
      if (std::optional<int64_t> known = knownElement(shape, i))
        size = *known;
  return RankedTensorType::get(sizes, type.getElementType());
}

Algebra::Values Importer::sizesFrom(Value shape, RankedTensorType type) {
  Values sizes;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size))
      continue;
    Value vector = shape;
    int64_t place = i;
    // The parts of a vector are found where it is made, so that a size of an array is that size.
    while (auto join = vector.getDefiningOp<ConcatenateOp>()) {
      auto parts = join.getXs();
      size_t part = 0;
      while (place >= sizeOf(parts[part], 0))
        place -= sizeOf(parts[part++], 0);
      vector = parts[part];
    }
    Value number = reshapedTo(slice(vector, 0, place, 1), {});
    sizes.push_back(make<IndexOp>(convert(number, builder.getI32Type())));
  }
  return sizes;
}

//===- Calls ---------------------------------------------------------------------------===//

static LogicalResult inlineCalls(Operation *within, SymbolTable &symbols, SmallVectorImpl<Operation *> &callers) {
  SmallVector<Operation *> calls;
  within->walk([&](Operation *op) {
    auto composite = dyn_cast<stablehlo::CompositeOp>(op);
    if (isa<func::CallOp>(op) || (composite && !composite.getName().starts_with("chlo.")))
      calls.push_back(op);
  });
  for (Operation *call : calls) {
    auto composite = dyn_cast<stablehlo::CompositeOp>(call);
    StringRef name = composite ? composite.getDecomposition() : cast<func::CallOp>(call).getCallee();
    auto callee = symbols.lookup<func::FuncOp>(name);
    if (!callee || callee.isExternal())
      return call->emitError() << "call: the function must be in the program, got: '" << name << "'";
    if (llvm::is_contained(callers, callee))
      return call->emitError() << "call: a function must not call itself, got: '" << name << "'";
    // What it calls is inlined in it first.
    callers.push_back(callee);
    if (failed(inlineCalls(callee, symbols, callers)))
      return failure();
    callers.pop_back();
    OpBuilder builder(call);
    IRMapping map;
    map.map(callee.getArguments(), call->getOperands());
    for (Operation &op : callee.getBody().front().without_terminator())
      builder.clone(op, map);
    SmallVector<Value> results;
    for (Value value : callee.getBody().front().getTerminator()->getOperands())
      results.push_back(map.lookupOrDefault(value));
    call->replaceAllUsesWith(results);
    call->erase();
  }
  return success();
}

LogicalResult inlineCalls(func::FuncOp function) {
  SymbolTable symbols(function->getParentOfType<ModuleOp>());
  SmallVector<Operation *> callers{function};
  return inlineCalls(function, symbols, callers);
}

//===- Ops -------------------------------------------------------------------------------===//

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;

RankedTensorType resultType(Operation *op) { return cast<RankedTensorType>(op->getResult(0).getType()); }

struct ImportDynamicIota : Import<ImportDynamicIota, stablehlo::DynamicIotaOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto iota = cast<stablehlo::DynamicIotaOp>(op);
    auto type = Importer::typeFrom(iota.getOutputShape(), resultType(op));
    results.push_back(e.make<IotaOp>(type, iota.getIotaDimension(), e.sizesFrom(iota.getOutputShape(), type)));
    return success();
  }
};

struct ImportDynamicBroadcast : Import<ImportDynamicBroadcast, stablehlo::DynamicBroadcastInDimOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto broadcast = cast<stablehlo::DynamicBroadcastInDimOp>(op);
    auto type = Importer::typeFrom(broadcast.getOutputDimensions(), resultType(op));
    results.push_back(e.broadcastInDim(broadcast.getOperand(), broadcast.getBroadcastDimensions(), type,
                                       e.sizesFrom(broadcast.getOutputDimensions(), type)));
    return success();
  }
};

struct ImportDynamicReshape : Import<ImportDynamicReshape, stablehlo::DynamicReshapeOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto type = Importer::typeFrom(op->getOperand(1), resultType(op));
    results.push_back(e.reshape(op->getOperand(0), type, e.sizesFrom(op->getOperand(1), type)));
    return success();
  }
};

struct ImportSize : Import<ImportSize, stablehlo::GetDimensionSizeOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto query = cast<stablehlo::GetDimensionSizeOp>(op);
    results.push_back(e.make<FromIndexOp>(resultType(op), e.size(query.getOperand(), query.getDimension())));
    return success();
  }
};

struct ImportDynamicPad : Import<ImportDynamicPad, stablehlo::DynamicPadOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto pad = cast<stablehlo::DynamicPadOp>(op);
    auto low = knownElements(pad.getEdgePaddingLow()), high = knownElements(pad.getEdgePaddingHigh()),
         interior = knownElements(pad.getInteriorPadding());
    if (!low || !high || !interior || !Algebra::typeOf(pad.getOperand()).hasStaticShape())
      return op->emitError() << "dynamic_pad: the padding must follow from sizes that are known, got: sizes of values";
    results.push_back(e.pad(pad.getOperand(), pad.getPaddingValue(), *low, *high, *interior));
    return success();
  }
};

/// An op with its padding as an attribute, from one whose padding is the last operand.
struct ImportDynamicConvolution : Import<ImportDynamicConvolution, stablehlo::DynamicConvolutionOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto known = knownElements(op->getOperand(2));
    if (!known)
      return op->emitError() << "dynamic_conv: the padding must follow from sizes that are known, got: values";
    auto type = RankedTensorType::get(Algebra::typeOf(op->getOperand(2)).getShape(), e.builder.getI64Type());
    OperationState state(op->getLoc(), stablehlo::ConvolutionOp::getOperationName(), op->getOperands().take_front(2),
                         op->getResultTypes(), op->getAttrs());
    state.addAttribute("padding", DenseIntElementsAttr::get(type, ArrayRef<int64_t>(*known)));
    Operation *made = e.builder.create(state);
    LogicalResult imported = cast<FromStablehloOpInterface>(made).importTo(e, results);
    made->erase();
    return imported;
  }
};

/// The sizes of slices between two vectors, if they are known: also where one is a sum with the other.
std::optional<SmallVector<int64_t>> distances(Value start, Value limit) {
  auto low = knownElements(start), high = knownElements(limit);
  if (low && high) {
    for (auto [from, to] : llvm::zip_equal(*low, *high))
      to -= from;
    return high;
  }
  auto sum = limit.getDefiningOp<AddOp>();
  if (!sum || (sum.getX() != start && sum.getY() != start))
    return std::nullopt;
  return knownElements(sum.getX() == start ? sum.getY() : sum.getX());
}

struct ImportRealDynamicSlice : Import<ImportRealDynamicSlice, stablehlo::RealDynamicSliceOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto slice = cast<stablehlo::RealDynamicSliceOp>(op);
    Value x = slice.getOperand(), start = slice.getStartIndices();
    auto sizes = distances(start, slice.getLimitIndices()), strides = knownElements(slice.getStrides());
    auto starts = knownElements(start);
    bool isContiguous = strides && llvm::all_of(*strides, [](int64_t stride) { return stride == 1; });
    if (!sizes || !strides || (!starts && !isContiguous) || !Algebra::typeOf(x).hasStaticShape())
      return op->emitError() << "real_dynamic_slice: sizes and strides must follow from sizes that are known, got: "
                                "those of values";
    for (auto [size, stride] : llvm::zip_equal(*sizes, *strides))
      size = stride > 0 ? std::max<int64_t>(0, (size + stride - 1) / stride) : 0;
    if (starts) {
      results.push_back(e.slice(x, *starts, *sizes, *strides));
      return success();
    }
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, Algebra::typeOf(x).getRank()));
    results.push_back(e.make<GatherOp>(x, start, dims, *sizes));
    return success();
  }
};

/// The elements that are left are a slice.
struct ImportSetSize : Import<ImportSetSize, stablehlo::SetDimensionSizeOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto set = cast<stablehlo::SetDimensionSizeOp>(op);
    std::optional<int64_t> size = knownElement(set.getSize(), 0);
    int64_t dim = set.getDimension();
    if (!size || *size < 0 || *size > Algebra::sizeOf(set.getOperand(), dim))
      return op->emitError() << "set_dimension_size: the size must be known, and none greater than that of the array, "
                                "got: "
                             << (size ? std::to_string(*size) : "a value");
    results.push_back(e.slice(set.getOperand(), dim, 0, *size));
    return success();
  }
};

} // namespace

void attachSizeCounterparts(MLIRContext *c) {
  stablehlo::DynamicIotaOp::attachInterface<ImportDynamicIota>(*c);
  stablehlo::DynamicBroadcastInDimOp::attachInterface<ImportDynamicBroadcast>(*c);
  stablehlo::DynamicReshapeOp::attachInterface<ImportDynamicReshape>(*c);
  stablehlo::DynamicPadOp::attachInterface<ImportDynamicPad>(*c);
  stablehlo::DynamicConvolutionOp::attachInterface<ImportDynamicConvolution>(*c);
  stablehlo::RealDynamicSliceOp::attachInterface<ImportRealDynamicSlice>(*c);
  stablehlo::GetDimensionSizeOp::attachInterface<ImportSize>(*c);
  stablehlo::SetDimensionSizeOp::attachInterface<ImportSetSize>(*c);
}

} // namespace dovetail
