// Reductions over whole dimensions: inference and rules.
#include "Reduce.h"
#include "Cumulative.h"
#include "Folding.h"
#include "Inference.h"
#include "Pointwise.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

static SmallVector<int64_t> withoutDims(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(dims, d))
      kept.push_back(d);
  return kept;
}

/// The position of dimension `batch` of the operand in the result.
static int64_t keptPosition(ArrayRef<int64_t> dims, int64_t batch) {
  return batch - llvm::count_if(dims, [&](int64_t dim) { return dim < batch; });
}

static LogicalResult inferReduce(std::optional<Location> loc, StringRef name, Value x, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(x.getType());
  if (failed(verifyDims(loc, name, "dims", dims, type.getRank(), false)))
    return failure();
  auto kept = llvm::map_to_vector(withoutDims(type.getRank(), dims), [&](int64_t d) { return type.getDimSize(d); });
  types.push_back(withShape(type, kept));
  return success();
}

static FactorMap reduceFactorMap(Operation *op, ArrayRef<int64_t> dims, FactorMap::Combiner combiner = {}) {
  FactorMap map;
  map.combiner = combiner;
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  map.operands.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  map.results.push_back(withoutDims(rank, dims));
  map.reduced.assign(dims.begin(), dims.end());
  return map;
}

Value emitCombined(Emitter &e, FactorMap::Combiner combiner, Value a, Value b) {
  switch (combiner) {
  case FactorMap::Combiner::Sum:
    return e.make<AddOp>(a, b);
  case FactorMap::Combiner::Prod:
    return e.make<MulOp>(a, b);
  case FactorMap::Combiner::Max:
    return e.make<MaxOp>(a, b);
  case FactorMap::Combiner::Min:
    return e.make<MinOp>(a, b);
  case FactorMap::Combiner::And:
    return e.make<AndOp>(a, b);
  case FactorMap::Combiner::Or:
    return e.make<OrOp>(a, b);
  case FactorMap::Combiner::Xor:
    return e.make<XorOp>(a, b);
  case FactorMap::Combiner::None:
    break;
  }
  llvm_unreachable("results for parts of reduced factors cannot be combined");
}

template <typename Op>
static LogicalResult batchReduce(Emitter &e, Op op, ValueRange operands, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  SmallVector<int64_t> reduced = shifted(op.getDims(), dims[0]);
  results.push_back(e.make<Op>(operands[0], reduced));
  resultDims.push_back(keptPosition(reduced, dims[0]));
  return success();
}

static LogicalResult verifyArgReduce(Operation *op, Value x, int64_t dimension, Value ans) {
  SmallVector<Type> types;
  if (failed(inferReduce(op->getLoc(), op->getName().getStringRef(), x, dimension, types)))
    return failure();
  ArrayRef<int64_t> expected = cast<RankedTensorType>(types[0]).getShape();
  if (cast<RankedTensorType>(ans.getType()).getShape() != expected)
    return op->emitOpError() << "result must have the operand's shape without dimension " << dimension
                             << ", got: " << ans.getType();
  if (cast<RankedTensorType>(x.getType()).getDimSize(dimension) == 0)
    return op->emitOpError() << "dimension " << dimension << " must not be empty, got: " << x.getType();
  return success();
}

template <typename Op>
static LogicalResult batchArgReduce(Emitter &e, Op op, ValueRange operands, ArrayRef<int64_t> dims,
                                    SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  int64_t dimension = op.getDimension(), shiftedDim = dimension + (dimension >= dims[0] ? 1 : 0);
  int64_t position = keptPosition(shiftedDim, dims[0]);
  results.push_back(e.make<Op>(withDim(op.getType(), position, e.batchSize), operands[0], shiftedDim));
  resultDims.push_back(position);
  return success();
}

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Reduce.cpp.inc"

namespace dovetail {

void registerReduceOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Reduce.cpp.inc"
      >();
}

//===- reduce_sum ------------------------------------------------------------===//

OperandSets ReduceSumOp::linearSets() { return {{0}}; }

LogicalResult ReduceSumOp::transpose(Emitter &e, ValueRange, ArrayRef<Value> cotangents,
                                     MutableArrayRef<Value> operandCotangents) {
  auto type = getX().getType();
  operandCotangents[0] = e.broadcast(cotangents[0], withoutDims(type.getRank(), getDims()), type, e.sizes(getX()));
  return success();
}

OpFoldResult ReduceSumOp::fold(FoldAdaptor adaptor) {
  if (getDims().empty())
    return getX();
  // A sum of nothing is known, too.
  RankedTensorType type = getType();
  if (type.hasStaticShape() && type.getNumElements() && llvm::is_contained(getX().getType().getShape(), 0))
    return splatOf(type, 0);
  return isSplat(adaptor.getX(), 0) ? resplat(adaptor.getX(), type) : OpFoldResult();
}

