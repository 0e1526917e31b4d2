// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @scalar(%x: tensor<i32>) {
  // expected-error @+1 {{'dovetail.check' op failure must be a vector with a number and its data, got: 'tensor<i32>'}}
  dovetail.check "user" table 0 of 1 %x : tensor<i32>
  return
}

// -----

func.func @empty(%x: tensor<0xi32>) {
  // expected-error @+1 {{'dovetail.check' op failure must be a vector with a number and its data, got: 'tensor<0xi32>'}}
  dovetail.check "user" table 0 of 1 %x : tensor<0xi32>
  return
}

// -----

func.func @unknown(%x: tensor<?xi32>) {
  // expected-error @+1 {{'dovetail.check' op failure must be a vector with a number and its data, got: 'tensor<?xi32>'}}
  dovetail.check "user" table 0 of 1 %x : tensor<?xi32>
  return
}

// -----

func.func @count(%x: tensor<1xi32>) {
  // expected-error @+1 {{'dovetail.check' op count must be positive, got: 0}}
  dovetail.check "user" table 0 of 0 %x : tensor<1xi32>
  return
}
