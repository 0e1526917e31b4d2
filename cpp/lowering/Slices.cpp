// Slices with steps, and windows at known places that are together one.
#include "Slices.h"
#include "cpp/iree/Ops.h"
#include "cpp/iree/Quirks.h"
#include "dialects/Positions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace dovetail {

/// Each element of the result looks up its source.
static Value lookedUp(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> starts, ArrayRef<int64_t> strides,
                      ArrayRef<OpFoldResult> sizes) {
  return parallelLoops(b, sizes, getElementTypeOrSelf(x), {}, {}, [&](OpBuilder &inner, Location loc, ValueRange) {
    ImplicitLocOpBuilder body(loc, inner);
    SmallVector<Value> source;
    for (auto [d, start, stride] : llvm::enumerate(starts, strides)) {
      Value offset =
          arith::MulIOp::create(body, linalg::IndexOp::create(body, d), arith::ConstantIndexOp::create(body, stride));
      source.push_back(arith::AddIOp::create(body, arith::ConstantIndexOp::create(body, start), offset));
    }
    return elementAt(body, loc, x, source);
  });
}

Value sliceOf(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> starts, ArrayRef<int64_t> given,
              ArrayRef<OpFoldResult> sizes, RankedTensorType type) {
  // The stride of a single element is irrelevant; whole rows may have others between them.
  SmallVector<int64_t> strides(given);
  std::optional<int64_t> last;
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    if (size == 1)
      strides[d] = 1;
    else
      last = d;
  }
  // The code generator makes views with gaps of other strided slices, which it cannot read by index or multiply.
  Type element = getElementTypeOrSelf(x);
  bool hasGaps = last && strides[*last] != 1;
  bool isNarrow = element.isIntOrFloat() && element.getIntOrFloatBitWidth() < 32;
  if (hasGaps && !isNarrow)
    return lookedUp(b, x, starts, strides, sizes);
  auto attrs = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(b.getContext(), values); };
  Value part = tensor::ExtractSliceOp::create(b, type, x, attrs(starts), sizes, attrs(strides));
  // Processors have no vector look-up of numbers of less than 32 bits.
  return hasGaps ? computeBarrier(b, part) : part;
}

std::optional<SliceOfWindows> SliceOfWindows::find(Value indices, ArrayRef<int64_t> dims, ArrayRef<int64_t> window,
                                                   RankedTensorType array) {
  auto vectors = cast<RankedTensorType>(indices.getType());
  if (!array.hasStaticShape() || !vectors.hasStaticShape() || llvm::is_contained(vectors.getShape().drop_back(), 0))
    return std::nullopt;
  int64_t rank = array.getRank(), numIndexed = vectors.getRank() - 1;
  SliceOfWindows slice{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 1),
                       SmallVector<int64_t>(array.getShape()), SmallVector<ReassociationIndices>(rank)};
  SmallVector<bool> isUsed(numIndexed, false);
  for (auto [n, dim, size] : llvm::enumerate(dims, window)) {
    std::optional<PositionIndex> index = indexByPosition(indices, n);
    if (!index)
      return std::nullopt;
    slice.starts[dim] = index->constant;
    slice.shape[dim] = size;
    for (auto [d, step] : llvm::enumerate(index->steps)) {
      int64_t count = vectors.getDimSize(d);
      if (count == 1 || step == 0)
        continue;
      // Windows of several elements would be a slice if they were a step apart; nobody writes that.
      if (step < 0 || size != 1 || isUsed[d] || !slice.groups[dim].empty())
        return std::nullopt;
      isUsed[d] = true;
      slice.groups[dim].push_back(d);
      slice.strides[dim] = step;
      slice.shape[dim] = count;
    }
    int64_t last = slice.starts[dim] + (slice.shape[dim] - 1) * slice.strides[dim];
    if (slice.starts[dim] < 0 || last >= array.getDimSize(dim))
      return std::nullopt;
  }
  ReassociationIndices single;
  for (int64_t d = 0; d < numIndexed; ++d) {
    if (isUsed[d])
      continue;
    if (vectors.getDimSize(d) != 1)
      return std::nullopt;
    single.push_back(d);
  }
  for (int64_t d = 0; d < rank; ++d)
    slice.groups[d].push_back(numIndexed + d);
  if (rank > 0)
    slice.groups[0].insert(slice.groups[0].begin(), single.begin(), single.end());
  return slice;
}

/// The groups as they are once the dimensions are in their order.
static SmallVector<ReassociationIndices> inOrder(ArrayRef<ReassociationIndices> groups,
                                                 SmallVectorImpl<int64_t> &order) {
  SmallVector<ReassociationIndices> ordered;
  for (const ReassociationIndices &group : groups) {
    ordered.emplace_back();
    for (int64_t dim : group) {
      ordered.back().push_back(order.size());
      order.push_back(dim);
    }
  }
  return ordered;
}

Value SliceOfWindows::sliceFrom(ImplicitLocOpBuilder &b, Value windows) const {
  auto type = withShape(windows.getType(), shape);
  if (cast<RankedTensorType>(windows.getType()).getRank() == type.getRank())
    return windows;
  SmallVector<int64_t> order;
  SmallVector<ReassociationIndices> ordered = inOrder(groups, order);
  return tensor::CollapseShapeOp::create(b, type, groups.empty() ? windows : transposed(b, windows, order), ordered);
}

Value SliceOfWindows::windowsFrom(ImplicitLocOpBuilder &b, Value slice, RankedTensorType type) const {
  if (type.getRank() == cast<RankedTensorType>(slice.getType()).getRank())
    return slice;
  SmallVector<int64_t> order;
  SmallVector<ReassociationIndices> ordered = inOrder(groups, order);
  if (groups.empty())
    return tensor::ExpandShapeOp::create(b, type, slice, ordered);
  auto sizes = llvm::map_to_vector(order, [&](int64_t dim) { return type.getDimSize(dim); });
  Value expanded = tensor::ExpandShapeOp::create(b, withShape(type, sizes), expandable(b, slice), ordered);
  SmallVector<int64_t> back(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    back[dim] = i;
  return transposed(b, expanded, back);
}

Value SliceOfWindows::read(ImplicitLocOpBuilder &b, Value array) const {
  RankedTensorType type = withShape(array.getType(), shape);
  return type == array.getType()
             ? array
             : sliceOf(b, array, starts, strides, getAsIndexOpFoldResult(b.getContext(), shape), type);
}

Value SliceOfWindows::write(ImplicitLocOpBuilder &b, Value slice, Value array) const {
  if (slice.getType() == array.getType())
    return slice;
  auto attrs = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(b.getContext(), values); };
  return tensor::InsertSliceOp::create(b, slice, array, attrs(starts), attrs(shape), attrs(strides));
}

} // namespace dovetail
