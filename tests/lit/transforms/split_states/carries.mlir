// A state that is taken apart and joined again in a loop is an array for each component.
// RUN: dovetail-opt %s --split-input-file --dovetail-split-states | FileCheck %s

// CHECK-LABEL: func.func @stacked
// CHECK-SAME: %[[X:.*]]: tensor<64x2xf32>
// CHECK: dovetail.slice %[[X]]
// CHECK: scan length 5 init(%{{.*}}, %{{.*}}) over() consts() : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<5x64x2xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<64xf32>, %[[B:.*]]: tensor<64xf32>):
// CHECK-NOT: slice
// CHECK: %[[SUM:.*]] = dovetail.sub %[[A]], %[[B]]
// CHECK: dovetail.add %[[A]], %[[SUM]]
// CHECK: dovetail.add %[[B]], %[[A]]
// CHECK: dovetail.concatenate
// CHECK-NEXT: dovetail.yield
// CHECK: dovetail.concatenate %{{.*}}, %{{.*}} dimension 1
func.func @stacked(%x: tensor<64x2xf32>) -> (tensor<64x2xf32>, tensor<5x64x2xf32>) {
  %0:2 = dovetail.scan length 5 init(%x) over() consts() : (tensor<64x2xf32>) -> (tensor<64x2xf32>, tensor<5x64x2xf32>) {
  ^bb0(%y: tensor<64x2xf32>):
    %a = dovetail.slice %y starts [0, 0] strides [1, 1] : tensor<64x2xf32> -> tensor<64x1xf32>
    %b = dovetail.slice %y starts [0, 1] strides [1, 1] : tensor<64x2xf32> -> tensor<64x1xf32>
    %a1 = dovetail.reshape %a : tensor<64x1xf32> -> tensor<64xf32>
    %b1 = dovetail.reshape %b : tensor<64x1xf32> -> tensor<64xf32>
    %d1 = dovetail.sub %a1, %b1 : tensor<64xf32>
    %d = dovetail.reshape %d1 : tensor<64xf32> -> tensor<64x1xf32>
    %j = dovetail.concatenate %d, %a dimension 1 : tensor<64x1xf32>, tensor<64x1xf32>
    %n = dovetail.add %y, %j : tensor<64x2xf32>
    dovetail.yield %n, %n : tensor<64x2xf32>, tensor<64x2xf32>
  }
  return %0#0, %0#1 : tensor<64x2xf32>, tensor<5x64x2xf32>
}

// -----

// A predicate sees the components, too; what is the same for all of them is not computed for each.
// CHECK-LABEL: func.func @predicate
// CHECK: dovetail.while init(%{{.*}}, %{{.*}}) consts(%{{.*}}) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<64xf32>, %[[SECOND:.*]]: tensor<64xf32>, %{{.*}}: tensor<64xf32>):
// CHECK: dovetail.reduce_max %[[SECOND]]
// CHECK: ^bb0(%[[A:.*]]: tensor<64xf32>, %[[B:.*]]: tensor<64xf32>, %[[H:.*]]: tensor<64xf32>):
// CHECK-NOT: broadcast
// CHECK: dovetail.mul %[[B]], %[[H]]
// CHECK-NEXT: dovetail.mul %[[A]], %[[H]]
// CHECK-NEXT: dovetail.yield
func.func @predicate(%x: tensor<64x2xf32>, %h: tensor<64xf32>) -> tensor<64x2xf32> {
  %0 = dovetail.while init(%x) consts(%h) : (tensor<64x2xf32>, tensor<64xf32>) -> tensor<64x2xf32> {
  ^bb0(%y: tensor<64x2xf32>, %f: tensor<64xf32>):
    %b = dovetail.slice %y starts [0, 1] strides [1, 1] : tensor<64x2xf32> -> tensor<64x1xf32>
    %b1 = dovetail.reshape %b : tensor<64x1xf32> -> tensor<64xf32>
    %m = dovetail.reduce_max %b1 [0] : tensor<64xf32>
    %c = dovetail.constant dense<1.0> : tensor<f32>
    %p = dovetail.compare gt %m, %c : tensor<f32>
    dovetail.yield %p : tensor<i1>
  } do {
  ^bb0(%y: tensor<64x2xf32>, %f: tensor<64xf32>):
    %a = dovetail.slice %y starts [0, 0] strides [1, 1] : tensor<64x2xf32> -> tensor<64x1xf32>
    %b = dovetail.slice %y starts [0, 1] strides [1, 1] : tensor<64x2xf32> -> tensor<64x1xf32>
    %j = dovetail.concatenate %b, %a dimension 1 : tensor<64x1xf32>, tensor<64x1xf32>
    %g = dovetail.broadcast %f dims [0] : tensor<64xf32> -> tensor<64x2xf32>
    %n = dovetail.mul %j, %g : tensor<64x2xf32>
    dovetail.yield %n : tensor<64x2xf32>
  }
  return %0 : tensor<64x2xf32>
}

// -----

