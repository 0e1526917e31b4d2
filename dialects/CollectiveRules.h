// What the rules of collectives share: verification of axes, and the axis of a batch among them.
#ifndef DOVETAIL_COLLECTIVE_RULES_H
#define DOVETAIL_COLLECTIVE_RULES_H

#include "Collective.h"

namespace dovetail {

/// Checks that the axes are distinct, and that there is one.
llvm::LogicalResult verifyAxes(std::optional<mlir::Location> loc, llvm::StringRef name, mlir::ArrayAttr axes);
/// The same, and that each has a size.
llvm::LogicalResult verifyAxes(std::optional<mlir::Location> loc, llvm::StringRef name, mlir::ArrayAttr axes,
                               llvm::ArrayRef<int64_t> sizes);

/// The product of sizes; kDynamic if one is.
int64_t productOf(llvm::ArrayRef<int64_t> sizes);

/// The axes of an op one of which is that of the batch: for its elements in row-major order, `before` counts the axes
/// before it, `after` those after it.
struct OwnAxis {
  mlir::ArrayAttr rest;
  llvm::SmallVector<int64_t> restSizes;
  int64_t before = 1, own = 1, after = 1;
};

bool isOverBatch(Emitter &e, mlir::ArrayAttr axes);
mlir::ArrayAttr otherAxes(Emitter &e, mlir::ArrayAttr axes);
llvm::FailureOr<OwnAxis> ownAxis(Emitter &e, mlir::ArrayAttr axes, llvm::ArrayRef<int64_t> sizes);

/// The sum over the elements of the batch.
mlir::Value sumOverBatch(Emitter &e, mlir::Value x, int64_t dim);

} // namespace dovetail

#endif // DOVETAIL_COLLECTIVE_RULES_H
