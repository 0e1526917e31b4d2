// A check that no request has made a value is an error, unless it is only for debugging.
// RUN: dovetail-opt %s --split-input-file --dovetail-expand --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @debug(
// CHECK-NEXT: return
func.func @debug(%x: tensor<1xi32>) {
  dovetail.check "user" table 0 of 1 %x {debug = true} : tensor<1xi32>
  return
}

// -----

func.func @main(%x: tensor<1xi32>) {
  // expected-error @+1 {{Cannot abstractly evaluate a checkify.check which was not functionalized, got: a check in a function that is traced; transform the function by checkify.checkify first}}
  dovetail.check "user" table 0 of 1 %x : tensor<1xi32>
  return
}
