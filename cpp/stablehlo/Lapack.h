// Calls of LAPACK in programs of other compilers.
#ifndef DOVETAIL_STABLEHLO_LAPACK_H
#define DOVETAIL_STABLEHLO_LAPACK_H

#include "Importer.h"

namespace dovetail {

/// Translates a call of a function of LAPACK; none if the call is of another function.
std::optional<llvm::LogicalResult> importLapack(stablehlo::CustomCallOp call, Importer &e,
                                                llvm::SmallVectorImpl<mlir::Value> &results);

/// The factor of a positive definite matrix, of which one triangle is read.
mlir::Value choleskyOf(Importer &e, mlir::Value a, bool isLower);

} // namespace dovetail

#endif // DOVETAIL_STABLEHLO_LAPACK_H
