// What an op writes over is copied if others read it that neither come before the op nor behind it by what they need.
// RUN: dovetail-opt %s --split-input-file --dovetail-keep-read | FileCheck %s

// CHECK-LABEL: func.func @apart
// CHECK: %[[Y:.+]] = math.sin
// CHECK: "util.optimization_barrier"(%[[Y]])
// CHECK-NEXT: return
func.func @apart(%x: tensor<8xf32>, %u: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = math.sin %x : tensor<8xf32>
  %read = math.cos %y : tensor<8xf32>
  %written = tensor.insert_slice %u into %y[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %read, %written : tensor<8xf32>, tensor<8xf32>
}

// -----

// What is inserted may be computed in place from the elements that it replaces.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT: optimization_barrier
#id = affine_map<(d0) -> (d0)>
func.func @in_place(%x: tensor<8xf32>, %v: tensor<2xf32>) -> tensor<8xf32> {
  %y = math.sin %x : tensor<8xf32>
  %old = tensor.extract_slice %y[3] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %empty = tensor.empty() : tensor<2xf32>
  %new = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%old, %v : tensor<2xf32>, tensor<2xf32>) outs(%empty : tensor<2xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
  } -> tensor<2xf32>
  %written = tensor.insert_slice %new into %y[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %written : tensor<8xf32>
}

// -----

// From others it would overwrite what is still read.
// CHECK-LABEL: func.func @elsewhere
// CHECK: %[[Y:.+]] = math.sin
// CHECK: "util.optimization_barrier"(%[[Y]])
// CHECK-NEXT: return
#id = affine_map<(d0) -> (d0)>
func.func @elsewhere(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = math.sin %x : tensor<8xf32>
  %old = tensor.extract_slice %y[2] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %empty = tensor.empty() : tensor<2xf32>
  %new = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%old : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
    ^bb0(%a: f32, %out: f32):
      %sum = arith.addf %a, %a : f32
      linalg.yield %sum : f32
  } -> tensor<2xf32>
  %written = tensor.insert_slice %new into %y[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %written : tensor<8xf32>
}

