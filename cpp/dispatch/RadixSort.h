// Radix sort of rows.
#ifndef DOVETAIL_DISPATCH_RADIXSORT_H
#define DOVETAIL_DISPATCH_RADIXSORT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Keys of elements: unsigned integers, of which the bits from `begin` to `end` are compared.
struct SortKey {
  mlir::Value array;
  unsigned begin, end;
};

/// The indices (i32) of the elements of each row in increasing order: the first columns of a larger array. Keys are
/// arrays of rows; later keys order elements whose earlier keys are equal, and elements with equal keys keep their
/// order. Only for the CPU.
mlir::Value orderByDigits(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<SortKey> keys);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_RADIXSORT_H
