// Stages of transforms: each is a kernel, or all of them are one.
#ifndef DOVETAIL_DISPATCH_FOURIER_STAGES_H
#define DOVETAIL_DISPATCH_FOURIER_STAGES_H

#include "Vectors.h"
#include "cpp/dispatch/Kernel.h"

#include <functional>

namespace dovetail::fourier {

/// An array as kernels see it: `perRow` floats for each of the rows.
struct Memory {
  mlir::RankedTensorType type;
  llvm::SmallVector<mlir::Value> sizes;
};

/// The floats of `size` numbers.
inline int64_t floatsOf(int64_t size, Parts parts) { return parts == Parts::real ? size : 2 * size; }

/// A computation for each row of an array.
struct Stage {
  KernelShape shape;
  /// The floats of a row of the operand, and of the result.
  int64_t from, to;
  /// What all rows share.
  llvm::SmallVector<Floats> tables;
  /// Allocates memory on the stack, of so many bytes.
  std::function<void(mlir::ImplicitLocOpBuilder &)> prepare;
  int64_t stackBytes;
  /// The code of an item, given the operand, the tables and the result.
  std::function<void(mlir::ImplicitLocOpBuilder &, mlir::ValueRange memory, mlir::Value item, mlir::Value rows)> body;
};

/// Runs stages one after the other on x, and returns the last one's array, of `result`'s type. On a CPU they are one
/// kernel, with intermediate results on the stack, if rows are short enough for that; it may overwrite x.
mlir::Value runStages(mlir::ImplicitLocOpBuilder &b, Kernels &kernels, llvm::ArrayRef<Stage> stages, mlir::Value x,
                      const Memory &result, bool mayOverwrite = false);

} // namespace dovetail::fourier

#endif // DOVETAIL_DISPATCH_FOURIER_STAGES_H
