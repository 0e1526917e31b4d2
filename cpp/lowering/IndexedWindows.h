// Reads and updates windows at given indices by sequential loops over slices.
#ifndef DOVETAIL_LOWERING_INDEXEDWINDOWS_H
#define DOVETAIL_LOWERING_INDEXEDWINDOWS_H

#include "Lowering.h"

namespace dovetail {

/// Marks a gather whose windows are known to be within the array: one of them is a view of it.
constexpr llvm::StringLiteral kWithin = "dovetail.within";

/// Windows of `x` with the sizes in `window` along `dims`, and full size along the others: each begins, along `dims`,
/// at the numbers of one vector along the last dimension of `indices`, whose dialect element type is `indexElement`.
struct IndexedWindows {
  mlir::Value x, indices;
  llvm::ArrayRef<int64_t> dims, window;
  mlir::Type indexElement;
  /// Whether all of them are known to be within `x`.
  bool areWithin = false;

  /// Returns true if `readWindows` supports these windows and is faster than reading element by element.
  bool areForSlices() const;
};

/// The windows, with the dimensions of `indices` except the last in front; one that is not wholly within `x` is zeros.
mlir::Value readWindows(mlir::ImplicitLocOpBuilder &b, const IndexedWindows &windows);

/// `x` with each window within it, one after the other, replaced by the result of `step` on its elements and those of
/// `updates`, which has the windows in the form that `readWindows` returns.
mlir::Value
updateWindows(mlir::ImplicitLocOpBuilder &b, const IndexedWindows &windows, mlir::Value updates,
              llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Value)> step);

/// A number of dialect element type `element` as an index, in scalar code.
mlir::Value indexOf(mlir::ImplicitLocOpBuilder &b, mlir::Value number, mlir::Type element);
/// True if 0 <= start <= last.
mlir::Value isWithin(mlir::ImplicitLocOpBuilder &b, mlir::Value start, mlir::Value last);
/// The last index at which a window still fits, along each of `dims`.
llvm::SmallVector<mlir::Value> lastStarts(mlir::ImplicitLocOpBuilder &b, mlir::Value x, llvm::ArrayRef<int64_t> dims,
                                          llvm::ArrayRef<int64_t> window);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_INDEXEDWINDOWS_H
