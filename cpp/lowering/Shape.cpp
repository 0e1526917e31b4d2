// Lowering of ops that move elements.
#include "dialects/Shape.h"
#include "Lowering.h"
#include "Product.h"
#include "Slices.h"
#include "cpp/dispatch/BlasCall.h"
#include "cpp/iree/Ops.h"
#include "cpp/iree/Quirks.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

Value reversed(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> dims) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, x);
  SmallVector<Value> last(sizes.size());
  for (int64_t dim : dims)
    if (!isOneInteger(sizes[dim]))
      last[dim] = arith::SubIOp::create(b, asValue(b, sizes[dim]), arith::ConstantIndexOp::create(b, 1));
  // See Quirks.h: a loop that would only read elements in their order is not emitted.
  if (llvm::none_of(last, [](Value end) { return bool(end); }))
    return x;
  return parallelLoops(b, sizes, getElementTypeOrSelf(x), {}, {},
                       [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
                         SmallVector<Value> source;
                         for (auto [d, end] : llvm::enumerate(last)) {
                           Value i = linalg::IndexOp::create(inner, loc, d);
                           source.push_back(end ? arith::SubIOp::create(inner, loc, end, i).getResult() : i);
                         }
                         return elementAt(inner, loc, x, source);
                       });
}

namespace {

Value index(ImplicitLocOpBuilder &b, int64_t value) { return arith::ConstantIndexOp::create(b, value); }

struct TransposeLowering : LowerOpInterface::ExternalModel<TransposeLowering, TransposeOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    ArrayRef<int64_t> permutation = cast<TransposeOp>(op).getPermutation();
    if (permutation.empty()) {
      results.push_back(operands[0]);
      return success();
    }
    std::optional<TransposeForLibrary> call = transposeForLibrary(op);
    if (call && mayCallLibrary(b, op) && isInMemory(operands[0]))
      results.push_back(
          callTranspose(b, *call, operands[0], cast<RankedTensorType>(loweredType(op->getResult(0).getType()))));
    else
      results.push_back(transposed(b, operands[0], permutation));
    return success();
  }
};

struct BroadcastLowering : LowerOpInterface::ExternalModel<BroadcastLowering, BroadcastOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto broadcast = cast<BroadcastOp>(op);
    Value x = operands[0];
    SmallVector<OpFoldResult> sizes = sizesOf(b, broadcast.getType(), operands.drop_front());
    auto exprs = llvm::map_to_vector(broadcast.getDims(), [&](int64_t dim) { return b.getAffineDimExpr(dim); });
    AffineMap map = AffineMap::get(sizes.size(), 0, exprs, b.getContext());
    results.push_back(parallelLoops(b, sizes, getElementTypeOrSelf(x), x, map,
                                    [](OpBuilder &, Location, ValueRange args) { return args[0]; }));
    return success();
  }
};

struct ReshapeLowering : LowerOpInterface::ExternalModel<ReshapeLowering, ReshapeOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto to = cast<RankedTensorType>(loweredType(cast<ReshapeOp>(op).getType()));
    auto from = cast<RankedTensorType>(operands[0].getType());
    Value x = from.getRank() < to.getRank() ? expandable(b, operands[0]) : operands[0];
    if (from.hasStaticShape() && to.hasStaticShape() && from.getRank() != to.getRank())
      if (auto groups = getReassociationIndicesForReshape(from, to)) {
        results.push_back(from.getRank() > to.getRank() ? tensor::CollapseShapeOp::create(b, to, x, *groups).getResult()
                                                        : tensor::ExpandShapeOp::create(b, to, x, *groups).getResult());
        return success();
      }
    results.push_back(unflatten(b, flatten(b, x), to, sizesOf(b, to, operands.drop_front())));
    return success();
  }

  static ReassociationIndices all(int64_t rank) { return llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)); }

  static Value flatten(ImplicitLocOpBuilder &b, Value x) {
    auto type = cast<RankedTensorType>(x.getType());
    if (type.getRank() == 1)
      return x;
    if (type.getRank() == 0)
      return tensor::ExpandShapeOp::create(b, withShape(type, {1}), x, ArrayRef<ReassociationIndices>());
    int64_t count = type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
    return tensor::CollapseShapeOp::create(b, withShape(type, {count}), x, all(type.getRank()));
  }

  static Value unflatten(ImplicitLocOpBuilder &b, Value flat, RankedTensorType to, ArrayRef<OpFoldResult> sizes) {
    // Sizes that are static on one side only are cast; the expansion itself requires both sides to agree.
    auto flatType = withShape(to, {to.hasStaticShape() ? to.getNumElements() : ShapedType::kDynamic});
    if (flat.getType() != flatType)
      flat = tensor::CastOp::create(b, flatType, flat);
    if (to.getRank() == 1)
      return flat;
    if (to.getRank() == 0)
      return tensor::CollapseShapeOp::create(b, to, flat, ArrayRef<ReassociationIndices>());
    return tensor::ExpandShapeOp::create(b, to, flat, all(to.getRank()), sizes);
  }
};

