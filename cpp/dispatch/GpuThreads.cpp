// Threads of hand-written code for GPUs.
#include "GpuThreads.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace dovetail {

Value numberOfGroup(ImplicitLocOpBuilder &b) {
  OperationState state(b.getLoc(), "hal.interface.workgroup.id", {}, b.getIndexType());
  state.addAttribute("dimension", b.getIndexAttr(0));
  return b.create(state)->getResult(0);
}

Value numberOfThread(ImplicitLocOpBuilder &b) {
  OperationState state(b.getLoc(), "gpu.thread_id", {}, b.getIndexType());
  state.addAttribute("dimension", ireeAttr(b.getContext(), "gpu", "dim<x>"));
  return b.create(state)->getResult(0);
}

void setThreads(func::FuncOp function, const Target &target, int64_t count) {
  StringRef pipeline = target.isSpirv() ? "spirv_pipeline" : "pipeline";
  function->setAttr("translation_info", ireeAttr(function.getContext(), "iree_codegen",
                                                 "translation_info<pipeline = #iree_gpu." + pipeline +
                                                     "<BaseLowering> workgroup_size = [" + Twine(count) + ", 1, 1]>"));
}

void waitForThreads(ImplicitLocOpBuilder &b, const Target &target) {
  if (!target.isSpirv()) {
    b.create(OperationState(b.getLoc(), "gpu.barrier"));
    return;
  }
  // A `gpu.barrier` would be one for the memory of the workgroup alone.
  OperationState state(b.getLoc(), "spirv.ControlBarrier");
  Attribute scope = ireeAttr(b.getContext(), "spirv", "scope<Workgroup>");
  state.addAttribute("execution_scope", scope);
  state.addAttribute("memory_scope", scope);
  state.addAttribute("memory_semantics", ireeAttr(b.getContext(), "spirv",
                                                  "memory_semantics<AcquireRelease|UniformMemory|WorkgroupMemory>"));
  b.create(state);
}

bool hasDeviceFence(const Target &target) { return target.isGpu() && !target.isSpirv(); }

void fenceDevice(ImplicitLocOpBuilder &b, const Target &target) {
  assert(hasDeviceFence(target));
  OperationState state(b.getLoc(), "llvm.fence");
  // Acquires and releases.
  constexpr int64_t kAcqRel = 6;
  state.addAttribute("ordering", b.getI64IntegerAttr(kAcqRel));
  state.addAttribute("syncscope", b.getStringAttr(target.name.starts_with("rocm") ? "agent" : "device"));
  b.create(state);
}

void forEach(ImplicitLocOpBuilder &b, Value first, Value end, Value stride,
             function_ref<void(ImplicitLocOpBuilder &, Value)> body) {
  scf::ForOp::create(b, first, end, stride, ValueRange(), [&](OpBuilder &inner, Location loc, Value i, ValueRange) {
    ImplicitLocOpBuilder each(loc, inner);
    body(each, i);
    scf::YieldOp::create(each);
  });
}

} // namespace dovetail
