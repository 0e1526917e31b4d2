// The axes along which devices divide the factors of an op.
#include "Factors.h"
#include "Reshard.h"
#include "cpp/cost/AssumedSize.h"

using namespace mlir;

namespace dovetail {

/// The time of a multiplication, in bytes that are received from another device.
static constexpr double kBytesPerStep = 0.05;
/// The number of combinations up to which all are compared.
static constexpr int64_t kMostCombinations = 1024;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

double Factors::cost(ArrayRef<Axes> axes) const {
  double bytes = 0;
  SmallVector<double> sizes(axes.size(), 1);
  for (auto [operand, have, dims] : llvm::zip_equal(op->getOperands(), operands, map.operands)) {
    if (have)
      bytes += reshardCost(typeOf(operand), have, shardingOf(mesh, dims, axes));
    for (auto [d, factor] : llvm::enumerate(dims))
      if (factor != FactorMap::kNone && !llvm::is_contained(map.selected, factor))
        sizes[factor] = assumedSize(typeOf(operand).getDimSize(d));
  }
  Axes combined;
  for (const auto *factors : {&map.reduced, &map.selected})
    for (int64_t factor : *factors)
      llvm::append_range(combined, axes[factor]);
  for (auto [result, wanted, dims] : llvm::zip_equal(op->getResults(), results, map.results)) {
    if (!wanted)
      continue;
    ShardingAttr given = shardingOf(mesh, dims, axes);
    bool isScattered =
        map.combiner == FactorMap::Combiner::Sum && scatteredDim(typeOf(result), given, wanted, combined);
    // A device receives from the others all but its share of the terms, and of the sums if it needs them all.
    double others = 1 - 1.0 / mesh.sizeOf(combined);
    // What is wanted are terms.
    bool isLeft =
        llvm::all_of(combined, [&](AxisRefAttr axis) { return llvm::is_contained(wanted.getUnreduced(), axis); });
    if (!isLeft)
      bytes += bytesOf(typeOf(result), given) * (isScattered ? others : 2 * others);
    if (combined.empty() || !isScattered)
      bytes += reshardCost(typeOf(result), given, wanted);
    for (auto [d, factor] : llvm::enumerate(dims))
      if (factor != FactorMap::kNone)
        sizes[factor] = assumedSize(typeOf(result).getDimSize(d));
  }
  auto stepsOver = [&](auto &&factors) {
    double steps = 1;
    for (int64_t factor : factors)
      if (factor != FactorMap::kNone)
        steps *= std::max(1.0, sizes[factor] / mesh.sizeOf(axes[factor]));
    return steps;
  };
  double steps = stepsOver(llvm::seq<int64_t>(0, sizes.size()));
  // What is applied one after the other to some elements of the result is no loop over all of them.
  if (llvm::any_of(map.reduced, [&](int64_t factor) { return llvm::is_contained(map.indivisible, factor); })) {
    steps = 0;
    for (const auto *values : {&map.operands, &map.results})
      for (ArrayRef<int64_t> dims : *values)
        steps = std::max(steps, stepsOver(dims));
  }
  return bytes + kBytesPerStep * steps;
}

AxesOfEach Factors::chosen() const {
  int64_t count = numFactors(map);
  // What each factor may have; first nothing.
  SmallVector<SmallVector<Axes>> candidates(count, {Axes()});
  auto collect = [&](ArrayRef<ShardingAttr> shardings, ArrayRef<SmallVector<int64_t>> dimsOf) {
    for (auto [sharding, dims] : llvm::zip_equal(shardings, dimsOf)) {
      if (!sharding)
        continue;
      AxesOfEach axes = axesOf(sharding);
      for (auto [factor, ofDim] : llvm::zip_equal(dims, axes))
        if (!ofDim.empty() && canDivide(mesh, op, map, factor, ofDim) &&
            !llvm::is_contained(candidates[factor], ofDim) &&
            llvm::none_of(ofDim, [&](AxisRefAttr axis) { return llvm::is_contained(terms, axis); }))
          candidates[factor].push_back(ofDim);
    }
  };
  collect(results, map.results);
  collect(operands, map.operands);
  int64_t combinations = 1;
  for (ArrayRef<Axes> ofFactor : candidates)
    combinations = std::min(kMostCombinations + 1, combinations * static_cast<int64_t>(ofFactor.size()));
  AxesOfEach axes(count), best(count);
  double least = cost(best);
  auto isFree = [&](const Axes &wanted, int64_t before) {
    return llvm::none_of(ArrayRef(axes).take_front(before), [&](const Axes &used) {
      return llvm::any_of(wanted, [&](AxisRefAttr axis) { return llvm::is_contained(used, axis); });
    });
  };
  std::function<void(int64_t)> choose = [&](int64_t factor) {
    if (factor == count) {
      if (double found = cost(axes); found < least) {
        least = found;
        best = axes;
      }
      return;
    }
    // With too many, the first that is free, which is that of the result.
    bool isExhaustive = combinations <= kMostCombinations;
    for (const Axes &candidate : llvm::reverse(candidates[factor])) {
      if (!isFree(candidate, factor))
        continue;
      axes[factor] = candidate;
      choose(factor + 1);
      if (!isExhaustive)
        break;
    }
    axes[factor].clear();
  };
  choose(0);
  return best;
}

} // namespace dovetail
