// Short transforms as straight-line code.
#ifndef DOVETAIL_DISPATCH_FOURIER_BUTTERFLY_H
#define DOVETAIL_DISPATCH_FOURIER_BUTTERFLY_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail::fourier {

/// A complex number, or a vector of them.
struct Complex {
  mlir::Value re, im;
};

/// Arithmetic on values of one type, of floats or vectors of them.
struct Arithmetic {
  mlir::ImplicitLocOpBuilder &b;
  mlir::Type type;

  mlir::Value constant(double value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  Complex add(Complex x, Complex y);
  Complex sub(Complex x, Complex y);
  Complex mul(Complex x, Complex y);
  Complex conj(Complex x);
  Complex scale(Complex x, double factor);
  /// Times exp(-2 pi i k / n), or its conjugate if `inverse`.
  Complex rotate(Complex x, int64_t k, int64_t n, bool inverse);
  /// The transform, without a factor.
  llvm::SmallVector<Complex> transform(llvm::ArrayRef<Complex> x, bool inverse);

private:
  mlir::Value neg(mlir::Value x);
  llvm::SmallVector<Complex> ofPrime(llvm::ArrayRef<Complex> x, bool inverse);
};

} // namespace dovetail::fourier

#endif // DOVETAIL_DISPATCH_FOURIER_BUTTERFLY_H
