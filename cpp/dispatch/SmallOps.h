// Which ops of a lowered program are small, and which of them one dispatch may compute.
#ifndef DOVETAIL_DISPATCH_SMALLOPS_H
#define DOVETAIL_DISPATCH_SMALLOPS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"

namespace dovetail {

/// Arrays with this few elements cost nothing to pass on.
constexpr int64_t kTiny = 16;

/// The values that an op reads: its operands, and outer values that its regions use.
llvm::SmallVector<mlir::Value> readBy(mlir::Operation *op);

/// The number of elements of an array, 0 for other values.
int64_t numElementsOf(mlir::Value value);

/// Whether the op is a dispatch. Those among small ops run sequential code.
bool isDispatch(mlir::Operation *op);

/// Whether an op costs nothing at its use, and is therefore repeated there.
bool isRepeated(mlir::Operation *op);

/// Whether the code generator starts a dispatch with the op: it fuses nothing into another op that reads the whole
/// array for each of its elements.
bool startsDispatch(mlir::Operation *op);

/// The number of ops on registers for an op of static sizes, apart from the code of a dispatch.
int64_t workOf(mlir::Operation *op);

/// A block's small ops in levels, such that no path between two ops of a level goes through an op that is not small.
llvm::MapVector<int64_t, llvm::SmallVector<mlir::Operation *>> levelsOf(mlir::Block &block);

/// The ops of a level that are merged. Ops that the code generator fuses into large ops are not.
llvm::SmallVector<mlir::Operation *> groupOf(llvm::ArrayRef<mlir::Operation *> level);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_SMALLOPS_H
