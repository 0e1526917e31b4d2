// Makes types that cannot be inferred an error of the program, instead of the end of the process. Included before the
// builders of ops.
#ifndef DOVETAIL_INFERENCE_H
#define DOVETAIL_INFERENCE_H

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace dovetail {

/// Checks that operands are arrays of numbers or bools; without these, no result type can be inferred.
llvm::LogicalResult verifyArrays(std::optional<mlir::Location> loc, llvm::StringRef name, mlir::ValueRange operands);

/// Applies a rule, and fails also if inference failed for an op that it emits.
llvm::LogicalResult checked(llvm::function_ref<llvm::LogicalResult()> rule);

} // namespace dovetail

namespace mlir::detail {
/// Reports the error at the op's location, and turns the op into one without verifiers and folds, with an operand's
/// type, so that the rule that emits it can finish.
void reportInferenceFailure(OperationState &state);
} // namespace mlir::detail

// A generated builder cannot return failure; it calls a function that ends the process.
#define reportFatalInferReturnTypesError reportInferenceFailure

#endif // DOVETAIL_INFERENCE_H
