// Kernels for batches of small matrices: element [i, j] of as many matrices as a vector has lanes is one vector.
#ifndef DOVETAIL_DISPATCH_LANES_LANES_H
#define DOVETAIL_DISPATCH_LANES_LANES_H

#include "cpp/dispatch/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace dovetail::lanes {

/// Arithmetic on all lanes.
struct Lanes {
  mlir::ImplicitLocOpBuilder &b;
  mlir::VectorType type;

  int64_t width() const { return type.getDimSize(0); }

  mlir::Value constant(double value);
  mlir::Value integer(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  /// x - y z.
  mlir::Value subProduct(mlir::Value x, mlir::Value y, mlir::Value z) { return sub(x, mul(y, z)); }
  mlir::Value sqrt(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  mlir::Value neg(mlir::Value x);
  /// False if a number is NaN.
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value same(mlir::Value x, mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  /// Whether a condition holds in any lane.
  mlir::Value any(mlir::Value condition);
};

/// A matrix in each lane.
struct Matrix {
  int64_t rows, columns;
  llvm::SmallVector<mlir::Value> elements;

  Matrix(int64_t rows, int64_t columns, mlir::Value value = {})
      : rows(rows), columns(columns), elements(rows * columns, value) {}

  mlir::Value &operator()(int64_t i, int64_t j) { return elements[i * columns + j]; }
  mlir::Value operator()(int64_t i, int64_t j) const { return elements[i * columns + j]; }
};

/// A result: its type, the sizes that this leaves open, and those of its matrices; vectors have one column.
struct Result {
  mlir::RankedTensorType type;
  llvm::SmallVector<mlir::Value> sizes;
  int64_t rows, columns;
};

/// What is computed of the matrices of each operand: a matrix for each result.
using Compute = llvm::function_ref<llvm::SmallVector<Matrix>(Lanes &lanes, llvm::ArrayRef<Matrix> operands)>;

/// Computes a batch of `count` matrices. The name says what is computed, and of which sizes.
llvm::SmallVector<mlir::Value> run(mlir::ImplicitLocOpBuilder &b, Kernels &kernels, llvm::StringRef name,
                                   mlir::OpFoldResult count, mlir::ValueRange operands, llvm::ArrayRef<Result> results,
                                   Compute compute);

} // namespace dovetail::lanes

#endif // DOVETAIL_DISPATCH_LANES_LANES_H
