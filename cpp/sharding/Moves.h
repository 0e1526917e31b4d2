// The cheapest moves of an array's parts from one sharding to another.
#ifndef DOVETAIL_SHARDING_MOVES_H
#define DOVETAIL_SHARDING_MOVES_H

#include "Shardings.h"

namespace dovetail {

enum class MoveKind {
  /// Each device takes its part along a dimension of what it has.
  Slice,
  /// Each device gets all parts along a dimension.
  Gather,
  /// Parts along one dimension become parts along another.
  Exchange,
  /// Each device gets the part of one device.
  Permute,
};

struct Move {
  MoveKind kind;
  /// The axes of each dimension before it.
  AxesOfEach before;
  int64_t dim = -1;
  Axes axes = {};
  /// The size of that dimension afterwards.
  int64_t size = 0;
  /// Of an exchange: the dimension that is divided afterwards.
  int64_t to = -1;
  /// Of a permutation: the axes of each dimension afterwards.
  AxesOfEach after = {};
};

/// The moves for which a device receives the fewest bytes while it never has more than at both ends, and of these the
/// fewest moves; if there are none or too many ways, and of arrays of unknown sizes, those found without a search. One
/// collective is taken if it does, even if others would move less padding.
llvm::SmallVector<Move> movesBetween(mlir::RankedTensorType type, ShardingAttr from, ShardingAttr to);

/// The bytes that a device receives in a move.
double bytesOf(mlir::RankedTensorType type, MeshAttr mesh, const Move &move);

/// The devices along some axes of a mesh that send their part in a permutation, and those that get it.
struct Routes {
  Axes axes;
  llvm::SmallVector<int64_t> sources, targets;
};
Routes routesOf(MeshAttr mesh, const Move &move);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_MOVES_H
