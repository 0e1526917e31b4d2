// Loops that call the host in a branch run until an iteration comes to it.
// RUN: dovetail-opt %s --split-input-file --dovetail-suspend-loops | FileCheck %s

// What follows the branch is a branch, too; an iteration that stops changes nothing.
// CHECK-LABEL: func.func @while(
// CHECK-SAME: %[[START:.*]]: tensor<f32>)
// CHECK: %[[OUTER:.*]]:2 = dovetail.while init(%[[START]], %{{.*}}) consts()
// CHECK: ^bb0(%{{.*}}: tensor<f32>, %[[LEFT:.*]]: tensor<i1>):
// CHECK-NEXT: dovetail.yield %[[LEFT]]
// CHECK: } do {
// CHECK: %[[INNER:.*]]:2 = dovetail.while init(%{{.*}}, %{{.*}}) consts()
// CHECK: ^bb0(%{{.*}}: tensor<f32>, %[[STOPPED:.*]]: tensor<i1>):
// CHECK: dovetail.compare lt
// CHECK: dovetail.not %[[STOPPED]]
// CHECK: dovetail.and
// CHECK: } do {
// CHECK: ^bb0(%[[OLD:.*]]: tensor<f32>, %{{.*}}: tensor<i1>):
// CHECK: %[[CHOSEN:.*]]:2 = dovetail.case %{{.*}} of(%{{.*}}) : (tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<i1>) {
// CHECK-NOT: callback
// CHECK: %[[INDEX:.*]] = dovetail.convert %[[CHOSEN]]#1
// CHECK: dovetail.case %[[INDEX]] of(%[[OLD]], %[[CHOSEN]]#0)
// CHECK: ^bb0(%{{.*}}: tensor<f32>, %[[X:.*]]: tensor<f32>):
// CHECK: %[[NEXT:.*]] = dovetail.add %[[X]]
// CHECK: dovetail.yield %[[NEXT]], %{{.*}} : tensor<f32>, tensor<i1>
// CHECK: ^bb0(%[[KEPT:.*]]: tensor<f32>, %{{.*}}: tensor<f32>):
// CHECK: dovetail.yield %[[KEPT]], %{{.*}} : tensor<f32>, tensor<i1>
// CHECK: %[[STOPS:.*]] = dovetail.convert %[[INNER]]#1
// CHECK: dovetail.case %[[STOPS]] of(%[[INNER]]#0)
// CHECK: ^bb0(%[[SAME:.*]]: tensor<f32>):
// CHECK-NEXT: dovetail.yield %[[SAME]]
// CHECK: dovetail.late_call "{{.*}}dovetail.stays_on_host{{.*}}dovetail.callback
// CHECK: dovetail.yield %{{.*}}, %[[INNER]]#1
// CHECK: return %[[OUTER]]#0
module attributes {dovetail.host_functions, dovetail.target = "cpu"} {
  func.func @while(%x: tensor<f32>) -> tensor<f32> {
    %0 = dovetail.while init(%x) consts() : (tensor<f32>) -> tensor<f32> {
    ^bb0(%c: tensor<f32>):
      %limit = dovetail.constant dense<9.0> : tensor<f32>
      %p = dovetail.compare lt %c, %limit : tensor<f32>
      dovetail.yield %p : tensor<i1>
    } do {
    ^bb0(%c: tensor<f32>):
      %one = dovetail.constant dense<1.0> : tensor<f32>
      %i = dovetail.convert %c : tensor<f32> -> tensor<i32>
      %y = dovetail.case %i of(%c) : (tensor<i32>, tensor<f32>) -> tensor<f32> {
      ^bb0(%z: tensor<f32>):
        %w = dovetail.callback "f" effect "io"(%z) : (tensor<f32>) -> tensor<f32>
        dovetail.yield %w : tensor<f32>
      }, {
      ^bb0(%z: tensor<f32>):
        dovetail.yield %z : tensor<f32>
      }
      %next = dovetail.add %y, %one : tensor<f32>
      dovetail.yield %next : tensor<f32>
    }
    return %0 : tensor<f32>
  }
}

// -----

// A loop within the loop stops, and with it the one around it; a scan counts.
// CHECK-LABEL: func.func @nested(
// CHECK: dovetail.while
// CHECK: dovetail.while init({{.*}}) {{.*}}max_steps = 4
// CHECK: dovetail.scan length 3 init(%{{.*}}, %{{.*}}) over() {{.*}} : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>)
// CHECK: ^bb0(%{{.*}}: tensor<f32>, %[[STOPPED:.*]]: tensor<i1>):
// CHECK-NEXT: %[[SKIPS:.*]] = dovetail.convert %[[STOPPED]]
// CHECK-NEXT: dovetail.case %[[SKIPS]]
// CHECK: dovetail.scatter
// CHECK: dovetail.late_call
module attributes {dovetail.host_functions, dovetail.target = "cpu"} {
  func.func @nested(%x: tensor<f32>, %ys: tensor<4xf32>) -> tensor<4xf32> {
    %0:2 = dovetail.scan length 4 init(%x) over(%ys) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
    ^bb0(%c: tensor<f32>, %y: tensor<f32>):
      %1 = dovetail.scan length 3 init(%c) over() consts() : (tensor<f32>) -> tensor<f32> {
      ^bb0(%d: tensor<f32>):
        %i = dovetail.convert %d : tensor<f32> -> tensor<i32>
        dovetail.case %i of(%d) : (tensor<i32>, tensor<f32>) -> () {
        ^bb0(%z: tensor<f32>):
          dovetail.callback "f" effect "debug"(%z) : (tensor<f32>) -> ()
          dovetail.yield
        }, {
        ^bb0(%z: tensor<f32>):
          dovetail.yield
        }
        %e = dovetail.mul %d, %d : tensor<f32>
        dovetail.yield %e : tensor<f32>
      }
      %2 = dovetail.add %1, %y : tensor<f32>
      dovetail.yield %2, %1 : tensor<f32>, tensor<f32>
    }
    return %0#1 : tensor<4xf32>
  }
}

// -----

// Not if each iteration calls the host, nor in a program that does not run in the process that compiles it.
// CHECK-LABEL: func.func @always(
// CHECK-NOT: late_call
module attributes {dovetail.host_functions, dovetail.target = "cpu"} {
  func.func @always(%x: tensor<f32>) -> tensor<f32> {
    %0 = dovetail.scan length 4 init(%x) over() consts() : (tensor<f32>) -> tensor<f32> {
    ^bb0(%c: tensor<f32>):
      %1 = dovetail.callback "f" effect "io"(%c) : (tensor<f32>) -> tensor<f32>
      dovetail.yield %1 : tensor<f32>
    }
    return %0 : tensor<f32>
  }
}
