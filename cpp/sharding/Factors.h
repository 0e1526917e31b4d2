// The axes along which devices divide the factors of an op.
#ifndef DOVETAIL_SHARDING_FACTORS_H
#define DOVETAIL_SHARDING_FACTORS_H

#include "Shardings.h"

namespace dovetail {

/// An op with the shardings that its operands have, null for those that cost nothing to make in any, and those that
/// are wanted of its results, null for those that are no arrays.
struct Factors {
  MeshAttr mesh;
  mlir::Operation *op;
  const FactorMap &map;
  llvm::SmallVector<ShardingAttr> operands, results;
  /// Axes over which operands are terms of sums: they divide nothing.
  Axes terms = {};

  /// The axes of each factor for which the fewest bytes move. Those that a factor may have are those of a dimension
  /// that runs over it.
  AxesOfEach chosen() const;

private:
  double cost(llvm::ArrayRef<Axes> axes) const;
};

} // namespace dovetail

#endif // DOVETAIL_SHARDING_FACTORS_H
