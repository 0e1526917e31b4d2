// Sums of products, to which dots and convolutions lower.
#ifndef DOVETAIL_LOWERING_CONTRACTION_H
#define DOVETAIL_LOWERING_CONTRACTION_H

#include "Accumulators.h"
#include "Lowering.h"

namespace dovetail {

/// An operand of a contraction, with the loop that runs over each of its dimensions.
struct Operand {
  mlir::Value value;
  llvm::SmallVector<int64_t> loops;
};

/// A contraction in which every dimension runs over a loop. The result has dimensions for the first `numParallel`
/// loops; the others are reductions, and run over both operands. `sum` is the type in which real vector-vector and
/// matrix-vector products accumulate. Matrix products use `accumulatorType`, and add long sums in blocks.
mlir::Value lowerDot(mlir::ImplicitLocOpBuilder &b, Operand lhs, Operand rhs, int64_t numParallel, mlir::Type element,
                     mlir::Type result, mlir::Type sum);

/// The loops of a contraction: the parallel ones, as many as the result has dimensions, then the reductions.
struct ContractionLoops {
  /// Of left operand, right operand and result.
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  /// Sizes of the result.
  llvm::SmallVector<mlir::OpFoldResult> sizes;
};

/// One `linalg.generic` for products of elements of the dialect's type `element`, summed in `accumulator`.
mlir::Value contracted(mlir::ImplicitLocOpBuilder &b, const ContractionLoops &loops, mlir::Value lhs, mlir::Value rhs,
                       mlir::Type element, mlir::Type accumulator);

/// (left operand, right operand, their element type, type in which to accumulate) -> the sums.
using SumOfProducts = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, mlir::Type, mlir::Type)>;

/// A contraction of elements of the dialect's type `element` with elements of type `result`: `sum` in `accumulator`, a
/// real type, and four times on real and imaginary parts for complex elements.
mlir::Value lowerContraction(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, mlir::Value rhs, mlir::Type element,
                             mlir::Type result, mlir::Type accumulator, SumOfProducts sum);

/// The block size for a sum along a dimension of `size`, with dimensions of `inner` elements inside of it: 0 if it is
/// the innermost one, or they are too few. Blocks are added in the elements' own type, which is fast and accurate, and
/// their sums in `sumType`.
int64_t blockAcross(int64_t size, llvm::ArrayRef<int64_t> inner);

/// Returns true if a reduction of `terms` elements is split so that several threads reduce a part each: if there are
/// many terms, and too few results to occupy the threads.
bool isInParts(int64_t terms, int64_t results);
/// The number of equal parts into which a dimension is then split; 0 if there are none.
int64_t partsOfReduction(int64_t size);

/// Returns true if parts of an array can be read independently: it is stored, not computed by its user.
bool isStored(mlir::Value x);

/// The type of elements, or of their parts if they are complex.
mlir::Type partType(mlir::Type element);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_CONTRACTION_H
