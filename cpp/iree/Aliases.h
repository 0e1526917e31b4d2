// Alias classes of arrays in lowered programs, and what ops write over.
#ifndef DOVETAIL_IREE_ALIASES_H
#define DOVETAIL_IREE_ALIASES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace dovetail {

/// The arrays of a function in classes: two that may share memory without an op that computes between them are in one.
/// It counts as sharing what the code generator may make so: reshapes and slices, ops that only move elements, what
/// goes into loops and branches and comes out of them. What an op writes over its destination is not sharing.
class Aliases {
public:
  explicit Aliases(mlir::func::FuncOp function);

  /// What stands for the class of an array.
  const void *classOf(mlir::Value array) const;

private:
  void join(mlir::Value a, mlir::Value b);
  void addMoves(mlir::Operation *op);
  void addControlFlow(mlir::RegionBranchOpInterface op);

  llvm::EquivalenceClasses<void *> classes;
};

/// Whether the op only gives an array another shape or type, with the same elements in the same order.
bool isReshape(mlir::Operation *op);

/// Whether the op only says which elements of an array are read, and how.
bool isView(mlir::Operation *op);

/// Whether the op is one of IREE's by which nothing is computed: what it gives is what it was given.
bool passesOn(mlir::Operation *op);

bool isOptimizationBarrier(mlir::Operation *op);

/// Whether the op is a barrier that only keeps arrays alive to the end of its block.
bool isKeepAliveUse(mlir::Operation *op);

/// Whether one op alone uses the elements of an array.
bool isForOneUse(mlir::Value array);

/// The arrays that an op writes over, unless they are used later.
llvm::SmallVector<mlir::Value> destinationsOf(mlir::Operation *op);

/// Visits the ops that the code generator sees, in order: not those in the code of a dispatch.
void forEachOp(mlir::func::FuncOp function, llvm::function_ref<void(mlir::Operation *)> visit);

/// The array, what it is a view of, and so on. Of a slice IREE may make a copy.
llvm::SmallVector<mlir::Value> viewsOf(mlir::Value array);

/// Whether an op, or one in it, needs what an earlier one of its block computes. Between two that lie far apart with
/// many ops between them this is not found out: false.
bool needs(mlir::Operation *op, mlir::Operation *earlier);

} // namespace dovetail

#endif // DOVETAIL_IREE_ALIASES_H
