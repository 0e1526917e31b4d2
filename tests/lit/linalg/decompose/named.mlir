// Ops by name, whatever their lowering; those that an algorithm consists of stay, unless they are named.
// RUN: dovetail-opt --dovetail-decompose="ops=floor_rem,lu_solve,trunc,window_put" %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NOT:     floor_rem
// CHECK:         %[[REST:.+]] = dovetail.rem %arg0, %arg1
// CHECK:         dovetail.copysign
func.func @main(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %0 = dovetail.floor_rem %x, %y : tensor<5xf32>
  %1 = dovetail.copysign %0, %x : tensor<5xf32>
  return %1 : tensor<5xf32>
}

// A batch of matrices.

// CHECK-LABEL: func.func @solve
// CHECK-NOT:     lu_solve
// CHECK:         dovetail.triangular_solve {{.*}} left_side = true lower = true unit_diagonal = true
// CHECK:         dovetail.triangular_solve {{.*}} left_side = true :
func.func @solve(%a: tensor<2x3x3xf32>, %lu: tensor<2x3x3xf32>, %p: tensor<2x3xi32>, %b: tensor<2x3x1xf32>)
    -> tensor<2x3x1xf32> {
  %0 = dovetail.lu_solve %a, %lu, %p, %b
      : tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2x3x1xf32>
  return %0 : tensor<2x3x1xf32>
}

// Unknown sizes.

// CHECK-LABEL: func.func @dynamic
// CHECK:         dovetail.ceil
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.trunc %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
