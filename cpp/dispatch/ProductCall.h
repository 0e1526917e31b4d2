// Calls of the library of matrix products.
#ifndef DOVETAIL_DISPATCH_PRODUCTCALL_H
#define DOVETAIL_DISPATCH_PRODUCTCALL_H

#include "cpp/blas/Call.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Products of pairs of matrices of one size.
struct ProductCall {
  blas::Layout layout;
  mlir::OpFoldResult batch, rows, columns, terms;
  /// How many workgroups compute them together: the same for all calls of a program.
  int64_t groups;
};

/// Whether the library has products of such elements.
bool hasProducts(mlir::Type element);

/// Calls the library for arrays in which the matrices lie one after the other. The sizes are those that the type of the
/// result leaves open. It is a dispatch of its own.
mlir::Value callProduct(mlir::ImplicitLocOpBuilder &b, const ProductCall &call, mlir::Value left, mlir::Value right,
                        mlir::RankedTensorType result, mlir::ValueRange sizes);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_PRODUCTCALL_H
