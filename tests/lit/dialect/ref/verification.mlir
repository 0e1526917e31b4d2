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

func.func @main(%arg0: !dovetail.ref<3xi64>) {
  // expected-error @+1 {{'dovetail.ref_echo' op operand #0 must hold floats, complex numbers, bools or integers of at most 32 bits, got: '!dovetail.ref<3xi64>'}}
  %0 = dovetail.ref_echo %arg0 : <3xi64>
  return
}
