// IREE 3.13 moves a transposition of one result of an op into its loops, and forgets that these have another result.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: 'linalg.yield' op expected number of yield values (2) to match the number of inits / outs operands of the enclosing LinalgOp (1)

#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#rows = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<3x2xi32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %values = tensor.empty() : tensor<2x3xf32>
  %indices = tensor.empty() : tensor<2x3xi32>
  %initValue = linalg.fill ins(%lowest : f32) outs(%values : tensor<2x3xf32>) -> tensor<2x3xf32>
  %initIndex = linalg.fill ins(%zero : i32) outs(%indices : tensor<2x3xi32>) -> tensor<2x3xi32>
  %max:2 = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x3x4xf32>) outs(%initValue, %initIndex : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%in: f32, %value: f32, %index: i32):
    %i = linalg.index 2 : index
    %here = arith.index_cast %i : index to i32
    %isGreater = arith.cmpf ogt, %in, %value : f32
    %newValue = arith.select %isGreater, %in, %value : f32
    %newIndex = arith.select %isGreater, %here, %index : i32
    linalg.yield %newValue, %newIndex : f32, i32
  } -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %empty = tensor.empty() : tensor<3x2xi32>
  %transposed = linalg.transpose ins(%max#1 : tensor<2x3xi32>) outs(%empty : tensor<3x2xi32>) permutation = [1, 0]
  return %transposed : tensor<3x2xi32>
}
