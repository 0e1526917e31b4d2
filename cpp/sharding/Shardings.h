// Shardings of values and factors, and their cost.
#ifndef DOVETAIL_SHARDING_SHARDINGS_H
#define DOVETAIL_SHARDING_SHARDINGS_H

#include "dialects/Collective.h"
#include "dialects/Dialect.h"

namespace dovetail {

/// The sharding of an argument or a result of a function.
constexpr llvm::StringLiteral kSharding = "dovetail.sharding";
/// The shardings of an op's results.
constexpr llvm::StringLiteral kShardings = "dovetail.shardings";
/// The shardings of the arguments of each of an op's bodies.
constexpr llvm::StringLiteral kArgumentShardings = "dovetail.argument_shardings";

/// The axes over which a dimension or a factor is divided, from major to minor.
using Axes = llvm::SmallVector<AxisRefAttr, 2>;
/// The axes of each factor of an op, or of each dimension of an array.
using AxesOfEach = llvm::SmallVector<Axes>;

/// Whether `axes` begin with `prefix`.
bool startsWith(llvm::ArrayRef<AxisRefAttr> axes, llvm::ArrayRef<AxisRefAttr> prefix);
/// The axes with which both begin.
llvm::ArrayRef<AxisRefAttr> commonPrefix(llvm::ArrayRef<AxisRefAttr> a, llvm::ArrayRef<AxisRefAttr> b);

AxesOfEach axesOf(ShardingAttr sharding);
/// The sharding with these axes of each dimension, all closed.
ShardingAttr shardingOf(MeshAttr mesh, llvm::ArrayRef<Axes> dims);
/// The same, over further axes of which devices hold terms of its cotangent, `replicated`, or of itself, `unreduced`.
ShardingAttr withSums(ShardingAttr sharding, llvm::ArrayRef<AxisRefAttr> replicated,
                      llvm::ArrayRef<AxisRefAttr> unreduced);
/// Whether an array is divided, or a sum left to do, over some of these axes.
bool isOver(ShardingAttr sharding, llvm::ArrayRef<AxisRefAttr> axes);
/// The whole axes of these names.
Axes wholeAxes(llvm::ArrayRef<mlir::StringAttr> names);
/// The same; none if there is no list.
Axes wholeAxes(mlir::ArrayAttr names);
/// The names of axes, as collectives take them.
mlir::ArrayAttr namesOf(mlir::MLIRContext *context, llvm::ArrayRef<AxisRefAttr> axes);
llvm::SmallVector<int64_t> sizesOf(MeshAttr mesh, llvm::ArrayRef<AxisRefAttr> axes);

/// The sharding of an array that every device has as a whole; null for another type.
ShardingAttr replicatedAs(MeshAttr mesh, mlir::Type type);
/// The type of a device's part.
mlir::Type localType(mlir::Type type, ShardingAttr sharding);

/// Whether a dimension of this size is divided into equal parts. Otherwise each is as long as the first, and padded.
bool isEven(MeshAttr mesh, int64_t size, llvm::ArrayRef<AxisRefAttr> axes);
/// The sharding without axes over which a dimension cannot be divided: it has no or an unknown size, or they are parts
/// of axes, over which there are no collectives. Sums that are left to do stay.
ShardingAttr dividing(ShardingAttr sharding, mlir::RankedTensorType type);

/// The sharding over the axes of each dimension up to the first one that does not divide it into equal parts.
ShardingAttr withEqualParts(ShardingAttr sharding, mlir::RankedTensorType type);

/// The number of factors, which are numbered from 0.
int64_t numFactors(const FactorMap &map);
/// The sharding of an array whose dimensions run over `factors`.
ShardingAttr shardingOf(MeshAttr mesh, llvm::ArrayRef<int64_t> factors, llvm::ArrayRef<Axes> axesOfFactors);

/// Whether devices can compute parts of a factor, of some sizes.
bool isDivisible(mlir::Operation *op, const FactorMap &map, int64_t factor);
/// The size that all dimensions of a factor have; none if these differ or are unknown.
std::optional<int64_t> sizeOfFactor(mlir::Operation *op, const FactorMap &map, int64_t factor);
/// Whether devices along these axes can compute parts of a factor.
bool canDivide(MeshAttr mesh, mlir::Operation *op, const FactorMap &map, int64_t factor,
               llvm::ArrayRef<AxisRefAttr> axes);

/// The size of a part in bytes.
double bytesOf(mlir::RankedTensorType type, ShardingAttr sharding);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_SHARDINGS_H
