// Calls, requests for transformed functions, and the rules that all ops on a callee share.
#ifndef DOVETAIL_CALL_H
#define DOVETAIL_CALL_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Call.h.inc"

namespace dovetail {

/// The attribute of a call of a derived function: the equation that the call was which a transform made it of.
inline constexpr llvm::StringLiteral kDerivedFrom = "derived_from";

/// The results of a function.
mlir::ValueRange emitCall(Emitter &e, mlir::func::FuncOp function, mlir::ValueRange args);

//===- Rules of ops that compute a function -------------------------------------===//

/// Emits an application of a function that a transform derived from the callee.
using EmitCall = llvm::function_ref<mlir::ValueRange(mlir::func::FuncOp, mlir::ValueRange)>;

llvm::LogicalResult jvpOfCall(Emitter &e, mlir::func::FuncOp callee, mlir::ValueRange primals,
                              llvm::ArrayRef<mlir::Value> tangents, llvm::SmallVectorImpl<mlir::Value> &results,
                              llvm::SmallVectorImpl<mlir::Value> &resultTangents, EmitCall emit);
llvm::LogicalResult transposeCall(Emitter &e, mlir::Operation *op, mlir::func::FuncOp callee, mlir::ValueRange operands,
                                  llvm::ArrayRef<mlir::Value> cotangents,
                                  llvm::MutableArrayRef<mlir::Value> operandCotangents, EmitCall emit);
llvm::LogicalResult batchCall(Emitter &e, mlir::func::FuncOp callee, mlir::ValueRange operands,
                              llvm::ArrayRef<int64_t> dims, llvm::SmallVectorImpl<mlir::Value> &results,
                              llvm::SmallVectorImpl<int64_t> &resultDims, EmitCall emit);
llvm::LogicalResult splitCall(Emitter &e, mlir::func::FuncOp callee, const llvm::SmallBitVector &unknown,
                              mlir::ValueRange operands, llvm::SmallVectorImpl<mlir::Value> &results, EmitCall emit);
mlir::Value sizeOfCall(Emitter &e, mlir::Operation *op, mlir::func::FuncOp callee, mlir::ValueRange operands,
                       unsigned result, int64_t dimension);
/// All operands: calls of linear functions are linear in all operands with a tangent; their bodies are checked op by
/// op.
OperandSets linearSetsOfCall(mlir::Operation *op);

//===- Verification ---------------------------------------------------------------===//

llvm::FailureOr<mlir::func::FuncOp> findCallee(mlir::Operation *op, llvm::StringRef what,
                                               mlir::FlatSymbolRefAttr callee, mlir::SymbolTableCollection &symbols);
llvm::LogicalResult verifyTypes(mlir::Operation *op, llvm::StringRef what, mlir::TypeRange expected,
                                mlir::TypeRange got);
/// Checks that `callee` is a function from the types of the operands to those of the results.
llvm::LogicalResult verifyCall(mlir::Operation *op, mlir::FlatSymbolRefAttr callee,
                               mlir::SymbolTableCollection &symbols);

} // namespace dovetail

#endif // DOVETAIL_CALL_H
