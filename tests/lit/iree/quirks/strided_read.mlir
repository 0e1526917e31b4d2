// IREE 3.13 loads a column of a matrix that is read by index as a vector, if the processor has vector look-ups: what it
// makes of the elements that lie apart does not compile.
// RUN: not %{compile} --iree-llvmcpu-target-cpu-features=+avx,+avx2,+fma %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: LLVM Translation failed for operation: builtin.unrealized_conversion_cast

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<9x7xi32>) -> tensor<36x1xi32> {
  %c8 = arith.constant 8 : index
  %c6 = arith.constant 6 : index
  %c17 = arith.constant 17 : index
  %whole = tensor.empty() : tensor<9x7xi32>
  %turned = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%whole : tensor<9x7xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %row = arith.subi %c8, %i : index
    %j = linalg.index 1 : index
    %column = arith.subi %c6, %j : index
    %element = tensor.extract %x[%row, %column] : tensor<9x7xi32>
    linalg.yield %element : i32
  } -> tensor<9x7xi32>
  %rows = tensor.concat dim(0) %x, %turned : (tensor<9x7xi32>, tensor<9x7xi32>) -> tensor<18x7xi32>
  %part = tensor.extract_slice %rows[0, 1] [18, 1] [1, 1] : tensor<18x7xi32> to tensor<18x1xi32>
  %empty = tensor.empty() : tensor<18x1xi32>
  %back = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<18x1xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %from = arith.subi %c17, %i : index
    %j = linalg.index 1 : index
    %element = tensor.extract %part[%from, %j] : tensor<18x1xi32>
    linalg.yield %element : i32
  } -> tensor<18x1xi32>
  %both = tensor.concat dim(0) %part, %back : (tensor<18x1xi32>, tensor<18x1xi32>) -> tensor<36x1xi32>
  return %both : tensor<36x1xi32>
}
