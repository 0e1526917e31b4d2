// Batching rules that live in the program that builds a module; the dialect calls back for them.
#ifndef DOVETAIL_CUSTOMVMAP_H
#define DOVETAIL_CUSTOMVMAP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>

namespace dovetail {

/// The result of a rule: a module whose `main` is the batched function.
struct BatchedByRule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Marks the results that have the batch, as their leading dimension.
  llvm::SmallVector<bool> resultsBatched;
};

/// Calls the rule of that name for the function over a batch of `size`, in which the marked arguments have the batch in
/// front. It contains no requests. A failure was reported by other means than a diagnostic.
using BatchRule =
    std::function<llvm::FailureOr<BatchedByRule>(llvm::StringRef name, llvm::ArrayRef<bool> batched, int64_t size)>;

/// Sets the receiver of these calls for ops of this context.
void setBatchRule(mlir::MLIRContext &context, BatchRule rule);

} // namespace dovetail

#endif // DOVETAIL_CUSTOMVMAP_H