struct SliceLowering : LowerOpInterface::ExternalModel<SliceLowering, SliceOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto slice = cast<SliceOp>(op);
    if (llvm::is_contained(slice.getType().getShape(), 0)) {
      // An empty slice may start past the end, which an extract_slice may not.
      auto type = cast<RankedTensorType>(loweredType(slice.getType()));
      results.push_back(empty(b, sizesOf(b, type, operands.drop_front()), type.getElementType()));
      return success();
    }
    SmallVector<OpFoldResult> sizes = sizesOf(b, slice.getType(), operands.drop_front());
    results.push_back(sliceOf(b, operands[0], slice.getStarts(), slice.getStrides(), sizes,
                              cast<RankedTensorType>(loweredType(slice.getType()))));
    return success();
  }
};

/// Each element of the result looks up its source, which is right for any low, interior and size.
struct PadLowering : LowerOpInterface::ExternalModel<PadLowering, PadOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto pad = cast<PadOp>(op);
    Value x = operands[0], value = tensor::ExtractOp::create(b, operands[1], ValueRange());
    auto from = cast<RankedTensorType>(x.getType());
    SmallVector<OpFoldResult> sizes = sizesOf(b, pad.getType(), operands.drop_front(2));
    if (from.hasStaticShape() && from.getNumElements() == 0) {
      results.push_back(filledAlone(b, sizes, value));
      return success();
    }
    if (Value simple = padOrCrop(b, pad, x, value)) {
      results.push_back(simple);
      return success();
    }
    SmallVector<Value> available =
        llvm::map_to_vector(sizesOf(b, x), [&](OpFoldResult size) { return asValue(b, size); });
    results.push_back(parallelLoops(
        b, sizes, from.getElementType(), {}, {}, [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
          ImplicitLocOpBuilder body(loc, inner);
          Value isInside = arith::ConstantOp::create(body, body.getBoolAttr(true));
          SmallVector<Value> source;
          for (auto [d, size] : llvm::enumerate(available)) {
            Value zero = index(body, 0), stride = index(body, pad.getInterior()[d] + 1);
            Value offset = arith::SubIOp::create(body, linalg::IndexOp::create(body, d), index(body, pad.getLow()[d]));
            Value quotient = arith::DivSIOp::create(body, offset, stride);
            Value exact = arith::CmpIOp::create(body, arith::CmpIPredicate::eq,
                                                arith::MulIOp::create(body, quotient, stride), offset);
            Value isLowEnough = arith::CmpIOp::create(body, arith::CmpIPredicate::slt, quotient, size);
            Value isHighEnough = arith::CmpIOp::create(body, arith::CmpIPredicate::sge, offset, zero);
            for (Value condition : {exact, isLowEnough, isHighEnough})
              isInside = arith::AndIOp::create(body, isInside, condition);
            source.push_back(quotient);
          }
          auto choice = scf::IfOp::create(
              body, isInside,
              [&](OpBuilder &then, Location loc) { scf::YieldOp::create(then, loc, elementAt(then, loc, x, source)); },
              [&](OpBuilder &otherwise, Location loc) { scf::YieldOp::create(otherwise, loc, value); });
          return choice.getResult(0);
        }));
    return success();
  }

  /// `x` with interior padding, including padding after the last element: rows of one element are extended.
  static Value spread(ImplicitLocOpBuilder &b, ArrayRef<int64_t> interior, Value x, Value value) {
    if (llvm::all_of(interior, [](int64_t count) { return count == 0; }))
      return x;
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> rows, padded, shape;
    SmallVector<ReassociationIndices> groups;
    for (auto [size, count] : llvm::zip_equal(type.getShape(), interior)) {
      groups.push_back({static_cast<int64_t>(rows.size())});
      rows.push_back(size);
      padded.push_back(size);
      shape.push_back(size * (count + 1));
      if (count == 0)
        continue;
      groups.back().push_back(rows.size());
      rows.push_back(1);
      padded.push_back(count + 1);
    }
    x = tensor::ExpandShapeOp::create(b, withShape(type, rows), x, groups);
    SmallVector<int64_t> none(rows.size(), 0), high;
    for (auto [before, after] : llvm::zip_equal(rows, padded))
      high.push_back(after - before);
    auto attrs = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(b.getContext(), values); };
    x = tensor::PadOp::create(b, withShape(type, padded), x, attrs(none), attrs(high), value);
    return tensor::CollapseShapeOp::create(b, withShape(type, shape), x, groups);
  }

  /// Static padding: an extract_slice that crops, then a tensor.pad; null for dynamic padding.
  static Value padOrCrop(ImplicitLocOpBuilder &b, PadOp pad, Value x, Value value) {
    auto to = cast<RankedTensorType>(pad.getType());
    // Padded complex arrays crash the code generator in some fusions, and it cannot fill wide ones.
    if (isa<ComplexType>(getElementTypeOrSelf(x)) || !to.hasStaticShape() ||
        !cast<RankedTensorType>(x.getType()).hasStaticShape())
      return nullptr;
    x = spread(b, pad.getInterior(), x, value);
    auto from = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> starts, kept, low, high;
    for (int64_t d = 0; d < from.getRank(); ++d) {
      int64_t first = pad.getLow()[d], end = first + from.getDimSize(d), size = to.getDimSize(d);
      int64_t begin = std::clamp<int64_t>(first, 0, size), stop = std::clamp<int64_t>(end, begin, size);
      starts.push_back(begin - first);
      kept.push_back(stop - begin);
      low.push_back(begin);
      high.push_back(size - stop);
    }
    auto attrs = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(b.getContext(), values); };
    if (kept != from.getShape()) {
      if (llvm::is_contained(kept, 0))
        return filledAlone(b, attrs(to.getShape()), value);
      SmallVector<int64_t> ones(kept.size(), 1);
      x = tensor::ExtractSliceOp::create(b, withShape(from, kept), x, attrs(starts), attrs(kept), attrs(ones));
    }
    if (kept == to.getShape())
      return x;
    return tensor::PadOp::create(b, cast<RankedTensorType>(loweredType(to)), x, attrs(low), attrs(high), value);
  }
};

