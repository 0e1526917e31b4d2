// For Vulkan, IREE 3.13 has no instruction that exchanges numbers, or that compares and exchanges them, nor one that adds
// floats: threads cannot add to a float that others add to. It has those of integers that it needs no loop for.
// RUN: sed s/KIND/addi/ %s | %{compile-vulkan} - -o %t.vmfb
// RUN: sed s/KIND/assign/ %s | not %{compile-vulkan} - -o %t.vmfb 2>&1 | FileCheck %s --check-prefix=EXCHANGE
// RUN: sed s/KIND/addi/ %s | sed s/i32/f32/g | sed 's/1 : f32/1.0 : f32/; s/addi/addf/' | not %{compile-vulkan} - -o %t.vmfb 2>&1 | FileCheck %s --check-prefix=EXCHANGE
// RUN: sed s/KIND/addi/ %s | sed 's/memref.atomic_rmw addi .*/memref.generic_atomic_rmw %%x[%%c0] : memref<4xi32> { ^bb0(%%a: i32): memref.atomic_yield %%a : i32 }/' | not %{compile-vulkan} - -o %t.vmfb 2>&1 | FileCheck %s --check-prefix=COMPARE

// EXCHANGE: failed to legalize operation 'memref.atomic_rmw'
// COMPARE: failed to legalize operation 'memref.generic_atomic_rmw'

#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
hal.executable.source private @add {
  hal.executable.export public @add ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    hal.return %c8, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @add() {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %x = hal.interface.binding.subspan layout(#layout) binding(0) : memref<4xi32>
      %before = memref.atomic_rmw KIND %one, %x[%c0] : (i32, memref<4xi32>) -> i32
      return
    }
  }
}
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %r = flow.dispatch @add::@add(%x) : (tensor<4xi32>) -> %x
  return %r : tensor<4xi32>
}
