// A convolution of two values, and the order of dimensions in which the code generator tiles it.
#ifndef DOVETAIL_LOWERING_CONVOLUTION_H
#define DOVETAIL_LOWERING_CONVOLUTION_H

#include "Lowering.h"

namespace dovetail {

inline int64_t placeOf(llvm::ArrayRef<int64_t> labels, int64_t label) {
  return llvm::find(labels, label) - labels.begin();
}

/// A convolution of two values; dimensions have labels.
struct Convolution {
  using Dims = llvm::SmallVector<int64_t>;

  mlir::ImplicitLocOpBuilder &b;
  mlir::Value lhs, rhs;
  Dims lhsDims, rhsDims, ansDims, windows, strides, dilations;

  static bool isIn(llvm::ArrayRef<int64_t> labels, int64_t label) { return llvm::is_contained(labels, label); }
  bool isWindow(int64_t label) const { return isIn(windows, label); }

  mlir::OpFoldResult sizeOf(mlir::Value x, llvm::ArrayRef<int64_t> labels, int64_t label) const;
  /// The kernel's size along a window dimension.
  mlir::OpFoldResult kernelSize(int64_t label) const { return sizeOf(rhs, rhsDims, label); }
  /// The result's size.
  mlir::OpFoldResult ansSize(int64_t label) const;
  llvm::SmallVector<mlir::OpFoldResult> ansSizes() const;

  Dims contracting() const;
  bool sumsChannels() const;

  /// The product of static sizes; none if one is not static or it exceeds `most`.
  std::optional<int64_t> places(llvm::function_ref<mlir::OpFoldResult(int64_t)> size, int64_t most) const;
};

/// A convolution with channels last, as the code generator tiles it; on the CPU, with one dimension each for images,
/// channels and results of an image.
class ChannelsLast {
public:
  explicit ChannelsLast(const Convolution &conv);

  Convolution conv;

  /// The result of `conv` with the dimensions of the original one, in its order.
  mlir::Value restored(mlir::Value ans) const;

private:
  using Dims = Convolution::Dims;

  Dims original, ordered;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  llvm::SmallVector<mlir::ReassociationIndices> groups;

  void merge(llvm::ArrayRef<int64_t> labels);
};

} // namespace dovetail

#endif // DOVETAIL_LOWERING_CONVOLUTION_H
