// Hashes from which random numbers are made: inference and rules.
#include "Random.h"
#include "Inference.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Random.cpp.inc"

namespace dovetail {

void registerRandomOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Random.cpp.inc"
      >();
}

LogicalResult Threefry2x32Op::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.append(2, adaptor.getK0().getType());
  return success();
}

LogicalResult Threefry2x32Op::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                    SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  int64_t position;
  SmallVector<Value> batched = e.aligned(operands, dims, position);
  llvm::append_range(results, create(e.builder, e.loc, batched)->getResults());
  resultDims.append(2, position);
  return success();
}

FactorMap Threefry2x32Op::factorMap() { return pointwiseFactorMap(*this); }

} // namespace dovetail
