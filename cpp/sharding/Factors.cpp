// The axes along which devices divide the factors of an op.
#include "Factors.h"
#include "Reshard.h"
#include "cpp/cost/AssumedSize.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;

namespace dovetail {

/// The time of a multiplication, in bytes that are received from another device.
static constexpr double kBytesPerStep = 0.05;
/// The number of combinations up to which all are compared.
static constexpr int64_t kMostCombinations = 1024;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

SmallVector<Factors::Share> Factors::shares() const {
  llvm::IntEqClasses sets(numFactors(map));
  // What is reduced may be in no result, so that arrays do not show what it is computed with.
  bool isOne = !map.reduced.empty() || !map.selected.empty();
  for (int64_t factor = 1; isOne && factor < numFactors(map); ++factor)
    sets.join(0, factor);
  auto joined = [](ArrayRef<int64_t> dims) {
    return llvm::make_filter_range(dims, [](int64_t factor) { return factor != FactorMap::kNone; });
  };
  for (const auto *values : {&map.operands, &map.results})
    for (ArrayRef<int64_t> dims : *values)
      for (int64_t factor : joined(dims))
        sets.join(*joined(dims).begin(), factor);
  sets.compress();
  SmallVector<Share> shares(sets.getNumClasses());
  for (int64_t factor = 0; factor < numFactors(map); ++factor)
    shares[sets[factor]].factors.push_back(factor);
  // Arrays without factors cost the same in any case.
  for (auto [values, indices] : {std::pair(&map.operands, &Share::operands), std::pair(&map.results, &Share::results)})
    for (auto [i, dims] : llvm::enumerate(*values))
      if (!joined(dims).empty())
        (shares[sets[*joined(dims).begin()]].*indices).push_back(i);
      else if (shares.size() == 1)
        (shares[0].*indices).push_back(i);
  return shares;
}

double Factors::cost(ArrayRef<Axes> axes, const Share &share) const {
  double bytes = 0;
  SmallVector<double> sizes(axes.size(), 1);
  for (unsigned i : share.operands) {
    Value operand = op->getOperand(i);
    ArrayRef<int64_t> dims = map.operands[i];
    if (ShardingAttr have = operands[i])
      bytes += reshardCost(typeOf(operand), have, shardingOf(mesh, dims, axes));
    for (auto [d, factor] : llvm::enumerate(dims))
      if (factor != FactorMap::kNone && !llvm::is_contained(map.selected, factor))
        sizes[factor] = assumedSize(typeOf(operand).getDimSize(d));
  }
  Axes combined;
  for (const auto *factors : {&map.reduced, &map.selected})
    for (int64_t factor : *factors)
      llvm::append_range(combined, axes[factor]);
  for (unsigned i : share.results) {
    Value result = op->getResult(i);
    ShardingAttr wanted = results[i];
    ArrayRef<int64_t> dims = map.results[i];
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
  double steps = stepsOver(share.factors);
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
  AxesOfEach axes(numFactors(map));
  for (const Share &share : shares())
    choose(share, axes);
  return axes;
}

void Factors::choose(const Share &share, AxesOfEach &best) const {
  // What each factor may have; first nothing.
  DenseMap<int64_t, SmallVector<Axes>> candidates;
  for (int64_t factor : share.factors)
    candidates[factor].emplace_back();
  auto collect = [&](ShardingAttr sharding, ArrayRef<int64_t> dims) {
    if (!sharding)
      return;
    AxesOfEach axes = axesOf(sharding);
    for (auto [factor, ofDim] : llvm::zip_equal(dims, axes))
      if (!ofDim.empty() && canDivide(mesh, op, map, factor, ofDim) && !llvm::is_contained(candidates[factor], ofDim) &&
          llvm::none_of(ofDim, [&](AxisRefAttr axis) { return llvm::is_contained(terms, axis); }))
        candidates[factor].push_back(ofDim);
  };
  for (unsigned i : share.results)
    collect(results[i], map.results[i]);
  for (unsigned i : share.operands)
    collect(operands[i], map.operands[i]);
  int64_t combinations = 1;
  for (int64_t factor : share.factors)
    combinations = std::min(kMostCombinations + 1, combinations * static_cast<int64_t>(candidates[factor].size()));
  // With too many, the first that is free, which is that of the result.
  bool isExhaustive = combinations <= kMostCombinations;
  AxesOfEach axes(best);
  double least = cost(best, share);
  auto isFree = [&](const Axes &wanted, ArrayRef<int64_t> before) {
    return llvm::none_of(before, [&](int64_t factor) {
      return llvm::any_of(wanted, [&](AxisRefAttr axis) { return llvm::is_contained(axes[factor], axis); });
    });
  };
  std::function<void(unsigned)> chooseFrom = [&](unsigned position) {
    if (position == share.factors.size()) {
      if (double found = cost(axes, share); found < least) {
        least = found;
        best = axes;
      }
      return;
    }
    int64_t factor = share.factors[position];
    for (const Axes &candidate : llvm::reverse(candidates[factor])) {
      if (!isFree(candidate, ArrayRef(share.factors).take_front(position)))
        continue;
      axes[factor] = candidate;
      chooseFrom(position + 1);
      if (!isExhaustive)
        break;
    }
    axes[factor].clear();
  };
  chooseFrom(0);
}

} // namespace dovetail
