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

void setThreads(func::FuncOp function, const Target &target) {
  StringRef pipeline = target.isSpirv() ? "spirv_pipeline" : "pipeline";
  function->setAttr("translation_info",
                    ireeAttr(function.getContext(), "iree_codegen",
                             "translation_info<pipeline = #iree_gpu." + pipeline + "<BaseLowering> workgroup_size = [" +
                                 Twine(kThreads) + ", 1, 1]>"));
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
