// Memory shared by the arrays of a lowered program: views, destinations, and alias classes.
#ifndef DOVETAIL_IREE_ALIASES_H
#define DOVETAIL_IREE_ALIASES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

namespace dovetail {

inline bool isArray(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }

//===- Views -------------------------------------------------------------------===//

/// Whether the op only gives an array another shape or type, with the same elements in the same order.
bool isReshape(mlir::Operation *op);

/// Whether the op only selects or reshapes elements of an array: a reshape or a slice. IREE may copy a slice.
bool isView(mlir::Operation *op);

bool isOptimizationBarrier(mlir::Operation *op);

/// Whether the op is one of IREE's that computes nothing: its results are its first operands.
bool passesOn(mlir::Operation *op);

/// The array that this one is a view of, or that an op forwards as this one; null if there is none, and for results of
/// optimization barriers.
mlir::Value viewed(mlir::Value array);

/// Follows views from the array to the array that is computed.
llvm::SmallVector<mlir::Value> viewsOf(mlir::Value array);

/// The array without reshapes.
mlir::Value withoutReshapes(mlir::Value array);

/// The arrays in whose memory the array may be without a copy: the array that it is a view of, the initial value of the
/// loop that carries it, the values that branches return for it.
llvm::SmallVector<mlir::Value> sourcesOf(mlir::Value array);

//===- Copies of slices --------------------------------------------------------===//

/// Whether a write to an array should wait until `read`, a part of it or computed of one, is there: the array is large,
/// and a copy of it would take longer.
bool isWorthWaiting(mlir::Value read, mlir::Value written);

/// The small slice of a large array that an array is a view of: the one nearest to the large array. Null if there is
/// none.
mlir::Value smallSlice(mlir::Value array);

/// Makes all uses of an array those of the result of a barrier directly behind it, and returns that. Of a slice that is
/// a copy in memory of its own: IREE makes one behind a barrier if the array is overwritten later.
mlir::Value behindBarrier(mlir::Value array);

/// Whether the op makes such a copy.
bool isCopyOfSlice(mlir::Operation *op);

//===- Destinations ------------------------------------------------------------===//

/// The arrays that an op overwrites, unless they are used later.
llvm::SmallVector<mlir::Value> destinationsOf(mlir::Operation *op);

/// Whether an op overwrites this operand.
bool writesOver(mlir::OpOperand &operand);

/// The array of which a result is a new version, modified in parts or by iterations: the destination of an insertion or
/// a scatter, or a loop's initial value. Null for other results.
mlir::Value previousVersion(mlir::Value array);

/// The array that a dispatch overwrites to compute a result; null for other results.
mlir::Value tiedArray(mlir::Value array);

/// Visits the ops that the code generator sees, in order, except for those in the code of a dispatch.
void forEachOp(mlir::func::FuncOp function, llvm::function_ref<void(mlir::Operation *)> visit);

/// Visits each array that an op of the function overwrites, with the op.
void forEachDestination(mlir::func::FuncOp function, llvm::function_ref<void(mlir::Operation *, mlir::Value)> visit);

/// The arrays that ops of the function overwrite, and the sources of these arrays.
llvm::SetVector<mlir::Value> writtenArrays(mlir::func::FuncOp function);

//===- Classes -----------------------------------------------------------------===//

/// Alias classes of a function's arrays: two arrays that may share memory without an op in between that computes are in
/// the same class. Anything that the code generator may alias counts: reshapes and slices, ops that only move elements,
/// and operands and results of loops and branches. An op that overwrites its destination does not count.
class Aliases {
public:
  explicit Aliases(mlir::func::FuncOp function);

  /// The representative of an array's class.
  const void *classOf(mlir::Value array) const;

private:
  void join(mlir::Value a, mlir::Value b);
  void addMoves(mlir::Operation *op);
  void addControlFlow(mlir::RegionBranchOpInterface op);

  llvm::EquivalenceClasses<void *> classes;
};

} // namespace dovetail

#endif // DOVETAIL_IREE_ALIASES_H
