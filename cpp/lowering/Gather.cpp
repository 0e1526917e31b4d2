// Lowering of gathers: a `linalg.generic` over the result, whose body reads the operand at the index.
#include "IndexedRows.h"
#include "Product.h"
#include "Slices.h"
#include "cpp/cost/AssumedSize.h"
#include "cpp/dispatch/BlasCall.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/iree/Ops.h"
#include "cpp/iree/Quirks.h"
#include "cpp/tensors/Target.h"
#include "dialects/Index.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The `column`-th of the indices of each window, if an array of its own was inserted as that column: loops over it are
/// fused with those that compute it.
Value insertedColumn(ImplicitLocOpBuilder &b, Value indices, int64_t column) {
  int64_t last = cast<RankedTensorType>(indices.getType()).getRank() - 1;
  while (auto insert = indices.getDefiningOp<tensor::InsertSliceOp>()) {
    auto type = insert.getSourceType();
    ArrayRef<int64_t> offsets = insert.getStaticOffsets(), sizes = insert.getStaticSizes();
    if (type.getRank() != last + 1 || sizes[last] != 1 || ShapedType::isDynamic(offsets[last]) ||
        type.getShape().drop_back() != insert.getDestType().getShape().drop_back() || !type.hasStaticShape())
      return {};
    if (offsets[last] != column) {
      indices = insert.getDest();
      continue;
    }
    if (auto expand = insert.getSource().getDefiningOp<tensor::ExpandShapeOp>();
        expand && expand.getSrcType().getShape() == type.getShape().drop_back())
      return expand.getSrc();
    if (last == 0)
      return {};
    SmallVector<ReassociationIndices> groups;
    for (int64_t d = 0; d < last; ++d)
      groups.push_back({d});
    groups.back().push_back(last);
    return tensor::CollapseShapeOp::create(b, insert.getSource(), groups);
  }
  return {};
}

/// The `column`-th of the indices of each window.
Value columnOf(ImplicitLocOpBuilder &b, Value indices, int64_t column) {
  auto type = cast<RankedTensorType>(indices.getType());
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), strides(rank, b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = sizesOf(b, indices);
  offsets.back() = b.getIndexAttr(column);
  sizes.back() = b.getIndexAttr(1);
  auto columnType = RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  return tensor::ExtractSliceOp::create(b, columnType, indices, offsets, sizes, strides);
}

/// The `column`-th of the indices of the window at the position of the loops.
Value numberAt(ImplicitLocOpBuilder &b, Value indices, int64_t column) {
  SmallVector<Value> place;
  for (int64_t d = 0, rank = cast<RankedTensorType>(indices.getType()).getRank() - 1; d < rank; ++d)
    place.push_back(linalg::IndexOp::create(b, d));
  place.push_back(arith::ConstantIndexOp::create(b, column));
  return elementAt(b, b.getLoc(), indices, place);
}

/// Whether the library reads these windows faster: each is a long row.
bool areRows(const IndexedRows &rows) {
  constexpr int64_t leastBytes = 256, leastRows = 64;
  auto indices = cast<RankedTensorType>(rows.indices.getType());
  int64_t number = 1;
  for (int64_t size : indices.getShape().drop_back())
    number *= assumedSize(size);
  return rows.spread.empty() && !rows.indexed.empty() && rows.hasRows() && number >= leastRows &&
         rows.assumedRowBytes() >= leastBytes;
}

