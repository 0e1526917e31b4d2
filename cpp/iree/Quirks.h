// Builders that avoid faults of IREE.
#ifndef DOVETAIL_IREE_QUIRKS_H
#define DOVETAIL_IREE_QUIRKS_H

#include "cpp/tensors/Builders.h"

namespace dovetail {

/// Whether this is complex<f64>, whose 128 bits IREE neither stores as a constant nor fills with, unless the fill is
/// fused into an op that writes over it.
///   full((n,), 1 + 1j, complex128)
bool isWideComplex(mlir::Type element);

/// What `filled` gives, where it is a result of its own. IREE loses the size of a fill that is summed; a bool in
/// `tensor.from_elements`, stored as a byte, it forgets to extend.
///   sum(full((n,), c)), of dynamic size
/// For the same reason `lowerPointwise` has at least one input that is no constant.
mlir::Value filledAlone(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Value scalar);

/// `x`, which is to get more dimensions. IREE moves these up to the slices that a single element is computed of, and
/// crashes on what becomes of them.
///   (x[1:2] + x[2:3]).reshape(1, 1)
mlir::Value expandable(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// The element of `x` at that index; of a slice, that of the array it is part of: IREE loads a slice that lies apart in
/// memory as a vector, which does not compile.
///   flip(m[:, 1:2], axis=0), tests/lit/lowering/reverse.mlir
/// For the same reason slices with strides are read by index (cpp/lowering/Shape.cpp, SliceLowering).
mlir::Value elementAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, llvm::ArrayRef<mlir::Value> place);

/// Whether IREE carries arrays of this type through loops: it loses where in its buffer a dynamic array begins that is
/// reshaped there.
///   sort(m, axis=0), of dynamic sizes and by merging
bool canLoopsCarry(mlir::RankedTensorType type);

} // namespace dovetail

#endif // DOVETAIL_IREE_QUIRKS_H
