// Windows that are rows of an array, or parts of some.
#include "IndexedRows.h"
#include "cpp/cost/AssumedSize.h"
#include "cpp/iree/Ops.h"
#include "cpp/iree/Quirks.h"

using namespace mlir;

namespace dovetail {

/// A transposition and its inverse take as long as the update of so large a part of an array, element by element.
constexpr int64_t kPartsOfTranspositions = 32;

IndexedRows::IndexedRows(ImplicitLocOpBuilder &b, const IndexedWindows &windows, Value updates)
    : b(b), x(windows.x), indices(windows.indices), dims(windows.dims), window(windows.window),
      indexElement(windows.indexElement), numIndexed(cast<RankedTensorType>(indices.getType()).getRank() - 1) {
  for (int64_t d = 0; d < xType().getRank(); ++d) {
    bool isWhole = !llvm::is_contained(dims, d) || xType().getDimSize(d) == windowSize(d);
    (isWhole ? whole : indexed).push_back(d);
  }
  if (updates && !hasRows())
    avoidTransposition(updates);
  for (int64_t dim : indexed)
    if (windowSize(dim) != 1)
      spread.push_back(dim);
}

void IndexedRows::avoidTransposition(Value updates) {
  auto type = cast<RankedTensorType>(updates.getType());
  if (!xType().hasStaticShape() || !type.hasStaticShape() ||
      type.getNumElements() > xType().getNumElements() / kPartsOfTranspositions)
    return;
  indexed = llvm::to_vector(llvm::seq<int64_t>(0, indexed.back() + 1));
  llvm::erase_if(whole, [&](int64_t dim) { return dim <= indexed.back(); });
}

int64_t IndexedRows::windowSize(int64_t dim) const {
  const auto *stated = llvm::find(dims, dim);
  return stated == dims.end() ? xType().getDimSize(dim) : window[stated - dims.begin()];
}

SmallVector<OpFoldResult> IndexedRows::loopSizes() {
  SmallVector<OpFoldResult> sizes = sizesOf(b, indices);
  sizes.pop_back();
  for (int64_t dim : spread)
    sizes.push_back(b.getIndexAttr(windowSize(dim)));
  return sizes;
}

Value IndexedRows::startAt(ImplicitLocOpBuilder &body, int64_t i) {
  SmallVector<Value> place;
  for (int64_t d = 0; d < numIndexed; ++d)
    place.push_back(linalg::IndexOp::create(body, d));
  place.push_back(arith::ConstantIndexOp::create(body, i));
  return indexOf(body, elementAt(body, body.getLoc(), indices, place), indexElement);
}

Value IndexedRows::placeAlong(ImplicitLocOpBuilder &body, int64_t dim) {
  Value place = arith::ConstantIndexOp::create(body, 0);
  const auto *asked = llvm::find(dims, dim);
  if (asked != dims.end())
    place = startAt(body, asked - dims.begin());
  const auto *loop = llvm::find(spread, dim);
  if (loop == spread.end())
    return place;
  return arith::AddIOp::create(body, place, linalg::IndexOp::create(body, numIndexed + (loop - spread.begin())));
}

Value IndexedRows::isInside(ImplicitLocOpBuilder &body, ArrayRef<Value> last) {
  Value inside = arith::ConstantOp::create(body, body.getBoolAttr(true));
  for (auto [i, end] : llvm::enumerate(last))
    inside = arith::AndIOp::create(body, inside, isWithin(body, startAt(body, i), end));
  return inside;
}

Value IndexedRows::rows(IntegerType type) {
  SmallVector<Value> last = lastStarts(b, x, dims, window);
  SmallVector<OpFoldResult> sizes = sizesOf(b, x);
  SmallVector<Value> counts = llvm::map_to_vector(indexed, [&](int64_t dim) { return asValue(b, sizes[dim]); });
  auto number = [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
    ImplicitLocOpBuilder body(loc, inner);
    Value row;
    for (auto [dim, count] : llvm::zip_equal(indexed, counts)) {
      Value place = placeAlong(body, dim);
      row = row ? arith::AddIOp::create(body, arith::MulIOp::create(body, row, count), place).getResult() : place;
    }
    Value none = arith::ConstantIndexOp::create(body, -1);
    Value kept = arith::SelectOp::create(body, isInside(body, last), row, none);
    return arith::IndexCastOp::create(body, type, kept);
  };
  return parallelLoops(b, loopSizes(), type, {}, {}, number);
}

OpFoldResult IndexedRows::numRows() {
  SmallVector<OpFoldResult> sizes = sizesOf(b, x);
  return productOf(b, llvm::map_to_vector(indexed, [&](int64_t dim) { return sizes[dim]; }));
}

OpFoldResult IndexedRows::rowElements() {
  SmallVector<OpFoldResult> sizes = sizesOf(b, x);
  return productOf(b, llvm::map_to_vector(whole, [&](int64_t dim) { return sizes[dim]; }));
}

OpFoldResult IndexedRows::rowBytes() {
  return productOf(b, {b.getIndexAttr(bytesOfElement(xType().getElementType())), rowElements()});
}

int64_t IndexedRows::assumedRowBytes() const {
  int64_t bytes = bytesOfElement(xType().getElementType());
  for (int64_t dim : whole)
    bytes *= assumedSize(xType().getDimSize(dim));
  return bytes;
}

bool IndexedRows::hasContiguousWindows() const {
  return hasRows() && spread.size() == 1 && spread[0] == indexed.back();
}

int64_t IndexedRows::assumedUpdateBytes() const {
  return assumedRowBytes() * (hasContiguousWindows() ? windowSize(spread[0]) : 1);
}

} // namespace dovetail