struct GatherLowering : LowerOpInterface::ExternalModel<GatherLowering, GatherOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto gather = cast<GatherOp>(op);
    Value x = operands[0], indices = operands[1];
    auto type = cast<RankedTensorType>(x.getType());
    ArrayRef<int64_t> dims = gather.getDims(), window = gather.getWindow();
    int64_t numIndexed = cast<RankedTensorType>(indices.getType()).getRank() - 1;
    SmallVector<OpFoldResult> sizes = sizesOf(b, indices);
    sizes.pop_back();
    llvm::append_range(sizes, sizesOf(b, x));
    for (auto [dim, size] : llvm::zip_equal(dims, window))
      sizes[numIndexed + dim] = b.getIndexAttr(size);
    if (llvm::is_contained(gather.getType().getShape(), 0)) {
      results.push_back(empty(b, sizes, type.getElementType()));
      return success();
    }
    if (llvm::is_contained(type.getShape(), 0)) {
      scalar::ScalarBuilder builder(b.getLoc(), b, type.getElementType());
      results.push_back(filledAlone(b, sizes, scalar::zero(builder)));
      return success();
    }
    if (auto slice = SliceOfWindows::find(gather.getIndices(), dims, window, type)) {
      results.push_back(
          slice->windowsFrom(b, slice->read(b, x), cast<RankedTensorType>(loweredType(gather.getType()))));
      return success();
    }
    IndexedWindows windows = {
        x, indices, dims, window, getElementTypeOrSelf(gather.getIndices()), op->hasAttr(kWithin)};
    if (isInDispatch(b) && windows.areForSlices()) {
      results.push_back(readWindows(b, windows));
      return success();
    }
    if (IndexedRows rows(b, windows); mayCallLibrary(b, op) && areRows(rows)) {
      auto [shape, dynamic] = decomposeMixedValues(sizes);
      results.push_back(callGather(b, x, rows.rows(b.getI32Type()), rows.numRows(), rows.rowBytes(),
                                   RankedTensorType::get(shape, type.getElementType()), dynamic));
      return success();
    }
    SmallVector<Value> columns, last = lastStarts(b, x, dims, window);
    // IREE 3.13 does not compile some loops over strided slices such as columns, and others are slow: if there are
    // several, the body reads the indices from the original array, unless each was inserted.
    for (int64_t i = 0, e = dims.size(); i < e; ++i) {
      Value column = e == 1 ? columnOf(b, indices, 0) : insertedColumn(b, indices, i);
      if (!column) {
        columns.clear();
        break;
      }
      columns.push_back(column);
    }
    auto loops =
        llvm::map_to_vector(llvm::seq<int64_t>(0, numIndexed), [&](int64_t d) { return b.getAffineDimExpr(d); });
    AffineMap ofWindow = AffineMap::get(sizes.size(), 0, loops, b.getContext());
    SmallVector<AffineMap> maps(columns.size(), ofWindow);
    Type indexElement = getElementTypeOrSelf(gather.getIndices());
    auto body = [&](OpBuilder &inner, Location loc, ValueRange ofColumns) {
      ImplicitLocOpBuilder b(loc, inner);
      SmallVector<Value> starts(ofColumns.take_front(columns.size()));
      for (int64_t i = starts.size(), e = dims.size(); i < e; ++i)
        starts.push_back(numberAt(b, indices, i));
      return readAt(b, x, dims, starts, last, numIndexed, indexElement);
    };
    Value found = parallelLoops(b, sizes, type.getElementType(), columns, maps, body);
    // For GPUs, IREE 3.13 does not compile a reduction fused with a slice at a computed position.
    bool isOnGpu = Target(op).isGpu() && !isInDispatch(b);
    results.push_back(isOnGpu && numIndexed == 0 ? computeBarrier(b, found) : found);
    return success();
  }

  /// The element at the loops' position: reads at the closest start within bounds, and replaces the element by zero if
  /// that is not the requested start.
  static Value readAt(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> dims, ValueRange starts, ValueRange last,
                      int64_t numIndexed, Type indexElement) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<Value> place;
    for (int64_t d = 0; d < type.getRank(); ++d)
      place.push_back(linalg::IndexOp::create(b, numIndexed + d));
    Value inside, zero = arith::ConstantIndexOp::create(b, 0);
    for (auto [dim, number, end] : llvm::zip_equal(dims, starts, last)) {
      Value asked = indexOf(b, number, indexElement);
      Value start = arith::MaxSIOp::create(b, arith::MinSIOp::create(b, asked, end), zero);
      // Faster than two comparisons with the bounds, and equivalent as long as the window fits the operand.
      Value isInside = type.isDynamicDim(dim)
                           ? isWithin(b, asked, end)
                           : arith::CmpIOp::create(b, arith::CmpIPredicate::eq, asked, start).getResult();
      inside = inside ? arith::AndIOp::create(b, inside, isInside).getResult() : isInside;
      place[dim] = arith::AddIOp::create(b, start, place[dim]);
    }
    scalar::ScalarBuilder builder(b.getLoc(), b, type.getElementType());
    if (TypedAttr same = splatElement(x)) {
      Value element = arith::ConstantOp::create(b, same);
      return inside ? scalar::select(builder, inside, element, scalar::zero(builder)) : element;
    }
    if (!inside)
      return elementAt(b, b.getLoc(), x, place);
    if (type.hasStaticShape()) {
      Value element = elementAt(b, b.getLoc(), x, place);
      return scalar::select(builder, inside, element, scalar::zero(builder));
    }
    // The operand may be empty: then there is nothing to read.
    auto choice = scf::IfOp::create(
        b, inside,
        [&](OpBuilder &then, Location loc) { scf::YieldOp::create(then, loc, elementAt(then, loc, x, place)); },
        [&](OpBuilder &otherwise, Location loc) {
          scalar::ScalarBuilder builder(loc, otherwise, type.getElementType());
          scf::YieldOp::create(builder, scalar::zero(builder));
        });
    return choice.getResult(0);
  }
};

} // namespace

void attachGatherLowerings(MLIRContext *context) { GatherOp::attachInterface<GatherLowering>(*context); }

} // namespace dovetail
