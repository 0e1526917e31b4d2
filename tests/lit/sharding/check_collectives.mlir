// A collective in a branch that only some of its devices take is an error where the branch follows from the device's position.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-check-collectives

#mesh = #dovetail.mesh<["data" = 2, "model" = 2]>
module attributes {dovetail.mesh = #mesh} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = dovetail.constant dense<1> : tensor<i32>
    %1 = dovetail.axis_index over ["data"] sizes [2]
    %2 = dovetail.compare eq %1, %0 : tensor<i32>
    %3 = dovetail.convert %2 : tensor<i1> -> tensor<i32>
    %4 = dovetail.case %3 of(%x) : (tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%arg1: tensor<4xf32>):
      dovetail.yield %arg1 : tensor<4xf32>
    }, {
    ^bb0(%arg1: tensor<4xf32>):
      // expected-error@+1 {{participants must take part in the same collectives in the same order, got: all_reduce_sum over ["data"] in a branch that 2 takes and 0 does not; compute it outside of the branch}}
      %5 = dovetail.all_reduce_sum %arg1 over ["data"] : tensor<4xf32>
      dovetail.yield %5 : tensor<4xf32>
    }
    return %4 : tensor<4xf32>
  }
}

// -----

// All devices of a group take the same branch, or come to the same collective.
#mesh = #dovetail.mesh<["data" = 2, "model" = 2]>
module attributes {dovetail.mesh = #mesh} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = dovetail.axis_index over ["data"] sizes [2]
    %1 = dovetail.case %0 of(%x) : (tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%arg1: tensor<4xf32>):
      dovetail.yield %arg1 : tensor<4xf32>
    }, {
    ^bb0(%arg1: tensor<4xf32>):
      %5 = dovetail.all_reduce_sum %arg1 over ["model"] : tensor<4xf32>
      dovetail.yield %5 : tensor<4xf32>
    }
    %2 = dovetail.case %0 of(%x) : (tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%arg1: tensor<4xf32>):
      %5 = dovetail.neg %arg1 : tensor<4xf32>
      %6 = dovetail.all_reduce_sum %5 over ["data"] : tensor<4xf32>
      dovetail.yield %6 : tensor<4xf32>
    }, {
    ^bb0(%arg1: tensor<4xf32>):
      %5 = dovetail.all_reduce_sum %arg1 over ["data"] : tensor<4xf32>
      dovetail.yield %5 : tensor<4xf32>
    }
    return %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// What depends on arrays is not known, and an index beyond the last branch selects the last.
#mesh = #dovetail.mesh<["data" = 4]>
module attributes {dovetail.mesh = #mesh} {
  func.func @main(%x: tensor<4xf32>, %flag: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = dovetail.constant dense<2> : tensor<i32>
    %1 = dovetail.axis_index over ["data"] sizes [4]
    %2 = dovetail.add %1, %0 : tensor<i32>
    %3 = dovetail.case %2 of(%x) : (tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%arg1: tensor<4xf32>):
      dovetail.yield %arg1 : tensor<4xf32>
    }, {
    ^bb0(%arg1: tensor<4xf32>):
      %5 = dovetail.all_reduce_sum %arg1 over ["data"] : tensor<4xf32>
      dovetail.yield %5 : tensor<4xf32>
    }
    %4 = dovetail.mul %1, %flag : tensor<i32>
    %6 = dovetail.case %4 of(%x) : (tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%arg1: tensor<4xf32>):
      dovetail.yield %arg1 : tensor<4xf32>
    }, {
    ^bb0(%arg1: tensor<4xf32>):
      %5 = dovetail.all_reduce_sum %arg1 over ["data"] : tensor<4xf32>
      dovetail.yield %5 : tensor<4xf32>
    }
    return %3, %6 : tensor<4xf32>, tensor<4xf32>
  }
}
