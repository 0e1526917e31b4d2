// Linearizes a function: its JVP, split into primal and linear part.
#ifndef DOVETAIL_TRANSFORMS_LINEARIZE_H
#define DOVETAIL_TRANSFORMS_LINEARIZE_H

#include "dialects/Rules.h"
#include "mlir/IR/BuiltinOps.h"

namespace dovetail {

/// known: primals -> (results, residuals);  tangent: (residuals, tangents) -> tangents of the results in `active`;
/// cotangent: (residuals, cotangents of the results in `active`) -> cotangents of the arguments in `nonzero`.
/// Residuals are arrays; sizes are among them as arrays without elements.
struct Linearization {
  mlir::func::FuncOp known, tangent, cotangent;
  llvm::SmallBitVector active, nonzero;
};

/// Linearizes with respect to the arguments in `wrt`. Requests in the function are expanded first.
llvm::FailureOr<Linearization> linearize(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> wrt, bool transpose);

/// The same, for later: the residuals are the arguments, and the linear function requests the whole derivative.
llvm::FailureOr<Linearization> requestLinearization(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> wrt,
                                                    bool transpose);

/// The transpose of a function that is itself linear in the arguments in `linear`, which may be integers, without
/// derivatives. It has no tangent function. Its known values are arguments and sizes.
llvm::FailureOr<Linearization> transposeLinear(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> linear);

/// Makes a known function, of which only the residuals are needed, and those do not depend on the arguments but for
/// their sizes, one of the residuals: of `numResults` results before them nothing is left, nor of effects of what
/// depends on the first `numPrimals` arguments. It must have no calls.
void keepResiduals(mlir::func::FuncOp known, unsigned numPrimals, unsigned numResults);

/// Marks the results of the function that carry the batch if the arguments marked in `batched` do.
llvm::FailureOr<llvm::SmallBitVector> batchedResults(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> dims,
                                                     BatchSize size);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_LINEARIZE_H
