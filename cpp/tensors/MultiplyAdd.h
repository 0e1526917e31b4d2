// Products and sums of floats that round alike wherever they stand.
#ifndef DOVETAIL_TENSORS_MULTIPLYADD_H
#define DOVETAIL_TENSORS_MULTIPLYADD_H

#include "mlir/IR/Block.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Operation.h"

namespace dovetail {

/// Sums of so many terms, for all elements together, take less time than the start of a dispatch, also one term after
/// the other. They are formed in the same order wherever they stand.
constexpr int64_t kMostOfShortSum = int64_t(1) << 11;

/// Whether an op on scalars is one of `arith`, or adds to a product with one rounding.
bool isArithmetic(mlir::Operation *op);

/// Lets the products of a block of scalar code round before other ops read them. The code generator contracts a product
/// and a sum that it finds in one function, if nothing else reads the product; which ones these are depends on what
/// it fuses, so that a value that is computed again may differ from the first. Products that are added in this block,
/// and read by nothing else, are left to it.
void roundProducts(mlir::Block &code);

/// Rounds the products of code, and the sums that they are part of, once, where the code generator would: LLVM's
/// vectorizer may separate them.
void fuseMultiplyAdds(mlir::Operation *code);

/// The same elements for a sum of them: if they are products, the code generator adds each without rounding it.
mlir::Value unrounded(mlir::ImplicitLocOpBuilder &b, mlir::Value terms);

/// A sum of arrays with one rounding, where `sum` adds or subtracts elementwise a product that nothing else reads;
/// otherwise `sum`. A product that is read twice has one value: `x * y - x * y` is 0.
mlir::Value roundedOnce(mlir::ImplicitLocOpBuilder &b, mlir::Value sum,
                        llvm::function_ref<bool(mlir::Value)> isReadOnce);

/// Erases products that only such sums read.
void eraseUnusedProducts(mlir::Operation *code);

} // namespace dovetail

#endif // DOVETAIL_TENSORS_MULTIPLYADD_H
