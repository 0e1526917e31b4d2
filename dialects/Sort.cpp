// Sorting: inference and rules.
#include "Sort.h"
#include "Create.h"
#include "Index.h"
#include "Inference.h"
#include "Shape.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Sort.cpp.inc"

namespace dovetail {

void registerSortOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Sort.cpp.inc"
      >();
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  ValueRange xs = adaptor.getXs();
  int64_t numKeys = adaptor.getNumKeys(), count = xs.size();
  if (numKeys < 1 || numKeys > count)
    return emitOptionalError(loc, "'dovetail.sort' op number of keys must be at least 1 and at most that of operands, ",
                             count, ", got: ", numKeys);
  auto first = cast<RankedTensorType>(xs[0].getType());
  if (failed(verifyDims(loc, getOperationName(), "dimension", adaptor.getDimension(), first.getRank(), false)))
    return failure();
  for (Value x : xs) {
    if (cast<RankedTensorType>(x.getType()).getShape() != first.getShape())
      return emitOptionalError(loc, "'dovetail.sort' op operands must have one shape, got: ", first, " and ",
                               x.getType());
    types.push_back(x.getType());
  }
  return success();
}

static Operation::result_range sorted(Emitter &e, ValueRange xs, int64_t dimension, int64_t numKeys) {
  return SortOp::create(e.builder, e.loc, xs, dimension, numKeys)->getResults();
}

/// The elements of `x`, which is not empty, at the indices `places` along `dimension`.
static Value alongDimension(Emitter &e, Value x, Value places, int64_t dimension) {
  auto type = cast<RankedTensorType>(places.getType());
  int64_t rank = type.getRank();
  SmallVector<Value> sizes = e.sizes(places), coordinates;
  RankedTensorType column = withDim(type, rank, 1);
  for (int64_t d = 0; d < rank; ++d)
    coordinates.push_back(d == dimension ? e.reshape(places, column, sizes) : e.make<IotaOp>(column, d, sizes));
  Value indices = e.make<ConcatenateOp>(coordinates, rank);
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Value windows = e.make<GatherOp>(x, indices, all, SmallVector<int64_t>(rank, 1));
  return e.reshape(windows, withElement(type, getElementTypeOrSelf(x)), sizes);
}

/// The tangents are permuted like an additional operand, the indices of elements.
LogicalResult SortOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                          SmallVectorImpl<Value> &resultTangents) {
  int64_t dimension = getDimension();
  if (llvm::is_contained(cast<RankedTensorType>(primals[0].getType()).getShape(), 0)) {
    llvm::append_range(results, primals);
    llvm::append_range(resultTangents, tangents);
    return success();
  }
  RankedTensorType places = withElement(primals[0].getType(), IntegerType::get(getContext(), 32));
  SmallVector<Value> operands(primals);
  operands.push_back(e.make<IotaOp>(places, dimension, e.sizes(primals[0])));
  auto all = sorted(e, operands, dimension, getNumKeys());
  llvm::append_range(results, all.drop_back());
  for (Value tangent : tangents)
    resultTangents.push_back(tangent ? alongDimension(e, tangent, all.back(), dimension) : zero);
  return success();
}

LogicalResult SortOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<int64_t> &resultDims) {
  int64_t position;
  SmallVector<Value> batched = e.aligned(operands, dims, position);
  int64_t dimension = getDimension();
  llvm::append_range(results, sorted(e, batched, dimension + (dimension >= position ? 1 : 0), getNumKeys()));
  resultDims.append(operands.size(), position);
  return success();
}

FactorMap SortOp::factorMap() {
  FactorMap map = pointwiseFactorMap(*this);
  for (auto *tensors : {&map.operands, &map.results})
    for (auto &factors : *tensors)
      factors[getDimension()] = FactorMap::kNone;
  return map;
}

Value SortOp::resultSize(Emitter &e, ValueRange, unsigned, int64_t dimension) { return e.size(getXs()[0], dimension); }

} // namespace dovetail
