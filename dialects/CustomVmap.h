// Rules for batching that the program which makes a module has, and the dialect asks for.
#ifndef DOVETAIL_CUSTOMVMAP_H
#define DOVETAIL_CUSTOMVMAP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>

namespace dovetail {

/// What a rule makes of a function: a module whose `main` is the function over the batch.
struct BatchedByRule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Which results have the batch, in front.
  llvm::SmallVector<bool> resultsBatched;
};

/// Asks the rule of that name for the function over a batch of `size`, in which the arguments that are marked have the
/// batch in front. It holds no requests. A failure was reported by other means than a diagnostic.
using BatchRule =
    std::function<llvm::FailureOr<BatchedByRule>(llvm::StringRef name, llvm::ArrayRef<bool> batched, int64_t size)>;

/// Sets whom ops of this context ask.
void setBatchRule(mlir::MLIRContext &context, BatchRule rule);

} // namespace dovetail

#endif // DOVETAIL_CUSTOMVMAP_H
