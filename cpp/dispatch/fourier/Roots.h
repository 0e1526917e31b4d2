// Roots of unity in kernels, from tables.
#ifndef DOVETAIL_DISPATCH_FOURIER_ROOTS_H
#define DOVETAIL_DISPATCH_FOURIER_ROOTS_H

#include "Butterfly.h"
#include "Plan.h"
#include "cpp/dispatch/Kernel.h"

namespace dovetail::fourier {

/// An input with the same complex numbers for all rows.
Floats sharedTable(mlir::ImplicitLocOpBuilder &b, mlir::FloatType element,
                   llvm::ArrayRef<std::complex<long double>> values);

/// Reads a complex number of a table, as a value of the arithmetic's type, which may be a splat vector.
Complex tableEntry(Arithmetic &arithmetic, mlir::Value table, mlir::Value place);

/// A table of all n-th roots of unity; for large n, two tables of about sqrt(n) numbers whose products are the roots.
struct Roots {
  int64_t n;
  bool inverse;

  /// The number of the second table's elements between two of the first; 1 if there is one table.
  int64_t spacing() const;
  Floats table(mlir::ImplicitLocOpBuilder &b, mlir::FloatType element) const;
  /// exp(-2 pi i k / n), or its conjugate if `inverse`, for 0 <= k < n.
  Complex at(Arithmetic &arithmetic, mlir::Value table, mlir::Value k) const;
  /// Consecutive roots from k on, a multiple of the vector's width; a single one if the arithmetic is not on vectors.
  Complex from(Arithmetic &arithmetic, mlir::Value table, mlir::Value k) const;
};

} // namespace dovetail::fourier

#endif // DOVETAIL_DISPATCH_FOURIER_ROOTS_H
