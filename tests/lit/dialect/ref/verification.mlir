// Constraints of references and of ops on them.
// RUN: dovetail-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{a reference must hold numbers or bools, got: 'index'}}
func.func @main(%arg0: !dovetail.ref<3xindex>) {
  return
}

// -----

func.func @main(%arg0: !dovetail.ref<3xf32>, %arg1: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.ref_set' op must write an array of the type that the reference holds, 'tensor<3xf32>', got: 'tensor<2xf32>'}}
  dovetail.ref_set %arg0, %arg1 : <3xf32>, tensor<2xf32>
  return
}

// -----

func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{expected '<'}}
  %0 = dovetail.ref_get %arg0 : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @main(%arg0: !dovetail.ref<3xf32>) {
  // expected-error @+1 {{'dovetail.new_ref' op operand #0 must be tensor without encoding of bool, integer, float or complex values, but got '!dovetail.ref<3xf32>'}}
  %0 = "dovetail.new_ref"(%arg0) : (!dovetail.ref<3xf32>) -> !dovetail.ref<3xf32>
  return
}

// -----

func.func @main(%arg0: !dovetail.ref<3xi8>, %arg1: tensor<3xi8>) {
  // expected-error @+1 {{'dovetail.ref_set_echo' op must write an array of the type of the echo, 'tensor<3xf32>', got: 'tensor<3xi8>'}}
  dovetail.ref_set_echo %arg0, %arg1 : <3xi8>, tensor<3xi8>
  return
}

// -----

func.func @main(%arg0: tensor<3xi32>, %arg1: tensor<3xf64>, %arg2: tensor<f32>) {
  // expected-error @+1 {{'dovetail.echo_end' op must take what the reference holds as an array of the type of its echo, 'tensor<3xf64>', got: 'tensor<3xi32>'}}
  %0 = dovetail.echo_end %arg0 of %arg1, %arg2 : tensor<3xi32>, tensor<3xf64>, tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<f32>) {
  // expected-error @+1 {{'dovetail.echo_end' op must have results of the types of the values, 'tensor<f32>', got: 'tensor<f64>'}}
  %0 = dovetail.echo_end %arg0 of %arg1, %arg2 : tensor<3xf32>, tensor<3xf32>, tensor<f32> -> tensor<f64>
  return
}
