// Windows that are rows of an array, or parts of some.
#ifndef DOVETAIL_LOWERING_INDEXEDROWS_H
#define DOVETAIL_LOWERING_INDEXEDROWS_H

#include "IndexedWindows.h"

namespace dovetail {

/// Indexed windows, for loops over them, then over the elements of a window along `spread`: each step is for all
/// elements along `whole`. If the dimensions in `indexed` are first, these are a row.
struct IndexedRows {
  mlir::ImplicitLocOpBuilder &b;
  mlir::Value x, indices;
  llvm::SmallVector<int64_t> dims, window;
  mlir::Type indexElement;
  int64_t numIndexed;
  /// The dimensions of `x` along which windows have less than full size; those of them along which they have several
  /// elements; and those of full size.
  llvm::SmallVector<int64_t> indexed, spread, whole;

  /// With `updates`, the windows are changed: where they are a small part of the array, it is changed element by
  /// element rather than transposed, so that the dimensions in `indexed` are first.
  IndexedRows(mlir::ImplicitLocOpBuilder &b, const IndexedWindows &windows, mlir::Value updates = {});

  mlir::RankedTensorType xType() const { return llvm::cast<mlir::RankedTensorType>(x.getType()); }
  /// The size of a window along one of `indexed`.
  int64_t windowSize(int64_t dim) const;
  llvm::SmallVector<mlir::OpFoldResult> loopSizes();
  /// The position along `dim` of the elements of these loops.
  mlir::Value placeAlong(mlir::ImplicitLocOpBuilder &body, int64_t dim);
  /// Whether the window of these loops is within the array, given its last starts.
  mlir::Value isInside(mlir::ImplicitLocOpBuilder &body, llvm::ArrayRef<mlir::Value> last);

  /// For each step of the loops the number of its row, or -1 where the window is not within the array.
  mlir::Value rows(mlir::IntegerType type);
  /// How many rows the array has.
  mlir::OpFoldResult numRows();
  /// The size of a row.
  mlir::OpFoldResult rowElements();
  mlir::OpFoldResult rowBytes();
  /// That in bytes, an assumed one if it is not known; and of the part of a window that follows in memory.
  int64_t assumedRowBytes() const;
  int64_t assumedUpdateBytes() const;
  /// Whether each window is rows that follow each other.
  bool hasContiguousWindows() const;
  /// Whether the dimensions in `indexed` are first.
  bool hasRows() const { return llvm::equal(indexed, llvm::seq<int64_t>(0, indexed.size())); }

private:
  /// Gives `indexed` all dimensions before its last one, unless the updates are a large part of the array.
  void avoidTransposition(mlir::Value updates);
  /// The start of the window of these loops along `dims[i]`.
  mlir::Value startAt(mlir::ImplicitLocOpBuilder &body, int64_t i);
};

} // namespace dovetail

#endif // DOVETAIL_LOWERING_INDEXEDROWS_H
