// Kernels for transforms that fit into the first-level cache.
#ifndef DOVETAIL_DISPATCH_FOURIER_COLUMNS_H
#define DOVETAIL_DISPATCH_FOURIER_COLUMNS_H

#include "Stages.h"

namespace dovetail::fourier {

/// The longest transform of a single kernel: on a CPU, and on other devices, where it is held in registers.
constexpr int64_t kLongestOnCpu = 256, kLongestElsewhere = 16;

/// A step of a transform of `length * rest` elements of which each is `inner` complex numbers: x is rows of (length,
/// rest, inner), and of it for each (k, i)
///   ans[k][j][i] = exp(-2 pi i j k / (length * rest)) * (sum over l of x[l][k][i] exp(-2 pi i j l / length)) * scale,
/// rows of (rest, length, inner). So what is left are transforms of `rest` elements of `length * inner` numbers.
struct Step {
  mlir::FloatType element;
  mlir::OpFoldResult rows;
  int64_t length, rest, inner;
  bool inverse;
  double scale = 1.0;
  Parts from = Parts::complex, to = Parts::complex;
  /// Whether x has no other uses, as the result of a previous step.
  bool mayOverwrite = false;
};

/// The steps of a whole transform of `length`, which is smooth.
llvm::SmallVector<Step> stepsOf(mlir::FloatType element, mlir::OpFoldResult rows, int64_t length, int64_t inner,
                                bool inverse, double scale, bool isForCpu);

/// The computation of one step.
Stage stageOf(mlir::ImplicitLocOpBuilder &b, const Kernels &kernels, const Step &step);

} // namespace dovetail::fourier

#endif // DOVETAIL_DISPATCH_FOURIER_COLUMNS_H
