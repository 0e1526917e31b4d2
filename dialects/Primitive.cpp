// Operations that the program defines: each rule is asked for when a transform needs it.
#include "Call.h"
#include "Control.h"
#include "Custom.h"
#include "ProgramRules.h"

using namespace mlir;

namespace dovetail {

LogicalResult PrimitiveOp::verify() {
  for (TypeRange types : {TypeRange(getOperandTypes()), TypeRange(getResultTypes())})
    for (Type type : types)
      if (!cast<RankedTensorType>(type).hasStaticShape())
        return emitOpError() << "must have operands and results of static shape, got: " << type;
  return success();
}

void PrimitiveOp::getEffects(MemoryEffectList &effects) {
  if (getHasSideEffect())
    addOutsideEffects(effects, EffectKind::Counted);
}

LogicalResult PrimitiveOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                               SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  FailureOr<MadeByRule> made =
      askProgram(*this, getPrimitive(), e, {RuleKind::Jvp, getRules(), marks(present(tangents)), {}, {}});
  if (failed(made))
    return failure();
  SmallVector<Value> args(primals), all(getNumResults());
  llvm::append_range(args, presentOf(tangents));
  ValueRange outs = emitCall(e, made->function, args);
  llvm::append_range(results, outs.take_front(getNumResults()));
  scatterTo(outs.drop_front(getNumResults()), maskOf(made->marks), all);
  llvm::append_range(resultTangents, all);
  return success();
}

// The rule alone says in which operands the operation is linear.
OperandSets PrimitiveOp::linearSets() { return linearSetsOfCall(*this); }

LogicalResult PrimitiveOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                     MutableArrayRef<Value> operandCotangents) {
  llvm::SmallBitVector linear = ~present(operands);
  FailureOr<MadeByRule> made = askProgram(
      *this, getPrimitive(), e, {RuleKind::Transpose, getRules(), marks(linear), marks(present(cotangents)), {}});
  if (failed(made))
    return failure();
  SmallVector<Value> args = presentOf(operands);
  llvm::append_range(args, presentOf(cotangents));
  scatterTo(emitCall(e, made->function, args), maskOf(made->marks), operandCotangents);
  return success();
}

LogicalResult PrimitiveOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  RuleQuestion question = {RuleKind::Batch, getRules(), {}, {}, e.batchSize};
  SmallVector<Value> args;
  for (auto [operand, dim] : llvm::zip_equal(operands, dims)) {
    question.operands.push_back(dim != kUnbatched);
    args.push_back(dim == kUnbatched ? Value(operand) : e.batchAt(operand, dim, 0));
  }
  FailureOr<MadeByRule> made = askProgram(*this, getPrimitive(), e, question);
  if (failed(made))
    return failure();
  llvm::append_range(results, emitCall(e, made->function, args));
  for (bool hasBatch : made->marks)
    resultDims.push_back(hasBatch ? 0 : kUnbatched);
  return success();
}

LogicalResult PrimitiveOp::resolve(Emitter &e, SmallVectorImpl<Value> &results) {
  FailureOr<MadeByRule> made = askProgram(*this, getPrimitive(), e, {RuleKind::Lower, getRules(), {}, {}, {}});
  if (failed(made))
    return failure();
  llvm::append_range(results, emitCall(e, made->function, getArgs()));
  return success();
}

} // namespace dovetail
