// What loops compute before an operand is known, and what they keep for the rest.
// RUN: dovetail-opt %s --split-input-file --dovetail-split=unknown=1 | FileCheck %s

// What is the same at every step is computed once, in no loop.
func.func @main(%k: tensor<f32>, %a: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.scan length 4 init(%a) over() consts(%k) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %f: tensor<f32>):
    %1 = dovetail.neg %f : tensor<f32>
    %2 = dovetail.exp %1 : tensor<f32>
    %3 = dovetail.mul %c, %2 : tensor<f32>
    dovetail.yield %3 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length 4 init(%arg1) over() consts(%arg0) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg2, %arg3 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[MUL]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]] : tensor<f32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<f32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %[[NEG]] : tensor<f32>
// CHECK-NEXT:    return %[[EXP]] : tensor<f32>

// -----

// Slices that the rest needs are sliced again, not stacked.
func.func @main(%xs: tensor<4xf32>, %a: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.scan length 4 init(%a) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %x: tensor<f32>):
    %1 = dovetail.mul %c, %x : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<4xf32>, %arg1: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length 4 init(%arg1) over(%arg0) consts() : (tensor<f32>, tensor<4xf32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg2, %arg3 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[MUL]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]] : tensor<f32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    return %arg0 : tensor<4xf32>

// -----

// The known carry is found first; what the rest needs of its steps is stacked.
func.func @main(%p: tensor<f32>, %t: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<4xf32>) {
  %0:3 = dovetail.scan length 4 init(%p, %t) over() consts() {reverse = true} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<4xf32>) {
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %1 = dovetail.sin %c : tensor<f32>
    %2 = dovetail.cos %c : tensor<f32>
    %3 = dovetail.mul %d, %2 : tensor<f32>
    dovetail.yield %1, %3, %1 : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1, %0#2 : tensor<f32>, tensor<f32>, tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<4xf32>, %arg1: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length 4 init(%arg1) over(%arg0) consts() {reverse = true} : (tensor<f32>, tensor<4xf32>) -> tensor<f32> {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg2, %arg3 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[MUL]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]] : tensor<f32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT:    %[[SCAN:.+]]:3 = dovetail.scan length 4 init(%arg0) over() consts() {reverse = true} : (tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT:    ^bb0(%arg1: tensor<f32>):
// CHECK-NEXT:      %[[SIN:.+]] = dovetail.sin %arg1 : tensor<f32>
// CHECK-NEXT:      %[[COS:.+]] = dovetail.cos %arg1 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[SIN]], %[[SIN]], %[[COS]] : tensor<f32>, tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1, %[[SCAN]]#2 : tensor<f32>, tensor<4xf32>, tensor<4xf32>

// -----

// The first carry is unknown at its start alone: what the body returns for it is known, and a residual.
func.func @main(%xs: tensor<4xf32>, %a: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %0:2 = dovetail.scan length 4 init(%a) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%c: tensor<f32>, %x: tensor<f32>):
    %1 = dovetail.exp %x : tensor<f32>
    dovetail.yield %1, %c : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<4xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<4xf32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
// CHECK-NEXT:    %[[SCAN:.+]]:2 = dovetail.scan length 4 init(%arg1) over(%arg0) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
// CHECK-NEXT:    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
// CHECK-NEXT:      dovetail.yield %arg3, %arg2 : tensor<f32>, tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#0, %[[SCAN]]#1 : tensor<f32>, tensor<4xf32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length 4 init() over(%arg0) consts() : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    ^bb0(%arg1: tensor<f32>):
// CHECK-NEXT:      %[[EXP:.+]] = dovetail.exp %arg1 : tensor<f32>
// CHECK-NEXT:      dovetail.yield %[[EXP]] : tensor<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]] : tensor<4xf32>

// -----

// Both parts run as often as the count says; sizes of slices are those of every step.
func.func @main(%p: tensor<?xf32>, %t: tensor<?xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %0:2 = dovetail.scan length -1 count %n init(%p, %t) over() consts() : (tensor<?xf32>, tensor<?xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%c: tensor<?xf32>, %d: tensor<?xf32>):
    %1 = dovetail.sin %c : tensor<?xf32>
    %2 = dovetail.dim %c, 0 : tensor<?xf32>
    %3 = dovetail.iota 0 sizes(%2) : tensor<?xf32>
    %4 = dovetail.mul %d, %3 : tensor<?xf32>
    dovetail.yield %1, %4 : tensor<?xf32>, tensor<?xf32>
  }
  return %0#1 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<?xf32>, %arg1: tensor<i32>, %arg2: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length -1 count %arg1 init(%arg2) over() consts(%arg0) : (tensor<?xf32>, tensor<?xf32>, tensor<i32>) -> tensor<?xf32> {
// CHECK-NEXT:    ^bb0(%arg3: tensor<?xf32>, %arg4: tensor<?xf32>):
// CHECK-NEXT:      %[[MUL:.+]] = dovetail.mul %arg3, %arg4 : tensor<?xf32>
// CHECK-NEXT:      dovetail.yield %[[MUL]] : tensor<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]] : tensor<?xf32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<?xf32>, %arg1: tensor<i32>) -> (tensor<?xf32>, tensor<i32>)
// CHECK-NEXT:    %[[DIM:.+]] = dovetail.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT:    %[[IOTA:.+]] = dovetail.iota 0 sizes(%[[DIM]]) : tensor<?xf32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length -1 count %arg1 init(%arg0) over() consts() : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32> {
// CHECK-NEXT:    ^bb0(%arg2: tensor<?xf32>):
// CHECK-NEXT:      %[[SIN:.+]] = dovetail.sin %arg2 : tensor<?xf32>
// CHECK-NEXT:      %[[DIM_1:.+]] = dovetail.dim %arg2, 0 : tensor<?xf32>
// CHECK-NEXT:      %[[IOTA_1:.+]] = dovetail.iota 0 sizes(%[[DIM_1]]) : tensor<?xf32>
// CHECK-NEXT:      dovetail.yield %[[SIN]] : tensor<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[IOTA]], %arg1 : tensor<?xf32>, tensor<i32>

// -----

// A size that differs between the steps is kept as the number that it comes from.
func.func @main(%p: tensor<?xf32>, %t: tensor<?xf32>) -> tensor<?xf32> {
  %0:2 = dovetail.scan length 4 init(%p, %t) over() consts() : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%c: tensor<?xf32>, %d: tensor<?xf32>):
    %1 = dovetail.reduce_sum %c [0] : tensor<?xf32>
    %2 = dovetail.convert %1 : tensor<f32> -> tensor<i32>
    %3 = dovetail.index %2 : tensor<i32>
    %4 = dovetail.slice %d starts [0] strides [1] sizes(%3) : tensor<?xf32> -> tensor<?xf32>
    dovetail.yield %c, %4 : tensor<?xf32>, tensor<?xf32>
  }
  return %0#1 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @main.rest(%arg0: tensor<4xi32>, %arg1: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    %[[SCAN:.+]] = dovetail.scan length 4 init(%arg1) over(%arg0) consts() : (tensor<?xf32>, tensor<4xi32>) -> tensor<?xf32> {
