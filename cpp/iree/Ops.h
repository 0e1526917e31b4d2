// Ops of IREE's dialects, built and recognized by name.
#ifndef DOVETAIL_IREE_OPS_H
#define DOVETAIL_IREE_OPS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Registers the dialects, so that their ops verify and print in generic form.
void registerIreeDialects(mlir::DialectRegistry &registry);

/// The dynamic sizes of an array.
llvm::SmallVector<mlir::Value> dynamicSizes(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// `x`, with these dynamic sizes.
mlir::Value tieShape(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::ValueRange sizes);

/// A size that is known to be within bounds, and a multiple of a number.
mlir::Value assumed(mlir::ImplicitLocOpBuilder &b, mlir::Value size, int64_t min, int64_t max, int64_t multiple);

/// The size of an element in memory.
int64_t bytesOfElement(mlir::Type element);

/// `x`, computed before any user of the result: the code generator does not fuse across it.
mlir::Value computeBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// The same, except that reshapes of the result stay behind it: they would move before a `computeBarrier`.
mlir::Value reshapeBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// The arrays, or numbers, none of which is used before all are computed, and across which nothing is simplified.
llvm::SmallVector<mlir::Value> optimizationBarrier(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange xs);

/// An attribute of one of IREE's dialects, in its printed form after the dialect's name.
mlir::Attribute ireeAttr(mlir::MLIRContext *context, llvm::StringRef dialect, const llvm::Twine &text);

/// An op whose operands come in groups.
mlir::Operation *createGrouped(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                               llvm::ArrayRef<mlir::ValueRange> groups, mlir::TypeRange results,
                               llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, unsigned numRegions = 0);

/// The type `!hal.buffer`.
mlir::Type bufferType(mlir::MLIRContext *context);
/// A new buffer for an array of this type with these dynamic sizes.
mlir::Value allocatedBuffer(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type, mlir::ValueRange sizes);
/// The array in a buffer; and whether an op imports one, whose first operand is the buffer.
mlir::Value importedArray(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer, mlir::RankedTensorType type,
                          mlir::ValueRange sizes);
bool isArrayImport(mlir::Operation *op);
/// The buffer of an array. The host waits until it is computed.
mlir::Value exportedBuffer(mlir::ImplicitLocOpBuilder &b, mlir::Value array, mlir::ValueRange sizes);
/// The array, computed in that buffer, or copied there.
mlir::Value writtenTo(mlir::ImplicitLocOpBuilder &b, mlir::Value array, mlir::ValueRange sizes, mlir::Value buffer);

/// The running combination of elements along one dimension, and the combination of all of them, starting from
/// `neutral`. It is sequential along that dimension and parallel over the others. If not `inclusive`, element i
/// combines those before.
std::pair<mlir::Value, mlir::Value>
runningScan(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value neutral, int64_t dimension, bool inclusive,
            llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::Value, mlir::Value)> step);

/// `x` with windows modified: `places` (windows x dimensions, i32) are positions along the leading dimensions,
/// `updates` has a row for each window, and `step` combines an old element with an update. Windows not in `mask` are
/// dropped.
mlir::Value
scatterWindows(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value places, mlir::Value mask, mlir::Value updates,
               bool isUnique,
               llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Value)> step);

/// States the tiling of a `linalg` op's loops for a CPU: by threads, then by vectors, the parallel loops and the
/// reductions; 0 for other loops. The remainder of a dimension runs in separate loops.
void setTiles(mlir::Operation *op, llvm::ArrayRef<int64_t> threads, llvm::ArrayRef<int64_t> parallel,
              llvm::ArrayRef<int64_t> reduced);

/// The attribute that maps an `scf.forall` to workgroups.
mlir::Attribute workgroupMapping(mlir::MLIRContext *context);
/// The memory space of what the threads of a workgroup share.
mlir::Attribute workgroupMemory(mlir::MLIRContext *context);

} // namespace dovetail

#endif // DOVETAIL_IREE_OPS_H
