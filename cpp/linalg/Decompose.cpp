// Decomposes ops on matrices into algorithms in plain ops.
#include "Algorithms.h"
#include "Decompositions.h"
#include "Passes.h"
#include "ScalarCode.h"
#include "cpp/cost/Cost.h"
#include "cpp/transforms/Functions.h"
#include "dialects/Control.h"
#include "dialects/HostFunction.h"
#include "dialects/Inference.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

#include "cpp/linalg/Decompose.cpp.inc"

namespace dovetail {

#define GEN_PASS_DEF_DECOMPOSEPASS
#include "cpp/linalg/Passes.h.inc"

void attachDecompositions(MLIRContext *context) {
  attachCholeskyDecompositions(context);
  attachCompositions(context);
  attachEigDecompositions(context);
  attachEighDecompositions(context);
  attachKnownWindowDecomposition(context);
  attachLuDecompositions(context);
  attachQrDecompositions(context);
  attachRollDecomposition(context);
  attachSchurDecompositions(context);
  attachSpreadConvDecompositions(context);
  attachSvdDecompositions(context);
  attachTriangularDecompositions(context);
  attachWindowDecompositions(context);
}

LogicalResult requireSizes(Operation *op, Value a) {
  if (cast<RankedTensorType>(a.getType()).hasStaticShape())
    return success();
  return op->emitError() << "no algorithm for '" << op->getName()
                         << "' of matrices whose sizes are not known; make a program for each size";
}

namespace {

/// Collapses a batch of several dimensions into one.
struct Batch {
  Emitter &e;
  unsigned numDims;
  int64_t size = 1;
  Value sizeValue;
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;

  Batch(Emitter &e, Value like, unsigned numDims) : e(e), numDims(numDims) {
    auto type = cast<RankedTensorType>(like.getType());
    for (unsigned d = 0; d < numDims; ++d) {
      shape.push_back(type.getDimSize(d));
      bool isKnown = !type.isDynamicDim(d) && !ShapedType::isDynamic(size);
      size = isKnown ? size * type.getDimSize(d) : ShapedType::kDynamic;
      if (type.isDynamicDim(d))
        sizes.push_back(e.size(like, d));
    }
    if (!ShapedType::isDynamic(size))
      return;
    sizeValue = e.size(like, 0);
    for (unsigned d = 1; d < numDims; ++d)
      sizeValue = e.make<arith::MulIOp>(sizeValue, e.size(like, d));
  }