struct ReverseLowering : LowerOpInterface::ExternalModel<ReverseLowering, ReverseOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    results.push_back(reversed(b, operands[0], cast<ReverseOp>(op).getDims()));
    return success();
  }
};

/// Each element from its place; a dimension of known size is two slices by now.
struct RollLowering : LowerOpInterface::ExternalModel<RollLowering, RollOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto roll = cast<RollOp>(op);
    Value x = operands[0];
    int64_t dimension = roll.getDimension();
    SmallVector<OpFoldResult> sizes = sizesOf(b, x);
    Value size = asValue(b, sizes[dimension]);
    results.push_back(parallelLoops(
        b, sizes, getElementTypeOrSelf(x), {}, {}, [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
          ImplicitLocOpBuilder body(loc, inner);
          SmallVector<Value> place;
          for (size_t d = 0; d < sizes.size(); ++d)
            place.push_back(linalg::IndexOp::create(body, d));
          Value shift = arith::ConstantIndexOp::create(body, roll.getShift());
          // The sign of a remainder is that of the dividend.
          Value &index = place[dimension];
          index = arith::RemSIOp::create(body, arith::SubIOp::create(body, index, shift), size);
          index = arith::RemSIOp::create(body, arith::AddIOp::create(body, index, size), size);
          return tensor::ExtractOp::create(body, x, place);
        }));
    return success();
  }
};

