// RUN: dovetail-opt %s --dovetail-from-stablehlo | FileCheck %s

// Values from outside become operands; attributes of other compilers and functions that nothing calls are dropped.
module @jit_f attributes {mhlo.num_partitions = 1 : i32, jax.uses_shape_polymorphism = false} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  // The mesh is that of the program.
  // CHECK: module attributes {dovetail.partition = #mesh} {
  // CHECK-NEXT: func.func public @main(%arg0: tensor<i32>, %arg1: tensor<f32>) -> tensor<f32> {
  func.func public @main(%n: tensor<i32>, %x: tensor<f32> {mhlo.sharding = "{replicated}"}) -> (tensor<f32> {jax.result_info = "result"}) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    // CHECK: %[[LOOP:.+]]:2 = dovetail.while init(%arg0, %arg1) consts(%arg1)
    %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<f32>
    cond {
      // CHECK: dovetail.compare gt
      %p = stablehlo.compare GT, %i, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      // CHECK: dovetail.mul
      %next = stablehlo.multiply %y, %x : tensor<f32>
      %less = stablehlo.subtract %i, %one : tensor<i32>
      stablehlo.return %less, %next : tensor<i32>, tensor<f32>
    }
    %p = stablehlo.compare EQ, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    // A bool selects the second of two branches.
    // CHECK: %[[INDEX:.+]] = dovetail.convert %{{.+}} : tensor<i1> -> tensor<i32>
    // CHECK: dovetail.case %[[INDEX]] of(%[[LOOP]]#1)
    %1 = "stablehlo.if"(%p) ({
      %t = func.call @twice(%0#1) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %t : tensor<f32>
    }, {
      stablehlo.return %0#1 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    // CHECK: dovetail.asinh
    %2 = stablehlo.composite "chlo.asinh" %1 {decomposition = @twice, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
    // CHECK: dovetail.call @twice
    %3 = stablehlo.composite "my.op" %2 {decomposition = @twice} : (tensor<f32>) -> tensor<f32>
    return %3 : tensor<f32>
  }
  // CHECK: func.func private @twice
  func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %x, %x : tensor<f32>
    return %0 : tensor<f32>
  }
  // CHECK-NOT: @unused
  func.func private @unused(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}
