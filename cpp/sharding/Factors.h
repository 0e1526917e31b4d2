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
  /// A part of what an op computes that needs no array of the others: an axis divides at most one of its factors.
  struct Share {
    llvm::SmallVector<int64_t> factors;
    /// The indices of its operands and results.
    llvm::SmallVector<unsigned> operands, results;
  };

  llvm::SmallVector<Share> shares() const;
  /// Sets the axes of the factors of a share, which have none.
  void choose(const Share &share, AxesOfEach &axes) const;
  double cost(llvm::ArrayRef<Axes> axes, const Share &share) const;
};

} // namespace dovetail

#endif // DOVETAIL_SHARDING_FACTORS_H
