// Calls of functions that the host of a compiled program provides.
#ifndef DOVETAIL_IREE_HOSTCALL_H
#define DOVETAIL_IREE_HOSTCALL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Marks the declaration of a host function: the op that it computes, and the types of operands and results.
constexpr llvm::StringLiteral kHostOp = "dovetail.host_op";
/// Marks the declaration of a host function, or a dispatch, with side effects.
constexpr llvm::StringLiteral kHasEffects = "dovetail.has_effects";

/// A call of the op's host function on lowered operands. There are none within a dispatch.
void lowerToHostCall(mlir::Operation *op, mlir::ImplicitLocOpBuilder &b, mlir::ValueRange operands,
                     llvm::SmallVectorImpl<mlir::Value> &results);

/// A host function that a lowered module imports.
struct HostImport {
  llvm::StringRef name;
  /// The types as the evaluator has them.
  llvm::StringRef op;
  mlir::DictionaryAttr attributes;
  mlir::FunctionType type;
  /// If so, it takes a number after the arrays and returns it after its results, which orders such calls.
  bool hasEffects;
};

/// Marks a dispatch that has effects: one operand and the last result are arrays of one number, which order it.
void markEffects(mlir::Operation *dispatch, unsigned operand);

/// Makes the calls of functions that have effects, and dispatches that have them, depend on each other: IREE 3.13 moves
/// calls past loops otherwise, and drops dispatches whose results nobody uses.
void orderHostCalls(mlir::ModuleOp module);

/// Takes the imports of a module, and removes the description of what they compute: equal code has equal text.
llvm::SmallVector<HostImport> takeHostImports(mlir::ModuleOp module);

} // namespace dovetail

#endif // DOVETAIL_IREE_HOSTCALL_H