struct ConcatenateLowering : LowerOpInterface::ExternalModel<ConcatenateLowering, ConcatenateOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange all, SmallVectorImpl<Value> &results) const {
    int64_t dimension = cast<ConcatenateOp>(op).getDimension();
    auto type = cast<RankedTensorType>(loweredType(op->getResult(0).getType()));
    if (type.hasStaticShape() && type.getNumElements() == 0) {
      results.push_back(empty(b, getAsIndexOpFoldResult(b.getContext(), type.getShape()), type.getElementType()));
      return success();
    }
    // A part without elements has no place to begin at if it is the last one.
    SmallVector<Value> operands = llvm::filter_to_vector(
        all, [&](Value part) { return cast<RankedTensorType>(part.getType()).getDimSize(dimension) != 0; });
    if (operands.size() == 1 && operands[0].getType() == type) {
      results.push_back(operands[0]);
      return success();
    }
    bool isOfIndices = !type.hasStaticShape() && type.getElementType().isInteger() && operands.size() <= kComponents &&
                       type.getDimSize(dimension) == int64_t(operands.size()) &&
                       llvm::all_of(operands, [&](Value part) {
                         return cast<RankedTensorType>(part.getType()).getDimSize(dimension) == 1;
                       });
    // IREE 3.13 transposes the parts of a concatenation until they are outermost.
    bool isInner = type.hasStaticShape() && ShapedType::getNumElements(type.getShape().take_front(dimension)) > 1;
    results.push_back(isOfIndices ? chosen(b, operands, dimension)
                      : isInner && operands.size() <= kFewParts
                          ? inserted(b, operands, type, dimension)
                          : tensor::ConcatOp::create(b, type, dimension, operands).getResult());
    return success();
  }

private:
  /// Each part that is written to its place takes a dispatch.
  static constexpr size_t kFewParts = 8;

  /// Parts that are written to their places, or computed there.
  static Value inserted(ImplicitLocOpBuilder &b, ValueRange parts, RankedTensorType type, int64_t dimension) {
    Value all = empty(b, getAsIndexOpFoldResult(b.getContext(), type.getShape()), type.getElementType());
    SmallVector<OpFoldResult> begins(type.getRank(), b.getIndexAttr(0)), ones(type.getRank(), b.getIndexAttr(1));
    int64_t end = 0;
    for (Value part : parts) {
      begins[dimension] = b.getIndexAttr(end);
      end += cast<RankedTensorType>(part.getType()).getDimSize(dimension);
      all = tensor::InsertSliceOp::create(b, part, all, begins, sizesOf(b, part), ones);
    }
    return all;
  }

  /// Indices with this many dimensions are computed at their use.
  static constexpr size_t kComponents = 4;

  /// Parts of size 1, one of which each element of the result selects. Unlike copies of memory, the selection fuses
  /// with its users.
  static Value chosen(ImplicitLocOpBuilder &b, ValueRange parts, int64_t dimension) {
    SmallVector<OpFoldResult> sizes = sizesOf(b, parts[0]);
    sizes[dimension] = b.getIndexAttr(parts.size());
    auto exprs = llvm::map_to_vector(llvm::seq<int64_t>(0, sizes.size()), [&](int64_t dim) {
      return dim == dimension ? b.getAffineConstantExpr(0) : b.getAffineDimExpr(dim);
    });
    SmallVector<AffineMap> maps(parts.size(), AffineMap::get(sizes.size(), 0, exprs, b.getContext()));
    auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
      Value number = linalg::IndexOp::create(builder, loc, dimension), value = args[0];
      for (auto [i, arg] : llvm::enumerate(args.drop_front(1))) {
        Value place = arith::ConstantIndexOp::create(builder, loc, i + 1);
        Value isHere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number, place);
        value = arith::SelectOp::create(builder, loc, isHere, arg, value);
      }
      return value;
    };
    return parallelLoops(b, sizes, getElementTypeOrSelf(parts[0]), parts, maps, body);
  }
};

} // namespace

void attachShapeLowerings(MLIRContext *context) {
  BroadcastOp::attachInterface<BroadcastLowering>(*context);
  ConcatenateOp::attachInterface<ConcatenateLowering>(*context);
  PadOp::attachInterface<PadLowering>(*context);
  ReshapeOp::attachInterface<ReshapeLowering>(*context);
  ReverseOp::attachInterface<ReverseLowering>(*context);
  RollOp::attachInterface<RollLowering>(*context);
  SliceOp::attachInterface<SliceLowering>(*context);
  TransposeOp::attachInterface<TransposeLowering>(*context);
}

} // namespace dovetail
