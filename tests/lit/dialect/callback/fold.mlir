// What is simplified around callbacks: those with effects stay, as often and in the order they are written.
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline=to=simplify | FileCheck %s

// CHECK-LABEL: @main(
// CHECK-NEXT: dovetail.callback "a" effect "io"(%arg0)
// CHECK-NEXT: dovetail.callback "b" effect "debug"(%arg0)
// CHECK-NEXT: dovetail.callback "a" effect "io"(%arg0)
// CHECK-NEXT: dovetail.callback "b" effect "debug"(%arg0)
// CHECK-NEXT: %[[PURE:.*]] = dovetail.callback "c" effect "none"(%arg0)
// CHECK-NEXT: dovetail.add %[[PURE]], %[[PURE]]
// CHECK-NEXT: return
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.callback "a" effect "io"(%x) : (tensor<f32>) -> tensor<f32>
  dovetail.callback "b" effect "debug"(%x) : (tensor<f32>) -> ()
  %1 = dovetail.callback "a" effect "io"(%x) : (tensor<f32>) -> tensor<f32>
  dovetail.callback "b" effect "debug"(%x) : (tensor<f32>) -> ()
  %2 = dovetail.callback "c" effect "none"(%x) : (tensor<f32>) -> tensor<f32>
  %3 = dovetail.callback "c" effect "none"(%x) : (tensor<f32>) -> tensor<f32>
  %4 = dovetail.callback "d" effect "none"(%x) : (tensor<f32>) -> tensor<f32>
  %5 = dovetail.add %2, %3 : tensor<f32>
  return %5 : tensor<f32>
}

// -----

// Of a loop, what the callback takes is needed; what depends on constants alone stays in it where it has an effect.
// CHECK-LABEL: @main(
// CHECK: dovetail.scan length 3 init(%arg0) over() consts(%arg1)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<f32>, %[[K:.*]]: tensor<f32>):
// CHECK-NEXT: dovetail.callback "a" effect "debug"(%[[C]])
// CHECK-NEXT: dovetail.callback "b" effect "io"(%[[K]])
// CHECK-NEXT: %[[NEXT:.*]] = dovetail.sin %[[C]]
// CHECK-NEXT: dovetail.yield %[[NEXT]]
func.func @main(%x: tensor<f32>, %k: tensor<f32>) {
  %0:2 = dovetail.scan length 3 init(%x, %x) over() consts(%k) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%c: tensor<f32>, %unused: tensor<f32>, %b: tensor<f32>):
    dovetail.callback "a" effect "debug"(%c) : (tensor<f32>) -> ()
    dovetail.callback "b" effect "io"(%b) : (tensor<f32>) -> ()
    %1 = dovetail.sin %c : tensor<f32>
    %2 = dovetail.cos %unused : tensor<f32>
    dovetail.yield %1, %2 : tensor<f32>, tensor<f32>
  }
  return
}

// -----

// Calls and branches do what is in them.
// CHECK-LABEL: @main(
// CHECK-NEXT: dovetail.callback "a" effect "io"()
// CHECK-NEXT: dovetail.case %arg0 of()
// CHECK-NEXT: dovetail.callback "b" effect "io"()
// CHECK: return
func.func private @f() {
  dovetail.callback "a" effect "io"() : () -> ()
  return
}
func.func @main(%i: tensor<i32>) {
  dovetail.call @f() : () -> ()
  dovetail.case %i of() : (tensor<i32>) -> () {
    dovetail.callback "b" effect "io"() : () -> ()
    dovetail.yield
  }, {
    dovetail.yield
  }
  return
}

// -----

// Steps of the host only compute.
// CHECK-LABEL: @main(
// CHECK-NEXT: %[[STEP:.*]] = dovetail.host_step 0(%arg0)
// CHECK-NEXT: %[[OTHER:.*]] = dovetail.host_step 1(%arg0)
// CHECK-NEXT: return %[[STEP]], %[[STEP]], %[[OTHER]]
func.func @main(%x: tensor<f32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %0 = dovetail.host_step 0(%x) : (tensor<f32>) -> tensor<?xi32>
  %1 = dovetail.host_step 0(%x) : (tensor<f32>) -> tensor<?xi32>
  %2 = dovetail.host_step 1(%x) : (tensor<f32>) -> tensor<?xi32>
  %3 = dovetail.host_step 2(%x) : (tensor<f32>) -> tensor<?xi32>
  return %0, %1, %2 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}
