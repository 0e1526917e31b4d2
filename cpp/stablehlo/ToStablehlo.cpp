// The pass that translates to StableHLO, and the emitter in which counterparts are written.
#include "Devices.h"
#include "Exporter.h"
#include "Passes.h"
#include "cpp/linalg/Decompositions.h"
#include "cpp/sharding/Shardings.h"
#include "cpp/transforms/CallGraph.h"
#include "dialects/Collective.h"
#include "dialects/Grid.h"
#include "dialects/Inference.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_TOSTABLEHLOPASS
#include "cpp/stablehlo/Passes.h.inc"

LogicalResult Exporter::translateOp(Operation *op) {
  bool isSize = isa<arith::ArithDialect>(op->getDialect());
  if (!isa<DovetailDialect>(op->getDialect()) && !isSize) {
    for (Region &region : op->getRegions())
      if (failed(translate(region)))
        return failure();
    return success();
  }
  OpBuilder here(op);
  Exporter e(here, op->getLoc(), functionsOf());
  SmallVector<Value> results;
  auto stated = dyn_cast<ToStablehloOpInterface>(op);
  if (isSize)
    results.push_back(exportSize(op, e));
  bool isDecomposed = !isSize && !stated && hasDecomposition(op);
  if (isSize ? !results.back() : !stated && !isDecomposed)
    return op->emitError() << "an op must have a counterpart in StableHLO, got: '" << op->getName() << "'";
  Block *block = op->getBlock();
  Operation *before = op->getPrevNode(), *after = op->getNextNode();
  if (!isSize && failed(isDecomposed ? emitDecomposition(op, e, results) : stated.exportTo(e, results)))
    return failure();
  op->replaceAllUsesWith(results);
  op->erase();
  // What it emitted is translated in turn, with the bodies of these ops.
  for (Operation *made = before ? before->getNextNode() : &block->front(); made != after;) {
    Operation *next = made->getNextNode();
    if (failed(translateOp(made)))
      return failure();
    made = next;
  }
  return success();
}

LogicalResult Exporter::translate(Region &body) {
  for (Block &block : body)
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(translateOp(&op)))
        return failure();
  return success();
}

void Exporter::fillBody(Region &region, TypeRange arguments, BodyOf emit) {
  Block &block = region.emplaceBlock();
  block.addArguments(arguments, SmallVector<Location>(arguments.size(), loc));
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  Exporter e(inner, loc, functionsOf());
  Values results = emit(e, block.getArguments());
  stablehlo::ReturnOp::create(inner, loc, results);
}

namespace {

LogicalResult translateFunctions(ModuleOp module, Functions &functions, bool arePublic) {
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (function.isPublic() != arePublic)
      continue;
    // Sizes are numbers.
    OpBuilder builder(function);
    for (BlockArgument argument : function.getArguments())
      if (isa<IndexType>(argument.getType()))
        argument.setType(RankedTensorType::get({}, builder.getI32Type()));
    Exporter e(builder, function.getLoc(), functions);
    if (failed(checked([&] { return e.translate(function.getBody()); })))
      return failure();
    function.setFunctionType(FunctionType::get(module.getContext(), function.getBody().getArgumentTypes(),
                                               TypeRange(returned(function.getBody()))));
    exportShardings(module, function);
  }
  return success();
}

struct ToStablehloPass : impl::ToStablehloPassBase<ToStablehloPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Functions functions(module);
    SmallVector<Operation *> kernels;
    module.walk([&](Operation *op) {
      if (op->hasAttr(kKernel))
        kernels.push_back(op);
    });
    llvm::for_each(kernels, unwrapKernel);
    if (failed(translateFunctions(module, functions, true)))
      return signalPassFailure();
    // Bodies of functions of parts have become part of their callers, and knew their devices there.
    eraseUncalled(module);
    if (failed(translateFunctions(module, functions, false)))
      return signalPassFailure();
    for (StringRef name : {kPartition, kMesh})
      module->removeAttr(name);
    OpPassManager tidy(ModuleOp::getOperationName());
    tidy.addPass(createCSEPass());
    if (failed(runPipeline(tidy, module)))
      signalPassFailure();
  }
};

} // namespace

} // namespace dovetail
