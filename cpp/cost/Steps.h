// Scalar steps: the unit in which passes weigh work, and the size that they assume for a `?`.
#ifndef DOVETAIL_COST_STEPS_H
#define DOVETAIL_COST_STEPS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace dovetail {

/// What passes assume for a dynamic size, and for the iterations of a loop of unknown length. Amounts that users see
/// (`Cost.h`) are per element of these: there a `?` counts as 1.
constexpr int64_t kAssumedSize = 64;

/// The size, or the assumed one.
inline int64_t assumedSize(int64_t size) { return mlir::ShapedType::isDynamic(size) ? kAssumedSize : size; }

/// Neither sums nor products of steps are larger than this.
constexpr int64_t kMostSteps = int64_t(1) << 40;
int64_t plus(int64_t a, int64_t b);
/// Of factors of at least 1.
int64_t times(int64_t a, int64_t b);
int64_t product(llvm::ArrayRef<int64_t> sizes);

/// A step reads or writes an element, or multiplies and adds two. So many ops on registers take about as long.
constexpr int64_t kOpsOfStep = 8;

/// How many ops on registers the regions of an op hold, constants apart.
int64_t scalarOpsOf(mlir::Operation *op);

/// About how many steps a dovetail op takes, and what is in it: what it states, of which arrays that it changes in
/// their place are no part, or else the product of its loops' sizes, or the largest of its arrays.
int64_t stepsOf(mlir::Operation *op);

/// How many iterations a loop or a choice has, or is assumed to have.
int64_t iterationsOf(mlir::Operation *op);

} // namespace dovetail

#endif // DOVETAIL_COST_STEPS_H
