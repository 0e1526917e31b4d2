// Ops that make an array, or a size, out of no array: verification, inference, folds and rules.
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
  return map;
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
  Operation *producer = getX().getDefiningOp();
  if (!producer)
    return {};
  if (auto sized = dyn_cast<SizedOpInterface>(producer))
    return sized.getSizes()[llvm::count_if(type.getShape().take_front(dimension), ShapedType::isDynamic)];
  // Elsewhere a dimension has the size of an operand's dimension with the same factor.
  std::optional<FactorMap> map = dovetail::factorMap(producer);
  if (!map)
    return {};
  int64_t factor = map->results[cast<OpResult>(getX()).getResultNumber()][dimension];
  if (factor == FactorMap::kNone)
    return {};
  for (auto [operand, factors] : llvm::zip_equal(producer->getOperands(), map->operands))
    if (auto it = llvm::find(factors, factor); it != factors.end()) {
      int64_t source = it - factors.begin();
      if (!cast<RankedTensorType>(operand.getType()).isDynamicDim(source))
        continue;
      getXMutable().assign(operand);
      setDimension(source);
      return getSize();
    }
  return {};
}

LogicalResult DimOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                           SmallVectorImpl<int64_t> &resultDims) {
  int64_t dimension = getDimension();
  results.push_back(e.size(operands[0], dims[0] <= dimension ? dimension + 1 : dimension));
  resultDims.push_back(kUnbatched);
  return success();
}

} // namespace dovetail
