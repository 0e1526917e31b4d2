// Updates of rows of an array by the threads of a GPU.
#ifndef DOVETAIL_DISPATCH_ROWUPDATES_H
#define DOVETAIL_DISPATCH_ROWUPDATES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// What becomes of an element of an array.
struct RowUpdate {
  /// Where several updates are of one row, the last replaces it.
  enum Kind { Replace, Add, Step };
  Kind kind;
  /// Whether no two updates are of one element.
  bool isUnique;
  /// Distinguishes steps; `step` gives the new element.
  llvm::StringRef name;
  llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value old, mlir::Value update)> step;
};

/// Whether threads can make such updates: those of one element need an atomic instruction of the target.
bool mayUpdateInThreads(mlir::ImplicitLocOpBuilder &b, const RowUpdate &update, mlir::Type element);

/// `x`, an array of `numRows` rows of `perRow` elements, changed by each of `updates` along their first dimension, from
/// the row on whose number `rows` has, a vector of i32 or i64; those with negative numbers are dropped. Unless no two
/// are of one element, each is of one row. A thread updates an element. Sums and products of floats depend on the order
/// of the threads, as far as they round.
mlir::Value updateRowsInThreads(mlir::ImplicitLocOpBuilder &b, const RowUpdate &update, mlir::Value x, mlir::Value rows,
                                mlir::Value updates, mlir::OpFoldResult numRows, mlir::OpFoldResult perRow);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_ROWUPDATES_H
