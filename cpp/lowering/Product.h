// Contractions that a library computes.
#ifndef DOVETAIL_LOWERING_PRODUCT_H
#define DOVETAIL_LOWERING_PRODUCT_H

#include "Contraction.h"

namespace dovetail {

/// The contraction of `lowerDot` as products of matrices by the library, if the program runs in this process, `op` is
/// worth it, and its operands are such matrices as they are; null otherwise.
mlir::Value lowerProduct(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, const Operand &lhs, const Operand &rhs,
                         int64_t numParallel);

/// Whether the library may compute what `op` does, at the builder's place: the program runs in this process, on the
/// CPU.
bool mayCallLibrary(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);
/// And the op's operands and result are of one type that the library has products of.
bool mayCallProducts(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);

/// Whether an array is in memory as a whole, in the order of its elements.
bool isInMemory(mlir::Value x);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_PRODUCT_H
