// The lowering pass.
#include "Columns.h"
#include "Division.h"
#include "Lowering.h"
#include "Passes.h"
#include "cpp/dispatch/CollectiveCall.h"
#include "cpp/dispatch/ForeignCall.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/dispatch/PlanDispatches.h"
#include "cpp/iree/HostCall.h"
#include "cpp/sharding/Shardings.h"
#include "cpp/tensors/MultiplyAdd.h"
#include "cpp/transforms/CallGraph.h"
#include "cpp/transforms/Functions.h"
#include "dialects/Collective.h"
#include "dialects/HostFunction.h"
#include "dialects/Inference.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_LOWERPASS
#include "cpp/lowering/Passes.h.inc"

void attachLowerings(MLIRContext *context) {
  attachBarrierLowerings(context);
  attachCallbackLowerings(context);
  attachCollectiveLowerings(context);
  attachControlLowerings(context);
  attachConvLowerings(context);
  attachCreateLowerings(context);
  attachCumulativeLowerings(context);
  attachDotLowerings(context);
  attachFactorizationLowerings(context);
  attachFfiLowerings(context);
  attachFftLowerings(context);
  attachGatherLowerings(context);
  attachRandomLowerings(context);
  attachReduceLowerings(context);
  attachScatterLowerings(context);
  attachShapeLowerings(context);
  attachSizeLowerings(context);
  attachSortLowerings(context);
  attachWindowLowerings(context);
}

static LogicalResult lowerOp(ImplicitLocOpBuilder &b, Operation *op, IRMapping &values) {
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return values.lookup(operand); });
  SmallVector<Value> results;
  // Some have lowerings to calls of a library.
  if (isForHost(op) && !isa<LowerOpInterface>(op)) {
    if (isInDispatch(b))
      return failure();
    lowerToHostCall(op, b, operands, results);
  } else if (auto stated = dyn_cast<LowerOpInterface>(op)) {
    if (failed(stated.lower(b, operands, results)))
      return failure();
  } else if (auto pointwise = dyn_cast<PointwiseOpInterface>(op)) {
    results.push_back(lowerPointwise(b, pointwise, operands));
  } else if (lowerColumns(b, op, values)) {
    return success();
  } else if (auto reduce = dyn_cast<ReduceOpInterface>(op)) {
    results.push_back(lowerReduce(b, reduce, operands[0]));
  } else if (!isa<DovetailDialect>(op->getDialect())) {
    b.clone(*op, values);
    return success();
  } else {
    return op->emitError() << "no lowering for '" << op->getName() << "'";
  }
  values.map(op->getResults(), results);
  return success();
}

LogicalResult lowerBody(ImplicitLocOpBuilder &b, Region &body, ValueRange arguments, SmallVectorImpl<Value> &results) {
  IRMapping values;
  values.map(body.getArguments(), arguments);
  for (Operation &op : opsOf(body)) {
    // Some are lowered together with one before them.
    if (op.getNumResults() > 0 && values.contains(op.getResult(0)))
      continue;
    // The location of generated code names the op that it comes from.
    b.setLoc(NameLoc::get(op.getName().getIdentifier(), op.getLoc()));
    if (failed(lowerOp(b, &op, values)))
      return failure();
  }
  for (Value result : returned(body))
    results.push_back(values.lookup(result));
  return success();
}

LogicalResult lowerFunction(func::FuncOp function) {
  if (failed(checkTransformable(function)) || failed(checkSizes(function)))
    return failure();
  Block &source = function.front();
  auto *target = new Block();
  function.getBody().push_back(target);
  for (BlockArgument argument : source.getArguments())
    target->addArgument(loweredType(argument.getType()), argument.getLoc());
  ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockEnd(function.getLoc(), target);
  if (function->getParentOp()->hasAttr(kMesh))
    target->addArgument(RankedTensorType::get({}, b.getI32Type()), function.getLoc());
  SmallVector<Value> results;
  if (failed(lowerBody(b, function.getBody(), target->getArguments(), results)))
    return failure();
  func::ReturnOp::create(b, source.getTerminator()->getLoc(), results);
  source.dropAllReferences();
  source.erase();
  SmallVector<Attribute> attributes;
  if (ArrayAttr stated = function.getArgAttrsAttr())
    llvm::append_range(attributes, stated);
  function.setFunctionType(b.getFunctionType(target->getArgumentTypes(), target->getTerminator()->getOperandTypes()));
  if (!attributes.empty()) {
    attributes.resize(target->getNumArguments(), b.getDictionaryAttr({}));
    function.setArgAttrsAttr(b.getArrayAttr(attributes));
  }
  return success();
}

/// Only the caller uses them, and IREE does not know the attribute.
static void removeShardings(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, kSharding);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.removeResultAttr(i, kSharding);
}

namespace {
struct LowerPass : impl::LowerPassBase<LowerPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (failed(checked([&] { return lowerFunction(function); })))
        return signalPassFailure();
    eraseUnusedProducts(getOperation());
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      removeShardings(function);
    orderHostCalls(getOperation());
    numberCollectiveCalls(getOperation());
    numberForeignCalls(getOperation());
    getOperation()->removeAttr(kMesh);
    getOperation()->removeAttr(kHostLoops);
    getOperation()->removeAttr(kDivideLoops);
    getOperation()->removeAttr(kHostFunctions);
    getOperation()->removeAttr(kThreads);
  }
};
} // namespace

} // namespace dovetail
