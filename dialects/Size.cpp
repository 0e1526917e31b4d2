// Sizes of dynamic shapes: verification, folds and rules.
#include "Size.h"
#include "Inference.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Size.cpp.inc"

namespace dovetail {

void registerSizeOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Size.cpp.inc"
      >();
}

//===- from_index ------------------------------------------------------------===//

LogicalResult FromIndexOp::verify() {
  if (getType().getRank() != 0)
    return emitOpError() << "result must be of rank 0, got: " << getType();
  return success();
}

OpFoldResult FromIndexOp::fold(FoldAdaptor adaptor) {
  auto size = dyn_cast_or_null<IntegerAttr>(adaptor.getSize());
  if (!size)
    return {};
  unsigned width = getType().getElementTypeBitWidth();
  return DenseElementsAttr::get(getType(), size.getValue().sextOrTrunc(width));
}

//===- assume ----------------------------------------------------------------===//

LogicalResult AssumeOp::verify() {
  if (getMin() > getMax() || static_cast<int64_t>(getMin()) < 0)
    return emitOpError() << "bounds must be 0 or more and in order, got: " << static_cast<int64_t>(getMin()) << " and "
                         << static_cast<int64_t>(getMax());
  if (static_cast<int64_t>(getMultiple()) < 1)
    return emitOpError() << "multiple must be 1 or more, got: " << static_cast<int64_t>(getMultiple());
  return success();
}

//===- with_sizes ------------------------------------------------------------===//

LogicalResult WithSizesOp::verify() { return verifySizes(*this, getType(), getSizes()); }

OpFoldResult WithSizesOp::fold(FoldAdaptor) { return getType().hasStaticShape() ? getX() : OpFoldResult(); }

OperandSets WithSizesOp::linearSets() { return {{0}}; }

LogicalResult WithSizesOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                     MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = e.make<WithSizesOp>(cotangents[0], operands.drop_front());
  return success();
}

LogicalResult WithSizesOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  results.push_back(e.make<WithSizesOp>(operands[0], e.sizesWithBatch(getType(), operands.drop_front(), dims[0])));
  resultDims.push_back(dims[0]);
  return success();
}

FactorMap WithSizesOp::factorMap() {
  FactorMap map;
  map.results.push_back(range(0, getType().getRank()));
  map.operands.push_back(map.results.front());
  map.operands.resize(getNumOperands());
  return map;
}

} // namespace dovetail
