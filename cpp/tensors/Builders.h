// Builders of linalg on tensors.
#ifndef DOVETAIL_TENSORS_BUILDERS_H
#define DOVETAIL_TENSORS_BUILDERS_H

#include "dialects/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// The type after lowering, with signless integers.
mlir::Type loweredType(mlir::Type type);

/// The sizes of all dimensions, as attributes where static.
llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// The sizes of a type whose `?`s are given as values.
llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::ImplicitLocOpBuilder &b, mlir::Type type, mlir::ValueRange dynamic);

mlir::Value empty(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element);
mlir::Value filled(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Value scalar);

/// `body` computes an element of the result from the elements of `inputs`; all loops are parallel.
mlir::Value parallelLoops(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element,
                          mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                          llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> body);

/// `x` with `body` applied to each element.
mlir::Value mapElements(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Type element,
                        llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value)> body);
/// `part` computes the real and the imaginary part of an array of a complex type; they are then joined.
mlir::Value joined(mlir::ImplicitLocOpBuilder &b, mlir::ComplexType element,
                   llvm::function_ref<mlir::Value(bool isImaginary)> part);

/// A size as a value.
mlir::Value asValue(mlir::ImplicitLocOpBuilder &b, mlir::OpFoldResult size);
/// The product of sizes, folded where they are known.
mlir::OpFoldResult productOf(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes);
/// `count` elements of `x` along a dimension, starting at `from`.
mlir::Value sliced(mlir::ImplicitLocOpBuilder &b, mlir::Value x, int64_t dim, int64_t from, int64_t count);
/// `x` with its dimensions in another order.
mlir::Value transposed(mlir::ImplicitLocOpBuilder &b, mlir::Value x, llvm::ArrayRef<int64_t> order);
/// `x`, whose dialect element type is `from`, converted to the dialect's type `to`.
mlir::Value converted(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Type from, mlir::Type to);

} // namespace dovetail

#endif // DOVETAIL_TENSORS_BUILDERS_H
