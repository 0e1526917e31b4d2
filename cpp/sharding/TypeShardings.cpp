// Infers the shardings of results from the factor maps of ops.
#include "TypeShardings.h"
#include "TypeRules.h"
#include "TypeSums.h"
#include "dialects/HostFunction.h"

using namespace mlir;

namespace dovetail {

namespace {

class Inference {
public:
  Inference(Operation *op, ArrayRef<ShardingAttr> shardings)
      : op(op), rule(dyn_cast<TypeRuleOpInterface>(op)), isOnHost(op->hasTrait<HostOnly>()), operands(op, shardings) {
    for (Value result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      results.emplace_back(type ? type.getRank() : 0);
    }
  }

  FailureOr<SmallVector<ShardingAttr>> run();

private:
  LogicalResult infer();
  /// Gives factors the axes of the dimensions that run over them.
  LogicalResult joinFactors(const FactorMap &map);
  /// An axis divides one dimension of an array at most.
  LogicalResult checkDistinct();

  Operation *op;
  /// Null if the op has none.
  TypeRuleOpInterface rule;
  /// Functions on the host get whole arrays, but along dimensions of which they take parts.
  bool isOnHost;
  TypedOperands operands;
  AxesOfEach factors;
  SmallVector<AxesOfEach> results;
};

} // namespace

LogicalResult Inference::joinFactors(const FactorMap &map) {
  SmallVector<unsigned> source(numFactors(map));
  factors.resize(source.size());
  for (auto [i, dims] : llvm::enumerate(map.operands))
    for (auto [d, factor] : llvm::enumerate(dims)) {
      const Axes &axes = operands.axes[i][d];
      if (axes.empty())
        continue;
      bool isReduced = llvm::is_contained(map.reduced, factor) && !llvm::is_contained(map.indivisible, factor);
      if (!isReduced && !map.isDivisible(factor)) {
        if (isOnHost)
          continue;
        if (failed(rule ? rule.carry(operands, i, d, results[0]) : reportWhole(operands, i)))
          return failure();
      } else if (factors[factor].empty()) {
        factors[factor] = axes;
        source[factor] = i;
      } else if (factors[factor] != axes) {
        return rule ? rule.reportConflict(operands, source[factor], i, isReduced)
                    : reportUnequal(operands, source[factor], i);
      } else if (isReduced && rule && failed(rule.checkReduced(operands))) {
        return failure();
      }
    }
  return success();
}

LogicalResult Inference::checkDistinct() {
  for (auto [result, dims] : llvm::zip_equal(op->getResults(), results)) {
    SmallVector<AxisRefAttr> seen;
    for (const Axes &axes : dims)
      for (AxisRefAttr axis : axes) {
        if (!llvm::is_contained(seen, axis)) {
          seen.push_back(axis);
          continue;
        }
        std::string inputs;
        for (auto [i, operand] : llvm::enumerate(op->getOperands()))
          if (isa<RankedTensorType>(operand.getType()))
            inputs += (inputs.empty() ? "" : ", ") + operands.text(i);
        return op->emitError() << operands.name() << " operation with inputs: " << inputs
                               << " produces an illegally sharded result: "
                               << typeText(cast<RankedTensorType>(result.getType()), dims);
      }
  }
  return success();
}

LogicalResult Inference::infer() {
  FailureOr<bool> isDecided = rule ? rule.decide(operands, results[0]) : false;
  if (failed(isDecided))
    return failure();
  if (*isDecided)
    return checkDistinct();
  std::optional<FactorMap> map = factorMap(op);
  if (!map && op->getNumResults() && !isOnHost)
    return op->emitError()
           << "sharding rule for " << operands.name()
           << " is not implemented. You can work around this error by dropping that operation into full auto sharding "
              "mode via: `dovetail.sharding.auto_axes(fun, out_sharding=...)`";
  if (!map)
    return success();
  if (failed(joinFactors(*map)))
    return failure();
  for (auto [dims, axes] : llvm::zip_equal(map->results, results))
    for (auto [d, factor] : llvm::enumerate(dims))
      if (factor != FactorMap::kNone && !factors[factor].empty())
        axes[d] = factors[factor];
  return checkDistinct();
}

FailureOr<SmallVector<ShardingAttr>> Inference::run() {
  if (!operands.mesh)
    return SmallVector<ShardingAttr>(op->getNumResults());
  if (failed(infer()))
    return failure();
  FailureOr<Sums> sums = inferSums(operands);
  if (failed(sums))
    return failure();
  return llvm::map_to_vector(results, [&](const AxesOfEach &dims) {
    return withSums(shardingOf(operands.mesh, dims), sums->reduced, sums->unreduced);
  });
}

FailureOr<SmallVector<ShardingAttr>> typeShardings(Operation *op, ArrayRef<ShardingAttr> operands) {
  return Inference(op, operands).run();
}

} // namespace dovetail
