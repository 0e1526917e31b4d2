// Radix sort of rows.
#ifndef DOVETAIL_DISPATCH_RADIXSORT_H
#define DOVETAIL_DISPATCH_RADIXSORT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Keys of elements: unsigned integers of which the bits from `begin` to `end` count.
struct SortKey {
  mlir::Value array;
  unsigned begin, end;
};

/// The numbers (i32) of the elements of each row in increasing order: the first columns of an array of more. Keys are
/// arrays of rows, of which later ones decide between elements whose earlier ones are equal; where all are, the order
/// stays. Only for the CPU.
mlir::Value orderByDigits(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<SortKey> keys);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_RADIXSORT_H
