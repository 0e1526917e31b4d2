// Computes padded arrays element by element, where the sums of gradients of slices would otherwise be copied to memory.
#include "Passes.h"
#include "Windows.h"
#include "cpp/cost/Steps.h"
#include "cpp/tensors/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_MASKPADSPASS
#include "cpp/dispatch/Passes.h.inc"

namespace {

/// The most scalar ops that are computed again instead of reading their result.
constexpr size_t kMostOps = 32;

/// A window of a computed array, as the same computation on windows of what it reads.
class WindowOf {
public:
  /// What is computed again, and the windows that it reads.
  static std::optional<WindowOf> find(const Window &window) {
    WindowOf result;
    if (!result.visit(window))
      return std::nullopt;
    return result;
  }

  ArrayRef<Window> reads() const { return leaves; }

  Value emit(ImplicitLocOpBuilder &b, const Window &window, ExtendedArrays &arrays);

private:
  using Key = std::pair<Value, ArrayAttr>;
  static Key keyOf(const Window &window) {
    Builder b(window.base.getContext());
    return {window.base, ArrayAttr::get(window.base.getContext(),
                                        {b.getDenseI64ArrayAttr(window.starts), b.getDenseI64ArrayAttr(window.sizes)})};
  }
  bool visit(const Window &window);

  DenseSet<Key> visited;
  DenseMap<Key, Value> emitted;
  SmallVector<Window> leaves;
  size_t numOps = 0;
};

} // namespace

/// The window of a slice's source, if `window` is one of a slice with unit strides.
static std::optional<Window> throughSlice(const Window &window) {
  auto slice = window.base.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !slice.hasUnitStride() || !slice.getSourceType().hasStaticShape() ||
      slice.getSourceType().getRank() != slice.getType().getRank() ||
      llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic))
    return std::nullopt;
  Window source = {slice.getSource(), window.starts, window.sizes};
  for (auto [start, offset] : llvm::zip_equal(source.starts, slice.getStaticOffsets()))
    start += offset;
  return source;
}

/// An op that computes each element of its result from those at its place in its operands, cheaply, and for any values.
static linalg::GenericOp pointwiseMaker(Value array) {
  auto op = array.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumDpsInits() != 1 || op.getNumReductionLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return {};
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingIndexingMap(input).isProjectedPermutation() || !isa<RankedTensorType>(input->get().getType()) ||
        !cast<RankedTensorType>(input->get().getType()).hasStaticShape())
      return {};
  for (Operation &inner : op.getBody()->without_terminator())
    if (!isa_and_present<arith::ArithDialect>(inner.getDialect()) &&
        !isa<linalg::IndexOp, math::AbsFOp, math::FmaOp>(inner))
      return {};
    else if (!isSpeculatable(&inner))
      return {};
  return op;
}

/// The window of an operand that the window of the result needs.
static Window ofOperand(linalg::GenericOp op, OpOperand *operand, const Window &window) {
  Window result = {operand->get(), {}, {}};
  for (AffineExpr dim : op.getMatchingIndexingMap(operand).getResults()) {
    unsigned position = cast<AffineDimExpr>(dim).getPosition();
    result.starts.push_back(window.starts[position]);
    result.sizes.push_back(window.sizes[position]);
  }
  return result;
}

static bool isSplat(Value array) {
  DenseElementsAttr elements;
  return matchPattern(array, m_Constant(&elements)) && elements.isSplat();
}

bool WindowOf::visit(const Window &window) {
  if (!visited.insert(keyOf(window)).second || isSplat(window.base))
    return true;
  if (std::optional<Window> source = throughSlice(window))
    return visit(*source);
  if (linalg::GenericOp op = pointwiseMaker(window.base)) {
    numOps += scalarOpsOf(op);
    return numOps <= kMostOps && llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
             return visit(ofOperand(op, operand, window));
           });
  }
  leaves.push_back(window);
  return true;
}

Value WindowOf::emit(ImplicitLocOpBuilder &b, const Window &window, ExtendedArrays &arrays) {
  Value &result = emitted[keyOf(window)];
  if (result)
    return result;
  DenseElementsAttr elements;
  if (matchPattern(window.base, m_Constant(&elements)) && elements.isSplat())
    return result = arith::ConstantOp::create(b, elements.resizeSplat(elements.getType().clone(window.sizes)));
  Value made;
  if (std::optional<Window> source = throughSlice(window)) {
    made = emit(b, *source, arrays);
  } else if (linalg::GenericOp op = pointwiseMaker(window.base)) {
    SmallVector<Value> operands;
    for (OpOperand *input : op.getDpsInputOperands())
      operands.push_back(emit(b, ofOperand(op, input, window), arrays));
    auto type = cast<RankedTensorType>(op.getResult(0).getType()).clone(window.sizes);
    operands.push_back(tensor::EmptyOp::create(b, window.sizes, type.getElementType()));
    auto copy = cast<linalg::GenericOp>(clone(b, op, TypeRange(type), operands));
    copy.walk([&](linalg::IndexOp index) {
      int64_t start = window.starts[index.getDim()];
      if (start == 0)
        return;
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfter(index);
      auto moved = arith::AddIOp::create(b, index, arith::ConstantIndexOp::create(b, start));
      index.getResult().replaceAllUsesExcept(moved, moved);
    });
    made = copy.getResult(0);
  } else {
    made = arrays.slice(b, window);
  }
  return emitted[keyOf(window)] = made;
}

