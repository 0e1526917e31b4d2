// Kernels that compute each complex number of a result by itself.
#ifndef DOVETAIL_LOWERING_FOURIER_ELEMENTS_H
#define DOVETAIL_LOWERING_FOURIER_ELEMENTS_H

#include "Columns.h"
#include "Roots.h"

namespace dovetail::fourier {

/// An array of rows of `size` numbers.
struct Rows {
  mlir::Value array;
  int64_t size;
  Parts parts = Parts::complex;
};

/// What computes element `k` of a row: the code has the memory of the inputs and of tables, in this order.
struct Elements {
  Arithmetic arithmetic;
  mlir::ValueRange memory;
  llvm::ArrayRef<Parts> parts;
  llvm::SmallVector<mlir::Value> starts;
  mlir::Value k;

  mlir::Value index(int64_t value);
  /// Number `place` of the row, of an input.
  Complex load(unsigned input, mlir::Value place);
  mlir::Value table(unsigned number) const { return memory[starts.size() + number]; }
};

/// An array of rows of `size` numbers, which `body` computes, as one of `result`'s type.
mlir::Value runElements(mlir::ImplicitLocOpBuilder &b, Kernels &kernels, mlir::StringRef name, mlir::FloatType element,
                        mlir::OpFoldResult rows, int64_t size, llvm::ArrayRef<Rows> inputs,
                        llvm::ArrayRef<Floats> tables, const Memory &result, Parts parts,
                        llvm::function_ref<Complex(Elements &)> body);

} // namespace dovetail::fourier

#endif // DOVETAIL_LOWERING_FOURIER_ELEMENTS_H
