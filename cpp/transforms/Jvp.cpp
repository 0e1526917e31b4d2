// Forward-mode derivative of a function.
#include "CallGraph.h"
#include "Functions.h"
#include "Passes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_JVPPASS
#include "cpp/transforms/Passes.h.inc"

FailureOr<FunctionTransforms::Jvp<Body>> Functions::jvp(Region &source, const Mask &active) {
  if (failed(checkTransformable(source)))
    return failure();
  SmallVector<Type> types(source.getArgumentTypes());
  for (unsigned i : active.set_bits())
    types.push_back(types[i]);
  Body body(locOf(source), types);
  OpBuilder builder = body.builder();

  IRMapping primals;
  DenseMap<Value, Value> tangents;
  unsigned numArgs = source.getNumArguments(), next = numArgs;
  for (unsigned i = 0; i < numArgs; ++i) {
    primals.map(source.getArgument(i), body.arguments()[i]);
    if (active.test(i))
      tangents[source.getArgument(i)] = body.arguments()[next++];
  }

  for (Operation &op : source.front().without_terminator()) {
    SmallVector<Value> operandTangents =
        llvm::map_to_vector(op.getOperands(), [&](Value operand) { return tangents.lookup(operand); });
    if (llvm::none_of(operandTangents, [](Value t) { return static_cast<bool>(t); })) {
      builder.clone(op, primals);
      continue;
    }
    Emitter e(builder, op.getLoc(), this);
    SmallVector<Value> operands =
        llvm::map_to_vector(op.getOperands(), [&](Value operand) { return primals.lookup(operand); });
    SmallVector<Value> results, resultTangents;
    if (failed(applyJvp(&op, e, operands, operandTangents, results, resultTangents)))
      return failure();
    for (auto [i, value] : llvm::enumerate(op.getResults())) {
      FailureOr<Value> result = ofType(e, &op, results[i], value.getType()), tangent = Value();
      if (resultTangents[i])
        tangent = ofType(e, &op, resultTangents[i], value.getType());
      if (failed(result) || failed(tangent))
        return failure();
      primals.map(value, *result);
      if (*tangent)
        tangents[value] = *tangent;
    }
  }

  SmallVector<Value> outTangents;
  Mask activeResults(returned(source).size());
  for (auto [i, value] : llvm::enumerate(returned(source))) {
    body.results.push_back(primals.lookup(value));
    if (Value tangent = tangents.lookup(value)) {
      activeResults.set(i);
      outTangents.push_back(tangent);
    }
  }
  llvm::append_range(body.results, outTangents);
  return Jvp<Body>{std::move(body), activeResults};
}

namespace {
struct JvpPass : impl::JvpPassBase<JvpPass> {
  using JvpPassBase::JvpPassBase;
  void runOnOperation() override {
    FailureOr<func::FuncOp> target = findFunction(getOperation(), function);
    if (failed(target))
      return signalPassFailure();
    FailureOr<llvm::SmallBitVector> active = argumentMask(*target, wrt);
    if (failed(active) || failed(Functions(getOperation()).jvp(*target, *active)))
      signalPassFailure();
  }
};
} // namespace

} // namespace dovetail
