// Result types that cannot be inferred are an error of the program, not the end of the process. Included where the
// builders of ops are, before them.
#ifndef DOVETAIL_INFERENCE_H
#define DOVETAIL_INFERENCE_H

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace dovetail {

/// Checks that operands are arrays of numbers or bools, without which no result type can be inferred.
llvm::LogicalResult verifyArrays(std::optional<mlir::Location> loc, llvm::StringRef name, mlir::ValueRange operands);

/// Applies a rule, which has also failed where inference failed for an op that it emits.
llvm::LogicalResult checked(llvm::function_ref<llvm::LogicalResult()> rule);

} // namespace dovetail

namespace mlir::detail {
/// Reports at the op's location, and makes of the op one that no verifier and no fold takes, of an operand's type, so
/// that the rule which emits it comes to its end.
void reportInferenceFailure(OperationState &state);
} // namespace mlir::detail

// A generated builder cannot return failure; it calls a function that ends the process.
#define reportFatalInferReturnTypesError reportInferenceFailure

#endif // DOVETAIL_INFERENCE_H
