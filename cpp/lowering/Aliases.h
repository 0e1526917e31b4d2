// Which arrays of a lowered program may share memory.
#ifndef DOVETAIL_LOWERING_ALIASES_H
#define DOVETAIL_LOWERING_ALIASES_H

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

/// Whether the op is a barrier that only gives arrays a use at the end of its block.
bool isUseAtEnd(mlir::Operation *op);

/// The arrays that an op writes over, unless they are used later.
llvm::SmallVector<mlir::Value> destinationsOf(mlir::Operation *op);

/// Whether a loop in `block` has `place` in it.
bool isInLoopOf(mlir::Block *block, mlir::Block *place);

/// Gives arrays that an op might write over a use at the end, where IREE 3.13 does not see that they are needed later:
/// by a further step of a loop that has the op in it, or by what is the same memory on the other side of an
/// optimization barrier.
void keepShared(mlir::func::FuncOp function);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_ALIASES_H
