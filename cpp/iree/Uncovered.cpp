// What an update of a slice leaves of an array.
#include "Uncovered.h"
#include "Ops.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace dovetail {

/// As many bytes are copied in the time that a copy takes to begin, and in that of a dispatch, which copies rows that
/// do not follow each other.
static constexpr int64_t kBytesOfCopy = 20'000, kBytesOfDispatch = 80'000;

std::optional<SmallVector<Box>> uncoveredBy(tensor::InsertSliceOp update) {
  RankedTensorType type = update.getDestType();
  if (!type.hasStaticShape() || ShapedType::isDynamicShape(update.getStaticOffsets()) ||
      ShapedType::isDynamicShape(update.getStaticSizes()) ||
      llvm::any_of(update.getStaticStrides(), [](int64_t stride) { return stride != 1; }))
    return std::nullopt;
  int64_t bytes = bytesOfElement(type.getElementType());
  int64_t cost = 0;
  SmallVector<Box> parts;
  // What lies before and behind the update along a dimension; along those before it, as far as the update goes.
  Box box{SmallVector<int64_t>(type.getRank(), 0), SmallVector<int64_t>(type.getShape())};
  int64_t numRows = 1;
  for (auto [dimension, offset, size] : llvm::enumerate(update.getStaticOffsets(), update.getStaticSizes())) {
    int64_t extent = type.getDimSize(dimension);
    for (auto [first, last] : {std::pair(int64_t(0), offset), std::pair(offset + size, extent)}) {
      if (first == last)
        continue;
      Box &part = parts.emplace_back(box);
      part.offsets[dimension] = first;
      part.sizes[dimension] = last - first;
      cost += bytes * llvm::product_of(part.sizes) + (numRows == 1 ? kBytesOfCopy : kBytesOfDispatch);
    }
    box.offsets[dimension] = offset;
    box.sizes[dimension] = size;
    numRows *= size;
  }
  if (cost >= bytes * type.getNumElements())
    return std::nullopt;
  return parts;
}

Value withParts(ImplicitLocOpBuilder &b, Value target, Value array, ArrayRef<Box> parts) {
  auto attributes = [&](ArrayRef<int64_t> numbers) { return getAsIndexOpFoldResult(b.getContext(), numbers); };
  for (const Box &part : parts) {
    SmallVector<OpFoldResult> offsets = attributes(part.offsets), sizes = attributes(part.sizes),
                              strides(part.sizes.size(), b.getIndexAttr(1));
    Value slice = tensor::ExtractSliceOp::create(b, array, offsets, sizes, strides);
    target = tensor::InsertSliceOp::create(b, slice, target, offsets, sizes, strides);
  }
  return target;
}

} // namespace dovetail
