// Windows that slide along an array, as slices.
#ifndef DOVETAIL_LINALG_WINDOWS_H
#define DOVETAIL_LINALG_WINDOWS_H

#include "Algebra.h"

namespace dovetail {

/// For each element of a window, in row-major order, the array of that element of all windows, of which there are as
/// many as `shape` says.
Algebra::Values elementsOfWindows(Algebra &e, mlir::Value x, llvm::ArrayRef<int64_t> shape,
                                  llvm::ArrayRef<int64_t> window, llvm::ArrayRef<int64_t> strides,
                                  llvm::ArrayRef<int64_t> dilations);

} // namespace dovetail

#endif // DOVETAIL_LINALG_WINDOWS_H
