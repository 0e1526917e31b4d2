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

// -----

// Reshapes keep the order of elements.
// CHECK-LABEL: func.func @reshaped_in_place
// CHECK-NOT: optimization_barrier
#id = affine_map<(d0) -> (d0)>
func.func @reshaped_in_place(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = math.sin %x : tensor<8x4xf32>
  %old = tensor.extract_slice %y[3, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  %row = tensor.collapse_shape %old [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %new = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%row : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %sum = arith.addf %a, %a : f32
      linalg.yield %sum : f32
  } -> tensor<4xf32>
  %part = tensor.expand_shape %new [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
  %written = tensor.insert_slice %part into %y[3, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
  return %written : tensor<8x4xf32>
}

// -----

// Elements that stay may be read in any order.
// CHECK-LABEL: func.func @beside
// CHECK-NOT: optimization_barrier
#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1)>
func.func @beside(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = math.sin %x : tensor<8x4xf32>
  %old = tensor.extract_slice %y[2, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  %row = tensor.collapse_shape %old [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
  %empty = tensor.empty() : tensor<2x4xf32>
  %new = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%row : tensor<4xf32>) outs(%empty : tensor<2x4xf32>) {
    ^bb0(%a: f32, %out: f32):
      linalg.yield %a : f32
  } -> tensor<2x4xf32>
  %written = tensor.insert_slice %new into %y[3, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<8x4xf32>
  return %written : tensor<8x4xf32>
}

// -----

// What is behind a barrier is complete before the array is overwritten.
// CHECK-LABEL: func.func @behind_a_barrier
// CHECK: "util.optimization_barrier"(%{{.+}}) : (tensor<f32>)
// CHECK-NOT: optimization_barrier
#none = affine_map<() -> ()>
func.func @behind_a_barrier(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = math.sin %x : tensor<8xf32>
  %old = tensor.extract_slice %y[3] [1] [1] : tensor<8xf32> to tensor<1xf32>
  %number = tensor.collapse_shape %old [] : tensor<1xf32> into tensor<f32>
  %empty = tensor.empty() : tensor<f32>
  %new = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
      ins(%number : tensor<f32>) outs(%empty : tensor<f32>) {
    ^bb0(%a: f32, %out: f32):
      %sum = arith.addf %a, %a : f32
      linalg.yield %sum : f32
  } -> tensor<f32>
  %apart = "util.optimization_barrier"(%new) : (tensor<f32>) -> tensor<f32>
  %part = tensor.expand_shape %apart [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %written = tensor.insert_slice %part into %y[3] [1] [1] : tensor<1xf32> into tensor<8xf32>
  return %written : tensor<8xf32>
}

// -----

// A write to a large array waits for what reads little of it before, where a copy of the array would take longer.
// CHECK-LABEL: func.func @little_is_read
// CHECK: %[[READ:.+]] = linalg.generic
// CHECK: %[[BEHIND:.+]]:2 = "util.optimization_barrier"(%[[READ]], %{{.+}})
// CHECK: tensor.insert_slice %[[BEHIND]]#1 into
// CHECK-NOT: optimization_barrier
// CHECK: return %{{.+}}, %[[BEHIND]]#0
#row = affine_map<(d0) -> (d0)>
func.func @little_is_read(%x: tensor<1024x1024xf32>, %new: tensor<1x1024xf32>, %i: index)
    -> (tensor<1024x1024xf32>, tensor<1024xf32>) {
  %y = math.sin %x : tensor<1024x1024xf32>
  %empty = tensor.empty() : tensor<1024xf32>
  %read = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%empty : tensor<1024xf32>) {
    ^bb0(%out: f32):
      %j = linalg.index 0 : index
      %a = tensor.extract %y[%i, %j] : tensor<1024x1024xf32>
      linalg.yield %a : f32
  } -> tensor<1024xf32>
  %written = tensor.insert_slice %new into %y[%i, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> into tensor<1024x1024xf32>
  return %written, %read : tensor<1024x1024xf32>, tensor<1024xf32>
}

// -----

// What is read of a slice after the write is read of a copy, for which the write waits.
// CHECK-LABEL: func.func @read_after
// CHECK: %[[SLICE:.+]] = tensor.extract_slice
// CHECK: %[[COPY:.+]] = "util.optimization_barrier"(%[[SLICE]])
// CHECK: %[[BEHIND:.+]]:2 = "util.optimization_barrier"(%[[COPY]], %{{.+}})
// CHECK: tensor.insert_slice %[[BEHIND]]#1 into
// CHECK: math.sin %[[COPY]]
// CHECK-NOT: optimization_barrier
func.func @read_after(%x: tensor<1024x1024xf32>, %new: tensor<1x1024xf32>)
    -> (tensor<1024x1024xf32>, tensor<1x1024xf32>) {
  %y = math.cos %x : tensor<1024x1024xf32>
  %slice = tensor.extract_slice %y[2, 0] [1, 1024] [1, 1] : tensor<1024x1024xf32> to tensor<1x1024xf32>
  %written = tensor.insert_slice %new into %y[2, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> into tensor<1024x1024xf32>
  %read = math.sin %slice : tensor<1x1024xf32>
  return %written, %read : tensor<1024x1024xf32>, tensor<1x1024xf32>
}

// -----

// What is computed of elements that it overwrites is computed elsewhere first.
// CHECK-LABEL: func.func @moved
// CHECK: %[[NEW:.+]] = math.sin
// CHECK: %[[BEHIND:.+]] = "util.optimization_barrier"(%[[NEW]])
// CHECK: tensor.insert_slice %[[BEHIND]] into
// CHECK-NOT: optimization_barrier
func.func @moved(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = math.cos %x : tensor<1024x1024xf32>
  %slice = tensor.extract_slice %y[2, 0] [2, 1024] [1, 1] : tensor<1024x1024xf32> to tensor<2x1024xf32>
  %new = math.sin %slice : tensor<2x1024xf32>
  %written = tensor.insert_slice %new into %y[3, 0] [2, 1024] [1, 1] : tensor<2x1024xf32> into tensor<1024x1024xf32>
  return %written : tensor<1024x1024xf32>
}

// -----

// A write waits by an operand that depends on arguments: no barrier is of that and of what is computed once.
// CHECK-LABEL: func.func @beside_constants
// CHECK: %[[SLICE:.+]] = tensor.extract_slice
// CHECK: %[[COPY:.+]] = "util.optimization_barrier"(%[[SLICE]])
// CHECK: %[[BEHIND:.+]]:2 = "util.optimization_barrier"(%[[COPY]], %{{.+}}) : (tensor<1x1024xf32>, tensor<2x1024xf32>)
// CHECK: "flow.dispatch"(%{{.+}}, %{{.+}}, %[[BEHIND]]#1)
func.func @beside_constants(%x: tensor<1024x1024xf32>, %new: tensor<2x1024xf32>)
    -> (tensor<1024x1024xf32>, tensor<1x1024xf32>) {
  %y = math.cos %x : tensor<1024x1024xf32>
  %slice = tensor.extract_slice %y[2, 0] [1, 1024] [1, 1] : tensor<1024x1024xf32> to tensor<1x1024xf32>
  %empty = tensor.empty() : tensor<2xi32>
  %rows = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<2xi32>) {
    ^bb0(%out: i32):
      %i = linalg.index 0 : index
      %row = arith.index_cast %i : index to i32
      linalg.yield %row : i32
  } -> tensor<2xi32>
  %written = "flow.dispatch"(%y, %rows, %new) {entry_points = [@scatter::@scatter], operandSegmentSizes = array<i32: 0, 3, 0, 0>, tied_operands = [0 : index]}
      : (tensor<1024x1024xf32>, tensor<2xi32>, tensor<2x1024xf32>) -> tensor<1024x1024xf32>
  %read = math.sin %slice : tensor<1x1024xf32>
  return %written, %read : tensor<1024x1024xf32>, tensor<1x1024xf32>
}

// -----

// What an elementwise op reads is not read again by those that need it after the write.
// CHECK-LABEL: func.func @needed_behind
// CHECK: %[[READ:.+]] = linalg.generic
// CHECK: %[[BEHIND:.+]]:2 = "util.optimization_barrier"(%[[READ]], %{{.+}})
// CHECK: tensor.insert_slice %[[BEHIND]]#1 into
// CHECK: linalg.generic {{.*}} ins(%[[BEHIND]]#0 :
#at = affine_map<(d0) -> (d0)>
func.func @needed_behind(%x: tensor<1024x1024xf32>, %i: index)
    -> (tensor<1024x1024xf32>, tensor<1024xf32>) {
  %y = math.cos %x : tensor<1024x1024xf32>
  %empty = tensor.empty() : tensor<1024xf32>
  %read = linalg.generic {indexing_maps = [#at], iterator_types = ["parallel"]} outs(%empty : tensor<1024xf32>) {
    ^bb0(%out: f32):
      %j = linalg.index 0 : index
      %element = tensor.extract %y[%i, %j] : tensor<1024x1024xf32>
      linalg.yield %element : f32
  } -> tensor<1024xf32>
  %new = math.sin %read : tensor<1024xf32>
  %row = tensor.expand_shape %new [[0, 1]] output_shape [1, 1024] : tensor<1024xf32> into tensor<1x1024xf32>
  %written = tensor.insert_slice %row into %y[2, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> into tensor<1024x1024xf32>
  %next = linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel"]}
      ins(%read : tensor<1024xf32>) outs(%empty : tensor<1024xf32>) {
    ^bb0(%a: f32, %out: f32):
      %twice = arith.addf %a, %a : f32
      linalg.yield %twice : f32
  } -> tensor<1024xf32>
  return %written, %next : tensor<1024x1024xf32>, tensor<1024xf32>
}

// -----

// A slice that is returned is copied before the array is overwritten.
// CHECK-LABEL: func.func @returned
// CHECK: %[[SLICE:.+]] = tensor.extract_slice
// CHECK: %[[COPY:.+]] = "util.optimization_barrier"(%[[SLICE]])
// CHECK: %[[BEHIND:.+]]:2 = "util.optimization_barrier"(%[[COPY]], %{{.+}})
// CHECK: tensor.insert_slice %[[BEHIND]]#1 into
// CHECK: return %{{.+}}, %[[COPY]]
func.func @returned(%x: tensor<1024x1024xf32>, %new: tensor<1x1024xf32>)
    -> (tensor<1024x1024xf32>, tensor<1x1024xf32>) {
  %y = math.cos %x : tensor<1024x1024xf32>
  %slice = tensor.extract_slice %y[2, 0] [1, 1024] [1, 1] : tensor<1024x1024xf32> to tensor<1x1024xf32>
  %written = tensor.insert_slice %new into %y[2, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> into tensor<1024x1024xf32>
  return %written, %slice : tensor<1024x1024xf32>, tensor<1x1024xf32>
}

// One that is overwritten itself is an array of its own: IREE copies it.
// CHECK-LABEL: func.func @returned_and_overwritten
// CHECK-NOT: util.optimization_barrier
// CHECK: return
func.func @returned_and_overwritten(%x: tensor<1024x1024xf32>, %new: tensor<1x1024xf32>)
    -> (tensor<512x1024xf32>, tensor<512x1024xf32>) {
  %slice = tensor.extract_slice %x[8, 0] [512, 1024] [1, 1] : tensor<1024x1024xf32> to tensor<512x1024xf32>
  %set = tensor.insert_slice %new into %slice[3, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> into tensor<512x1024xf32>
  return %set, %slice : tensor<512x1024xf32>, tensor<512x1024xf32>
}

// -----

// A write of what is computed once waits by a copy of it that depends on a number from behind a barrier.
// CHECK-LABEL: func.func @constants
// CHECK: %[[SLICE:.+]] = tensor.extract_slice
// CHECK: %[[COPY:.+]] = "util.optimization_barrier"(%[[SLICE]])
// CHECK: %[[ONE:.+]] = "util.optimization_barrier"(%{{.+}}) : (tensor<i32>) -> tensor<i32>
// CHECK: %[[NEW:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %[[ONE]] : tensor<1x1024xf32>, tensor<i32>)
// CHECK: %[[BEHIND:.+]]:2 = "util.optimization_barrier"(%[[COPY]], %[[NEW]])
// CHECK: tensor.insert_slice %[[BEHIND]]#1 into
func.func @constants(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1x1024xf32>) {
  %y = math.cos %x : tensor<1024x1024xf32>
  %slice = tensor.extract_slice %y[2, 0] [1, 1024] [1, 1] : tensor<1024x1024xf32> to tensor<1x1024xf32>
  %new = arith.constant dense<2.0> : tensor<1x1024xf32>
  %written = tensor.insert_slice %new into %y[2, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> into tensor<1024x1024xf32>
  %read = math.sin %slice : tensor<1x1024xf32>
  return %written, %read : tensor<1024x1024xf32>, tensor<1x1024xf32>
}

// -----

// A read of little that comes after the write, without waiting for it, is moved before it; a dispatch with several
// results is waited for by the smallest.
// CHECK-LABEL: func.func @moved_before
// CHECK: %[[READ:.+]]:2 = "flow.dispatch"(%[[ARRAY:[0-9]+]])
// CHECK: %[[BEHIND:.+]]:2 = "util.optimization_barrier"(%[[READ]]#1, %{{.+}})
// CHECK: tensor.insert_slice %[[BEHIND]]#1 into %[[ARRAY]]
// CHECK-NOT: optimization_barrier
func.func @moved_before(%x: tensor<1024x1024xf32>, %new: tensor<1x1024xf32>)
    -> (tensor<1024x1024xf32>, tensor<1024xf32>, tensor<4xf32>) {
  %y = math.cos %x : tensor<1024x1024xf32>
  %written = tensor.insert_slice %new into %y[2, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> into tensor<1024x1024xf32>
  %read:2 = "flow.dispatch"(%y) {entry_points = [@reads::@reads], operandSegmentSizes = array<i32: 0, 1, 0, 0>, tied_operands = [-1 : index, -1 : index]}
      : (tensor<1024x1024xf32>) -> (tensor<1024xf32>, tensor<4xf32>)
  return %written, %read#0, %read#1 : tensor<1024x1024xf32>, tensor<1024xf32>, tensor<4xf32>
}

// -----

// A slice from before a write is copied, too, if what reads it waits for the write.
// CHECK-LABEL: func.func @read_in_order
// CHECK: %[[SLICE:.+]] = tensor.extract_slice
// CHECK: %[[COPY:.+]] = "util.optimization_barrier"(%[[SLICE]])
// CHECK: %[[WRITTEN:.+]] = tensor.insert_slice
// CHECK: "flow.dispatch"(%[[WRITTEN]], %[[COPY]])
// CHECK-NOT: optimization_barrier
func.func @read_in_order(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = math.cos %x : tensor<1024x1024xf32>
  %slice = tensor.extract_slice %y[2, 0] [1, 1024] [1, 1] : tensor<1024x1024xf32> to tensor<1x1024xf32>
  %new = math.sin %slice : tensor<1x1024xf32>
  %written = tensor.insert_slice %new into %y[3, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> into tensor<1024x1024xf32>
  %next = "flow.dispatch"(%written, %slice) {entry_points = [@adds::@adds], operandSegmentSizes = array<i32: 0, 2, 0, 0>, tied_operands = [0 : index]}
      : (tensor<1024x1024xf32>, tensor<1x1024xf32>) -> tensor<1024x1024xf32>
  return %next : tensor<1024x1024xf32>
}
