// What has no algorithm is an error that says what.
// RUN: dovetail-opt %s --dovetail-decompose -split-input-file -verify-diagnostics

func.func @unknown_sizes(%a: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  // expected-error @below {{no algorithm for 'dovetail.eigh' of matrices whose sizes are not known}}
  %w, %v = dovetail.eigh %a : tensor<?x?xf32>
  return %w, %v : tensor<?xf32>, tensor<?x?xf32>
}
