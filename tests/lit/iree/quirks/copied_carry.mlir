// In each iteration of a host loop IREE 3.13 allocates an array for what the loop carries, and copies into it.
// RUN: dovetail-opt %s | %{compile} - --compile-to=stream -o - | FileCheck %s --check-prefixes=CHECK,FAULT
// RUN: dovetail-opt %s --dovetail-carry-references | %{compile} - --compile-to=stream -o - | FileCheck %s --check-prefixes=CHECK,MENDED

// CHECK-LABEL: util.func public @main
// CHECK:       cf.cond_br
// FAULT:       stream.resource.alloca
// FAULT:       stream.cmd.copy {{.*}} %c256
// MENDED-NOT:  stream.resource.alloca
// MENDED-NOT:  stream.cmd.copy {{.*}} %c256
// CHECK:       cf.br

func.func @main(%count: tensor<i32>, %x: tensor<64xf32>, %u: tensor<1xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %number = tensor.extract %count[] : tensor<i32>
  %n = arith.index_cast %number : i32 to index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %x) -> tensor<64xf32> {
    %updated = tensor.insert_slice %u into %before[%i] [1] [1] : tensor<1xf32> into tensor<64xf32>
    scf.yield %updated : tensor<64xf32>
  }
  return %last : tensor<64xf32>
}
