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

// An argument that is a result, too, is not overwritten, whatever hands it on.
// CHECK-LABEL: func.func @returned(
// CHECK-SAME: %{{[^{]*}}tensor<16384xf32>)
// CHECK-NOT: flow.dispatch
// CHECK: return
func.func @returned(%w: tensor<16384xf32> {dovetail.donated}) -> (tensor<16384xf32>, tensor<128x128xf32>) {
  %e = tensor.empty() : tensor<16384xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : tensor<16384xf32>) outs(%e : tensor<16384xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.addf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<16384xf32>
  %1 = tensor.expand_shape %w [[0, 1]] output_shape [128, 128] : tensor<16384xf32> into tensor<128x128xf32>
  return %0, %1 : tensor<16384xf32>, tensor<128x128xf32>
}

// CHECK-LABEL: func.func @returned_by_loops(
// CHECK-SAME: %{{[^,]*}}: tensor<4xf32>, %{{[^,]*}}: tensor<4xf32>, %{{[^,]*}}: tensor<4xf32> {iree.abi.consume}, %
func.func @returned_by_loops(%a: tensor<4xf32> {dovetail.donated}, %b: tensor<4xf32> {dovetail.donated}, %c: tensor<4xf32> {dovetail.donated}, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0:2 = scf.for %i = %zero to %n step %one iter_args(%x = %a, %y = %c) -> (tensor<4xf32>, tensor<4xf32>) {
    %new = tensor.insert %f into %y[%i] : tensor<4xf32>
    scf.yield %x, %new : tensor<4xf32>, tensor<4xf32>
  }
  %1:2 = scf.while (%x = %b, %k = %zero) : (tensor<4xf32>, index) -> (index, tensor<4xf32>) {
    %less = arith.cmpi slt, %k, %n : index
    scf.condition(%less) %k, %x : index, tensor<4xf32>
  } do {
  ^bb0(%k: index, %x: tensor<4xf32>):
    %next = arith.addi %k, %one : index
    scf.yield %x, %next : tensor<4xf32>, index
  }
  return %0#0, %0#1, %1#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A small slice of it that is a result is copied.
// CHECK-LABEL: func.func @returned_slice(
// CHECK-SAME: %[[W:.+]]: tensor<1024x1024xf32> {iree.abi.consume})
// CHECK-NEXT: %[[SLICE:.+]] = tensor.extract_slice %[[W]]
// CHECK-NEXT: %[[COPY:.+]] = "util.optimization_barrier"(%[[SLICE]])
// CHECK: %[[AFTER:.+]] = tensor.extract_slice
// CHECK-NEXT: %[[COPY_AFTER:.+]] = "util.optimization_barrier"(%[[AFTER]])
// CHECK: return %[[COPY]], %[[COPY_AFTER]]
func.func @returned_slice(%w: tensor<1024x1024xf32> {dovetail.donated})
    -> (tensor<2x1024xf32>, tensor<2x1024xf32>, tensor<1024x1024xf32>) {
  %slice = tensor.extract_slice %w[2, 0] [2, 1024] [1, 1] : tensor<1024x1024xf32> to tensor<2x1024xf32>
  %new = math.sin %slice : tensor<2x1024xf32>
  %written = tensor.insert_slice %new into %w[3, 0] [2, 1024] [1, 1] : tensor<2x1024xf32> into tensor<1024x1024xf32>
  %after = tensor.extract_slice %written[3, 0] [2, 1024] [1, 1] : tensor<1024x1024xf32> to tensor<2x1024xf32>
  return %slice, %after, %written : tensor<2x1024xf32>, tensor<2x1024xf32>, tensor<1024x1024xf32>
}
