// Makes shifted copies of one array slices of one extended copy.
#include "Passes.h"
#include "Windows.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SHARESHIFTSPASS
#include "cpp/dispatch/Passes.h.inc"

namespace {

/// A part of a concatenation, and its position along the dimension.
struct Part {
  Value array;
  int64_t begin, size;
};

/// A concatenation of slices of one array that is a window of it with borders, such as a rotation.
struct Shift {
  Operation *op;
  Window window;
  SmallVector<Border> borders;

  static std::optional<Shift> find(Operation *op);
};

} // namespace

static RankedTensorType typeOf(Value array) { return cast<RankedTensorType>(array.getType()); }

/// The dimension in which an array is written to a part of another one of its shape otherwise.
static std::optional<unsigned> dimOf(tensor::InsertSliceOp insert) {
  RankedTensorType part = insert.getSourceType(), all = insert.getType();
  if (part.getRank() != all.getRank() || !insert.hasUnitStride() || !part.hasStaticShape() || !all.hasStaticShape() ||
      llvm::any_of(insert.getStaticOffsets(), ShapedType::isDynamic))
    return std::nullopt;
  std::optional<unsigned> found;
  for (int64_t d = 0; d < all.getRank(); ++d) {
    if (part.getDimSize(d) == all.getDimSize(d))
      continue;
    if (found)
      return std::nullopt;
    found = d;
  }
  return found;
}

/// The parts of a concatenation in order, in either of the forms that `concatenate` is lowered to.
static SmallVector<Part> partsOf(Operation *op, unsigned &dim) {
  SmallVector<Part> parts;
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    if (!concat.getResultType().hasStaticShape())
      return {};
    dim = concat.getDim();
    int64_t begin = 0;
    for (Value part : concat.getInputs()) {
      parts.push_back({part, begin, typeOf(part).getDimSize(dim)});
      begin += parts.back().size;
    }
    return parts;
  }
  auto isContinued = [](tensor::InsertSliceOp insert) {
    return llvm::any_of(insert->getUses(), [](OpOperand &use) {
      auto next = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
      return next && next.getDestMutable() == use;
    });
  };
  auto insert = dyn_cast<tensor::InsertSliceOp>(op);
  if (!insert || isContinued(insert))
    return {};
  int64_t end = -1;
  for (bool isLast = true; insert; isLast = false) {
    std::optional<unsigned> here = dimOf(insert);
    if (!here || (!isLast && (*here != dim || !insert->hasOneUse())))
      return {};
    dim = *here;
    int64_t begin = insert.getStaticOffset(dim), size = insert.getSourceType().getDimSize(dim);
    if (begin + size != (isLast ? insert.getType().getDimSize(dim) : end))
      return {};
    parts.insert(parts.begin(), {insert.getSource(), begin, size});
    end = begin;
    if (insert.getDest().getDefiningOp<tensor::EmptyOp>())
      break;
    insert = insert.getDest().getDefiningOp<tensor::InsertSliceOp>();
  }
  return end == 0 ? parts : SmallVector<Part>();
}

/// The array that a part is a slice of along one dimension, and where it starts there.
static std::pair<Value, int64_t> sourceOf(Value part, unsigned dim) {
  auto slice = part.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !slice.hasUnitStride() || slice.getSourceType().getRank() != slice.getType().getRank() ||
      llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic))
    return {part, 0};
  for (auto [d, size] : llvm::enumerate(slice.getSourceType().getShape()))
    if (d != dim && size != slice.getType().getDimSize(d))
      return {part, 0};
  return {slice.getSource(), slice.getStaticOffset(dim)};
}

std::optional<Shift> Shift::find(Operation *op) {
  unsigned dim = 0;
  SmallVector<Part> parts = partsOf(op, dim);
  if (parts.size() < 2)
    return std::nullopt;
  const Part &main = *llvm::max_element(parts, [](const Part &a, const Part &b) { return a.size < b.size; });
  auto [base, start] = sourceOf(main.array, dim);
  if (!typeOf(base).hasStaticShape())
    return std::nullopt;
  // From positions in the concatenation to those in the array.
  int64_t offset = start - main.begin, length = typeOf(base).getDimSize(dim);
  Shift shift = {op, {base, {}, {}}, {}};
  for (const Part &part : parts) {
    auto [source, from] = sourceOf(part.array, dim);
    if (source != base)
      return std::nullopt;
    int64_t begin = part.begin + offset, end = begin + part.size;
    if (from == begin)
      continue;
    if (end > 0 && begin < length)
      return std::nullopt;
    shift.borders.push_back({dim, begin, end, from - begin});
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  shift.window.starts.assign(type.getRank(), 0);
  shift.window.starts[dim] = offset;
  shift.window.sizes.assign(type.getShape().begin(), type.getShape().end());
  return shift;
}

/// Replaces the shifts of an array, if together they have more elements than its extension.
static bool shareShifts(Block &block) {
  llvm::MapVector<Value, SmallVector<Shift>> shifts;
  for (Operation &op : block)
    if (std::optional<Shift> shift = Shift::find(&op))
      shifts[shift->window.base].push_back(std::move(*shift));
  bool isChanged = false;
  for (auto &[base, all] : shifts) {
    ExtendedArrays arrays;
    SmallVector<Shift *> shared;
    int64_t written = 0;
    for (Shift &shift : all) {
      if (!arrays.include(shift.window, shift.borders))
        continue;
      shared.push_back(&shift);
      written += cast<RankedTensorType>(shift.op->getResult(0).getType()).getNumElements();
    }
    if (written <= arrays.elements())
      continue;
    for (Shift *shift : shared) {
      ImplicitLocOpBuilder b(shift->op->getLoc(), shift->op);
      shift->op->getResult(0).replaceAllUsesWith(arrays.slice(b, shift->window));
    }
    isChanged = true;
  }
  return isChanged;
}

namespace {
struct ShareShiftsPass : impl::ShareShiftsPassBase<ShareShiftsPass> {
  void runOnOperation() override {
    if (!rewriteBlocks(getOperation(), shareShifts))
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dovetail
