// Sums of products, which dots and convolutions are.
#ifndef DOVETAIL_LOWERING_CONTRACTION_H
#define DOVETAIL_LOWERING_CONTRACTION_H

#include "Lowering.h"

namespace dovetail {

/// An operand of a contraction, with the loop that runs over each of its dimensions.
struct Operand {
  mlir::Value value;
  llvm::SmallVector<int64_t> loops;
};

/// A contraction in which every dimension runs over a loop. The result has dimensions for the first `numParallel`
/// loops; the others are sums, and run over both operands.
mlir::Value lowerDot(mlir::ImplicitLocOpBuilder &b, Operand lhs, Operand rhs, int64_t numParallel, mlir::Type element,
                     mlir::Type result);

/// The loops of a contraction: the parallel ones, as many as the result has dimensions, then the reductions.
struct ContractionLoops {
  /// Of the left operand, the right one and the result.
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  /// Of the result.
  llvm::SmallVector<mlir::OpFoldResult> sizes;
};

/// One `linalg.generic` for products of elements of the dialect's type `element`, summed in `accumulator`.
mlir::Value contracted(mlir::ImplicitLocOpBuilder &b, const ContractionLoops &loops, mlir::Value lhs, mlir::Value rhs,
                       mlir::Type element, mlir::Type accumulator);

/// (left operand, right operand, their element type, type in which to accumulate) -> the sums.
using SumOfProducts = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, mlir::Type, mlir::Type)>;

/// A contraction of elements of the dialect's type `element` with elements of type `result`: `sum` in the accumulator's
/// type, and four times on real and imaginary parts for complex elements.
mlir::Value lowerContraction(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, mlir::Value rhs, mlir::Type element,
                             mlir::Type result, SumOfProducts sum);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_CONTRACTION_H
