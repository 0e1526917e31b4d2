// RUN: dovetail-opt %s | dovetail-opt | FileCheck %s

// CHECK-LABEL: @main(
// CHECK-NEXT: dovetail.check "user" table 2 of 1 %arg0 : tensor<3xi32>
// CHECK-NEXT: dovetail.check "nan" table 0 of 4 %arg0 {debug = true} : tensor<3xi32>
func.func @main(%x: tensor<3xi32>) {
  dovetail.check "user" table 2 of 1 %x : tensor<3xi32>
  dovetail.check "nan" table 0 of 4 %x {debug = true} : tensor<3xi32>
  return
}
