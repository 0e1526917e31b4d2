// Expands concatenate, scan and scatter into sequential loops over slices.
#include "SequentialLoops.h"
#include "cpp/tensors/Builders.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

namespace {

using Names = llvm::StringLiteral;
constexpr Names kScan = "iree_linalg_ext.scan", kScatter = "iree_linalg_ext.scatter";

bool isNamed(Operation *op, StringRef name) { return op->getName().getStringRef() == name; }

/// A slice of an array with one element along some dimensions, which its own type drops.
struct Part {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  RankedTensorType type;

  /// The whole of `array`.
  Part(ImplicitLocOpBuilder &b, Value array)
      : offsets(cast<RankedTensorType>(array.getType()).getRank(), b.getIndexAttr(0)), sizes(sizesOf(b, array)),
        strides(offsets.size(), b.getIndexAttr(1)), type(cast<RankedTensorType>(array.getType())) {}

  /// The slice at an index along a dimension of `array`; its type has lost the `dropped` dimensions before that.
  void at(ImplicitLocOpBuilder &b, int64_t dim, Value index, int64_t dropped = 0) {
    offsets[dim] = index;
    sizes[dim] = b.getIndexAttr(1);
    type = RankedTensorType::Builder(type).dropDim(dim - dropped);
  }

  Value of(ImplicitLocOpBuilder &b, Value array) const {
    return tensor::ExtractSliceOp::create(b, type, array, offsets, sizes, strides);
  }

  Value into(ImplicitLocOpBuilder &b, Value array, Value part) const {
    return tensor::InsertSliceOp::create(b, part, array, offsets, sizes, strides);
  }
};

/// The scalar code of `op` applied to two arrays, element by element.
Value apply(ImplicitLocOpBuilder &b, Operation *op, Value x, Value y) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, x);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(sizes.size()));
  Block &code = op->getRegion(0).front();
  return parallelLoops(b, sizes, getElementTypeOrSelf(x), {x, y}, maps, [&](OpBuilder &inner, Location, ValueRange xs) {
    IRMapping values;
    values.map(code.getArguments(), xs);
    for (Operation &each : llvm::drop_end(code))
      inner.clone(each, values);
    return values.lookupOrDefault(code.back().getOperand(0));
  });
}

SmallVector<Value> loop(ImplicitLocOpBuilder &b, Value count, ValueRange inits,
                        function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value, ValueRange)> body) {
  Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  auto made =
      scf::ForOp::create(b, zero, count, one, inits, [&](OpBuilder &inner, Location loc, Value i, ValueRange now) {
        ImplicitLocOpBuilder each(loc, inner);
        scf::YieldOp::create(each, body(each, i, now));
      });
  return llvm::to_vector_of<Value>(made.getResults());
}

/// Carries the combination of the preceding slices from slice to slice.
SmallVector<Value> expandScan(ImplicitLocOpBuilder &b, Operation *scan) {
  Value x = scan->getOperand(0);
  int64_t dim = scan->getAttrOfType<IntegerAttr>("dimension").getInt();
  bool isInclusive = scan->getAttrOfType<BoolAttr>("inclusive").getValue();
  Value count = asValue(b, sizesOf(b, x)[dim]);
  return loop(b, count, scan->getOperands().drop_front(), [&](ImplicitLocOpBuilder &each, Value i, ValueRange now) {
    Part part(each, x);
    part.at(each, dim, i);
    Value before = isInclusive ? Value() : part.into(each, now[0], now[1]);
    Value next = apply(each, scan, now[1], part.of(each, x));
    return SmallVector<Value>{isInclusive ? part.into(each, now[0], next) : before, next};
  });
}

/// Combines one window after the other.
SmallVector<Value> expandScatter(ImplicitLocOpBuilder &b, Operation *scatter) {
  Value updates = scatter->getOperand(0), places = scatter->getOperand(1), mask = scatter->getOperand(2);
  auto type = cast<RankedTensorType>(scatter->getOperand(3).getType());
  int64_t numIndexed = cast<RankedTensorType>(places.getType()).getDimSize(1);
  // Windows do not have the leading dimensions.
  int64_t numLacking = type.getRank() - cast<RankedTensorType>(updates.getType()).getRank() + 1;
  Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  Value count = asValue(b, sizesOf(b, updates)[0]);
  return loop(b, count, scatter->getOperand(3), [&](ImplicitLocOpBuilder &each, Value i, ValueRange now) {
    Value isKept = tensor::ExtractOp::create(each, mask, i);
    Value times = arith::SelectOp::create(each, isKept, one, zero);
    return loop(each, times, now, [&](ImplicitLocOpBuilder &once, Value, ValueRange now) {
      Part update(once, updates), part(once, now[0]);
      update.at(once, 0, i);
      for (auto [d, size] : llvm::enumerate(ArrayRef(update.sizes).drop_front()))
        part.sizes[numLacking + d] = size;
      part.type = update.type;
      for (int64_t d = 0; d < numIndexed; ++d) {
        Value place = arith::ConstantIndexOp::create(once, d);
        Value number = tensor::ExtractOp::create(once, places, ValueRange{i, place});
        part.offsets[d] = arith::IndexCastOp::create(once, once.getIndexType(), number).getResult();
        if (d < numLacking)
          part.sizes[d] = once.getIndexAttr(1);
      }
      Value changed = apply(once, scatter, update.of(once, updates), part.of(once, now[0]));
      return SmallVector<Value>{part.into(once, now[0], changed)};
    });
  });
}

SmallVector<Value> expandConcat(ImplicitLocOpBuilder &b, tensor::ConcatOp concat) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, concat.getInputs()[0]);
  uint64_t dim = concat.getDim();
  Value end = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> begins;
  for (Value input : concat.getInputs()) {
    begins.push_back(end);
    end = b.createOrFold<arith::AddIOp>(end, asValue(b, sizesOf(b, input)[dim]));
  }
  sizes[dim] =
      concat.getType().isDynamicDim(dim) ? OpFoldResult(end) : b.getIndexAttr(concat.getType().getDimSize(dim));
  for (auto [d, size] : llvm::enumerate(concat.getType().getShape()))
    if (!ShapedType::isDynamic(size))
      sizes[d] = b.getIndexAttr(size);
  Value all = empty(b, sizes, concat.getType().getElementType());
  for (auto [input, begin] : llvm::zip_equal(concat.getInputs(), begins)) {
    Part part(b, input);
    part.offsets[dim] = getAsOpFoldResult(begin);
    all = part.into(b, all, input);
  }
  return {all};
}

} // namespace

bool isExpandable(Operation *op) { return isa<tensor::ConcatOp>(op) || isNamed(op, kScan) || isNamed(op, kScatter); }

void expand(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto concat = dyn_cast<tensor::ConcatOp>(op);
  op->replaceAllUsesWith(concat               ? expandConcat(b, concat)
                         : isNamed(op, kScan) ? expandScan(b, op)
                                              : expandScatter(b, op));
  op->erase();
}

} // namespace dovetail
