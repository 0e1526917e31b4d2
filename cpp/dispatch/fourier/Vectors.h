// Adjacent complex numbers in memory, as vectors of real and imaginary parts.
#ifndef DOVETAIL_DISPATCH_FOURIER_VECTORS_H
#define DOVETAIL_DISPATCH_FOURIER_VECTORS_H

#include "Butterfly.h"

namespace dovetail::fourier {

/// The kind of numbers that are loaded or stored: complex numbers, or real ones, without imaginary part.
enum class Parts { complex, real };

/// The numbers from index `place` on, as many as the arithmetic's type holds.
Complex loadComplex(Arithmetic arithmetic, mlir::Value memory, mlir::Value place, Parts parts = Parts::complex);
void storeComplex(Arithmetic arithmetic, Complex x, mlir::Value memory, mlir::Value place, Parts parts);

/// The lanes in reverse order; a single number is unchanged.
mlir::Value backwards(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// As many vectors as each has lanes, a power of two: lane i of result j is lane j of vector i.
llvm::SmallVector<mlir::Value> transposed(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> rows);

} // namespace dovetail::fourier

#endif // DOVETAIL_DISPATCH_FOURIER_VECTORS_H
