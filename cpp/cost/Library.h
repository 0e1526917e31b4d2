// What a library computes in less time than the code generator's code.
#ifndef DOVETAIL_COST_LIBRARY_H
#define DOVETAIL_COST_LIBRARY_H

#include "cpp/blas/Call.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace dovetail {

/// Whether the library takes less time for products of these sizes, measured on two cores with AVX-512. The code
/// generator's products of f32 take as long if they are small, and it fuses other ops with them.
bool isProductForLibrary(mlir::Type element, int64_t batch, int64_t rows, int64_t columns, int64_t terms);

/// An array as matrices one after the other whose columns are reduced.
struct ColumnsOfMatrices {
  int64_t outer, rows, columns;
};

/// What a reduction computes of an array: one of blas::ColumnReduction, and the array that is subtracted before it is
/// squared, if there is one.
struct ColumnReduction {
  int64_t kind = 0;
  mlir::Value array, center;
  llvm::SmallVector<int64_t> dims;
};

/// Nothing for ops that are no such reductions.
std::optional<ColumnReduction> columnReductionOf(mlir::Operation *op);

/// The matrices if `dims` of an array of this type are columns that the library reduces in less time.
std::optional<ColumnsOfMatrices> columnsForLibrary(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> dims);

/// A transposition of an array of static shape by the library: see blas::TransposeCall.
struct TransposeForLibrary {
  int64_t bytes;
  blas::Moved outer[2], rows, columns;
};

/// Nothing if the library has none of this array, by the order of its dimensions in the result, or takes as long.
std::optional<TransposeForLibrary> transposeForLibrary(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> order);

/// The transposition of an op whose result no other can read where it is: those are fused.
std::optional<TransposeForLibrary> transposeForLibrary(mlir::Operation *op);

/// Whether an op of a program is a product for the library, by its factor map.
bool isProductForLibrary(mlir::Operation *op);

} // namespace dovetail

#endif // DOVETAIL_COST_LIBRARY_H
