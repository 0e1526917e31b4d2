// Ops of IREE's dialects, built and recognized by name.
#ifndef DOVETAIL_IREE_OPS_H
#define DOVETAIL_IREE_OPS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Registers the dialects, so that their ops verify and print in generic form.
void registerIreeDialects(mlir::DialectRegistry &registry);

/// The sizes of an array that its type does not say.
llvm::SmallVector<mlir::Value> dynamicSizes(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// `x`, known to be of these sizes where its type does not say them.
mlir::Value tieShape(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::ValueRange sizes);

/// A size that is known to be within bounds, and a multiple of a number.
mlir::Value assumed(mlir::ImplicitLocOpBuilder &b, mlir::Value size, int64_t min, int64_t max, int64_t multiple);

/// `x`, computed before anything that uses the result: the code generator fuses nothing across.
mlir::Value computeBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// The arrays, of which none is used before all are computed, and through which nothing is simplified.
llvm::SmallVector<mlir::Value> optimizationBarrier(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange xs);

/// An attribute of one of IREE's dialects, as it is printed behind the dialect's name.
mlir::Attribute ireeAttr(mlir::MLIRContext *context, llvm::StringRef dialect, const llvm::Twine &text);

/// An op whose operands come in groups.
mlir::Operation *createGrouped(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                               llvm::ArrayRef<mlir::ValueRange> groups, mlir::TypeRange results,
                               llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, unsigned numRegions = 0);

/// A new buffer, of type `!hal.buffer`, for an array of this type and, for its `?`s, these sizes.
mlir::Value allocatedBuffer(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type, mlir::ValueRange sizes);
/// The array in a buffer, and whether an op is the one that gives it; its first operand is the buffer.
mlir::Value importedArray(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer, mlir::RankedTensorType type,
                          mlir::ValueRange sizes);
bool isArrayImport(mlir::Operation *op);
/// The buffer in which an array is. The host waits until it is there.
mlir::Value exportedBuffer(mlir::ImplicitLocOpBuilder &b, mlir::Value array, mlir::ValueRange sizes);
/// The array, which is computed in that buffer, or copied there.
mlir::Value writtenTo(mlir::ImplicitLocOpBuilder &b, mlir::Value array, mlir::ValueRange sizes, mlir::Value buffer);

/// The running combination of elements along one dimension, and that of all of them, from `neutral`. It is sequential
/// along the dimension, and parallel over the others. If not `inclusive`, element i is that of the elements before.
std::pair<mlir::Value, mlir::Value>
runningScan(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value neutral, int64_t dimension, bool inclusive,
            llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::Value, mlir::Value)> step);

/// `x` with windows changed: `places` (windows x dimensions, i32) says where along the leading dimensions, `updates`
/// has a row for each window, and `step` combines an old element with an update. Windows not in `mask` are dropped.
mlir::Value
scatterWindows(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value places, mlir::Value mask, mlir::Value updates,
               bool isUnique,
               llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Value)> step);

/// States how the loops of a `linalg` op are tiled for a CPU: by threads, then by vectors, the parallel loops and those
/// that reduce; 0 for a loop that is not. What is left over of a dimension runs in loops of its own.
void setTiles(mlir::Operation *op, llvm::ArrayRef<int64_t> threads, llvm::ArrayRef<int64_t> parallel,
              llvm::ArrayRef<int64_t> reduced);

/// The attribute that maps an `scf.forall` to workgroups.
mlir::Attribute workgroupMapping(mlir::MLIRContext *context);

} // namespace dovetail

#endif // DOVETAIL_IREE_OPS_H
