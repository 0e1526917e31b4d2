// Functions of which the program says how they are partitioned: verification and rules.
#include "Call.h"
#include "Custom.h"
#include "ProgramRules.h"

using namespace mlir;

namespace dovetail {

LogicalResult CustomPartitionOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto rankOf = [](Type type) { return isa<RankedTensorType>(type) ? cast<RankedTensorType>(type).getRank() : 0; };
  SmallVector<Type> types(getArgs().getTypes());
  llvm::append_range(types, getResultTypes());
  ArrayAttr factors = getFactors().value_or(ArrayAttr());
  bool isValid = !factors || (factors.size() == types.size() && llvm::all_of(llvm::zip(types, factors), [&](auto both) {
                                auto [type, stated] = both;
                                auto ofDims = dyn_cast<DenseI64ArrayAttr>(stated);
                                return ofDims && ofDims.size() == rankOf(type) &&
                                       llvm::all_of(ofDims.asArrayRef(), [](int64_t i) { return i >= -1; });
                              }));
  if (!isValid)
    return emitOpError() << "'factors' must have a list for each of " << getArgs().size() << " arguments and "
                         << getNumResults()
                         << " results, with the number of a factor, or -1, for each dimension, got: " << factors;
  return verifyCall(*this, getCalleeAttr(), symbols);
}

//===- Partition ------------------------------------------------------------------------------===//

FactorMap CustomPartitionOp::factorMap() {
  auto factorsOf = [&](Type type, std::optional<unsigned> stated) -> SmallVector<int64_t> {
    auto array = dyn_cast<RankedTensorType>(type);
    if (array && stated && getFactors())
      return SmallVector<int64_t>(cast<DenseI64ArrayAttr>((*getFactors())[*stated]).asArrayRef());
    return SmallVector<int64_t>(array ? array.getRank() : 0, FactorMap::kNone);
  };
  FactorMap map;
  for (auto [i, type] : llvm::enumerate(getArgs().getTypes()))
    map.operands.push_back(factorsOf(type, i));
  for (Type type : getCaptured().getTypes())
    map.operands.push_back(factorsOf(type, std::nullopt));
  for (auto [i, type] : llvm::enumerate(getResultTypes()))
    map.results.push_back(factorsOf(type, getArgs().size() + i));
  return map;
}

LogicalResult CustomPartitionOp::emitGlobal(Emitter &e, SmallVectorImpl<Value> &results) {
  llvm::append_range(results, emitCall(e, e.transforms().lookup(getCalleeAttr()), getOperands()));
  return success();
}

FailureOr<PartFunction> CustomPartitionOp::partFunction(Emitter &e, ArrayRef<ShardingAttr> shardings) {
  // The rule does not know the captured values.
  SmallVector<ShardingAttr> known(shardings.take_front(getArgs().size()));
  llvm::append_range(known, shardings.take_back(getNumResults()));
  FailureOr<MadeByRule> made = askProgram(*this, getCallee(), e, {RuleKind::Partition, getRules(), {}, {}, {}, known});
  if (failed(made))
    return failure();
  ArrayRef<ShardingAttr> chosen = made->shardings;
  return PartFunction{made->function, SmallVector<ShardingAttr>(chosen.take_front(getArgs().size())),
                      SmallVector<ShardingAttr>(chosen.take_back(getNumResults()))};
}

//===- As a call ------------------------------------------------------------------------------===//

static auto calls(Emitter &e) {
  return [&e](func::FuncOp function, ValueRange args) { return emitCall(e, function, args); };
}

LogicalResult CustomPartitionOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                     SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  return jvpOfCall(e, e.transforms().lookup(getCalleeAttr()), primals, tangents, results, resultTangents, calls(e));
}

OperandSets CustomPartitionOp::linearSets() { return linearSetsOfCall(*this); }

LogicalResult CustomPartitionOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                           MutableArrayRef<Value> operandCotangents) {
  return transposeCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, cotangents, operandCotangents,
                       calls(e));
}

LogicalResult CustomPartitionOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                       SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  return batchCall(e, e.transforms().lookup(getCalleeAttr()), operands, dims, results, resultDims, calls(e));
}

LogicalResult CustomPartitionOp::split(Emitter &e, const llvm::SmallBitVector &unknown, ValueRange operands,
                                       SmallVectorImpl<Value> &results) {
  return splitCall(e, e.transforms().lookup(getCalleeAttr()), unknown, operands, results, calls(e));
}

Value CustomPartitionOp::resultSize(Emitter &e, ValueRange operands, unsigned result, int64_t dimension) {
  return sizeOfCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, result, dimension);
}

} // namespace dovetail
