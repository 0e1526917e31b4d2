// What cannot be differentiated is reported at its place in the program.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-jvp=wrt=0

// expected-error @+1 {{argument 0 must be an array of floats or complex numbers, got: 'tensor<2xi32>'}}
func.func @main(%arg0: tensor<2xi32>) -> tensor<2xi32> {
  return %arg0 : tensor<2xi32>
}

// -----

// expected-error @+1 {{arguments must be numbered 0 to -1, got: 0}}
func.func @main() {
  return
}

// -----

// expected-error @+1 {{'main' must have a body of one block that ends in 'func.return' to be transformed}}
func.func private @main(tensor<f32>) -> tensor<f32>

// -----

// expected-error @+1 {{'inner' must have a body of one block that ends in 'func.return' to be transformed}}
func.func private @inner(tensor<f32>) -> tensor<f32>

func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.call @inner(%arg0) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Ops are moved with the operands that they state.
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{a body in a function that is transformed must use no values from outside, got: 'scf.execute_region'}}
  %0 = scf.execute_region -> tensor<f32> {
    scf.yield %x : tensor<f32>
  }
  return %0 : tensor<f32>
}
