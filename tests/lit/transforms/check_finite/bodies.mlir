// The code found so far goes through loops and branches; predicates are not asked.
// RUN: dovetail-opt %s --split-input-file --dovetail-check-finite | FileCheck %s

module attributes {dovetail.unwanted = ["nan"]} {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
    %0 = dovetail.log %arg0 : tensor<f32>
    %1:2 = dovetail.scan length 4 init(%0) over(%arg1) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = dovetail.sqrt %arg3 : tensor<f32>
      dovetail.yield %2, %arg3 : tensor<f32>, tensor<f32>
    }
    return %1#0, %1#1 : tensor<f32>, tensor<4xf32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK:         dovetail.log
// CHECK:         %[[BEFORE:.*]] = dovetail.select
// CHECK:         %[[LOOP:.*]]:3 = dovetail.scan length 4 init(%{{.*}}, %[[BEFORE]]) over(%arg1)
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<f32>, %[[SO_FAR:.*]]: tensor<i32>, %{{.*}}: tensor<f32>):
// CHECK:           dovetail.constant dense<4> : tensor<i32>
// CHECK:           %[[HERE:.*]] = dovetail.select
// CHECK:           %[[NONE:.*]] = dovetail.constant dense<2147483647> : tensor<i32>
// CHECK:           %[[IS_FOUND:.*]] = dovetail.compare ne %[[SO_FAR]], %[[NONE]]
// CHECK:           %[[NEXT:.*]] = dovetail.select %[[IS_FOUND]], %[[SO_FAR]], %[[HERE]]
// CHECK:           dovetail.yield %{{.*}}, %[[NEXT]], %{{.*}}
// CHECK:         return %[[LOOP]]#0, %[[LOOP]]#2, %[[LOOP]]#1

// -----
module attributes {dovetail.unwanted = ["nan"]} {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = dovetail.while init(%arg0) consts(%arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = dovetail.log %arg2 : tensor<f32>
      %2 = dovetail.is_finite %1 : tensor<f32>
      dovetail.yield %2 : tensor<i1>
    } do {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = dovetail.exp %arg3 : tensor<f32>
      dovetail.yield %1 : tensor<f32>
    }
    return %0 : tensor<f32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK:         %[[NONE:.*]] = dovetail.constant dense<2147483647> : tensor<i32>
// CHECK:         %[[LOOP:.*]]:2 = dovetail.while init(%arg0, %[[NONE]]) consts(%arg1)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      dovetail.log
// CHECK-NEXT:      dovetail.is_finite
// CHECK-NEXT:      dovetail.yield
// CHECK:           dovetail.exp
// CHECK:           dovetail.constant dense<8> : tensor<i32>
// CHECK:           %[[NEXT:.*]] = dovetail.select %{{.*}}, %arg3
// CHECK:           dovetail.yield %{{.*}}, %[[NEXT]]
// CHECK:         return %[[LOOP]]#0, %[[LOOP]]#1

// -----
module attributes {dovetail.unwanted = ["nan"]} {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = dovetail.case %arg0 of(%arg1) : (tensor<i32>, tensor<f32>) -> tensor<f32> {
    ^bb0(%arg2: tensor<f32>):
      dovetail.yield %arg2 : tensor<f32>
    }, {
    ^bb0(%arg2: tensor<f32>):
      %1 = dovetail.log %arg2 : tensor<f32>
      dovetail.yield %1 : tensor<f32>
    }
    return %0 : tensor<f32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK:         %[[NONE:.*]] = dovetail.constant dense<2147483647> : tensor<i32>
// CHECK:         %[[CHOSEN:.*]]:2 = dovetail.case %arg0 of(%arg1, %[[NONE]])
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<f32>, %[[SO_FAR:.*]]: tensor<i32>):
// CHECK-NEXT:      dovetail.yield %{{.*}}, %[[SO_FAR]]
// CHECK:           dovetail.log
// CHECK:           %[[NEXT:.*]] = dovetail.select %{{.*}}, %arg3
// CHECK:           dovetail.yield %{{.*}}, %[[NEXT]]
// CHECK:         return %[[CHOSEN]]#0, %[[CHOSEN]]#1
