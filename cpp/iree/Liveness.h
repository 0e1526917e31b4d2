// Live ranges of arrays in lowered programs: dependences between ops, last uses, and keep-alive uses.
#ifndef DOVETAIL_IREE_LIVENESS_H
#define DOVETAIL_IREE_LIVENESS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace dovetail {

//===- Dependences -------------------------------------------------------------===//

/// Collects the ops in the block of `earlier` between it and `op` that `op` depends on, and `op`. Returns whether `op`,
/// or an op in it, depends on `earlier`; then not all are collected. Collects nothing if `mayVisit` is false for one of
/// these ops, or one in them, before that is known.
std::optional<bool> collectDependences(mlir::Operation *op, mlir::Operation *earlier,
                                       llvm::SetVector<mlir::Operation *> &between,
                                       llvm::function_ref<bool(mlir::Operation *)> mayVisit);

/// Whether an op, or one in it, needs the results of an earlier op of its block. False for two ops with many ops
/// between them, for which this is not determined.
bool needs(mlir::Operation *op, mlir::Operation *earlier);

/// Whether either of two ops waits for the other, by data dependence.
bool areOrdered(mlir::Operation *a, mlir::Operation *b);

/// Whether the op reads no array. IREE repeats such a dispatch instead of copying its result, and then merges it with
/// others that compute the same.
bool readsNoArray(mlir::Operation *op);

//===- Last uses ---------------------------------------------------------------===//

/// Whether only one op uses the elements of an array.
bool isForOneUse(mlir::Value array);

/// Whether an op that runs after `op` uses the array. Further iterations of a loop around both do not count.
bool isUsedBehind(mlir::Operation *op, mlir::Value array);

/// Collects the ops after `writer` in its block that read an array, or a view of it from before `writer`.
void collectReadsBehind(mlir::Operation *writer, mlir::Value array, llvm::SetVector<mlir::Operation *> &reads);

/// Whether an array is on one side of an optimization barrier while another value may be on the other side, in memory
/// that IREE does not know to be the same.
bool isSharedByBarrier(mlir::Value array);

/// The array and the arrays that it is a view of, as far as they are needed after an op in `block` overwrites them,
/// though IREE does not see that: in the next iteration of a loop around `block`, or on the other side of an
/// optimization barrier.
llvm::SmallVector<mlir::Value> neededLater(mlir::Value array, mlir::Block *block);

//===- Keep-alive uses ---------------------------------------------------------===//

/// Whether the op is a barrier whose results are unused, which IREE takes for a use.
bool isKeepAliveUse(mlir::Operation *op);

/// Keep-alive uses: barriers at the ends of blocks, which extend the live range of an array to the end of its block. An
/// op that would overwrite the array then overwrites a copy.
class KeepAliveUses {
public:
  /// Keeps the array alive. Returns whether it was not yet.
  bool insert(mlir::Value array);

  /// Whether the array is kept alive, by these uses or by one in the IR.
  bool contains(mlir::Value array) const;

  /// Emits the uses, one barrier for each array, since IREE requires the memory of all operands of one barrier to be of
  /// one kind. Returns whether there are any.
  bool emit();

private:
  llvm::SetVector<mlir::Value> arrays;
};

/// Keeps one array alive.
void keepAlive(mlir::Value array);

} // namespace dovetail

#endif // DOVETAIL_IREE_LIVENESS_H