  /// The sizes of a value's `?`s from dimension `count` on.
  SmallVector<Value> sizesAfter(Value x, unsigned count) {
    SmallVector<Value> found;
    auto type = cast<RankedTensorType>(x.getType());
    for (int64_t d = count; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        found.push_back(e.size(x, d));
    return found;
  }

  Value flatten(Value x) {
    SmallVector<int64_t> flat = {size};
    llvm::append_range(flat, cast<RankedTensorType>(x.getType()).getShape().drop_front(numDims));
    SmallVector<Value> dynamic = sizesAfter(x, numDims);
    if (sizeValue)
      dynamic.insert(dynamic.begin(), sizeValue);
    return e.reshape(x, withShape(x.getType(), flat), dynamic);
  }

  Value unflatten(Value x, Type type) {
    SmallVector<Value> dynamic(sizes);
    llvm::append_range(dynamic, sizesAfter(x, 1));
    return e.reshape(x, cast<RankedTensorType>(type), dynamic);
  }
};

LogicalResult decomposeBatch(DecomposeOpInterface op, Emitter &e, SmallVectorImpl<Value> &results) {
  Batch batch(e, op->getOperand(0), op.numBatchDims());
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (Value operand : op->getOperands()) {
    operands.push_back(batch.flatten(operand));
    auto type = cast<RankedTensorType>(operands.back().getType());
    types.push_back(withShape(type, type.getShape().drop_front()));
  }
  Body one(op.getLoc(), types);
  OpBuilder builder = one.builder();
  Emitter inner(builder, op.getLoc(), &e.transforms());
  if (failed(op.decompose(inner, one.arguments(), one.results)))
    return failure();
  Region region;
  fill(region, std::move(one));
  auto made = e.transforms().batch(region, SmallVector<int64_t>(types.size(), 0), BatchSize(batch.size));
  if (failed(made))
    return failure();
  e.batchSize = BatchSize(batch.size);
  e.batchSizeValue = batch.sizeValue;
  SmallVector<Value> found = inlineBody(e.builder, made->function, operands);
  for (auto [value, dim, type] : llvm::zip_equal(found, made->resultDims, op->getResultTypes()))
    results.push_back(batch.unflatten(e.batchAt(value, dim, 0), type));
  return success();
}

bool isEmpty(Type type) {
  auto array = cast<RankedTensorType>(type);
  return llvm::is_contained(array.getShape(), 0);
}

} // namespace

bool hasDecomposition(Operation *op) {
  if (isa<DecomposeOpInterface>(op))
    return true;
  auto pointwise = dyn_cast<PointwiseOpInterface>(op);
  return pointwise && isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
}

LogicalResult emitDecomposition(Operation *op, Emitter &e, SmallVectorImpl<Value> &results) {
  if (llvm::all_of(op->getResultTypes(),
                   [](Type type) { return isEmpty(type) && cast<ShapedType>(type).hasStaticShape(); })) {
    for (Type type : op->getResultTypes())
      results.push_back(e.zeros(cast<RankedTensorType>(type), {}));
    return success();
  }
  if (auto stated = dyn_cast<DecomposeOpInterface>(op))
    return stated.numBatchDims() ? decomposeBatch(stated, e, results) : stated.decompose(e, op->getOperands(), results);
  Algebra algebra(e);
  FailureOr<Value> made = onArrays(cast<PointwiseOpInterface>(op), algebra);
  if (succeeded(made))
    results.push_back(*made);
  return made;
}

namespace {

LogicalResult decompose(Operation *op, Functions &functions) {
  OpBuilder builder(op);
  Emitter e(builder, op->getLoc(), &functions);
  SmallVector<Value> results;
  if (failed(emitDecomposition(op, e, results)))
    return failure();
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}

/// This many operations take no longer than the call of a host function.
constexpr double kFewOperations = 4096;

/// Returns true if the op is in the body of a loop or a branch and is cheaper than the call of its host function, which
/// would also keep the loop or branch on the host.
bool isSmallInBody(Operation *op) {
  bool isStatic =
      llvm::all_of(op->getOperandTypes(), [](Type type) { return cast<ShapedType>(type).hasStaticShape(); });
  return isStatic && !isa<func::FuncOp>(op->getParentOp()) && costOf(op).flops <= kFewOperations;
}

struct DecomposePass : impl::DecomposePassBase<DecomposePass> {
  using DecomposePassBase::DecomposePassBase;

  bool isWanted(Operation *op) {
    if (!ops.empty())
      return isa<DovetailDialect>(op->getDialect()) && llvm::is_contained(ops, op->getName().stripDialect()) &&
             hasDecomposition(op);
    auto stated = dyn_cast<DecomposeOpInterface>(op);
    return stated && stated.isDecomposed() && !stated.isInLanes() && (!isForHost(op) || isSmallInBody(op));
  }

  SmallVector<Operation *> findOps() {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (isWanted(op))
        found.push_back(op);
    });
    return found;
  }

  void runOnOperation() override {
    Functions functions(getOperation());
    SmallVector<Operation *> found = findOps();
    if (found.empty())
      return;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (failed(checkSizes(function)))
        return signalPassFailure();
    // What an algorithm consists of may have algorithms, too.
    for (; !found.empty(); found = findOps())
      for (Operation *op : found)
        if (failed(checked([&] { return decompose(op, functions); })))
          return signalPassFailure();
    OpPassManager tidy(ModuleOp::getOperationName());
    tidy.addPass(createCanonicalizerPass());
    tidy.addPass(createCSEPass());
    if (failed(runPipeline(tidy, getOperation())))
      signalPassFailure();
  }
};

} // namespace

} // namespace dovetail
