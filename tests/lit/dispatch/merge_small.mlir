// Groups of small ops become one dispatch; what large ops are fused with, and updates of arguments, stay.
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline="from=decompose to=lower" --dovetail-merge-small | FileCheck %s
// The same in a process that lowers nothing.
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline="from=decompose to=lower" -o %t
// RUN: dovetail-opt %t --split-input-file --dovetail-merge-small | FileCheck %s
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline="from=decompose to=lower" | FileCheck %s --check-prefix=APART

// APART-NOT: flow.dispatch

// CHECK-LABEL: func.func @once0
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: linalg.generic
// CHECK: "flow.dispatch"(%arg0)
// CHECK-NOT: linalg.generic
module attributes {dovetail.target = "cpu"} {
func.func @softmax(%x: tensor<8x10xf32>) -> tensor<8x10xf32> {
  %max = dovetail.reduce_max %x [1] : tensor<8x10xf32>
  %all = dovetail.broadcast %max dims [0] : tensor<8xf32> -> tensor<8x10xf32>
  %less = dovetail.sub %x, %all : tensor<8x10xf32>
  %exp = dovetail.exp %less : tensor<8x10xf32>
  %sum = dovetail.reduce_sum %exp [1] : tensor<8x10xf32>
  %sums = dovetail.broadcast %sum dims [0] : tensor<8xf32> -> tensor<8x10xf32>
  %y = dovetail.div %exp, %sums : tensor<8x10xf32>
  return %y : tensor<8x10xf32>
}
}

// -----

// Parts of a result are written to its memory at once.
// CHECK-LABEL: func.func @once0
// CHECK: %[[X:[0-9]+]] = {{.*}}binding = 0
// CHECK: %[[Y:[0-9]+]] = {{.*}}binding = 1
// CHECK: %[[ANS:[0-9]+]] = {{.*}}binding = 2
// CHECK: memref.subview %[[ANS]][0, 0] [8, 16] [1, 1]
// CHECK: vector.load %[[X]]
// CHECK: memref.subview %[[ANS]][0, 16] [8, 16] [1, 1]
// CHECK: vector.load %[[Y]]
// CHECK-NOT: vector.load
// CHECK-LABEL: func.func @concatenated
module attributes {dovetail.target = "cpu"} {
func.func @concatenated(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x32xf32> {
  %ans = dovetail.concatenate %x, %y dimension 1 : tensor<8x16xf32>, tensor<8x16xf32>
  return %ans : tensor<8x32xf32>
}
}

// -----

// One reduction is a dispatch anyway.
// CHECK-LABEL: func.func @one
// CHECK-NOT: flow.dispatch
module attributes {dovetail.target = "cpu"} {
func.func @one(%x: tensor<8x1000xf32>) -> tensor<8xf32> {
  %y = dovetail.exp %x : tensor<8x1000xf32>
  %sum = dovetail.reduce_sum %y [1] : tensor<8x1000xf32>
  return %sum : tensor<8xf32>
}
}

// -----

// The order of a short sum does not depend on what is fused with it.
// CHECK-LABEL: func.func @short
// CHECK: flow.dispatch
module attributes {dovetail.target = "cpu"} {
func.func @short(%x: tensor<8x10xf32>) -> tensor<8xf32> {
  %y = dovetail.exp %x : tensor<8x10xf32>
  %sum = dovetail.reduce_sum %y [1] : tensor<8x10xf32>
  return %sum : tensor<8xf32>
}
}

// -----

// CHECK-LABEL: func.func @large
// CHECK-NOT: flow.dispatch
module attributes {dovetail.target = "cpu"} {
func.func @large(%x: tensor<1024x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %a = dovetail.reduce_max %x [1] : tensor<1024x1024xf32>
  %b = dovetail.reduce_sum %x [0] : tensor<1024x1024xf32>
  return %a, %b : tensor<1024xf32>, tensor<1024xf32>
}
}

// -----

// Another target has other threads.
// CHECK-LABEL: func.func @elsewhere
// CHECK-NOT: flow.dispatch
module attributes {dovetail.target = "vulkan"} {
func.func @elsewhere(%x: tensor<8x10xf32>) -> (tensor<8xf32>, tensor<10xf32>) {
  %a = dovetail.reduce_max %x [1] : tensor<8x10xf32>
  %b = dovetail.reduce_sum %x [0] : tensor<8x10xf32>
  return %a, %b : tensor<8xf32>, tensor<10xf32>
}
}

// -----

// Behind the large ops is another group.
// CHECK-LABEL: func.func @two_groups
// CHECK: %[[FIRST:[0-9]+]] = "flow.dispatch"(%arg0)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[FIRST]]
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]
// CHECK-NOT: linalg.generic
// CHECK: "flow.dispatch"
// CHECK-NOT: linalg.generic
module attributes {dovetail.target = "cpu"} {
func.func @two_groups(%x: tensor<8x100xf32>, %w: tensor<8x1000xf32>) -> tensor<f32> {
  %max = dovetail.reduce_max %x [1] : tensor<8x100xf32>
  %sum = dovetail.reduce_sum %x [1] : tensor<8x100xf32>
  %scale = dovetail.add %max, %sum : tensor<8xf32>
  %scales = dovetail.broadcast %scale dims [0] : tensor<8xf32> -> tensor<8x100xf32>
  %scaled = dovetail.mul %x, %scales : tensor<8x100xf32>
  %y = dovetail.dot_general %scaled, %w batch [] x [] contract [0] x [0] : tensor<8x100xf32>, tensor<8x1000xf32>
  %most = dovetail.reduce_max %y [0] : tensor<100x1000xf32>
  %a = dovetail.reduce_max %most [0] : tensor<1000xf32>
  %b = dovetail.reduce_min %most [0] : tensor<1000xf32>
  %c = dovetail.sub %a, %b : tensor<f32>
  return %c : tensor<f32>
}
}