//===- Pads --------------------------------------------------------------------===//

namespace {

/// A padded array: where it is not the constant, a window of the source from before its beginning on.
struct Padded {
  tensor::PadOp op;
  TypedAttr constant;
  Window window;
  WindowOf computation;

  static std::optional<Padded> find(tensor::PadOp op);
  /// The number of elements that padding writes.
  int64_t elements() { return op.getType().getNumElements(); }
  Value emit(ExtendedArrays &arrays);
};

} // namespace

/// The number that a scalar is known to be.
static TypedAttr constantOf(Value scalar) {
  TypedAttr attr;
  if (matchPattern(scalar, m_Constant(&attr)))
    return attr;
  auto extract = scalar.getDefiningOp<tensor::ExtractOp>();
  DenseElementsAttr elements;
  if (extract && matchPattern(extract.getTensor(), m_Constant(&elements)) && elements.isSplat())
    return dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>());
  return {};
}

std::optional<Padded> Padded::find(tensor::PadOp op) {
  Value scalar = op.getConstantPaddingValue();
  TypedAttr constant = scalar ? constantOf(scalar) : TypedAttr();
  if (!constant || !op.getSourceType().hasStaticShape() || !op.getType().hasStaticShape() ||
      llvm::any_of(op.getStaticLow(), ShapedType::isDynamic))
    return std::nullopt;
  Window window = {op.getSource(), {}, SmallVector<int64_t>(op.getType().getShape())};
  for (int64_t low : op.getStaticLow())
    window.starts.push_back(-low);
  std::optional<WindowOf> computation = WindowOf::find(window);
  if (!computation)
    return std::nullopt;
  return Padded{op, constant, window, std::move(*computation)};
}

Value Padded::emit(ExtendedArrays &arrays) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value all = computation.emit(b, window, arrays);
  int64_t rank = window.sizes.size();
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), op.getType().getShape());
  return parallelLoops(b, sizes, op.getType().getElementType(), all, b.getMultiDimIdentityMap(rank),
                       [&](OpBuilder &inner, Location loc, ValueRange args) -> Value {
                         ImplicitLocOpBuilder body(loc, inner);
                         Value isInside;
                         auto require = [&](arith::CmpIPredicate predicate, int64_t dim, int64_t bound) {
                           Value is = arith::CmpIOp::create(body, predicate, linalg::IndexOp::create(body, dim),
                                                            arith::ConstantIndexOp::create(body, bound));
                           isInside = isInside ? arith::AndIOp::create(body, isInside, is).getResult() : is;
                         };
                         for (int64_t dim = 0; dim < rank; ++dim) {
                           int64_t low = -window.starts[dim], end = low + op.getSourceType().getDimSize(dim);
                           if (low > 0)
                             require(arith::CmpIPredicate::sge, dim, low);
                           if (end < window.sizes[dim])
                             require(arith::CmpIPredicate::slt, dim, end);
                         }
                         if (!isInside)
                           return args[0];
                         return arith::SelectOp::create(body, isInside, args[0],
                                                        arith::ConstantOp::create(body, constant));
                       });
}

/// Replaces the pads of a block that write more elements than the extensions of the arrays that they then read.
static bool maskPads(Block &block) {
  SmallVector<Padded, 0> pads;
  for (auto op : block.getOps<tensor::PadOp>())
    if (std::optional<Padded> padded = Padded::find(op))
      pads.push_back(std::move(*padded));
  // Pads that share an array which must be extended.
  llvm::EquivalenceClasses<const void *> groups;
  for (Padded &padded : pads) {
    groups.insert(padded.op.getOperation());
    for (const Window &read : padded.computation.reads())
      if (!read.isInside())
        groups.unionSets(padded.op.getOperation(), read.base.getAsOpaquePointer());
  }
  llvm::MapVector<const void *, SmallVector<Padded *>> members;
  for (Padded &padded : pads)
    members[groups.getLeaderValue(padded.op.getOperation())].push_back(&padded);
  // Pads may read each other.
  SmallVector<std::pair<tensor::PadOp, Value>> replacements;
  for (auto &[leader, group] : members) {
    ExtendedArrays arrays;
    int64_t written = 0;
    for (Padded *padded : group) {
      written += padded->elements();
      for (const Window &read : padded->computation.reads())
        arrays.include(read);
    }
    if (written <= arrays.elements())
      continue;
    for (Padded *padded : group)
      replacements.emplace_back(padded->op, padded->emit(arrays));
  }
  for (auto [pad, masked] : replacements) {
    pad.getResult().replaceAllUsesWith(masked);
    pad.erase();
  }
  return !replacements.empty();
}

namespace {
struct MaskPadsPass : impl::MaskPadsPassBase<MaskPadsPass> {
  void runOnOperation() override {
    if (!rewriteBlocks(getOperation(), maskPads))
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dovetail
