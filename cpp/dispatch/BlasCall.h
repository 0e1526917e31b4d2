// Calls of the library of linear algebra and rows.
#ifndef DOVETAIL_DISPATCH_BLASCALL_H
#define DOVETAIL_DISPATCH_BLASCALL_H

#include "cpp/blas/Call.h"
#include "cpp/cost/Library.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Products of pairs of matrices of one size.
struct ProductCall {
  blas::Layout layout;
  mlir::OpFoldResult batch, rows, columns, terms;
};

/// How the library names a type; nothing if it has none of its functions for it.
std::optional<blas::Element> elementOf(mlir::Type type);

/// Whether the library has products of such elements.
bool hasProducts(mlir::Type element);

/// Calls the library for arrays in which the matrices lie one after the other. The sizes are those that the type of the
/// result leaves open. It is a dispatch of its own.
mlir::Value callProduct(mlir::ImplicitLocOpBuilder &b, const ProductCall &call, mlir::Value left, mlir::Value right,
                        mlir::RankedTensorType result, mlir::ValueRange sizes);

/// Sums of products of matrices that are windows of arrays of static shapes: see blas::WindowsCall.
struct WindowsCall {
  int64_t batch, rows, columns, terms, taps;
  blas::Strides left, right;
};

mlir::Value callWindows(mlir::ImplicitLocOpBuilder &b, const WindowsCall &call, mlir::Value left, mlir::Value right,
                        mlir::RankedTensorType result);

/// What the library computes of each matrix of a batch: see blas::Matrices.
struct MatricesCall {
  int64_t flags;
  mlir::OpFoldResult batch, rows, columns;
};

/// A result of an op on matrices, and the sizes that its type leaves open.
struct MatrixResult {
  mlir::RankedTensorType type;
  llvm::SmallVector<mlir::Value> sizes;
};

/// Calls a function of the library, which gives its name to the executable.
llvm::SmallVector<mlir::Value> callMatrices(mlir::ImplicitLocOpBuilder &b, llvm::StringRef function,
                                            const MatricesCall &call, mlir::ValueRange operands,
                                            llvm::ArrayRef<MatrixResult> results);

/// How the library replaces elements, or adds to them; nothing if it doesn't.
std::optional<blas::Update> replacing(mlir::Type element);
std::optional<blas::Update> adding(mlir::Type element);

/// `x`, an array of `numRows` rows of `bytes`, changed by each of `updates` along their first dimension, from the rows
/// on whose numbers `rows` has, a vector of i32.
mlir::Value callScatter(mlir::ImplicitLocOpBuilder &b, blas::Update update, mlir::Value x, mlir::Value rows,
                        mlir::Value updates, mlir::OpFoldResult numRows, mlir::OpFoldResult bytes);

/// The rows of `x`, an array of `numRows` rows of `bytes`, whose numbers `rows` has; zeros where there is no such row.
/// The sizes are those that the type of the result leaves open.
mlir::Value callGather(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value rows, mlir::OpFoldResult numRows,
                       mlir::OpFoldResult bytes, mlir::RankedTensorType result, mlir::ValueRange sizes);

/// Reductions of columns of the matrices that `x` consists of, with a row of `center` for each of them: see
/// blas::ColumnsCall. The results are of type `result`, in the order of the kinds.
llvm::SmallVector<mlir::Value> callColumns(mlir::ImplicitLocOpBuilder &b, int64_t kinds,
                                           const ColumnsOfMatrices &matrices, mlir::Value x, mlir::Value center,
                                           mlir::RankedTensorType result);

/// The elements of `x` in the order of a transposition.
mlir::Value callTranspose(mlir::ImplicitLocOpBuilder &b, const TransposeForLibrary &transpose, mlir::Value x,
                          mlir::RankedTensorType result);

/// The transforms of `rows` rows of `length` complex numbers with real and imaginary part of type `element`, one after
/// the other in `x`, by blas::ChirpFlag. The sizes are those that the type of the result leaves open.
mlir::Value callChirp(mlir::ImplicitLocOpBuilder &b, mlir::FloatType element, int64_t flags, mlir::OpFoldResult rows,
                      int64_t length, mlir::Value x, mlir::RankedTensorType result, mlir::ValueRange sizes);

/// What the library sorts by, and whether results are places of elements.
struct RowSort {
  blas::SortElement element;
  bool isDescending, givesPlaces;
};

/// Rows of elements of 4 or 8 bytes, sorted, or their places as i32: see blas::SortCall.
mlir::Value callSort(mlir::ImplicitLocOpBuilder &b, const RowSort &sort, mlir::Value rows);

/// Running sums or products of rows of static shape along the last dimension of `x`: see blas::RunningCall.
mlir::Value callRunning(mlir::ImplicitLocOpBuilder &b, blas::RunningElement element, int64_t flags, mlir::Value x);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_BLASCALL_H
