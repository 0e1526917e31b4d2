// IREE 3.13 copies an array that a dispatch overwrites and also reads by another operand, and both operands become the
// copy: x[i] + x[3 - i] is computed of what is overwritten by then. It takes what is behind a barrier for another array,
// and copies that if it is used later.
// RUN: %{compile} %s -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --function=same --input='4xf32=1 2 3 4' | FileCheck %s --check-prefix=FAULT
// RUN: %{run} --module=%t.vmfb --function=barred --input='4xf32=1 2 3 4' | FileCheck %s --check-prefix=MENDED

// FAULT: 4xf32=5 5 8 9
// MENDED: 4xf32=5 5 5 5
// MENDED: 4xf32=1 2 3 4

#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer, ReadOnly>]>
hal.executable.source private @turned {
  hal.executable.export public @turned ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    hal.return %c1, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @turned() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %x = hal.interface.binding.subspan layout(#layout) binding(0) : memref<4xf32>
      %y = hal.interface.binding.subspan layout(#layout) binding(1) : memref<4xf32>
      scf.for %i = %c0 to %c4 step %c1 {
        %j = arith.subi %c3, %i : index
        %a = memref.load %x[%i] : memref<4xf32>
        %b = memref.load %y[%j] : memref<4xf32>
        %sum = arith.addf %a, %b : f32
        memref.store %sum, %x[%i] : memref<4xf32>
      }
      return
    }
  }
}
func.func @same(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %sum = flow.dispatch @turned::@turned(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> %x
  return %sum, %x : tensor<4xf32>, tensor<4xf32>
}
func.func @barred(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %other = util.optimization_barrier %x : tensor<4xf32>
  %sum = flow.dispatch @turned::@turned(%other, %x) : (tensor<4xf32>, tensor<4xf32>) -> %other
  %kept = util.optimization_barrier %other : tensor<4xf32>
  return %sum, %x : tensor<4xf32>, tensor<4xf32>
}
