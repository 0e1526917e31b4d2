// IREE 3.13 takes an scf.while to have the same arguments in both regions, and drops those that one does not use: here
// the array in the second.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: dovetail-opt %s --dovetail-carry-references | %{compile} - -o %t.vmfb
// RUN: %{run} --module=%t.vmfb --input=2xf32=1 --input=i32=3 | FileCheck %s --check-prefix=MENDED

// FAULT: 'scf.while' op along control flow edge from Operation scf.condition to Region #1
// MENDED: 2xf32=2 2

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end = tensor.extract %n[] : tensor<i32>
  %last:2 = scf.while (%i = %c0, %array = %x) : (i32, tensor<2xf32>) -> (i32, tensor<2xf32>) {
    %goes_on = arith.cmpi slt, %i, %end : i32
    scf.condition(%goes_on) %i, %array : i32, tensor<2xf32>
  } do {
  ^bb0(%i: i32, %unused: tensor<2xf32>):
    %empty = tensor.empty() : tensor<2xf32>
    %new = linalg.generic {indexing_maps = [#scalar, #id], iterator_types = ["parallel"]} ins(%i : i32) outs(%empty : tensor<2xf32>) {
    ^bb0(%number: i32, %out: f32):
      %result = arith.sitofp %number : i32 to f32
      linalg.yield %result : f32
    } -> tensor<2xf32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %next, %new : i32, tensor<2xf32>
  }
  return %last#1 : tensor<2xf32>
}
