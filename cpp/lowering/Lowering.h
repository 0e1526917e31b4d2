// Lowering of dovetail ops to linalg on tensors.
#ifndef DOVETAIL_LOWERING_LOWERING_H
#define DOVETAIL_LOWERING_LOWERING_H

#include "cpp/tensors/Builders.h"

namespace dovetail {

/// Marks a value that one op reads, and in addition only ops that run for their effects, or for such ops.
constexpr llvm::StringLiteral kReadOnce = "dovetail.read_once";

/// Attaches the lowerings of all families.
void attachLowerings(mlir::MLIRContext *context);

/// Each attaches the lowerings of one family.
void attachBarrierLowerings(mlir::MLIRContext *context);
void attachCallbackLowerings(mlir::MLIRContext *context);
void attachCollectiveLowerings(mlir::MLIRContext *context);
void attachControlLowerings(mlir::MLIRContext *context);
void attachConvLowerings(mlir::MLIRContext *context);
void attachCreateLowerings(mlir::MLIRContext *context);
void attachCumulativeLowerings(mlir::MLIRContext *context);
void attachDotLowerings(mlir::MLIRContext *context);
void attachFactorizationLowerings(mlir::MLIRContext *context);
void attachFfiLowerings(mlir::MLIRContext *context);
void attachFftLowerings(mlir::MLIRContext *context);
void attachGatherLowerings(mlir::MLIRContext *context);
void attachRandomLowerings(mlir::MLIRContext *context);
void attachReduceLowerings(mlir::MLIRContext *context);
void attachScatterLowerings(mlir::MLIRContext *context);
void attachShapeLowerings(mlir::MLIRContext *context);
void attachSizeLowerings(mlir::MLIRContext *context);
void attachSortLowerings(mlir::MLIRContext *context);
void attachWindowLowerings(mlir::MLIRContext *context);

/// Replaces a function's dovetail ops by lowered ones.
llvm::LogicalResult lowerFunction(mlir::func::FuncOp function);

/// Emits the lowered ops of a body on lowered arguments, at the builder's position.
llvm::LogicalResult lowerBody(mlir::ImplicitLocOpBuilder &b, mlir::Region &body, mlir::ValueRange arguments,
                              llvm::SmallVectorImpl<mlir::Value> &results);

/// The element of a splat operand after lowering; null for other operands and complex numbers.
mlir::TypedAttr splatElement(mlir::Value operand);

/// One `linalg.generic` for any pointwise op, and the same with a reduction loop for any reduction.
mlir::Value lowerPointwise(mlir::ImplicitLocOpBuilder &b, PointwiseOpInterface op, mlir::ValueRange operands);
mlir::Value lowerReduce(mlir::ImplicitLocOpBuilder &b, ReduceOpInterface op, mlir::Value x);

/// An element and its index.
struct Indexed {
  mlir::Value value, index;
};
/// The more extreme of two elements, and its index. Visits may be in any order: of equal elements, the smaller index
/// wins.
llvm::SmallVector<mlir::Value, 2> extremeOf(scalar::ScalarBuilder &b, bool isMaximum, Indexed best, Indexed candidate);

/// `x` reversed along some dimensions.
mlir::Value reversed(mlir::ImplicitLocOpBuilder &b, mlir::Value x, llvm::ArrayRef<int64_t> dims);

/// The number of times 1 must be doubled to reach `size`.
mlir::Value doublings(mlir::ImplicitLocOpBuilder &b, mlir::Value size);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_LOWERING_H
