// Elementwise ops between which an array has several readers become one loop.
// RUN: dovetail-opt %s --dovetail-fuse-shared --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#column = affine_map<(d0, d1) -> (d0)>

// What else is read is a result; a row that all read is read once.
// CHECK-LABEL: func.func @shared
// CHECK: %[[BOTH:.*]]:2 = linalg.generic
// CHECK-SAME: ins(%arg0, %arg1 : tensor<128x128xf32>, tensor<128xf32>)
// CHECK: math.absf
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: linalg.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK-NOT: linalg.generic
// CHECK: return %[[BOTH]]#1, %[[BOTH]]#0
module attributes {dovetail.target = "cpu"} {
func.func @shared(%x: tensor<128x128xf32>, %v: tensor<128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
  %e = tensor.empty() : tensor<128x128xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<128x128xf32>) outs(%e : tensor<128x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.absf %in : f32
    linalg.yield %r : f32
  } -> tensor<128x128xf32>
  %b = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %v : tensor<128x128xf32>, tensor<128xf32>) outs(%e : tensor<128x128xf32>) {
  ^bb0(%in: f32, %w: f32, %out: f32):
    %r = arith.mulf %in, %w : f32
    linalg.yield %r : f32
  } -> tensor<128x128xf32>
  %c = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b, %v : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128xf32>) outs(%e : tensor<128x128xf32>) {
  ^bb0(%in: f32, %other: f32, %w: f32, %out: f32):
    %r = arith.addf %in, %other : f32
    %s = arith.addf %r, %w : f32
    linalg.yield %s : f32
  } -> tensor<128x128xf32>
  return %c, %b : tensor<128x128xf32>, tensor<128x128xf32>
}
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0)>

// A maximum between the two readers needs the array first: what takes few ops is computed twice.
// CHECK-LABEL: func.func @separate
// CHECK: linalg.generic {{.*}} ins(%arg0
// CHECK: math.absf
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} ins(%arg0
// CHECK: math.absf
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
module attributes {dovetail.target = "cpu"} {
func.func @separate(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %e = tensor.empty() : tensor<128x128xf32>
  %s = tensor.empty() : tensor<128xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<128x128xf32>) outs(%e : tensor<128x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.absf %in : f32
    linalg.yield %r : f32
  } -> tensor<128x128xf32>
  %b = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<128x128xf32>) outs(%s : tensor<128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.maximumf %in, %out : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %c = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<128x128xf32>, tensor<128xf32>) outs(%e : tensor<128x128xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %r = arith.addf %in, %other : f32
    linalg.yield %r : f32
  } -> tensor<128x128xf32>
  return %c : tensor<128x128xf32>
}
}
