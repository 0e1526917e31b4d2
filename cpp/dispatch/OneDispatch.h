// Builds one executable of loops and branches with all that is in them.
#ifndef DOVETAIL_DISPATCH_ONEDISPATCH_H
#define DOVETAIL_DISPATCH_ONEDISPATCH_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <limits>

namespace dovetail {

/// Mesa's Vulkan driver for CPUs ends all loops of a dispatch, silently, after this many iterations.
constexpr int64_t kMostIterationsOnVulkan = (1 << 16) - 1;

/// The element type and the sizes of an array that is to be made.
struct Shape {
  mlir::Type element;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
};

/// What `body` computes, in one dispatch that one thread runs: for loops whose bodies are small. `body` gets `inputs`
/// as they are inside, arrays and numbers of type `index`, and must use nothing else of outside; it returns one array
/// for each of `results`, or failure, as when a dovetail op in it has no lowering.
///
/// It writes ordinary lowered code: linalg, tensor, arith, math and complex ops, and `scf.for`, `while`, `if` and
/// `index_switch` with arrays as what they carry or give. Nothing need be said about memory. What makes for good code:
/// stacked results are carried, from `tensor.empty`, and changed by `tensor.insert_slice`; loops are results, not
/// copied or reshaped first; scalars are carried as scalars. Temporaries are part of one more result, so that
/// they may be large; but each has a size that is known.
///
/// Fails, leaving `b` as it was, where the code cannot be such a dispatch: for ops that `canRunInOneDispatch` does not
/// know, temporaries of unknown size, loops of which memory would be needed in each iteration, and iterations of more
/// than `mostWork` scalar steps, those of copies among them that cannot be avoided. The same code then runs outside.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
dispatchOnce(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange inputs, llvm::ArrayRef<Shape> results,
             llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(mlir::ImplicitLocOpBuilder &,
                                                                                mlir::ValueRange inputs)>
                 body,
             int64_t mostWork = std::numeric_limits<int64_t>::max());

/// Whether the builder writes the code of such a dispatch.
bool isInDispatch(mlir::ImplicitLocOpBuilder &b);

/// Whether a lowered op, apart from those in its regions, may be part of such a dispatch.
bool canRunInOneDispatch(mlir::Operation *op);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_ONEDISPATCH_H
