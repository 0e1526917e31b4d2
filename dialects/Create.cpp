// Ops that create arrays, and the size of a dimension: verification, inference, folds and rules.
#include "Create.h"
#include "Inference.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Create.cpp.inc"

namespace dovetail {

void registerCreateOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Create.cpp.inc"
      >();
}

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getValue().getType());
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult IotaOp::verify() {
  int64_t dimension = getDimension();
  if (failed(verifyDims(getLoc(), getOperationName(), "dimension", dimension, getType().getRank(), false)))
    return failure();
  return verifySizes(*this, getType(), getSizes());
}

FactorMap IotaOp::factorMap() {
  FactorMap map;
  map.operands.resize(getSizes().size());
  map.results.push_back(llvm::to_vector(llvm::seq<int64_t>(0, getType().getRank())));
  map.indivisible = {static_cast<int64_t>(getDimension())};
  return map;
}

std::optional<Count> IotaOp::count(Counting &, Places places) {
  int64_t dim = getDimension();
  return places[dim] ? Count::everywhere(*places[dim]) : Count::along(dim, 0, getType().getDimSize(dim));
}

Value IotaOp::emitPermuted(Emitter &e, ArrayRef<int64_t> permutation) {
  int64_t dimension = llvm::find(permutation, getDimension()) - permutation.begin();
  return e.make<IotaOp>(permuted(getType(), permutation), dimension, permutedSizes(getType(), getSizes(), permutation));
}

Value IotaOp::emitPart(Emitter &e, ValueRange operands, ArrayRef<DividedFactor> factors, RankedTensorType type) {
  int64_t dimension = getDimension();
  Value first = factors[dimension].first;
  if (!first)
    return e.make<IotaOp>(type, dimension, operands);
  // Added before it is rounded to the element type.
  RankedTensorType indices = withElement(type, e.builder.getI32Type());
  Value local = e.make<IotaOp>(indices, dimension, operands);
  return e.convert(e.add(local, e.broadcast(first, {}, indices, operands)), type.getElementType());
}

LogicalResult DimOp::verify() {
  int64_t dimension = getDimension();
  return verifyDims(getLoc(), getOperationName(), "dimension", dimension, getX().getType().getRank(), false);
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  auto type = getX().getType();
  int64_t dimension = getDimension();
  if (!type.isDynamicDim(dimension))
    return nullptr;
  DimSource source = sizeSource(getX(), dimension);
  if (!source.value)
    return {};
  if (source.isSize())
    return source.value;
  getXMutable().assign(source.value);
  setDimension(*source.dimension);
  return getSize();
}

LogicalResult DimOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                           SmallVectorImpl<int64_t> &resultDims) {
  int64_t dimension = getDimension();
  results.push_back(e.size(operands[0], dims[0] <= dimension ? dimension + 1 : dimension));
  resultDims.push_back(kUnbatched);
  return success();
}

} // namespace dovetail