// -----

// What an argument's memory may be used for is left to the code generator, and a use at the end stays there.
// CHECK-LABEL: func.func @update
// CHECK: tensor.insert_slice
// CHECK: "flow.dispatch"(%inserted_slice)
// CHECK-NEXT: "util.optimization_barrier"(%arg0)
module attributes {dovetail.target = "cpu"} {
func.func @update(%x: tensor<8x10xf32>, %row: tensor<1x10xf32>) -> (tensor<8xf32>, tensor<10xf32>) {
  %y = tensor.insert_slice %row into %x[3, 0] [1, 10] [1, 1] : tensor<1x10xf32> into tensor<8x10xf32>
  %max = dovetail.reduce_max %y [1] : tensor<8x10xf32>
  %sum = dovetail.reduce_sum %y [0] : tensor<8x10xf32>
  return %max, %sum : tensor<8xf32>, tensor<10xf32>
}
}

// -----

// So are those in the body of a loop that the host runs.
// CHECK-LABEL: func.func @in_a_loop
// CHECK: scf.while
// CHECK: do {
// CHECK: flow.dispatch
// CHECK-NOT: linalg.generic {{.*}}"reduction"
// CHECK: return
module attributes {dovetail.target = "cpu", dovetail.host_loops} {
func.func @in_a_loop(%n: tensor<f32>, %x: tensor<8x300xf32>) -> tensor<8x300xf32> {
  %0 = dovetail.while init(%x) consts(%n) : (tensor<8x300xf32>, tensor<f32>) -> tensor<8x300xf32> {
  ^bb0(%y: tensor<8x300xf32>, %m: tensor<f32>):
    %sum = dovetail.reduce_sum %y [0, 1] : tensor<8x300xf32>
    %1 = dovetail.compare lt %sum, %m : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%y: tensor<8x300xf32>, %m: tensor<f32>):
    %most = dovetail.reduce_max %y [1] : tensor<8x300xf32>
    %wide = dovetail.broadcast %most dims [0] : tensor<8xf32> -> tensor<8x300xf32>
    %z = dovetail.add %y, %wide : tensor<8x300xf32>
    %total = dovetail.reduce_sum %z [1] : tensor<8x300xf32>
    %all = dovetail.broadcast %total dims [0] : tensor<8xf32> -> tensor<8x300xf32>
    %w = dovetail.add %z, %all : tensor<8x300xf32>
    dovetail.yield %w : tensor<8x300xf32>
  }
  return %0 : tensor<8x300xf32>
}
}
