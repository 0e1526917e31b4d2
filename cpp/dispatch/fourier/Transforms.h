// Fourier transforms of any length.
#ifndef DOVETAIL_DISPATCH_FOURIER_TRANSFORMS_H
#define DOVETAIL_DISPATCH_FOURIER_TRANSFORMS_H

#include "Elements.h"

namespace dovetail::fourier {

/// The rows of an array that are transformed: the dimensions before that of the transform, and, if the length is
/// smooth, `inner` numbers in each element, those after it.
struct Transforms {
  mlir::ImplicitLocOpBuilder &b;
  Kernels &kernels;
  mlir::FloatType element;
  mlir::OpFoldResult rows;
  /// Whether a library may compute them, and whether they may overwrite their operand, which has no other uses.
  bool mayCallLibrary = false, mayOverwrite = false;

  /// The transform of complex numbers.
  mlir::Value complex(mlir::Value x, int64_t length, int64_t inner, bool inverse, double scale, const Memory &result) {
    return between({}, x, {length, inner, inverse, scale}, {}, result);
  }
  /// The half spectrum of real rows, and the inverse.
  mlir::Value ofReal(mlir::Value x, int64_t length, const Memory &result);
  mlir::Value toReal(mlir::Value x, int64_t length, const Memory &result);

private:
  using Stages = std::vector<Stage>;

  /// Of numbers from `from` that are real; `to` real keeps only real parts.
  struct Kind {
    int64_t length, inner;
    bool inverse;
    double scale;
    Parts from = Parts::complex, to = Parts::complex;
  };

  /// An array of the rows, for intermediate results.
  Memory rowsOf(int64_t size) const;
  /// Runs a transform, of what the stages before compute of x, and the stages after it.
  mlir::Value between(Stages before, mlir::Value x, const Kind &kind, llvm::ArrayRef<Stage> after,
                      const Memory &result);
  void addSteps(Stages &stages, const Kind &kind);
  void addConvolution(Stages &stages, const Kind &kind);
  Floats filter(int64_t length, int64_t size, bool inverse);
};

} // namespace dovetail::fourier

#endif // DOVETAIL_DISPATCH_FOURIER_TRANSFORMS_H
