// Callbacks: verification, derivatives and batching.
#include "Callback.h"
#include "OutsideCall.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Callback.cpp.inc"

namespace dovetail {

void registerCallbackOps(DovetailDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Callback.cpp.inc"
      >();
}

LogicalResult CallbackOp::verify() {
  if (!llvm::is_contained({"none", "io", "debug"}, getEffect()))
    return emitOpError() << "effect must be none, io or debug, got: " << getEffectAttr();
  if (getEffect() == "debug" && getNumResults() != 0)
    return emitOpError() << "with effect debug must have no results, got: " << getNumResults();
  if (getOrdered() && getEffect() == "none")
    return emitOpError() << "that is ordered must have an effect, got: none";
  return verifyOutsideCall(*this, getVmapMethod(), getSizes());
}

void CallbackOp::getEffects(MemoryEffectList &effects) {
  if (getEffect() != "none")
    addOutsideEffects(effects, getEffect() == "io" ? EffectKind::Counted : EffectKind::Any);
}

void LateCallOp::getEffects(MemoryEffectList &effects) { addOutsideEffects(effects, EffectKind::Counted); }

// A function for debugging sees the values of the program; derivatives ignore it.
LogicalResult CallbackOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value>, SmallVectorImpl<Value> &,
                              SmallVectorImpl<Value> &) {
  if (getEffect() != "debug")
    return emitError() << (getEffect() == "none" ? "Pure" : "IO")
                       << " callbacks do not support JVP, since nothing is known of what they compute; call them in a "
                          "function that has a rule, by custom_jvp or custom_vjp, or on the stop_gradient of their "
                          "arguments";
  cloneWith(e, *this, primals, getResultTypes());
  return success();
}

Value CallbackOp::resultSize(Emitter &, ValueRange operands, unsigned result, int64_t dimension) {
  return operands[getArgs().size() + sizePosition(getResults(), result, dimension)];
}

// Where its arguments are the same, so are its results.
LogicalResult CallbackOp::vary(VaryingAnalysis &, MutableArrayRef<AxisSet> operands,
                               SmallVectorImpl<AxisSet> &results) {
  varyTogether(operands, getNumResults(), results);
  return success();
}

LogicalResult CallbackOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  bool isAxis = llvm::is_contained(getAxes(), Attribute(e.batchSize.axis));
  if (getOrdered() && getEffect() == "io" && !isAxis)
    return emitError()
           << "Cannot `vmap` ordered IO callback, since the elements of a batch have no order; use ordered=False, "
              "or a loop such as lax.scan or lax.map";
  if (!getVmapMethod() && !isAxis)
    return emitError() << "vmap is only supported of pure callbacks with a vmap_method, got: None; say 'sequential', "
                          "'sequential_unrolled', 'expand_dims' or 'broadcast_all'";
  unsigned numArgs = getArgs().size();
  OutsideCall call = {getArgs(), getSizes(), llvm::to_vector(getResultTypes()), getVmapMethod()};
  // The call on other arguments, over the axes that are not the batch's.
  auto emit = [&](Emitter &e, TypeRange types, ValueRange args, ValueRange sizes, ArrayRef<BatchForm>,
                  BatchForm) -> ValueRange {
    return CallbackOp::create(e.builder, e.loc, types, getFunctionAttr(), getEffectAttr(), getOrderedAttr(),
                              getVmapMethodAttr(), axesWithoutBatch(e, getAxes()), args, sizes)
        ->getResults();
  };
  llvm::append_range(results, call.batch(e, operands.take_front(numArgs), dims.take_front(numArgs),
                                         operands.drop_front(numArgs), isAxis, emit));
  resultDims.append(getNumResults(), 0);
  return success();
}

} // namespace dovetail
