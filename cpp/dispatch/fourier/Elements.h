// Kernels in which each complex number of the result is computed on its own.
#ifndef DOVETAIL_DISPATCH_FOURIER_ELEMENTS_H
#define DOVETAIL_DISPATCH_FOURIER_ELEMENTS_H

#include "Columns.h"
#include "Roots.h"

namespace dovetail::fourier {

/// The numbers of each row of an array.
struct Numbers {
  int64_t size;
  Parts parts = Parts::complex;
};

/// Computes element `k` of a row, or a vector of elements from `k` on.
struct Elements {
  Arithmetic arithmetic;
  mlir::ValueRange memory;
  /// Those of the operand, if there is one, and where the row begins.
  std::optional<Numbers> from;
  mlir::Value start, k;

  bool isVector() const;
  mlir::Value index(int64_t value);
  /// The numbers of the operand's row, from `place` on.
  Complex load(mlir::Value place);
  /// Those at `end - k`, as k runs over the elements.
  Complex loadMirrored(int64_t end);
  mlir::Value table() const { return memory[from ? 1 : 0]; }
};

/// A stage's results, rows of `size` numbers; elements from `vectorFrom` to `vectorTo` may be computed in vectors.
struct ElementsShape {
  std::string name;
  mlir::FloatType element;
  mlir::OpFoldResult rows;
  int64_t size, vectorFrom = 0, vectorTo = 0;
  Parts parts = Parts::complex;
};

/// Computes each element of the result by `body`, of rows of numbers `from`.
Stage stageOf(const ElementsShape &shape, const Kernels &kernels, std::optional<Numbers> from,
              llvm::ArrayRef<Floats> tables, std::function<Complex(Elements &)> body);

} // namespace dovetail::fourier

#endif // DOVETAIL_DISPATCH_FOURIER_ELEMENTS_H
