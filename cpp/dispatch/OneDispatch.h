// Builds one executable of loops and branches with all ops in them.
#ifndef DOVETAIL_DISPATCH_ONEDISPATCH_H
#define DOVETAIL_DISPATCH_ONEDISPATCH_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <limits>

namespace dovetail {

/// Mesa's Vulkan driver for CPUs ends all loops of a dispatch, silently, after this many iterations.
constexpr int64_t kMostIterationsOnVulkan = (1 << 16) - 1;

/// The alignment of views of memory in such a dispatch, in bytes.
constexpr int64_t kAlignment = 64;
/// Code that needs more memory for temporaries than this is better split into dispatches that use all threads.
constexpr int64_t kMaxScratch = int64_t(1) << 26;
/// IREE 3.13 rejects more than 32 KiB of stack, which includes spilled vectors.
constexpr int64_t kMaxStack = int64_t(1) << 13;
/// The runtime of IREE 3.13 does not pass more memory to a dispatch.
constexpr size_t kMaxBuffers = 32;
/// As many as IREE 3.13's drivers for CUDA and ROCm bind.
constexpr size_t kMaxBuffersOnGpu = 16;

/// Marks the module that has the code of such a dispatch; the second, if several workgroups run it, is their number,
/// and the third, if several threads of each do, is theirs.
constexpr llvm::StringLiteral kIsDispatch = "dovetail.dispatch", kHasGroups = "dovetail.groups",
                              kHasThreads = "dovetail.threads";

/// The element type and the sizes of a result.
struct Shape {
  mlir::Type element;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
};

/// Emits the code of `body` as one dispatch that runs on one thread, for loops whose bodies are small. `body` gets
/// `inputs`, arrays and numbers of type `index`, as values inside the dispatch, and must not use other outer values; it
/// returns one array for each of `results`, or failure, for instance if a dovetail op in it has no lowering.
///
/// It emits ordinary lowered code: linalg, tensor, arith, math and complex ops, and `scf.for`, `while`, `if` and
/// `index_switch` that carry or return arrays. It need not consider memory. For efficient code, stacked results should
/// be carried, starting from `tensor.empty`, and updated by `tensor.insert_slice`; results of loops should be returned
/// without copying or reshaping; and scalars should be carried as scalars. Temporaries are part of an additional
/// result, so that they may be large, but each must have a known size. A result that is a new version of a large
/// donated argument overwrites it.
///
/// Fails, leaving `b` unchanged, if the code cannot be such a dispatch: for ops that `canRunInOneDispatch` does not
/// support, temporaries of unknown size, loops that would need new memory in each iteration, and iterations of more
/// than `mostWork` scalar steps, including unavoidable copies. The same code then runs outside. On a GPU, `numThreads`
/// share the ops; 0 stands for as many as they are worth.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
dispatchOnce(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange inputs, llvm::ArrayRef<Shape> results,
             llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(mlir::ImplicitLocOpBuilder &,
                                                                                mlir::ValueRange inputs)>
                 body,
             int64_t mostWork = std::numeric_limits<int64_t>::max(), int64_t numThreads = 0);

/// The same for code that each of several workgroups runs: `body` also gets the number of its group, and returns the
/// slices of the results at that number along their first dimension, whose size is the number of groups.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> dispatchGroups(
    mlir::ImplicitLocOpBuilder &b, int64_t numGroups, mlir::ValueRange inputs, llvm::ArrayRef<Shape> results,
    llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(mlir::ImplicitLocOpBuilder &,
                                                                       mlir::ValueRange inputs, mlir::Value group)>
        body,
    int64_t mostWork);

/// Whether the builder writes the code of such a dispatch.
bool isInDispatch(mlir::ImplicitLocOpBuilder &b);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_ONEDISPATCH_H
