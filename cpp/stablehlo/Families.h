// The families of ops whose counterparts are stated together.
#ifndef DOVETAIL_STABLEHLO_FAMILIES_H
#define DOVETAIL_STABLEHLO_FAMILIES_H

#include "mlir/IR/MLIRContext.h"

namespace dovetail {

/// Attaches the counterparts of all ops, in both directions. The dialects must be loaded.
void attachStablehloCounterparts(mlir::MLIRContext *context);

void attachElementwiseCounterparts(mlir::MLIRContext *context);
void attachShapeCounterparts(mlir::MLIRContext *context);
void attachSizeCounterparts(mlir::MLIRContext *context);
void attachSizesToStablehlo(mlir::MLIRContext *context);
void attachContractionCounterparts(mlir::MLIRContext *context);
void attachReductionCounterparts(mlir::MLIRContext *context);
void attachWindowCounterparts(mlir::MLIRContext *context);
void attachIndexCounterparts(mlir::MLIRContext *context);
void attachOrderCounterparts(mlir::MLIRContext *context);
void attachControlCounterparts(mlir::MLIRContext *context);
void attachMatrixCounterparts(mlir::MLIRContext *context);
void attachRandomCounterparts(mlir::MLIRContext *context);
void attachNormalizationCounterparts(mlir::MLIRContext *context);
void attachShardingCounterparts(mlir::MLIRContext *context);
void attachCollectiveCounterparts(mlir::MLIRContext *context);
void attachCollectivesToStablehlo(mlir::MLIRContext *context);
void attachForeignCalls(mlir::MLIRContext *context);

} // namespace dovetail

#endif // DOVETAIL_STABLEHLO_FAMILIES_H
