// A function over a batch.
#include "CallGraph.h"
#include "Functions.h"
#include "Passes.h"
#include "dialects/Create.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_BATCHPASS
#include "cpp/transforms/Passes.h.inc"

FailureOr<FunctionTransforms::Batch<Body>> Functions::batch(Region &source, ArrayRef<int64_t> dims, int64_t size) {
  SmallVector<Type> types(source.getArgumentTypes());
  for (auto [type, dim] : llvm::zip_equal(types, dims))
    if (dim != kUnbatched)
      type = withDim(type, dim, size);
  Body body(locOf(source), types);
  OpBuilder builder = body.builder();

  IRMapping values;
  DenseMap<Value, int64_t> positions;
  auto positionOf = [&](Value value) {
    auto it = positions.find(value);
    return it == positions.end() ? kUnbatched : it->second;
  };
  Value sizeValue;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    values.map(source.getArgument(i), body.arguments()[i]);
    if (dim == kUnbatched)
      continue;
    positions[source.getArgument(i)] = dim;
    if (ShapedType::isDynamic(size) && !sizeValue)
      sizeValue = DimOp::create(builder, locOf(source), body.arguments()[i], dim);
  }

  for (Operation &op : source.front().without_terminator()) {
    SmallVector<int64_t> operandDims = llvm::map_to_vector(op.getOperands(), positionOf);
    if (llvm::all_of(operandDims, [](int64_t dim) { return dim == kUnbatched; })) {
      builder.clone(op, values);
      continue;
    }
    Emitter e(builder, op.getLoc(), this);
    e.batchSize = size;
    e.batchSizeValue = sizeValue;
    SmallVector<Value> operands =
        llvm::map_to_vector(op.getOperands(), [&](Value operand) { return values.lookup(operand); });
    SmallVector<Value> results;
    SmallVector<int64_t> resultDims;
    if (failed(applyBatch(&op, e, operands, operandDims, results, resultDims)))
      return failure();
    for (auto [i, value] : llvm::enumerate(op.getResults())) {
      values.map(value, results[i]);
      if (resultDims[i] != kUnbatched)
        positions[value] = resultDims[i];
    }
  }

  for (Value out : returned(source))
    body.results.push_back(values.lookup(out));
  return Batch<Body>{std::move(body), llvm::map_to_vector(returned(source), positionOf)};
}

namespace {
struct BatchPass : impl::BatchPassBase<BatchPass> {
  using BatchPassBase::BatchPassBase;
  void runOnOperation() override {
    FailureOr<func::FuncOp> target = findFunction(getOperation(), function);
    if (failed(target))
      return signalPassFailure();
    if (dims.size() != target->getNumArguments()) {
      target->emitError() << "dims must have one entry for each of " << target->getNumArguments()
                          << " arguments, got: " << dims.size();
      return signalPassFailure();
    }
    for (auto [dim, type] : llvm::zip_equal(ArrayRef<int64_t>(dims), target->getArgumentTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (dim != kUnbatched && (!tensor || dim < 0 || dim > tensor.getRank())) {
        target->emitError() << "dims must be -1 or a place among the dimensions of " << type << ", got: " << dim;
        return signalPassFailure();
      }
    }
    if (size < -1) {
      target->emitError() << "size must be -1 or at least 0, got: " << int64_t(size);
      return signalPassFailure();
    }
    int64_t batch = size < 0 ? ShapedType::kDynamic : int64_t(size);
    if (failed(Functions(getOperation()).batch(*target, SmallVector<int64_t>(dims.begin(), dims.end()), batch)))
      signalPassFailure();
  }
};
} // namespace

} // namespace dovetail
