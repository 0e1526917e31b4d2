// Loops and branches with small bodies are one dispatch, others are loops and branches on the host.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s
// What was lowered is read again as it was written.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower -o %t.1
// RUN: dovetail-opt %t.1 --split-input-file -o %t.2 && diff %t.1 %t.2

module attributes {dovetail.target = "cpu"} {
  func.func @one(%arg0: tensor<8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
    %0:2 = dovetail.scan length 4 init(%arg0) over(%arg1) consts() {reverse = true} : (tensor<8xf32>, tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
    ^bb0(%arg2: tensor<8xf32>, %arg3: tensor<8xf32>):
      %1 = dovetail.add %arg2, %arg3 : tensor<8xf32>
      dovetail.yield %1, %arg2 : tensor<8xf32>, tensor<8xf32>
    }
    return %0#0, %0#1 : tensor<8xf32>, tensor<4x8xf32>
  }
  // The last slices come first.
  // CHECK: "hal.executable.source"
  // CHECK: func.func @[[NAME:.+]]() {
  // CHECK: scf.for %[[STEP:.+]] = %{{.+}} to %{{.+}} step
  // CHECK-NEXT: arith.subi %{{.+}}, %[[STEP]]
  // CHECK: arith.addf
  // CHECK-LABEL: func.func @one(
  // CHECK-NOT: scf.for
  // CHECK: flow.dispatch
}

// -----

module attributes {dovetail.target = "cpu"} {
  func.func @host(%arg0: tensor<40000000xf32>, %arg1: tensor<4x40000000xf32>) -> (tensor<40000000xf32>, tensor<4x40000000xf32>) {
    %0:2 = dovetail.scan length 4 init(%arg0) over(%arg1) consts() {reverse = true} : (tensor<40000000xf32>, tensor<4x40000000xf32>) -> (tensor<40000000xf32>, tensor<4x40000000xf32>) {
    ^bb0(%arg2: tensor<40000000xf32>, %arg3: tensor<40000000xf32>):
      %1 = dovetail.add %arg2, %arg3 : tensor<40000000xf32>
      dovetail.yield %1, %arg2 : tensor<40000000xf32>, tensor<40000000xf32>
    }
    return %0#0, %0#1 : tensor<40000000xf32>, tensor<4x40000000xf32>
  }
  // CHECK-NOT: hal.executable.source
  // CHECK-LABEL: func.func @host(
  // CHECK: %[[STACK:.+]] = tensor.empty() : tensor<4x40000000xf32>
  // CHECK: %[[LOOP:.+]]:2 = scf.for %[[STEP:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[CARRY:.+]] = %arg0, %[[STACKED:.+]] = %[[STACK]])
  // CHECK-NEXT: %[[PLACE:.+]] = arith.subi %{{.+}}, %[[STEP]]
  // CHECK-NEXT: %[[SLICE:.+]] = tensor.extract_slice %arg1[%[[PLACE]], 0] [1, 40000000] [1, 1]
  // CHECK: %[[NEXT:.+]] = linalg.generic {{.*}} ins(%[[CARRY]], %[[SLICE]] :
  // CHECK: %[[INSERTED:.+]] = tensor.insert_slice %[[CARRY]] into %[[STACKED]][%[[PLACE]], 0]
  // CHECK: scf.yield %[[NEXT]], %[[INSERTED]]
  // CHECK: return %[[LOOP]]#0, %[[LOOP]]#1
}

// -----

// The number of steps and the sizes of what is stacked are computed before the loop.
module attributes {dovetail.target = "vulkan-spirv"} {
  func.func @counted(%arg0: tensor<?xf32>, %arg1: tensor<i32>, %arg2: index) -> tensor<?x?xf32> {
    %0:2 = dovetail.scan length -1 count %arg1 init(%arg0) over() consts(%arg2) : (tensor<?xf32>, index, tensor<i32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
    ^bb0(%arg3: tensor<?xf32>, %arg4: index):
      %1 = dovetail.iota 0 sizes(%arg4) : tensor<?xf32>
      dovetail.yield %arg3, %1 : tensor<?xf32>, tensor<?xf32>
    }
    return %0#1 : tensor<?x?xf32>
  }
  // CHECK-LABEL: func.func @counted(
  // CHECK: tensor.extract %arg1[]
  // CHECK: %[[LENGTH:.+]] = arith.index_cast %{{.+}} : i32 to index
  // CHECK: tensor.empty(%[[LENGTH]], %arg2) : tensor<?x?xf32>
  // CHECK: scf.for %{{.+}} = %{{.+}} to %[[LENGTH]] step
}

// -----

