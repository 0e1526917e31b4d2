// Updates that may overlap have no derivative in a product.
// RUN: dovetail-opt %s --verify-diagnostics --dovetail-jvp=wrt=2

func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x1xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{no derivative of 'dovetail.scatter_mul' by updates that may overlap; promise unique indices if they do not}}
  %0 = dovetail.scatter_mul %arg0, %arg1, %arg2 dims [0] window [1] : tensor<5xf32>, tensor<3x1xi32>, tensor<3x1xf32>
  return %0 : tensor<5xf32>
}
