// The transpose of a solution is the solution of the transposed equation.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-transpose="linear=1" | FileCheck %s

func.func private @solve(tensor<?xf32>, tensor<f32>) -> (tensor<?xf32>, tensor<f32>)
func.func private @product(tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
func.func private @transposed_solve(tensor<?xf32>, tensor<f32>) -> (tensor<?xf32>, tensor<f32>)
func.func private @transposed_product(tensor<?xf32>, tensor<f32>) -> tensor<?xf32>

// CHECK-LABEL: func.func private @main.transpose(
// CHECK-SAME:    %[[A:.+]]: tensor<f32>, %[[SIZE:.+]]: index, %[[CT:.+]]: tensor<?xf32>)
// CHECK-NEXT:    %[[X:.+]]:2 = dovetail.linear_solve @transposed_solve matvec @transposed_product vecmat @product transpose_solve @solve(%[[CT]]) captured(%[[A]])
// CHECK-NEXT:    return %[[X]]#0
func.func @main(%a: tensor<f32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0:2 = dovetail.linear_solve @solve matvec @product vecmat @transposed_product transpose_solve @transposed_solve(%b) captured(%a)
    : (tensor<?xf32>, tensor<f32>) -> (tensor<?xf32>, tensor<f32>)
  return %0#0 : tensor<?xf32>
}

// -----

func.func private @solve(tensor<2xf32>) -> tensor<2xf32>

func.func @main(%a: tensor<f32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{transpose_solve required for reverse mode of custom_linear_solve, got: none; give one, or say symmetric=True}}
  %0 = dovetail.linear_solve @solve matvec @solve(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
