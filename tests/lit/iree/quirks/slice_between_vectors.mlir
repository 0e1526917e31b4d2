// For Vulkan, IREE 3.13 reads a slice that begins in the middle of a vector from the vector's beginning: the sums should
// be 5 3 1 3, and so on.
// RUN: %{compile-vulkan} %s -o %t.vmfb
// RUN: %{run-vulkan} --module=%t.vmfb --input=i32=-1 | FileCheck %s

// CHECK: 128xi32=0 2 4 6

#id = affine_map<(d0) -> (d0)>
func.func @main(%unused: tensor<i32>) -> tensor<128xi32> {
  %empty = tensor.empty() : tensor<256xi32>
  %position = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<256xi32>) {
  ^bb0(%out: i32):
    %four = arith.constant 4 : i32
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i32
    %in_vector = arith.remui %number, %four : i32
    linalg.yield %in_vector : i32
  } -> tensor<256xi32>
  %x = util.optimization_barrier %position : tensor<256xi32>
  %third = tensor.extract_slice %x[2] [128] [1] : tensor<256xi32> to tensor<128xi32>
  %fourth = tensor.extract_slice %x[3] [128] [1] : tensor<256xi32> to tensor<128xi32>
  %sums = tensor.empty() : tensor<128xi32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%third, %fourth : tensor<128xi32>, tensor<128xi32>) outs(%sums : tensor<128xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %both = arith.addi %a, %b : i32
    linalg.yield %both : i32
  } -> tensor<128xi32>
  return %sum : tensor<128xi32>
}
