// What calls of functions outside of the program have in common: their batching rule.
#ifndef DOVETAIL_OUTSIDECALL_H
#define DOVETAIL_OUTSIDECALL_H

#include "Emitter.h"

namespace dovetail {

/// The methods by which such calls are batched, as in JAX.
llvm::ArrayRef<llvm::StringRef> vmapMethods();

/// How an array of a batched call is related to that of the call for one element.
enum class BatchForm {
  /// The same.
  Unchanged,
  /// It has the batch, or a dimension of size 1 in its place, in front.
  Leading
};

/// A call of a function, of which nothing is known, on arrays and sizes of the `?`s of its results.
struct OutsideCall {
  mlir::ValueRange args, sizes;
  llvm::SmallVector<mlir::Type> results;
  std::optional<llvm::StringRef> method;

  /// Emits the call on other arguments, which have these forms; results have the last form.
  using Emit = llvm::function_ref<mlir::ValueRange(Emitter &, mlir::TypeRange results, mlir::ValueRange args,
                                                   mlir::ValueRange sizes, llvm::ArrayRef<BatchForm>, BatchForm)>;

  /// The results over a batch that `batched`, the arguments, have at `dims`: each has it in front. The function is
  /// called in a loop if it must be, or if the method says so.
  mlir::ValueRange batch(Emitter &e, mlir::ValueRange batched, llvm::ArrayRef<int64_t> dims, mlir::ValueRange sizes,
                         bool mustLoop, Emit emit) const;
};

/// Checks the method, and that there is one size for each `?` of the results.
llvm::LogicalResult verifyOutsideCall(mlir::Operation *op, std::optional<llvm::StringRef> method,
                                      mlir::ValueRange sizes);

/// The results vary where any argument does.
void varyTogether(llvm::MutableArrayRef<AxisSet> operands, unsigned numResults,
                  llvm::SmallVectorImpl<AxisSet> &results);

/// The axes without that of the batch; null if none are left.
mlir::ArrayAttr axesWithoutBatch(Emitter &e, mlir::ArrayAttr axes);

} // namespace dovetail

#endif // DOVETAIL_OUTSIDECALL_H
