// RUN: dovetail-opt %s --dovetail-reuse-arguments | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// A pointwise result of the donated argument's type is written over it, with the ops before it fused in.
// CHECK-LABEL: func.func @update(
// CHECK-SAME: %[[W:.*]]: tensor<16384xf32> {iree.abi.consume}, %[[G:.*]]: tensor<16384xf32>)
// CHECK: %[[NEW:.*]] = "flow.dispatch.workgroups"(%{{.*}}, %[[W]], %[[G]])
// CHECK: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<16384xf32>>
// CHECK: linalg.generic
// CHECK: arith.mulf
// CHECK: arith.subf
// CHECK: workgroup_count_from_slice
// CHECK: tied_operands = [0 : index]
// CHECK: return %[[NEW]]
func.func @update(%w: tensor<16384xf32> {dovetail.donated}, %g: tensor<16384xf32>) -> tensor<16384xf32> {
  %half = arith.constant 5.0e-01 : f32
  %e = tensor.empty() : tensor<16384xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%g : tensor<16384xf32>) outs(%e : tensor<16384xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.mulf %a, %half : f32
    linalg.yield %m : f32
  } -> tensor<16384xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%w, %0 : tensor<16384xf32>, tensor<16384xf32>) outs(%e : tensor<16384xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16384xf32>
  return %1 : tensor<16384xf32>
}

// A result that reads elements of the argument at other places is not.
// CHECK-LABEL: func.func @reversed(
// CHECK-NOT: flow.dispatch
// CHECK: return
func.func @reversed(%w: tensor<128x128xf32> {dovetail.donated}) -> tensor<128x128xf32> {
  %e = tensor.empty() : tensor<128x128xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<128x128xf32>) outs(%e : tensor<128x128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// Small arrays are not worth a dispatch.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: flow.dispatch
// CHECK: return
func.func @small(%w: tensor<4xf32> {dovetail.donated}) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// An argument that an op may write over, here through a reshape, has a use at the end.
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
func.func @given(%x: tensor<16xf32> {dovetail.donated}, %row: tensor<2xf32>) -> tensor<16xf32> {
  %1 = tensor.insert_slice %row into %x[3] [2] [1] : tensor<2xf32> into tensor<16xf32>
  return %1 : tensor<16xf32>
}

// Arguments, constants and equal results share memory; what is computed does not.
// CHECK-LABEL: func.func @sharing(
// CHECK-SAME: iree.reflection = {dovetail.handed_back = "0", dovetail.sharing = "0,1,3,4"}
func.func @sharing(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %constant = arith.constant dense<1.0> : tensor<4xf32>
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %e = tensor.empty() : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.mulf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %0, %constant, %1, %2, %2 : tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
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

// What is made of no array and written over, of a size that is not known, depends on a number: IREE then copies it.
// CHECK-LABEL: func.func @made_of_none(
// CHECK: %[[ONE:.*]] = "util.optimization_barrier"(%{{.*}}) : (tensor<i32>)
// CHECK: %[[Z:.*]] = linalg.generic
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[Z]], %[[ONE]] : tensor<?xf32>, tensor<i32>)
// CHECK: arith.select
// CHECK: tensor.insert_slice %{{.*}} into %[[S]][0]
// CHECK: tensor.insert_slice %{{.*}} into %[[S]][1]
// CHECK-NOT: util.optimization_barrier
// CHECK: return
#scalar = affine_map<(d0) -> ()>
func.func @made_of_none(%n: index, %u: tensor<1xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.generic {indexing_maps = [#scalar, #id], iterator_types = ["parallel"]} ins(%zero : tensor<f32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %0 = tensor.insert_slice %u into %z[0] [1] [1] : tensor<1xf32> into tensor<?xf32>
  %1 = tensor.insert_slice %u into %z[1] [1] [1] : tensor<1xf32> into tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// A loop of the host does not change a slice from outside of it, nor what that is a slice of.
// CHECK-LABEL: func.func @slices_from_outside(
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK: %[[S:.*]] = tensor.extract_slice %[[Y]]
// CHECK: scf.for
// CHECK:   tensor.insert_slice %{{.*}} into %[[S]]
// CHECK: "util.optimization_barrier"(%[[S]], %[[Y]])
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

// Arguments that may come back as results are stated, and the results: no later call may write over either.
// CHECK-LABEL: func.func @hand_back(
// CHECK-SAME: dovetail.handed_back = "1", dovetail.sharing = "0"
func.func @hand_back(%x: tensor<16xf32>, %y: tensor<4x4xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = tensor.collapse_shape %y [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %e = tensor.empty() : tensor<16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}