// They do not depend on the number of steps of an inner loop, which an element decides on.
module attributes {dovetail.target = "vulkan-spirv"} {
  func.func @counted_within(%arg0: tensor<?xf32>, %arg1: tensor<3xi32>) -> tensor<3x?xf32> {
    %0 = dovetail.scan length 3 init() over(%arg1) consts(%arg0) : (tensor<3xi32>, tensor<?xf32>) -> tensor<3x?xf32> {
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<?xf32>):
      %1 = dovetail.index %arg2 : tensor<i32>
      %2 = dovetail.iota 0 sizes(%1) : tensor<?xi32>
      %3 = dovetail.scan length -1 count %arg2 init() over(%2) consts(%arg3) : (tensor<?xi32>, tensor<?xf32>, tensor<i32>) -> tensor<?x?xf32> {
      ^bb0(%arg4: tensor<i32>, %arg5: tensor<?xf32>):
        %5 = dovetail.tanh %arg5 : tensor<?xf32>
        dovetail.yield %5 : tensor<?xf32>
      }
      %4 = dovetail.reduce_sum %3 [0] : tensor<?x?xf32>
      dovetail.yield %4 : tensor<?xf32>
    }
    return %0 : tensor<3x?xf32>
  }
  // CHECK-LABEL: func.func @counted_within(
  // CHECK: %[[SIZE:.+]] = tensor.dim %arg0
  // CHECK: tensor.empty(%[[SIZE]]) : tensor<3x?xf32>
  // CHECK: scf.for
}

// -----

// The software driver of Vulkan stops dispatches of many iterations.
module attributes {dovetail.target = "vulkan-spirv"} {
  func.func @while(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = dovetail.while init(%arg0) consts(%arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = dovetail.compare lt %arg2, %arg3 : tensor<f32>
      dovetail.yield %1 : tensor<i1>
    } do {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = dovetail.add %arg2, %arg2 : tensor<f32>
      dovetail.yield %1 : tensor<f32>
    }
    return %0 : tensor<f32>
  }
  // CHECK-NOT: hal.executable.source
  // CHECK-LABEL: func.func @while(
  // CHECK: scf.while (%[[CARRY:.+]] = %arg0)
  // CHECK: %[[PREDICATE:.+]] = tensor.extract %{{.+}}[] : tensor<i1>
  // CHECK: scf.condition(%[[PREDICATE]]) %[[CARRY]]
  // CHECK: } do {
  // CHECK: scf.yield
}

// -----

// A chain of choices; the last branch is that of all larger numbers.
module attributes {dovetail.target = "cpu"} {
  func.func @case(%arg0: tensor<i32>, %arg1: tensor<40000000xf32>) -> tensor<40000000xf32> {
    %0 = dovetail.case %arg0 of(%arg1) : (tensor<i32>, tensor<40000000xf32>) -> tensor<40000000xf32> {
    ^bb0(%arg2: tensor<40000000xf32>):
      %1 = dovetail.neg %arg2 : tensor<40000000xf32>
      dovetail.yield %1 : tensor<40000000xf32>
    }, {
    ^bb0(%arg2: tensor<40000000xf32>):
      dovetail.yield %arg2 : tensor<40000000xf32>
    }, {
    ^bb0(%arg2: tensor<40000000xf32>):
      %1 = dovetail.add %arg2, %arg2 : tensor<40000000xf32>
      dovetail.yield %1 : tensor<40000000xf32>
    }
    return %0 : tensor<40000000xf32>
  }
  // CHECK-LABEL: func.func @case(
  // CHECK: %[[NUMBER:.+]] = tensor.extract %arg0[]
  // CHECK: arith.cmpi sle, %[[NUMBER]], %c0
  // CHECK: scf.if
  // CHECK: arith.negf
  // CHECK: } else {
  // CHECK: arith.cmpi sle, %[[NUMBER]], %c1
  // CHECK: scf.if
  // CHECK: scf.yield %arg1
  // CHECK: } else {
  // CHECK: arith.addf
}

// -----

// An update of all of an array is computed where it is summed, without memory for the array.
module attributes {dovetail.target = "cpu:x86-64-v3"} {
  func.func @updated_and_summed(%arg0: tensor<i32>, %arg1: tensor<7xf32>) -> tensor<f32> {
    %0 = dovetail.case %arg0 of(%arg1) : (tensor<i32>, tensor<7xf32>) -> tensor<f32> {
    ^bb0(%arg2: tensor<7xf32>):
      %1 = dovetail.constant dense<0.000000e+00> : tensor<f32>
      dovetail.yield %1 : tensor<f32>
    }, {
    ^bb0(%arg2: tensor<7xf32>):
      %1 = dovetail.constant dense<0> : tensor<1x1xi32>
      %2 = dovetail.constant dense<5.000000e-01> : tensor<1x7xf32>
      %3 = dovetail.scatter_mul %arg2, %1, %2 dims [0] window [7] {unique = true} : tensor<7xf32>, tensor<1x1xi32>, tensor<1x7xf32>
      %4 = dovetail.reduce_sum %3 [0] : tensor<7xf32>
      dovetail.yield %4 : tensor<f32>
    }
    return %0 : tensor<f32>
  }
  // CHECK: "hal.executable.source"
  // CHECK: %[[OLD:.+]] = vector.load %{{.+}} : memref<7xf32>, vector<7xf32>
  // CHECK-NEXT: %[[NEW:.+]] = math.fma %[[OLD]]
  // CHECK-NEXT: vector.reduction <add>, %[[NEW]]
  // CHECK-LABEL: func.func @updated_and_summed(
  // CHECK: flow.dispatch
}
