// Vectorizes a function over a batch dimension.
#include "CallGraph.h"
#include "Functions.h"
#include "Passes.h"
#include "dialects/Create.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_BATCHPASS
#include "cpp/transforms/Passes.h.inc"

bool Functions::names(Operation *op, StringAttr axis) {
  auto isNamedBy = [&](Operation *inner) {
    if (auto named = dyn_cast<NamedAxesOpInterface>(inner))
      return llvm::is_contained(named.getAxes(), axis);
    bool found = false;
    inner->getAttrDictionary().walk([&](FlatSymbolRefAttr callee) {
      auto known = namedByCallee.find({callee, axis});
      if (known == namedByCallee.end()) {
        func::FuncOp function = lookup(callee);
        known = namedByCallee.insert({{callee, axis}, function && names(function, axis)}).first;
      }
      found |= known->second;
    });
    return found;
  };
  return op->walk([&](Operation *inner) { return isNamedBy(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Broadcasts an operand over a batch whose size is a value: bodies and callees take it from an argument.
static LogicalResult giveBatch(Emitter &e, Operation *op, MutableArrayRef<Value> operands,
                               MutableArrayRef<int64_t> dims) {
  if (!e.batchSizeValue)
    return op->emitError() << "names axis " << e.batchSize.axis
                           << " of size ?, which no argument of its function carries";
  for (auto [operand, dim] : llvm::zip_equal(operands, dims))
    if (isa<RankedTensorType>(operand.getType())) {
      operand = e.batchAt(operand, kUnbatched, dim = 0);
      return success();
    }
  return success();
}

FailureOr<FunctionTransforms::Batch<Body>> Functions::batch(Region &source, ArrayRef<int64_t> dims, BatchSize size) {
  if (failed(checkTransformable(source)))
    return failure();
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
    bool isBatched = llvm::any_of(operandDims, [](int64_t dim) { return dim != kUnbatched; });
    if (!isBatched && !(size.axis && names(&op, size.axis))) {
      builder.clone(op, values);
      continue;
    }
    Emitter e(builder, op.getLoc(), this);
    e.batchSize = size;
    e.batchSizeValue = sizeValue;
    SmallVector<Value> operands =
        llvm::map_to_vector(op.getOperands(), [&](Value operand) { return values.lookup(operand); });
    if (!isBatched && ShapedType::isDynamic(size) && failed(giveBatch(e, &op, operands, operandDims)))
      return failure();
    SmallVector<Value> results;
    SmallVector<int64_t> resultDims;
    if (failed(applyBatch(&op, e, operands, operandDims, results, resultDims)))
      return failure();
    for (auto [i, value] : llvm::enumerate(op.getResults())) {
      bool isBatched = resultDims[i] != kUnbatched;
      Type type = isBatched ? withDim(value.getType(), resultDims[i], size) : value.getType();
      FailureOr<Value> result = ofType(e, &op, results[i], type);
      if (failed(result))
        return failure();
      values.map(value, *result);
      if (isBatched)
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
    BatchSize batch(size < 0 ? ShapedType::kDynamic : int64_t(size));
    if (!axis.empty())
      batch.axis = StringAttr::get(&getContext(), axis);
    if (!meshAxes.empty())
      batch.meshAxes = Builder(&getContext()).getStrArrayAttr(SmallVector<StringRef>(meshAxes.begin(), meshAxes.end()));
    if (failed(Functions(getOperation()).batch(*target, SmallVector<int64_t>(dims.begin(), dims.end()), batch)))
      signalPassFailure();
  }
};
} // namespace

} // namespace dovetail
