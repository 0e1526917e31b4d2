// Extends live ranges that IREE misses: across iterations of loops, and across barriers.
#ifndef DOVETAIL_IREE_KEEPSHARED_H
#define DOVETAIL_IREE_KEEPSHARED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// What is in the memory of an array and needed after something in `place` writes over it, though IREE 3.13 does not
/// see that: what a further step of a loop around `place` reads, and what is on one side of an optimization barrier
/// while something else may be on the other, which is the same memory.
llvm::SmallVector<mlir::Value> neededLater(mlir::Value array, mlir::Block *place);

/// Gives arrays that an op might write over a keep-alive use where they are needed later.
void keepShared(mlir::func::FuncOp function);

} // namespace dovetail

#endif // DOVETAIL_IREE_KEEPSHARED_H
