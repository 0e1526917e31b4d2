// IREE 3.13 knows no floats of 4 and 6 bits, and not all of 8.
// RUN: sed 's/FLOAT/f8E3M4/' %s | not %{compile} - -o %t.vmfb 2>&1 | FileCheck %s
// RUN: sed 's/FLOAT/f6E2M3FN/' %s | not %{compile} - -o %t.vmfb 2>&1 | FileCheck %s
// RUN: sed 's/FLOAT/f4E2M1FN/' %s | not %{compile} - -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: 'hal.element_type' op unsupported element type

!array = tensor<4xFLOAT>
func.func @main(%x: !array, %y: !array) -> !array {
  %y0 = tensor.extract_slice %y[0] [2] [1] : !array to tensor<2xFLOAT>
  %updated = tensor.insert_slice %y0 into %x[1] [2] [1] : tensor<2xFLOAT> into !array
  return %updated : !array
}
