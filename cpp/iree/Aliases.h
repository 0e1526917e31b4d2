// Memory that the arrays of a lowered program share: views, destinations, and alias classes.
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

/// Whether the op only says which elements of an array are read, and how: a reshape or a slice. IREE may copy a slice.
bool isView(mlir::Operation *op);

bool isOptimizationBarrier(mlir::Operation *op);

/// Whether the op is one of IREE's that computes nothing: its results are its first operands.
bool passesOn(mlir::Operation *op);

/// The array that this one is a view of, or that an op passes on as this one; null if it is neither, or comes out of an
/// optimization barrier.
mlir::Value viewed(mlir::Value array);

/// The array, what it is a view of, and so on to the one that is computed.
llvm::SmallVector<mlir::Value> viewsOf(mlir::Value array);

/// The array without the reshapes that give it its form.
mlir::Value withoutReshapes(mlir::Value array);

/// The arrays in whose memory one may come to be without a copy: what it is a view of, what a loop that carries it
/// begins with, what branches give as it.
llvm::SmallVector<mlir::Value> sourcesOf(mlir::Value array);

//===- Destinations ------------------------------------------------------------===//

/// The arrays that an op writes over, unless they are used later.
llvm::SmallVector<mlir::Value> destinationsOf(mlir::Operation *op);

/// Whether an op writes over this operand.
bool writesOver(mlir::OpOperand &operand);

/// The array of which a result is a new version, changed in parts or by iterations: the destination of an insertion or
/// a scatter, or what a loop begins with. Null for other results.
mlir::Value previousVersion(mlir::Value array);

/// Visits the ops that the code generator sees, in order: not those in the code of a dispatch.
void forEachOp(mlir::func::FuncOp function, llvm::function_ref<void(mlir::Operation *)> visit);

/// Visits each array that an op of the function writes over, with the op.
void forEachDestination(mlir::func::FuncOp function, llvm::function_ref<void(mlir::Operation *, mlir::Value)> visit);

/// What ops of the function write over, and the sources of that.
llvm::SetVector<mlir::Value> writtenArrays(mlir::func::FuncOp function);

//===- Classes -----------------------------------------------------------------===//

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

} // namespace dovetail

#endif // DOVETAIL_IREE_ALIASES_H
