// What ops of StableHLO must have before their counterparts are emitted, which the reader of text does not check.
#include "Importer.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dovetail {

namespace {

int64_t rankOf(Value x) { return cast<RankedTensorType>(x.getType()).getRank(); }

/// Distinct dimensions of an array of some rank.
LogicalResult checkDims(Operation *op, StringRef name, ArrayRef<int64_t> dims, int64_t rank) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank || !seen.insert(dim).second)
      return op->emitError() << op->getName().stripDialect() << ": " << name
                             << " must be distinct dimensions of an array of rank " << rank << ", got: [" << dims
                             << ']';
  return success();
}

LogicalResult checkCount(Operation *op, StringRef name, int64_t count, int64_t wanted) {
  if (count == wanted)
    return success();
  return op->emitError() << op->getName().stripDialect() << ": " << name << " must be " << wanted << ", got: " << count;
}

/// Counterparts of complex numbers are made of their parts, of every operand.
LogicalResult checkSameElements(Operation *op) {
  Type first = getElementTypeOrSelf(op->getOperand(0));
  for (Value x : op->getOperands())
    if (getElementTypeOrSelf(x) != first)
      return op->emitError() << op->getName().stripDialect() << ": operands must have one element type, got: " << first
                             << " and " << getElementTypeOrSelf(x);
  return success();
}

/// Operands that have a size, a place or a number of paddings for each dimension of an array of some rank.
LogicalResult checkVectors(Operation *op, ValueRange vectors, int64_t rank) {
  for (Value vector : vectors) {
    auto type = cast<RankedTensorType>(vector.getType());
    if (type.getRank() != 1 || type.getDimSize(0) != rank || !isa<IntegerType>(type.getElementType()))
      return op->emitError() << op->getName().stripDialect()
                             << ": sizes and positions must be integers, one for each of " << rank
                             << " dimensions, got: " << type;
  }
  return success();
}

LogicalResult checkBroadcast(Operation *op, ArrayRef<int64_t> dims) {
  Value x = op->getOperand(0), ans = op->getResult(0);
  if (failed(checkCount(op, "broadcast_dimensions", dims.size(), rankOf(x))) ||
      failed(checkDims(op, "broadcast_dimensions", dims, rankOf(ans))))
    return failure();
  auto from = cast<RankedTensorType>(x.getType()), to = cast<RankedTensorType>(ans.getType());
  for (auto [size, dim] : llvm::zip_equal(from.getShape(), dims))
    if (!ShapedType::isDynamic(size) && !to.isDynamicDim(dim) && size != 1 && size != to.getDimSize(dim))
      return op->emitError() << op->getName().stripDialect() << ": sizes must be 1 or those of " << to
                             << ", got: " << from;
  return success();
}

/// The vectors of indices, of which each element is one along a dimension of an array.
LogicalResult checkIndices(Operation *op, Value indices, int64_t vectorDim, ArrayRef<int64_t> map,
                           ArrayRef<int64_t> batching, int64_t rank) {
  auto type = cast<RankedTensorType>(indices.getType());
  if (vectorDim < 0 || vectorDim > type.getRank())
    return op->emitError() << op->getName().stripDialect() << ": index_vector_dim must be at most " << type.getRank()
                           << ", got: " << vectorDim;
  int64_t count = vectorDim == type.getRank() ? 1 : type.getDimSize(vectorDim);
  if (!ShapedType::isDynamic(count) && failed(checkCount(op, "the number of indices", map.size(), count)))
    return failure();
  if (failed(checkDims(op, "the dimensions of indices", map, rank)))
    return failure();
  return checkDims(op, "batching dimensions of indices", batching, type.getRank());
}

LogicalResult checkGather(Operation *op, stablehlo::GatherNumbersAttr numbers) {
  int64_t rank = rankOf(op->getOperand(0));
  SmallVector<int64_t> dropped(numbers.getCollapsedSliceDims());
  llvm::append_range(dropped, numbers.getOperandBatchingDims());
  if (failed(checkDims(op, "offset_dims", numbers.getOffsetDims(), rankOf(op->getResult(0)))) ||
      failed(checkDims(op, "collapsed and batching dimensions", dropped, rank)) ||
      failed(checkCount(op, "the number of offset_dims", numbers.getOffsetDims().size(), rank - dropped.size())) ||
      failed(checkCount(op, "the number of batching dimensions", numbers.getStartIndicesBatchingDims().size(),
                        numbers.getOperandBatchingDims().size())))
    return failure();
  return checkIndices(op, op->getOperand(1), numbers.getIndexVectorDim(), numbers.getStartIndexMap(),
                      numbers.getStartIndicesBatchingDims(), rank);
}

