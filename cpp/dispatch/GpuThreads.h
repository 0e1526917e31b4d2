// Threads of hand-written code for GPUs.
#ifndef DOVETAIL_DISPATCH_GPUTHREADS_H
#define DOVETAIL_DISPATCH_GPUTHREADS_H

#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Threads of a workgroup, and a number of workgroups that every device supports.
constexpr int64_t kThreadsOfGroup = 64, kMaxGroups = 32768;

/// The number of the workgroup, on CPUs, too, and of the thread in it.
mlir::Value numberOfGroup(mlir::ImplicitLocOpBuilder &b);
mlir::Value numberOfThread(mlir::ImplicitLocOpBuilder &b);

/// States how many threads workgroups of a function have, and that its code is that of a thread.
void setThreads(mlir::func::FuncOp function, const Target &target, int64_t count = kThreadsOfGroup);

/// Waits for the other threads of the workgroup, which then see what this one has written.
void waitForThreads(mlir::ImplicitLocOpBuilder &b, const Target &target);

/// Whether workgroups can see what others wrote before the dispatch has ended: Vulkan's and Metal's cannot rely on it.
bool hasDeviceFence(const Target &target);

/// What this thread wrote before is seen by every thread of the device that reads, behind such a fence of its own, what
/// this one writes after. Only for targets that have it.
void fenceDevice(mlir::ImplicitLocOpBuilder &b, const Target &target);

/// Code for each of the items from `first` on that are `stride` apart and below `end`.
void forEach(mlir::ImplicitLocOpBuilder &b, mlir::Value first, mlir::Value end, mlir::Value stride,
             llvm::function_ref<void(mlir::ImplicitLocOpBuilder &, mlir::Value)> body);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_GPUTHREADS_H
