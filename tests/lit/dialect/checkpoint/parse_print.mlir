// Checkpoints and names are printed as they are parsed.
// RUN: dovetail-opt %s | dovetail-opt | FileCheck %s

func.func private @f(tensor<2xf32>, tensor<?xi32>) -> tensor<2xf32>

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2xf32>, %n: tensor<?xi32>) {
  // CHECK-NEXT: dovetail.checkpoint @f(%arg0, %arg1) : (tensor<2xf32>, tensor<?xi32>) -> tensor<2xf32>
  %0 = dovetail.checkpoint @f(%x, %n) : (tensor<2xf32>, tensor<?xi32>) -> tensor<2xf32>
  // CHECK-NEXT: dovetail.checkpoint @f saving {{\[\["dot"\], \["named", "a", "b"\]\]}}(%arg0, %arg1) {prevent_cse = false, recomputes = true} : (tensor<2xf32>, tensor<?xi32>) -> tensor<2xf32>
  %1 = dovetail.checkpoint @f saving [["dot"], ["named", "a", "b"]](%x, %n) {prevent_cse = false, recomputes = true} : (tensor<2xf32>, tensor<?xi32>) -> tensor<2xf32>
  // CHECK-NEXT: dovetail.name %arg1 "count" : tensor<?xi32>
  %2 = dovetail.name %n "count" : tensor<?xi32>
  return
}