LogicalResult checkScatter(stablehlo::ScatterOp op) {
  stablehlo::ScatterNumbersAttr numbers = op.getScatterDimensionNumbers();
  if (op.getInputs().empty())
    return op->emitError() << "scatter: there must be an array, got: none";
  int64_t rank = rankOf(op.getInputs()[0]);
  SmallVector<int64_t> dropped(numbers.getInsertedWindowDims());
  llvm::append_range(dropped, numbers.getInputBatchingDims());
  if (failed(checkDims(op, "update_window_dims", numbers.getUpdateWindowDims(), rankOf(op.getUpdates()[0]))) ||
      failed(checkDims(op, "inserted and batching dimensions", dropped, rank)) ||
      failed(checkCount(op, "the number of update_window_dims", numbers.getUpdateWindowDims().size(),
                        rank - dropped.size())) ||
      failed(checkCount(op, "the number of batching dimensions", numbers.getScatterIndicesBatchingDims().size(),
                        numbers.getInputBatchingDims().size())))
    return failure();
  return checkIndices(op, op.getScatterIndices(), numbers.getIndexVectorDim(), numbers.getScatterDimsToOperandDims(),
                      numbers.getScatterIndicesBatchingDims(), rank);
}

/// Lists with a positive number for each dimension, if they are stated; of padding two of any sign.
LogicalResult checkWindows(Operation *op, ArrayRef<std::optional<ArrayRef<int64_t>>> lists,
                           std::optional<DenseIntElementsAttr> padding) {
  int64_t rank = rankOf(op->getOperand(0));
  for (std::optional<ArrayRef<int64_t>> list : lists)
    if (list && (static_cast<int64_t>(list->size()) != rank || llvm::any_of(*list, [](int64_t n) { return n < 1; })))
      return op->emitError() << op->getName().stripDialect() << ": windows must have " << rank
                             << " positive sizes, strides and dilations, got: [" << *list << ']';
  if (padding)
    return checkCount(op, "the number of paddings", padding->getType().getNumElements(), 2 * rank);
  return success();
}

/// The labels of the dimensions of arrays, each once; numbers of windows; and groups that divide what they are of.
template <typename Convolution>
LogicalResult checkConvolution(Convolution op) {
  stablehlo::ConvNumbersAttr numbers = op.getDimensionNumbers();
  int64_t rank = rankOf(op.getLhs()), spatial = rank - 2;
  for (auto [labels, x] : {std::pair(numbers.getLhs(), Value(op.getLhs())), std::pair(numbers.getRhs(), op.getRhs()),
                           std::pair(numbers.getAns(), Value(op.getResult()))}) {
    SmallVector<int64_t> sorted(labels), wanted{stablehlo::kBatch, stablehlo::kFeature};
    llvm::append_range(wanted, llvm::seq<int64_t>(0, std::max<int64_t>(spatial, 0)));
    llvm::sort(sorted);
    llvm::sort(wanted);
    if (spatial < 0 || rankOf(x) != rank || sorted != wanted)
      return op->emitError() << op->getName().stripDialect()
                             << ": dim_numbers must name each dimension of arrays of one "
                             << "rank once, got: " << numbers << " for " << x.getType();
  }
  for (std::optional<ArrayRef<int64_t>> list : {op.getWindowStrides(), op.getLhsDilation(), op.getRhsDilation()})
    if (list && (static_cast<int64_t>(list->size()) != spatial || llvm::any_of(*list, [](int64_t n) { return n < 1; })))
      return op->emitError() << op->getName().stripDialect() << ": windows must have " << spatial
                             << " positive strides and dilations, got: [" << *list << ']';
  if (op.getWindowReversal() &&
      failed(checkCount(op, "the number of window_reversal", op.getWindowReversal()->size(), spatial)))
    return failure();
  auto sizeOf = [&](ArrayRef<int64_t> labels, Value x, int64_t label) {
    return cast<RankedTensorType>(x.getType()).getDimSize(llvm::find(labels, label) - labels.begin());
  };
  int64_t features = op.getFeatureGroupCount(), batches = op.getBatchGroupCount();
  int64_t batch = sizeOf(numbers.getLhs(), op.getLhs(), stablehlo::kBatch);
  int64_t in = sizeOf(numbers.getLhs(), op.getLhs(), stablehlo::kFeature);
  int64_t out = sizeOf(numbers.getRhs(), op.getRhs(), stablehlo::kBatch);
  auto divides = [](int64_t count, int64_t size) { return ShapedType::isDynamic(size) || size % count == 0; };
  if (features < 1 || batches < 1 || (features > 1 && batches > 1) || !divides(features, in) ||
      !divides(batches, batch) || !divides(std::max(features, batches), out))
    return op->emitError() << op->getName().stripDialect()
                           << ": one of the numbers of groups may be greater than 1, and "
                           << "divides sizes, got: feature_group_count " << features << ", batch_group_count "
                           << batches;
  return success();
}

