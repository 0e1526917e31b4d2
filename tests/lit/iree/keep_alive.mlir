// What an op may write over has a keep-alive use where it is needed later than IREE sees.
// RUN: dovetail-opt %s --dovetail-keep-alive | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// An argument that an op may write over, here through a reshape, has a keep-alive use.
// CHECK-LABEL: func.func @kept(
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>, %[[ROW:.*]]: tensor<2xf32>)
// CHECK: %[[NEW:.*]] = tensor.insert_slice
// CHECK: util.optimization_barrier"(%[[X]])
// CHECK-NEXT: return %[[NEW]]
func.func @kept(%x: tensor<4x4xf32>, %row: tensor<2xf32>) -> tensor<16xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %1 = tensor.insert_slice %row into %0[3] [2] [1] : tensor<2xf32> into tensor<16xf32>
  return %1 : tensor<16xf32>
}

// A donated one has not.
// CHECK-LABEL: func.func @given(
// CHECK-NOT: util.optimization_barrier
// CHECK: return
func.func @given(%x: tensor<16xf32> {iree.abi.consume}, %row: tensor<2xf32>) -> tensor<16xf32> {
  %1 = tensor.insert_slice %row into %x[3] [2] [1] : tensor<2xf32> into tensor<16xf32>
  return %1 : tensor<16xf32>
}

// So has an array behind a barrier where something else may be in its memory: the op before it, which others use too.
// CHECK-LABEL: func.func @shared(
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK: %[[A:.*]] = "util.optimization_barrier"(%[[Y]])
// CHECK: tensor.insert_slice %{{.*}} into %[[A]]
// CHECK: "util.optimization_barrier"(%[[A]])
// CHECK-NEXT: return
func.func @shared(%x: tensor<4xf32>, %u: tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %a = "util.optimization_barrier"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = tensor.insert_slice %u into %a[1] [1] [1] : tensor<1xf32> into tensor<4xf32>
  return %0, %y : tensor<4xf32>, tensor<4xf32>
}

// Not if the barrier alone has it.
// CHECK-LABEL: func.func @own(
// CHECK: util.optimization_barrier
// CHECK-NOT: util.optimization_barrier
// CHECK: return
func.func @own(%x: tensor<4xf32>, %u: tensor<1xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %a = "util.optimization_barrier"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = tensor.insert_slice %u into %a[1] [1] [1] : tensor<1xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A loop of the host does not change a slice from outside of it, nor what that is a slice of.
// CHECK-LABEL: func.func @slices_from_outside(
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK: %[[S:.*]] = tensor.extract_slice %[[Y]]
// CHECK: scf.for
// CHECK:   tensor.insert_slice %{{.*}} into %[[S]]
// CHECK: "util.optimization_barrier"(%[[S]])
// CHECK-NEXT: "util.optimization_barrier"(%[[Y]])
// CHECK-NEXT: return
func.func @slices_from_outside(%n: index, %x: tensor<4xf32>, %u: tensor<1xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %s = tensor.extract_slice %y[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %s) -> tensor<2xf32> {
    %t = tensor.insert_slice %u into %s[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    scf.yield %t : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// One use for all ops that may write over the array, and no ties of its sizes behind the use.
// CHECK-LABEL: func.func @once(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?xf32>
// CHECK: tensor.insert_slice
// CHECK-NEXT: tensor.insert_slice
// CHECK-NEXT: "util.optimization_barrier"(%[[X]]) : (tensor<?xf32>)
// CHECK-NEXT: return
func.func @once(%x: tensor<?xf32>, %u: tensor<1xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = tensor.insert_slice %u into %x[0] [1] [1] : tensor<1xf32> into tensor<?xf32>
  %1 = tensor.insert_slice %u into %x[1] [1] [1] : tensor<1xf32> into tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
