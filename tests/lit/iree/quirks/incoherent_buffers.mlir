// For Vulkan, buffers are not coherent: behind a fence of the device, too, only atomic instructions see what other
// workgroups wrote.
// RUN: %{compile-vulkan} %s -o %t.vmfb --iree-hal-dump-executable-intermediates-to=%t.code
// RUN: cat %t.code/*.mlir | FileCheck %s

// CHECK:     spirv.module Logical GLSL450
// CHECK-NOT: coherent
// CHECK:     spirv.Store "StorageBuffer" %{{.+}}, %{{.+}} : f32
// CHECK:     spirv.MemoryBarrier <Device>, <AcquireRelease|UniformMemory>
// CHECK:     spirv.AtomicIAdd <Device> <AcquireRelease|UniformMemory>
// CHECK-NOT: coherent

#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
hal.executable.source private @last {
  hal.executable.export public @last ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    hal.return %c8, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @last() {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %seven = arith.constant 7 : i32
      %f = arith.constant 1.0 : f32
      %group = "hal.interface.workgroup.id"() {dimension = 0 : index} : () -> index
      %terms = hal.interface.binding.subspan layout(#layout) binding(0) : memref<8xf32>
      %count = hal.interface.binding.subspan layout(#layout) binding(1) : memref<1xi32>
      memref.store %f, %terms[%group] : memref<8xf32>
      "spirv.MemoryBarrier"() {memory_scope = #spirv.scope<Device>, memory_semantics = #spirv.memory_semantics<AcquireRelease|UniformMemory>} : () -> ()
      %before = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32>) -> i32
      %is_last = arith.cmpi eq, %before, %seven : i32
      scf.if %is_last {
        "spirv.MemoryBarrier"() {memory_scope = #spirv.scope<Device>, memory_semantics = #spirv.memory_semantics<AcquireRelease|UniformMemory>} : () -> ()
        %a = memref.load %terms[%c0] : memref<8xf32>
        memref.store %a, %terms[%group] : memref<8xf32>
      }
      return
    }
  }
}
func.func @main(%x: tensor<8xf32>, %c: tensor<1xi32>) -> (tensor<8xf32>, tensor<1xi32>) {
  %r:2 = flow.dispatch @last::@last(%x, %c) : (tensor<8xf32>, tensor<1xi32>) -> (%x, %c)
  return %r#0, %r#1 : tensor<8xf32>, tensor<1xi32>
}
