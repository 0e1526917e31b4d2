// A loop that is one dispatch takes in small ops before and after it.
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline="from=decompose to=lower" --dovetail-merge-small | FileCheck %s
// The same in a process that lowers nothing.
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline="from=decompose to=lower" -o %t
// RUN: dovetail-opt %t --split-input-file --dovetail-merge-small | FileCheck %s

// What only the joined code uses is in its temporaries; of the code before, nothing is left.
// CHECK-LABEL: func.func @once
// CHECK-NOT: func.func @once
// CHECK-LABEL: func.func @around
// CHECK-NOT: linalg.generic
// CHECK: %[[CALL:[0-9]+]]:2 = "flow.dispatch"(%arg0
// CHECK-SAME: -> (tensor<8xf32>, tensor<{{[0-9]+}}xi8>)
// CHECK-NEXT: return %[[CALL]]#0
module attributes {dovetail.target = "cpu"} {
func.func @around(%x: tensor<8xf32>) -> tensor<8xf32> {
  %start = dovetail.exp %x : tensor<8xf32>
  %end = dovetail.scan length 9 init(%start) over() consts() : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%c: tensor<8xf32>):
    %next = dovetail.sin %c : tensor<8xf32>
    dovetail.yield %next : tensor<8xf32>
  }
  %y = dovetail.mul %end, %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
}

// -----

// A loop reads reshapes in place, and its results may be returned in other shapes.
// CHECK-LABEL: func.func @reshapes
// CHECK-NOT: linalg.generic
// CHECK: %[[CALL:[0-9]+]]:2 = "flow.dispatch"(%arg0
// CHECK: %[[RESULT:.+]] = tensor.expand_shape %[[CALL]]#0
// CHECK: return %[[RESULT]]
module attributes {dovetail.target = "cpu"} {
func.func @reshapes(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %exp = dovetail.exp %x : tensor<2x4xf32>
  %start = dovetail.reshape %exp : tensor<2x4xf32> -> tensor<8xf32>
  %end = dovetail.scan length 9 init(%start) over() consts() : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%c: tensor<8xf32>):
    %next = dovetail.sin %c : tensor<8xf32>
    dovetail.yield %next : tensor<8xf32>
  }
  %y = dovetail.reshape %end : tensor<8xf32> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
}

// -----

// A loop that needs another one, with ops between.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: linalg.generic
// CHECK: "flow.dispatch"
// CHECK-NOT: "flow.dispatch"
// CHECK: return
module attributes {dovetail.target = "cpu"} {
func.func @chain(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %first = dovetail.scan length 10000 init(%x) over() consts() : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%c: tensor<8xf32>):
    %next = dovetail.sin %c : tensor<8xf32>
    dovetail.yield %next : tensor<8xf32>
  }
  %sum = dovetail.reduce_sum %first [0] : tensor<8xf32>
  %all = dovetail.broadcast %sum dims [] : tensor<f32> -> tensor<8xf32>
  %second = dovetail.scan length 10000 init(%all) over() consts() : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%c: tensor<8xf32>):
    %next = dovetail.cos %c : tensor<8xf32>
    dovetail.yield %next : tensor<8xf32>
  }
  return %second, %sum : tensor<8xf32>, tensor<f32>
}
}

// -----

// Long loops that do not need each other run at the same time.
// CHECK-LABEL: func.func @apart
// CHECK: "flow.dispatch"(%arg0
// CHECK: "flow.dispatch"(%arg0
// CHECK: return
module attributes {dovetail.target = "cpu"} {
func.func @apart(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %first = dovetail.scan length 10000 init(%x) over() consts() : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%c: tensor<8xf32>):
    %next = dovetail.sin %c : tensor<8xf32>
    dovetail.yield %next : tensor<8xf32>
  }
  %second = dovetail.scan length 10000 init(%x) over() consts() : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%c: tensor<8xf32>):
    %next = dovetail.cos %c : tensor<8xf32>
    dovetail.yield %next : tensor<8xf32>
  }
  return %first, %second : tensor<8xf32>, tensor<8xf32>
}
}

// -----

// Large ops use all threads, with what is fused into them.
// CHECK-LABEL: func.func @large
// CHECK: "flow.dispatch"(%arg0
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK: return
module attributes {dovetail.target = "cpu"} {
func.func @large(%x: tensor<256xf32>, %y: tensor<1024x256xf32>) -> tensor<1024x256xf32> {
  %end = dovetail.scan length 9 init(%x) over() consts() : (tensor<256xf32>) -> tensor<256xf32> {
  ^bb0(%c: tensor<256xf32>):
    %next = dovetail.sin %c : tensor<256xf32>
    dovetail.yield %next : tensor<256xf32>
  }
  %twice = dovetail.add %end, %end : tensor<256xf32>
  %all = dovetail.broadcast %twice dims [1] : tensor<256xf32> -> tensor<1024x256xf32>
  %z = dovetail.mul %all, %y : tensor<1024x256xf32>
  return %z : tensor<1024x256xf32>
}
}

// -----

// The code generator computes constants once.
// CHECK-LABEL: func.func @constants
// CHECK: %[[STEPS:.+]] = linalg.generic
// CHECK: "flow.dispatch"({{.*}}%[[STEPS]]
// CHECK-NOT: linalg.generic
// CHECK: return
module attributes {dovetail.target = "cpu"} {
func.func @constants(%x: tensor<8xf32>) -> tensor<8xf32> {
  %steps = dovetail.iota 0 : tensor<9x8xf32>
  %end = dovetail.scan length 9 init(%x) over(%steps) consts() : (tensor<8xf32>, tensor<9x8xf32>) -> tensor<8xf32> {
  ^bb0(%c: tensor<8xf32>, %step: tensor<8xf32>):
    %next = dovetail.mul %c, %step : tensor<8xf32>
    dovetail.yield %next : tensor<8xf32>
  }
  %y = dovetail.exp %end : tensor<8xf32>
  return %y : tensor<8xf32>
}
}

// -----

// A reshape that ops before a loop and the loop read.
// CHECK-LABEL: func.func @shared_reshape
// CHECK-NOT: linalg.generic
// CHECK: "flow.dispatch"(%arg0
// CHECK-NOT: "flow.dispatch"
// CHECK: return
module attributes {dovetail.target = "cpu"} {
func.func @shared_reshape(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %row = dovetail.slice %x starts [1, 0] strides [1, 1] : tensor<4x8xf32> -> tensor<1x8xf32>
  %start = dovetail.reshape %row : tensor<1x8xf32> -> tensor<8xf32>
  %sum = dovetail.reduce_sum %start [0] : tensor<8xf32>
  %end = dovetail.scan length 9 init(%start) over() consts(%sum) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32> {
  ^bb0(%c: tensor<8xf32>, %s: tensor<f32>):
    %all = dovetail.broadcast %s dims [] : tensor<f32> -> tensor<8xf32>
    %next = dovetail.mul %c, %all : tensor<8xf32>
    dovetail.yield %next : tensor<8xf32>
  }
  return %end : tensor<8xf32>
}
}
