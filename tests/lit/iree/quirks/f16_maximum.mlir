// IREE 3.13 computes the maximum of f16 in f32, but forgets that the operands may be vectors.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: 'arith.extf' op requires the same shape for all operands and results

#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>
hal.executable.source private @max {
  hal.executable.export public @max ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    hal.return %c1, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @max() {
      %c0 = arith.constant 0 : index
      %x = hal.interface.binding.subspan layout(#layout) binding(0) : memref<16xf16>
      %result = hal.interface.binding.subspan layout(#layout) binding(1) : memref<16xf16>
      %old = vector.load %result[%c0] : memref<16xf16>, vector<16xf16>
      %row = vector.load %x[%c0] : memref<16xf16>, vector<16xf16>
      %max = arith.maximumf %row, %old : vector<16xf16>
      vector.store %max, %result[%c0] : memref<16xf16>, vector<16xf16>
      return
    }
  }
}
func.func @main(%x: tensor<16xf16>) -> tensor<16xf16> {
  %max = flow.dispatch @max::@max(%x) : (tensor<16xf16>) -> tensor<16xf16>
  return %max : tensor<16xf16>
}
