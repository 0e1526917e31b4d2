// Slices with steps, and windows at known places that are together one.
#ifndef DOVETAIL_LOWERING_SLICES_H
#define DOVETAIL_LOWERING_SLICES_H

#include "Lowering.h"

namespace dovetail {

/// The elements of `x` from `starts` on, `sizes` of them, `strides` apart: of the sizes and shape of `type`.
mlir::Value sliceOf(mlir::ImplicitLocOpBuilder &b, mlir::Value x, llvm::ArrayRef<int64_t> starts,
                    llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                    mlir::RankedTensorType type);

/// Windows of an array, none of which overlap, that are a slice of it.
struct SliceOfWindows {
  /// By dimension of the array.
  llvm::SmallVector<int64_t> starts, strides, shape;
  /// The dimensions of the windows put together that become each dimension of the array; the others have size 1, and
  /// are the first ones of the first group.
  llvm::SmallVector<mlir::ReassociationIndices> groups;

  /// `indices` are those of a gather or a scatter in the dialect, for an array of this type. Nothing, if it is not
  /// known where windows are, if they are no slice, or if one is not within the array.
  static std::optional<SliceOfWindows> find(mlir::Value indices, llvm::ArrayRef<int64_t> dims,
                                            llvm::ArrayRef<int64_t> window, mlir::RankedTensorType array);

  /// Whether the elements of each dimension follow each other.
  bool isContiguous() const {
    return llvm::all_of(strides, [](int64_t stride) { return stride == 1; });
  }
  /// The slice, of windows put together.
  mlir::Value sliceFrom(mlir::ImplicitLocOpBuilder &b, mlir::Value windows) const;
  /// The windows, whose shape is that of `type`.
  mlir::Value windowsFrom(mlir::ImplicitLocOpBuilder &b, mlir::Value slice, mlir::RankedTensorType type) const;
  /// The slice of the array.
  mlir::Value read(mlir::ImplicitLocOpBuilder &b, mlir::Value array) const;
  /// The array with that slice instead of its own.
  mlir::Value write(mlir::ImplicitLocOpBuilder &b, mlir::Value slice, mlir::Value array) const;
};

} // namespace dovetail

#endif // DOVETAIL_LOWERING_SLICES_H
