// Mesa's Vulkan driver for CPUs ends a loop after 65,535 iterations: 70,000 and 80,000 give the same result.
// RUN: %{compile-vulkan} %s -o %t.vmfb
// RUN: %{run-vulkan} --module=%t.vmfb --input='2xi32=70000 80000' | FileCheck %s

// CHECK: 2xi32=[[SAME:[-0-9]+]] [[SAME]]

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %empty = tensor.empty() : tensor<2xi32>
  %results = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<2xi32>) outs(%empty : tensor<2xi32>) {
  ^bb0(%in: i32, %out: i32):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %result = scf.for %i = %zero to %in step %one iter_args(%before = %zero) -> i32 : i32 {
      %mixed = arith.xori %before, %i : i32
      %product = arith.muli %mixed, %three : i32
      %next = arith.addi %product, %one : i32
      scf.yield %next : i32
    }
    linalg.yield %result : i32
  } -> tensor<2xi32>
  return %results : tensor<2xi32>
}
