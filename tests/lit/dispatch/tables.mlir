// What an op writes in place, or reads a part of, does not count as work of a loop's step; what is copied does.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

module attributes {dovetail.target = "cpu"} {
  func.func @in_place(%arg0: tensor<40000000xf32>, %arg1: tensor<1000x1xi32>) -> tensor<40000000xf32> {
    %0 = dovetail.scan length 1000 init(%arg0) over(%arg1) consts() : (tensor<40000000xf32>, tensor<1000x1xi32>) -> tensor<40000000xf32> {
    ^bb0(%arg2: tensor<40000000xf32>, %arg3: tensor<1xi32>):
      %1 = dovetail.gather %arg2, %arg3 dims [0] window [8] : tensor<40000000xf32>, tensor<1xi32>
      %2 = dovetail.sin %1 : tensor<8xf32>
      %3 = dovetail.scatter %arg2, %arg3, %2 dims [0] window [8] : tensor<40000000xf32>, tensor<1xi32>, tensor<8xf32>
      dovetail.yield %3 : tensor<40000000xf32>
    }
    return %0 : tensor<40000000xf32>
  }
  // CHECK: "hal.executable.source"
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-NOT: : memref<40000000xf32>, vector<
  // CHECK-LABEL: func.func @in_place(
  // CHECK-NOT: scf.for
  // CHECK: flow.dispatch
}

// -----

// What was there is read behind the update, but may be read before.
module attributes {dovetail.target = "cpu"} {
  func.func @read_first(%arg0: tensor<40000000xf32>, %arg1: tensor<1000x1xi32>, %arg2: tensor<8xf32>) -> (tensor<40000000xf32>, tensor<8xf32>) {
    %0:2 = dovetail.scan length 1000 init(%arg0, %arg2) over(%arg1) consts() : (tensor<40000000xf32>, tensor<8xf32>, tensor<1000x1xi32>) -> (tensor<40000000xf32>, tensor<8xf32>) {
    ^bb0(%arg3: tensor<40000000xf32>, %arg4: tensor<8xf32>, %arg5: tensor<1xi32>):
      %1 = dovetail.scatter %arg3, %arg5, %arg4 dims [0] window [8] : tensor<40000000xf32>, tensor<1xi32>, tensor<8xf32>
      %2 = dovetail.gather %arg3, %arg5 dims [0] window [8] : tensor<40000000xf32>, tensor<1xi32>
      dovetail.yield %1, %2 : tensor<40000000xf32>, tensor<8xf32>
    }
    return %0#0, %0#1 : tensor<40000000xf32>, tensor<8xf32>
  }
  // CHECK-LABEL: func.func @read_first(
  // CHECK-NOT: scf.for
  // CHECK: flow.dispatch
}

// -----

// A branch that changes a table changes it in its place.
module attributes {dovetail.target = "cpu"} {
  func.func @branch(%arg0: tensor<40000000xf32>, %arg1: tensor<1000x1xi32>, %arg2: tensor<1000xi32>, %arg3: tensor<8xf32>) -> tensor<40000000xf32> {
    %0 = dovetail.scan length 1000 init(%arg0) over(%arg1, %arg2) consts(%arg3) : (tensor<40000000xf32>, tensor<1000x1xi32>, tensor<1000xi32>, tensor<8xf32>) -> tensor<40000000xf32> {
    ^bb0(%arg4: tensor<40000000xf32>, %arg5: tensor<1xi32>, %arg6: tensor<i32>, %arg7: tensor<8xf32>):
      %1 = dovetail.case %arg6 of(%arg4, %arg5, %arg7) : (tensor<i32>, tensor<40000000xf32>, tensor<1xi32>, tensor<8xf32>) -> tensor<40000000xf32> {
      ^bb0(%arg8: tensor<40000000xf32>, %arg9: tensor<1xi32>, %arg10: tensor<8xf32>):
        dovetail.yield %arg8 : tensor<40000000xf32>
      }, {
      ^bb0(%arg8: tensor<40000000xf32>, %arg9: tensor<1xi32>, %arg10: tensor<8xf32>):
        %2 = dovetail.scatter %arg8, %arg9, %arg10 dims [0] window [8] : tensor<40000000xf32>, tensor<1xi32>, tensor<8xf32>
        dovetail.yield %2 : tensor<40000000xf32>
      }
      dovetail.yield %1 : tensor<40000000xf32>
    }
    return %0 : tensor<40000000xf32>
  }
  // CHECK-LABEL: func.func @branch(
  // CHECK-NOT: scf.for
  // CHECK: flow.dispatch
}

// -----

// Both versions are needed, so that one is a copy.
module attributes {dovetail.target = "cpu"} {
  func.func @copied(%arg0: tensor<4000000xf32>, %arg1: tensor<4000000xf32>, %arg2: tensor<1000x1xi32>, %arg3: tensor<8xf32>) -> (tensor<4000000xf32>, tensor<4000000xf32>) {
    %0:2 = dovetail.scan length 1000 init(%arg0, %arg1) over(%arg2) consts(%arg3) : (tensor<4000000xf32>, tensor<4000000xf32>, tensor<1000x1xi32>, tensor<8xf32>) -> (tensor<4000000xf32>, tensor<4000000xf32>) {
    ^bb0(%arg4: tensor<4000000xf32>, %arg5: tensor<4000000xf32>, %arg6: tensor<1xi32>, %arg7: tensor<8xf32>):
      %1 = dovetail.scatter %arg4, %arg6, %arg7 dims [0] window [8] : tensor<4000000xf32>, tensor<1xi32>, tensor<8xf32>
      dovetail.yield %1, %arg4 : tensor<4000000xf32>, tensor<4000000xf32>
    }
    return %0#0, %0#1 : tensor<4000000xf32>, tensor<4000000xf32>
  }
  // CHECK-NOT: hal.executable.source
  // CHECK-LABEL: func.func @copied(
  // CHECK: scf.for
}

// -----

// The copy with which a short loop begins is not for one workgroup of a GPU.
module attributes {dovetail.target = "cuda"} {
  func.func @begin(%arg0: tensor<40000000xf32>, %arg1: tensor<100x1xi32>, %arg2: tensor<8xf32>) -> tensor<40000000xf32> {
    %0 = dovetail.scan length 100 init(%arg0) over(%arg1) consts(%arg2) : (tensor<40000000xf32>, tensor<100x1xi32>, tensor<8xf32>) -> tensor<40000000xf32> {
    ^bb0(%arg3: tensor<40000000xf32>, %arg4: tensor<1xi32>, %arg5: tensor<8xf32>):
      %1 = dovetail.scatter %arg3, %arg4, %arg5 dims [0] window [8] : tensor<40000000xf32>, tensor<1xi32>, tensor<8xf32>
      dovetail.yield %1 : tensor<40000000xf32>
    }
    return %0 : tensor<40000000xf32>
  }
  // CHECK: func.func @rows_scatter_unique_i32_by_i32_0()
  // CHECK-NOT: "hal.executable.source"()
  // CHECK-LABEL: func.func @begin(
  // CHECK: scf.for
}