/// An integer that selects a branch.
LogicalResult checkSelector(Operation *op, bool isBool, unsigned branches) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (type.getRank() != 0 || !type.getElementType().isInteger(isBool ? 1 : 32))
    return op->emitError() << op->getName().stripDialect() << ": the index must be a scalar of "
                           << (isBool ? "i1" : "i32") << ", got: " << type;
  if (!branches)
    return op->emitError() << op->getName().stripDialect() << ": there must be a branch, got: none";
  for (Region &region : op->getRegions())
    if (region.getNumArguments())
      return op->emitError() << op->getName().stripDialect()
                             << ": branches must take no arguments, got: " << region.getNumArguments();
  return success();
}

bool isArray(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array && isa<IntegerType, FloatType, ComplexType>(array.getElementType());
}

} // namespace

LogicalResult checkTheirs(Operation *op) {
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (!isArray(type))
        return op->emitError() << op->getName().stripDialect()
                               << ": values must be arrays of integers, floats or complex numbers, got: " << type;
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](stablehlo::BroadcastInDimOp each) { return checkBroadcast(op, each.getBroadcastDimensions()); })
      .Case([&](stablehlo::DynamicBroadcastInDimOp each) {
        if (failed(checkVectors(op, each.getOutputDimensions(), rankOf(each.getResult()))))
          return failure();
        return checkBroadcast(op, each.getBroadcastDimensions());
      })
      .Case([&](stablehlo::DynamicReshapeOp each) {
        return checkVectors(op, each.getOutputShape(), rankOf(each.getResult()));
      })
      .Case([&](stablehlo::DynamicIotaOp each) {
        if (failed(checkVectors(op, each.getOutputShape(), rankOf(each.getResult()))))
          return failure();
        return checkDims(op, "iota_dimension", static_cast<int64_t>(each.getIotaDimension()), rankOf(each.getResult()));
      })
      .Case([&](stablehlo::DynamicPadOp each) {
        return checkVectors(op, op->getOperands().drop_front(2), rankOf(each.getOperand()));
      })
      .Case<stablehlo::GetDimensionSizeOp, stablehlo::SetDimensionSizeOp>([&](auto each) {
        return checkDims(op, "dimension", static_cast<int64_t>(each.getDimension()), rankOf(each.getOperand()));
      })
      .Case([&](stablehlo::RealDynamicSliceOp each) {
        return checkVectors(op, op->getOperands().drop_front(), rankOf(each.getOperand()));
      })
      .Case([&](stablehlo::GatherOp each) { return checkGather(op, each.getDimensionNumbers()); })
      .Case([&](stablehlo::DynamicGatherOp each) {
        if (failed(checkVectors(op, each.getSliceSizes(), rankOf(each.getOperand()))))
          return failure();
        return checkGather(op, each.getDimensionNumbers());
      })
      .Case([&](stablehlo::ScatterOp each) { return checkScatter(each); })
      .Case([&](stablehlo::ReduceWindowOp each) {
        if (each.getInputs().empty())
          return LogicalResult(op->emitError() << "reduce_window: there must be an array, got: none");
        return checkWindows(
            op,
            {each.getWindowDimensions(), each.getWindowStrides(), each.getBaseDilations(), each.getWindowDilations()},
            each.getPadding());
      })
      .Case([&](stablehlo::SelectAndScatterOp each) {
        return checkWindows(op, {each.getWindowDimensions(), each.getWindowStrides()}, each.getPadding());
      })
      .Case<stablehlo::MaxOp, stablehlo::MinOp, stablehlo::ClampOp, stablehlo::Atan2Op, stablehlo::CompareOp>(
          [&](auto) { return checkSameElements(op); })
      .Case([&](stablehlo::ConvolutionOp each) {
        if (each.getPadding() && failed(checkCount(op, "the number of paddings", each.getPadding()->getNumElements(),
                                                   2 * (rankOf(each.getLhs()) - 2))))
          return failure();
        return checkConvolution(each);
      })
      .Case([&](stablehlo::DynamicConvolutionOp each) {
        auto padding = cast<RankedTensorType>(each.getPadding().getType());
        if (!padding.hasStaticShape() || padding.getNumElements() != 2 * (rankOf(each.getLhs()) - 2))
          return LogicalResult(op->emitError()
                               << "dynamic_conv: there must be two numbers of padding for each dimension "
                                  "of a window, got: "
                               << padding);
        return checkConvolution(each);
      })
      .Case([&](stablehlo::IfOp) { return checkSelector(op, true, 2); })
      .Case([&](stablehlo::CaseOp each) { return checkSelector(op, false, each.getBranches().size()); })
      .Default(success());
}

} // namespace dovetail
