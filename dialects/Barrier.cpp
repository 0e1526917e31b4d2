// The optimization barrier: each result is an operand, whose tangent and cotangent go through a barrier, too.
#include "Shape.h"

using namespace mlir;

namespace dovetail {

static SmallVector<Value> barrier(Emitter &e, ValueRange xs) {
  return llvm::to_vector_of<Value>(OptimizationBarrierOp::create(e.builder, e.loc, xs)->getResults());
}

/// The values, those that are not null behind a barrier.
static SmallVector<Value> barrierOfPresent(Emitter &e, ArrayRef<Value> values) {
  auto present = llvm::to_vector(llvm::make_filter_range(values, [](Value value) { return bool(value); }));
  SmallVector<Value> behind = barrier(e, present), results(values);
  auto *next = behind.begin();
  for (Value &result : results)
    if (result)
      result = *next++;
  return results;
}

LogicalResult OptimizationBarrierOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getXs().getTypes());
  return success();
}

LogicalResult OptimizationBarrierOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                         SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  llvm::append_range(results, barrier(e, primals));
  llvm::append_range(resultTangents, barrierOfPresent(e, tangents));
  return success();
}

OperandSets OptimizationBarrierOp::linearSets() {
  return {llvm::to_vector_of<unsigned, 3>(llvm::seq<unsigned>(0, getNumOperands()))};
}

LogicalResult OptimizationBarrierOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                               MutableArrayRef<Value> operandCotangents) {
  SmallVector<Value> behind = barrierOfPresent(e, cotangents);
  for (auto [i, operand] : llvm::enumerate(operands))
    if (!operand)
      operandCotangents[i] = behind[i];
  return success();
}

LogicalResult OptimizationBarrierOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                           SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  llvm::append_range(results, barrier(e, operands));
  llvm::append_range(resultDims, dims);
  return success();
}

FactorMap OptimizationBarrierOp::factorMap() {
  FactorMap map;
  int64_t next = 0;
  for (Value x : getXs()) {
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    map.operands.push_back(range(next, next + rank));
    next += rank;
  }
  map.results = map.operands;
  return map;
}

} // namespace dovetail
