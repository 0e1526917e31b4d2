// Selection of the first elements of rows.
#ifndef DOVETAIL_DISPATCH_SELECTION_H
#define DOVETAIL_DISPATCH_SELECTION_H

#include "RadixSort.h"

namespace dovetail {

/// The indices (i32) of the first `count` elements of each row in increasing order, as the first columns of a larger
/// array. Keys are as in `orderByDigits`; rows must have at least `count` elements, and all bits of keys are compared.
/// Only for the CPU.
mlir::Value selectFirst(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<SortKey> keys, int64_t count);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_SELECTION_H
