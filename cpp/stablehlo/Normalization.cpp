// Counterparts of batch normalization, which is a formula.
#include "Families.h"
#include "Importer.h"
#include "dialects/Pointwise.h"

using namespace mlir;

namespace dovetail {

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;

/// An array with a statistic for each feature, a slice along one dimension.
struct Features {
  Importer &e;
  Value x;
  int64_t dim;

  Value spread(Value statistic) const { return e.spread(statistic, {dim}, x); }
  Value sum(Value values) const {
    SmallVector<int64_t> others;
    for (int64_t d = 0; d < Algebra::typeOf(x).getRank(); ++d)
      if (d != dim)
        others.push_back(d);
    return others.empty() ? values : e.reduceSum(values, others);
  }
  double count() const {
    return static_cast<double>(Algebra::typeOf(x).getNumElements()) / std::max<int64_t>(Algebra::sizeOf(x, dim), 1);
  }
  Value mean(Value values) const { return e.scale(sum(values), 1 / count()); }
};

/// Checks the dimension of the features, and the vectors that belong to them.
LogicalResult check(Operation *op, int64_t dim, ValueRange vectors) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (dim < 0 || dim >= type.getRank() || !type.hasStaticShape() || !isa<FloatType>(type.getElementType()))
    return op->emitError() << op->getName().stripDialect()
                           << ": feature_index must be a dimension of an array of floats of known sizes, got: " << dim
                           << " of " << type;
  auto wanted = RankedTensorType::get({type.getDimSize(dim)}, type.getElementType());
  for (Value vector : vectors)
    if (vector.getType() != wanted)
      return op->emitError() << op->getName().stripDialect() << ": statistics must be " << wanted
                             << ", got: " << vector.getType();
  return success();
}

/// scale (x - mean) / sqrt(variance + epsilon) + offset
Value normalized(const Features &features, Value mean, Value variance, Value scale, Value offset, double epsilon) {
  Importer &e = features.e;
  Value factor = e.mul(scale, e.rsqrt(e.add(variance, epsilon)));
  Value centered = e.sub(features.x, features.spread(mean));
  return e.add(e.mul(centered, features.spread(factor)), features.spread(offset));
}

struct ImportInference : Import<ImportInference, stablehlo::BatchNormInferenceOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto norm = cast<stablehlo::BatchNormInferenceOp>(op);
    int64_t dim = norm.getFeatureIndex();
    if (failed(check(op, dim, op->getOperands().drop_front())))
      return failure();
    results.push_back(normalized({e, norm.getOperand(), dim}, norm.getMean(), norm.getVariance(), norm.getScale(),
                                 norm.getOffset(), norm.getEpsilon().convertToFloat()));
    return success();
  }
};

struct ImportTraining : Import<ImportTraining, stablehlo::BatchNormTrainingOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto norm = cast<stablehlo::BatchNormTrainingOp>(op);
    int64_t dim = norm.getFeatureIndex();
    if (failed(check(op, dim, op->getOperands().drop_front())))
      return failure();
    Features features{e, norm.getOperand(), dim};
    Value mean = features.mean(features.x), centered = e.sub(features.x, features.spread(mean));
    Value variance = features.mean(e.mul(centered, centered));
    results.append(
        {normalized(features, mean, variance, norm.getScale(), norm.getOffset(), norm.getEpsilon().convertToFloat()),
         mean, variance});
    return success();
  }
};

struct ImportGrad : Import<ImportGrad, stablehlo::BatchNormGradOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto norm = cast<stablehlo::BatchNormGradOp>(op);
    int64_t dim = norm.getFeatureIndex();
    Value cotangent = norm.getGradOutput();
    if (failed(check(op, dim, op->getOperands().slice(1, 3))))
      return failure();
    if (cotangent.getType() != op->getOperand(0).getType())
      return op->emitError() << "batch_norm_grad: the gradient must be " << op->getOperand(0).getType()
                             << ", got: " << cotangent.getType();
    Features features{e, norm.getOperand(), dim};
    Value centered = e.sub(features.x, features.spread(norm.getMean()));
    Value inverse = e.rsqrt(e.add(norm.getVariance(), norm.getEpsilon().convertToFloat()));
    Value overlap = features.sum(e.mul(cotangent, centered)), total = features.sum(cotangent);
    double share = 1 / features.count();
    Value along = e.scale(e.mul(overlap, e.mul(inverse, inverse)), share);
    Value rest = e.sub(cotangent, features.spread(e.scale(total, share)));
    rest = e.sub(rest, e.mul(centered, features.spread(along)));
    results.append({e.mul(rest, features.spread(e.mul(norm.getScale(), inverse))), e.mul(overlap, inverse), total});
    return success();
  }
};

} // namespace

void attachNormalizationCounterparts(MLIRContext *c) {
  stablehlo::BatchNormInferenceOp::attachInterface<ImportInference>(*c);
  stablehlo::BatchNormTrainingOp::attachInterface<ImportTraining>(*c);
  stablehlo::BatchNormGradOp::attachInterface<ImportGrad>(*c);
}

} // namespace dovetail
