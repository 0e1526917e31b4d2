// RUN: dovetail-opt %s --dovetail-to-stablehlo | FileCheck %s
// RUN: dovetail-opt %s --dovetail-to-stablehlo | dovetail-opt - | FileCheck %s

// A scan is a loop that counts, and reads and writes slices.
// CHECK-LABEL: func.func @main
func.func @main(%c: tensor<2xf32>, %xs: tensor<5x2xf32>, %k: tensor<2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>) {
  // CHECK: %[[LOOP:.+]]:3 = stablehlo.while(%[[I:.+]] = %{{.+}}, %[[C:.+]] = %arg0, %[[STACK:.+]] = %{{.+}}) : tensor<i32>, tensor<2xf32>, tensor<5x2xf32>
  // CHECK-NEXT: cond {
  // CHECK: stablehlo.compare LT, %[[I]], %{{.+}}, SIGNED
  // CHECK: } do {
  // CHECK: stablehlo.dynamic_slice %arg1, %[[I]], %{{.+}}, sizes = [1, 2]
  // CHECK: stablehlo.multiply
  // CHECK: stablehlo.add %{{.+}}, %arg2
  // CHECK: stablehlo.dynamic_update_slice %[[STACK]]
  %0:2 = dovetail.scan length 5 init(%c) over(%xs) consts(%k) : (tensor<2xf32>, tensor<5x2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>) {
  ^bb0(%carry: tensor<2xf32>, %x: tensor<2xf32>, %const: tensor<2xf32>):
    %1 = dovetail.mul %carry, %x : tensor<2xf32>
    %2 = dovetail.add %1, %const : tensor<2xf32>
    dovetail.yield %2, %1 : tensor<2xf32>, tensor<2xf32>
  }
  // CHECK: return %[[LOOP]]#1, %[[LOOP]]#2
  return %0#0, %0#1 : tensor<2xf32>, tensor<5x2xf32>
}

// A scan of no rows has its initial values.
// CHECK-LABEL: func.func @of_no_rows
// CHECK-NOT: stablehlo.while
// CHECK: return %arg0
func.func @of_no_rows(%c: tensor<2xf32>, %xs: tensor<0x2xf32>) -> (tensor<2xf32>, tensor<0x2xf32>) {
  %0:2 = dovetail.scan length 0 init(%c) over(%xs) consts() : (tensor<2xf32>, tensor<0x2xf32>) -> (tensor<2xf32>, tensor<0x2xf32>) {
  ^bb0(%carry: tensor<2xf32>, %x: tensor<2xf32>):
    %1 = dovetail.mul %carry, %x : tensor<2xf32>
    dovetail.yield %1, %1 : tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<0x2xf32>
}
