// Reductions over sliding windows.
#ifndef DOVETAIL_WINDOW_H
#define DOVETAIL_WINDOW_H

#include "Dialect.h"

namespace dovetail {

/// Sliding windows; the vectors have one entry for each dimension of the array. A window's size may be kDynamic if only
/// types are computed.
struct Windows {
  llvm::SmallVector<int64_t> window, strides, dilations;

  /// The number of windows that fit in `size` elements along a dimension.
  int64_t count(int64_t size, int64_t dimension) const;
  mlir::Value count(Emitter &e, mlir::Value size, int64_t dimension) const;
  /// Returns true if each element along the dimension is a window by itself.
  bool isWhole(int64_t dimension) const { return window[dimension] == 1 && strides[dimension] == 1; }

  Windows batched(int64_t position) const;
  /// The factor map of an op whose operands and result are all like `x`, except for the dimensions along which windows
  /// slide.
  FactorMap factorMap(mlir::Operation *op) const;

  /// `x`, which has one element for each window over an array of type `whole` whose size along dimension d is
  /// `size(d)`, spread by the strides and surrounded by `nothing`, such that there is one window of stride 1 over it
  /// for each element of the array.
  mlir::Value spread(Emitter &e, mlir::Value x, mlir::Value nothing, llvm::ArrayRef<int64_t> whole,
                     llvm::function_ref<mlir::Value(int64_t)> size) const;
};

/// The windows of an op, or of an op under construction.
template <typename Op>
Windows windowsOf(Op op) {
  return {llvm::SmallVector<int64_t>(op.getWindow()), llvm::SmallVector<int64_t>(op.getStrides()),
          llvm::SmallVector<int64_t>(op.getDilations())};
}

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Window.h.inc"

#endif // DOVETAIL_WINDOW_H