//===- reduce_max, reduce_min --------------------------------------------------===//

/// The tangent of an extreme element; ties share it equally. That of no elements is a constant.
template <typename Op>
static LogicalResult jvpOfExtreme(Emitter &e, Op op, Value x, Value tangent, SmallVectorImpl<Value> &results,
                                  SmallVectorImpl<Value> &resultTangents) {
  auto type = cast<RankedTensorType>(x.getType());
  Value ans = e.make<Op>(x, op.getDims());
  if (llvm::any_of(op.getDims(), [&](int64_t dim) { return type.getDimSize(dim) == 0; })) {
    results.push_back(ans);
    resultTangents.push_back(zero);
    return success();
  }
  Value spread = e.broadcast(ans, withoutDims(type.getRank(), op.getDims()), type, e.sizes(x));
  Value isExtreme = e.equal(x, spread);
  Value count = e.reduceSum(e.select(isExtreme, e.full(x, 1), zero), op.getDims());
  Value sum = e.reduceSum(e.select(isExtreme, tangent, zero), op.getDims());
  results.push_back(ans);
  resultTangents.push_back(e.div(sum, count));
  return success();
}

LogicalResult ReduceMaxOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                               SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpOfExtreme(e, *this, primals[0], tangents[0], results, resultTangents);
}

LogicalResult ReduceMinOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                               SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpOfExtreme(e, *this, primals[0], tangents[0], results, resultTangents);
}

//===- reduce_prod -------------------------------------------------------------===//

/// Elements [start, start + size) along one dimension.
static Value part(Emitter &e, Value x, int64_t dimension, int64_t start, int64_t size) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1), shape(type.getShape());
  starts[dimension] = start;
  shape[dimension] = size;
  return e.make<SliceOp>(withShape(type, shape), x, starts, strides, e.sizes(x));
}

/// The product along a `?` dimension and its tangent, as those of the products from each element on: right to every
/// order, also where factors are zero.
static std::pair<Value, Value> productAlong(Emitter &e, Value x, Value t, int64_t dimension) {
  auto type = cast<RankedTensorType>(x.getType());
  unsigned position = llvm::count_if(type.getShape().take_front(dimension), ShapedType::isDynamic);
  SmallVector<Value> sizes = e.sizes(x);
  sizes[position] = e.make<arith::AddIOp>(sizes[position], e.make<arith::ConstantIndexOp>(1));
  auto moved = [&](Value v, int64_t by, double last) {
    SmallVector<int64_t> low(type.getRank(), 0), interior(type.getRank(), 0);
    low[dimension] = by;
    return e.make<PadOp>(type, v, e.full(RankedTensorType::get({}, type.getElementType()), {}, last), low, interior,
                         sizes);
  };
  // One more element, so that there is a first one.
  x = moved(x, 0, 1.0), t = moved(t, 0, 0.0);
  Value products = e.make<CumprodOp>(x, dimension, true);
  Value tangents = e.make<LinearRecurrenceOp>(x, e.mul(t, moved(products, -1, 1.0)), dimension, true);
  sizes.erase(sizes.begin() + position);
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = 1;
  auto first = [&](Value v) { return e.make<SliceOp>(withShape(type, shape), v, starts, strides, sizes); };
  return {first(products), first(tangents)};
}

// A balanced tree of products, each differentiated as a product: right to every order, also where factors are zero,
// unlike ans * sum(t / x).
LogicalResult ReduceProdOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Value x = primals[0], t = tangents[0];
  results.push_back(e.make<ReduceProdOp>(x, getDims()));
  for (int64_t dim : getDims()) {
    int64_t size = cast<RankedTensorType>(x.getType()).getDimSize(dim);
    if (ShapedType::isDynamic(size)) {
      std::tie(x, t) = productAlong(e, x, t, dim);
      continue;
    }
    if (size == 0) {
      resultTangents.push_back(zero);
      return success();
    }
    for (; size > 1; size = size / 2 + size % 2) {
      int64_t half = size / 2;
      Value x0 = part(e, x, dim, 0, half), x1 = part(e, x, dim, half, half);
      Value t0 = part(e, t, dim, 0, half), t1 = part(e, t, dim, half, half);
      Value product = e.mul(x0, x1), tangent = e.add(e.mul(t0, x1), e.mul(x0, t1));
      if (size % 2 == 1) {
        product = e.make<ConcatenateOp>(ValueRange{product, part(e, x, dim, 2 * half, 1)}, dim);
        tangent = e.make<ConcatenateOp>(ValueRange{tangent, part(e, t, dim, 2 * half, 1)}, dim);
      }
      x = product, t = tangent;
    }
  }
  resultTangents.push_back(e.reduceSum(t, getDims()));
  return success();
}

} // namespace dovetail
