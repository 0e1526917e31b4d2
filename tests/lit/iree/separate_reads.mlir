// What a reduction gives is read from behind a barrier where an op reads it along two of its loops.
// RUN: dovetail-opt %s --split-input-file --dovetail-separate-reads | FileCheck %s

#whole = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>

// CHECK-LABEL: func.func @outer
// CHECK: %[[SUMS:.+]] = linalg.generic {{.*}} "reduction"
// CHECK: %[[BEHIND:.+]] = "iree_tensor_ext.compute_barrier.start"(%[[SUMS]])
// CHECK: linalg.generic {{.*}} ins(%[[BEHIND]], %[[BEHIND]] :
func.func @outer(%x: tensor<3x2xf32>, %zeros: tensor<3xf32>) -> tensor<3x3xf32> {
  %sums = linalg.generic {indexing_maps = [#whole, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x2xf32>) outs(%zeros : tensor<3xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    linalg.yield %next : f32
  } -> tensor<3xf32>
  %empty = tensor.empty() : tensor<3x3xf32>
  %outer = linalg.generic {indexing_maps = [#rows, #columns, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%sums, %sums : tensor<3xf32>, tensor<3xf32>) outs(%empty : tensor<3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    linalg.yield %product : f32
  } -> tensor<3x3xf32>
  return %outer : tensor<3x3xf32>
}

// -----

#whole = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>
#vector = affine_map<(i) -> (i)>

// Also through elementwise ops and reshapes.
// CHECK-LABEL: func.func @through
// CHECK: %[[SUMS:.+]] = linalg.generic {{.*}} "reduction"
// CHECK: %[[BEHIND:.+]] = "iree_tensor_ext.compute_barrier.start"(%[[SUMS]])
// CHECK: linalg.generic {{.*}} ins(%[[BEHIND]] : tensor<3xf32>)
// CHECK: tensor.expand_shape %[[BEHIND]]
func.func @through(%x: tensor<3x2xf32>, %zeros: tensor<3xf32>) -> tensor<3x3xf32> {
  %sums = linalg.generic {indexing_maps = [#whole, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x2xf32>) outs(%zeros : tensor<3xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    linalg.yield %next : f32
  } -> tensor<3xf32>
  %vector = tensor.empty() : tensor<3xf32>
  %squares = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%sums : tensor<3xf32>) outs(%vector : tensor<3xf32>) {
  ^bb0(%a: f32, %out: f32):
    %square = arith.mulf %a, %a : f32
    linalg.yield %square : f32
  } -> tensor<3xf32>
  %row = tensor.expand_shape %sums [[0, 1]] output_shape [1, 3] : tensor<3xf32> into tensor<1x3xf32>
  %flat = tensor.collapse_shape %row [[0, 1]] : tensor<1x3xf32> into tensor<3xf32>
  %empty = tensor.empty() : tensor<3x3xf32>
  %outer = linalg.generic {indexing_maps = [#rows, #columns, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%squares, %flat : tensor<3xf32>, tensor<3xf32>) outs(%empty : tensor<3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    linalg.yield %product : f32
  } -> tensor<3x3xf32>
  return %outer : tensor<3x3xf32>
}

// -----

#whole = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// Rows that are divided by their sums are fused with these.
// CHECK-LABEL: func.func @normalized
// CHECK-NOT: compute_barrier
func.func @normalized(%x: tensor<3x2xf32>, %zeros: tensor<3xf32>) -> tensor<3x2xf32> {
  %sums = linalg.generic {indexing_maps = [#whole, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x2xf32>) outs(%zeros : tensor<3xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    linalg.yield %next : f32
  } -> tensor<3xf32>
  %empty = tensor.empty() : tensor<3x2xf32>
  %parts = linalg.generic {indexing_maps = [#whole, #rows, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : tensor<3x2xf32>, tensor<3xf32>) outs(%empty : tensor<3x2xf32>) {
  ^bb0(%a: f32, %sum: f32, %out: f32):
    %part = arith.divf %a, %sum : f32
    linalg.yield %part : f32
  } -> tensor<3x2xf32>
  return %parts : tensor<3x2xf32>
}

// -----

#whole = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>

// On GPUs, a sum that is read along the last loop has threads of its own; along the first one, it need not.
module attributes {dovetail.target = "cuda"} {
// CHECK-LABEL: func.func @last_loop
// CHECK: %[[SUMS:.+]] = linalg.generic
// CHECK: %[[BEHIND:.+]] = "iree_tensor_ext.compute_barrier.start"(%[[SUMS]])
// CHECK: linalg.generic {{.*}} ins(%{{.+}}, %[[BEHIND]] :
func.func @last_loop(%x: tensor<3x4xf32>, %y: tensor<5x3xf32>, %zeros: tensor<3xf32>) -> tensor<5x3xf32> {
  %sums = linalg.generic {indexing_maps = [#whole, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x4xf32>) outs(%zeros : tensor<3xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    linalg.yield %next : f32
  } -> tensor<3xf32>
  %empty = tensor.empty() : tensor<5x3xf32>
  %result = linalg.generic {indexing_maps = [#whole, #columns, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%y, %sums : tensor<5x3xf32>, tensor<3xf32>) outs(%empty : tensor<5x3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %difference = arith.subf %a, %b : f32
    linalg.yield %difference : f32
  } -> tensor<5x3xf32>
  return %result : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @first_loop
// CHECK-NOT: compute_barrier
func.func @first_loop(%x: tensor<3x4xf32>, %y: tensor<3x5xf32>, %zeros: tensor<3xf32>) -> tensor<3x5xf32> {
  %sums = linalg.generic {indexing_maps = [#whole, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x4xf32>) outs(%zeros : tensor<3xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    linalg.yield %next : f32
  } -> tensor<3xf32>
  %empty = tensor.empty() : tensor<3x5xf32>
  %result = linalg.generic {indexing_maps = [#whole, #rows, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%y, %sums : tensor<3x5xf32>, tensor<3xf32>) outs(%empty : tensor<3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %difference = arith.subf %a, %b : f32
    linalg.yield %difference : f32
  } -> tensor<3x5xf32>
  return %result : tensor<3x5xf32>
}
}

// -----

#whole = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#row = affine_map<(i) -> (i)>

module attributes {dovetail.target = "vulkan"} {
// CHECK-LABEL: func.func @look_up
// CHECK: %[[SUMS:.+]] = linalg.generic
// CHECK: "iree_tensor_ext.compute_barrier.start"(%[[SUMS]])
func.func @look_up(%x: tensor<3x4xi32>, %table: tensor<3x9xf32>, %zeros: tensor<3xi32>) -> tensor<3xf32> {
  %sums = linalg.generic {indexing_maps = [#whole, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x4xi32>) outs(%zeros : tensor<3xi32>) {
  ^bb0(%a: i32, %sum: i32):
    %next = arith.addi %sum, %a : i32
    linalg.yield %next : i32
  } -> tensor<3xi32>
  %empty = tensor.empty() : tensor<3xf32>
  %result = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%sums : tensor<3xi32>) outs(%empty : tensor<3xf32>) {
  ^bb0(%a: i32, %out: f32):
    %i = linalg.index 0 : index
    %column = arith.index_cast %a : i32 to index
    %element = tensor.extract %table[%i, %column] : tensor<3x9xf32>
    linalg.yield %element : f32
  } -> tensor<3xf32>
  return %result : tensor<3xf32>
}
}