// An array that is needed whole in each iteration stays whole.
// CHECK-LABEL: func.func @whole
// CHECK: scan length 5 init(%{{.*}}) over()
func.func @whole(%x: tensor<64x2xf32>) -> tensor<64x2xf32> {
  %0 = dovetail.scan length 5 init(%x) over() consts() : (tensor<64x2xf32>) -> tensor<64x2xf32> {
  ^bb0(%y: tensor<64x2xf32>):
    %a = dovetail.slice %y starts [0, 0] strides [1, 1] : tensor<64x2xf32> -> tensor<64x1xf32>
    %s = dovetail.cumsum %y, 1 : tensor<64x2xf32>
    %b = dovetail.slice %s starts [0, 1] strides [1, 1] : tensor<64x2xf32> -> tensor<64x1xf32>
    %j = dovetail.concatenate %b, %a dimension 1 : tensor<64x1xf32>, tensor<64x1xf32>
    %n = dovetail.add %y, %j : tensor<64x2xf32>
    dovetail.yield %n : tensor<64x2xf32>
  }
  return %0 : tensor<64x2xf32>
}

// -----

// What reduces the components combines them; a masked loop still is one.
// CHECK-LABEL: func.func @reduced
// CHECK: dovetail.while init(%{{.*}}, %{{.*}}) consts() {dovetail.masked} : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
// CHECK: ^bb0(%[[A:.*]]: tensor<64xf32>, %[[B:.*]]: tensor<64xf32>):
// CHECK-DAG: %[[ABS_A:.*]] = dovetail.abs %[[A]]
// CHECK-DAG: %[[ABS_B:.*]] = dovetail.abs %[[B]]
// CHECK: %[[MOST:.*]] = dovetail.max %[[ABS_B]], %[[ABS_A]]
// CHECK-DAG: dovetail.mul %[[B]], %[[MOST]]
// CHECK-DAG: dovetail.mul %[[A]], %[[MOST]]
// CHECK: dovetail.yield
func.func @reduced(%x: tensor<64x2xf32>) -> tensor<64x2xf32> {
  %0 = dovetail.while init(%x) consts() {dovetail.masked} : (tensor<64x2xf32>) -> tensor<64x2xf32> {
  ^bb0(%y: tensor<64x2xf32>):
    %p = dovetail.constant dense<true> : tensor<i1>
    dovetail.yield %p : tensor<i1>
  } do {
  ^bb0(%y: tensor<64x2xf32>):
    %a = dovetail.slice %y starts [0, 0] strides [1, 1] : tensor<64x2xf32> -> tensor<64x1xf32>
    %b = dovetail.slice %y starts [0, 1] strides [1, 1] : tensor<64x2xf32> -> tensor<64x1xf32>
    %j = dovetail.concatenate %b, %a dimension 1 : tensor<64x1xf32>, tensor<64x1xf32>
    %s = dovetail.abs %j : tensor<64x2xf32>
    %m = dovetail.reduce_max %s [1] : tensor<64x2xf32>
    %g = dovetail.broadcast %m dims [0] : tensor<64xf32> -> tensor<64x2xf32>
    %n = dovetail.mul %j, %g : tensor<64x2xf32>
    dovetail.yield %n : tensor<64x2xf32>
  }
  return %0 : tensor<64x2xf32>
}

// -----

// Padded components, as of derivatives, are components, too; what is read in each iteration is read by component.
// CHECK-LABEL: func.func @padded
// CHECK: scan length 5 init(%{{.*}}, %{{.*}}) over(%arg1) consts() : (tensor<64xf32>, tensor<64xf32>, tensor<5x64x2xf32>) -> (tensor<64xf32>, tensor<64xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<64xf32>, %[[B:.*]]: tensor<64xf32>, %[[X:.*]]: tensor<64x2xf32>):
// CHECK-DAG: dovetail.slice %[[X]] starts [0, 0]
// CHECK-DAG: dovetail.slice %[[X]] starts [0, 1]
// CHECK-DAG: dovetail.mul %{{.*}}, %[[A]] : tensor<64xf32>
// CHECK-DAG: dovetail.mul %{{.*}}, %[[B]] : tensor<64xf32>
// CHECK-NOT: dovetail.pad
// CHECK: dovetail.yield
func.func @padded(%ct: tensor<64x2xf32>, %xs: tensor<5x64x2xf32>) -> tensor<64x2xf32> {
  %0 = dovetail.scan length 5 init(%ct) over(%xs) consts() : (tensor<64x2xf32>, tensor<5x64x2xf32>) -> tensor<64x2xf32> {
  ^bb0(%y: tensor<64x2xf32>, %x: tensor<64x2xf32>):
    %none = dovetail.constant dense<0.0> : tensor<f32>
    %w = dovetail.mul %x, %y : tensor<64x2xf32>
    %a = dovetail.slice %w starts [0, 0] strides [1, 1] : tensor<64x2xf32> -> tensor<64x1xf32>
    %b = dovetail.slice %w starts [0, 1] strides [1, 1] : tensor<64x2xf32> -> tensor<64x1xf32>
    %p = dovetail.pad %b, %none low [0, 0] interior [0, 0] : tensor<64x1xf32>, tensor<f32> -> tensor<64x2xf32>
    %q = dovetail.pad %a, %none low [0, 1] interior [0, 0] : tensor<64x1xf32>, tensor<f32> -> tensor<64x2xf32>
    %n = dovetail.add %p, %q : tensor<64x2xf32>
    dovetail.yield %n : tensor<64x2xf32>
  }
  return %0 : tensor<64x2xf32>
}