// CHECK-NEXT:    ^bb0(%arg2: tensor<?xf32>, %arg3: tensor<i32>):
// CHECK-NEXT:      %[[INDEX:.+]] = dovetail.index %arg3 : tensor<i32>
// CHECK-NEXT:      %[[SLICE:.+]] = dovetail.slice %arg2 starts [0] strides [1] sizes(%[[INDEX]]) : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT:      dovetail.yield %[[SLICE]] : tensor<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]] : tensor<?xf32>

// CHECK-LABEL: func.func private @main.known(%arg0: tensor<?xf32>) -> tensor<4xi32>
// CHECK-NEXT:    %[[SCAN:.+]]:2 = dovetail.scan length 4 init(%arg0) over() consts() : (tensor<?xf32>) -> (tensor<?xf32>, tensor<4xi32>) {
// CHECK-NEXT:    ^bb0(%arg1: tensor<?xf32>):
// CHECK-NEXT:      %[[REDUCE_SUM:.+]] = dovetail.reduce_sum %arg1 [0] : tensor<?xf32>
// CHECK-NEXT:      %[[CONVERT:.+]] = dovetail.convert %[[REDUCE_SUM]] : tensor<f32> -> tensor<i32>
// CHECK-NEXT:      %[[INDEX:.+]] = dovetail.index %[[CONVERT]] : tensor<i32>
// CHECK-NEXT:      dovetail.yield %arg1, %[[CONVERT]] : tensor<?xf32>, tensor<i32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[SCAN]]#1 : tensor<4xi32>

// -----

// Of a loop that may take no step, what is computed outside has no derivative then.
func.func @main(%k: tensor<f32>, %a: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %0 = dovetail.scan length -1 count %n init(%a) over() consts(%k) : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>, %f: tensor<f32>):
    %1 = dovetail.log %f : tensor<f32>
    %2 = dovetail.mul %c, %1 : tensor<f32>
    dovetail.yield %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func private @main.known(%arg0: tensor<f32>, %arg1: tensor<i32>)
// CHECK:         %[[RUNS:.+]] = dovetail.compare gt %arg1, %{{.+}} : tensor<i32>
// CHECK:         %[[STOPPED:.+]] = dovetail.stop_gradient %arg0 : tensor<f32>
// CHECK:         %[[GATED:.+]] = dovetail.select %[[RUNS]], %arg0, %[[STOPPED]]
// CHECK:         dovetail.log %[[GATED]] : tensor<f32>
