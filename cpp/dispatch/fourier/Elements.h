// Kernels in which each complex number of the result is computed on its own.
#ifndef DOVETAIL_DISPATCH_FOURIER_ELEMENTS_H
#define DOVETAIL_DISPATCH_FOURIER_ELEMENTS_H

#include "Columns.h"
#include "Roots.h"

namespace dovetail::fourier {

/// An array of rows of `size` numbers.
struct Rows {
  mlir::Value array;
  int64_t size;
  Parts parts = Parts::complex;
};

/// Computes element `k` of a row, or a vector of elements from `k` on.
struct Elements {
  Arithmetic arithmetic;
  mlir::ValueRange memory;
  llvm::ArrayRef<Parts> parts;
  llvm::SmallVector<mlir::Value> starts;
  mlir::Value k;

  bool isVector() const;
  mlir::Value index(int64_t value);
  /// The numbers of a row of an input, from `place` on.
  Complex load(unsigned input, mlir::Value place);
  /// Those at `from - k`, as k runs over the elements.
  Complex loadMirrored(unsigned input, int64_t from);
  mlir::Value table(unsigned number) const { return memory[starts.size() + number]; }
};

/// A kernel's results, rows of `size` numbers; elements from `vectorFrom` to `vectorTo` may be computed in vectors.
struct ElementsShape {
  std::string name;
  mlir::FloatType element;
  mlir::OpFoldResult rows;
  int64_t size, vectorFrom = 0, vectorTo = 0;
  Parts parts = Parts::complex;
};

/// Computes an array of `result`'s type, by `body`.
mlir::Value runElements(mlir::ImplicitLocOpBuilder &b, Kernels &kernels, const ElementsShape &shape,
                        llvm::ArrayRef<Rows> inputs, llvm::ArrayRef<Floats> tables, const Memory &result,
                        llvm::function_ref<Complex(Elements &)> body);

} // namespace dovetail::fourier

#endif // DOVETAIL_DISPATCH_FOURIER_ELEMENTS_H
