// Algorithms on one matrix, from which the decompositions of ops are built.
#ifndef DOVETAIL_LINALG_ALGORITHMS_H
#define DOVETAIL_LINALG_ALGORITHMS_H

#include "Algebra.h"
#include "cpp/linalg/Decompose.h.inc"

namespace dovetail {

/// The number of rows or columns in a block. Within a block, algorithms go column by column; matrix products combine
/// blocks.
constexpr int64_t kBlock = 32;

/// Each attaches the algorithms of one family.
void attachSvdDecompositions(mlir::MLIRContext *context);
void attachTriangularDecompositions(mlir::MLIRContext *context);
void attachCholeskyDecompositions(mlir::MLIRContext *context);
void attachCompositions(mlir::MLIRContext *context);
void attachEigDecompositions(mlir::MLIRContext *context);
void attachEighDecompositions(mlir::MLIRContext *context);
void attachKnownWindowDecomposition(mlir::MLIRContext *context);
void attachLuDecompositions(mlir::MLIRContext *context);
void attachQrDecompositions(mlir::MLIRContext *context);
void attachRollDecomposition(mlir::MLIRContext *context);
void attachSchurDecompositions(mlir::MLIRContext *context);
void attachSpreadConvDecompositions(mlir::MLIRContext *context);
void attachWindowDecompositions(mlir::MLIRContext *context);

/// Fails, with an error that says so, unless the sizes of `a` are known.
llvm::LogicalResult requireSizes(mlir::Operation *op, mlir::Value a);

/// x of l x = b for lower triangular l, of which only that triangle is read, without its diagonal if that is all ones.
mlir::Value solveLower(Algebra &e, mlir::Value l, mlir::Value b, bool isUnit);
/// The same for upper triangular u.
mlir::Value solveUpper(Algebra &e, mlir::Value u, mlir::Value b, bool isUnit);

/// `size` rounded up to whole blocks, if it is known and more than one block.
inline int64_t wholeBlocks(int64_t size) {
  return mlir::ShapedType::isDynamic(size) || size <= kBlock ? size : llvm::alignTo(size, kBlock);
}

} // namespace dovetail

#endif // DOVETAIL_LINALG_ALGORITHMS_H
