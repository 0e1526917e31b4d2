// No more than 512 scalar ops are fused, nor ops that read and write more than 28 arrays.
// RUN: dovetail-opt %s --dovetail-pipeline --split-input-file | FileCheck %s

// Three sines fit, and what is behind the barrier is read by all that come later.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-3: linalg.generic
// CHECK: %[[FIRST:.*]] = "iree_tensor_ext.compute_barrier.start"
// CHECK-COUNT-3: linalg.generic {{.*}} ins(%
// CHECK: "iree_tensor_ext.compute_barrier.start"
// CHECK: linalg.generic
// CHECK-NOT: compute_barrier
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[FIRST]]
// CHECK-NOT: compute_barrier
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.sin %x : tensor<8xf32>
  %1 = dovetail.sin %0 : tensor<8xf32>
  %2 = dovetail.sin %1 : tensor<8xf32>
  %3 = dovetail.sin %2 : tensor<8xf32>
  %4 = dovetail.sin %3 : tensor<8xf32>
  %5 = dovetail.sin %4 : tensor<8xf32>
  %6 = dovetail.sin %5 : tensor<8xf32>
  %7 = dovetail.add %6, %2 : tensor<8xf32>
  return %7 : tensor<8xf32>
}

// -----

// Many ops that compute little stay together, and reductions begin anew.
// CHECK-LABEL: func.func @cheap
// CHECK-NOT: compute_barrier
func.func @cheap(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %0 = dovetail.sin %x : tensor<8x8xf32>
  %1 = dovetail.add %0, %x : tensor<8x8xf32>
  %2 = dovetail.mul %1, %x : tensor<8x8xf32>
  %3 = dovetail.sin %2 : tensor<8x8xf32>
  %4 = dovetail.reduce_sum %3 [1] : tensor<8x8xf32>
  %5 = dovetail.sin %4 : tensor<8xf32>
  %6 = dovetail.sin %5 : tensor<8xf32>
  return %6 : tensor<8xf32>
}

// -----

// A sum of 30 numbers is in two parts.
// CHECK-LABEL: func.func @arrays
// CHECK-COUNT-27: linalg.generic
// CHECK: "iree_tensor_ext.compute_barrier.start"
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: compute_barrier
// CHECK: return
func.func @arrays(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>, %x4: tensor<f32>, %x5: tensor<f32>, %x6: tensor<f32>, %x7: tensor<f32>, %x8: tensor<f32>, %x9: tensor<f32>, %x10: tensor<f32>, %x11: tensor<f32>, %x12: tensor<f32>, %x13: tensor<f32>, %x14: tensor<f32>, %x15: tensor<f32>, %x16: tensor<f32>, %x17: tensor<f32>, %x18: tensor<f32>, %x19: tensor<f32>, %x20: tensor<f32>, %x21: tensor<f32>, %x22: tensor<f32>, %x23: tensor<f32>, %x24: tensor<f32>, %x25: tensor<f32>, %x26: tensor<f32>, %x27: tensor<f32>, %x28: tensor<f32>, %x29: tensor<f32>) -> tensor<f32> {
  %s1 = dovetail.add %x0, %x1 : tensor<f32>
  %s2 = dovetail.add %s1, %x2 : tensor<f32>
  %s3 = dovetail.add %s2, %x3 : tensor<f32>
  %s4 = dovetail.add %s3, %x4 : tensor<f32>
  %s5 = dovetail.add %s4, %x5 : tensor<f32>
  %s6 = dovetail.add %s5, %x6 : tensor<f32>
  %s7 = dovetail.add %s6, %x7 : tensor<f32>
  %s8 = dovetail.add %s7, %x8 : tensor<f32>
  %s9 = dovetail.add %s8, %x9 : tensor<f32>
  %s10 = dovetail.add %s9, %x10 : tensor<f32>
  %s11 = dovetail.add %s10, %x11 : tensor<f32>
  %s12 = dovetail.add %s11, %x12 : tensor<f32>
  %s13 = dovetail.add %s12, %x13 : tensor<f32>
  %s14 = dovetail.add %s13, %x14 : tensor<f32>
  %s15 = dovetail.add %s14, %x15 : tensor<f32>
  %s16 = dovetail.add %s15, %x16 : tensor<f32>
  %s17 = dovetail.add %s16, %x17 : tensor<f32>
  %s18 = dovetail.add %s17, %x18 : tensor<f32>
  %s19 = dovetail.add %s18, %x19 : tensor<f32>
  %s20 = dovetail.add %s19, %x20 : tensor<f32>
  %s21 = dovetail.add %s20, %x21 : tensor<f32>
  %s22 = dovetail.add %s21, %x22 : tensor<f32>
  %s23 = dovetail.add %s22, %x23 : tensor<f32>
  %s24 = dovetail.add %s23, %x24 : tensor<f32>
  %s25 = dovetail.add %s24, %x25 : tensor<f32>
  %s26 = dovetail.add %s25, %x26 : tensor<f32>
  %s27 = dovetail.add %s26, %x27 : tensor<f32>
  %s28 = dovetail.add %s27, %x28 : tensor<f32>
  %s29 = dovetail.add %s28, %x29 : tensor<f32>
  return %s29 : tensor<f32>
}

// -----

// A small array whose computation would run again for each element of a large one; a reduction's result is not computed
// again, and few ops are cheaper than a dispatch.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[TABLE:.+]] = linalg.generic
// CHECK: math.sin
// CHECK: %[[BEHIND:.+]] = "iree_tensor_ext.compute_barrier.start"(%[[TABLE]])
// CHECK-NOT: compute_barrier
// CHECK: ins(%arg1, %[[BEHIND]]
#rows = affine_map<(d0, d1) -> (d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0) -> (d0)>
func.func @repeated(%x: tensor<1000xf32>, %y: tensor<50000x1000xf32>, %z: tensor<100x1000xf32>)
    -> (tensor<50000x1000xf32>, tensor<100x1000xf32>) {
  %empty = tensor.empty() : tensor<1000xf32>
  %table = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : tensor<1000xf32>) outs(%empty : tensor<1000xf32>) {
    ^bb0(%a: f32, %out: f32):
      %sin = math.sin %a : f32
      linalg.yield %sin : f32
  } -> tensor<1000xf32>
  %cheap = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : tensor<1000xf32>) outs(%empty : tensor<1000xf32>) {
    ^bb0(%a: f32, %out: f32):
      %abs = math.absf %a : f32
      linalg.yield %abs : f32
  } -> tensor<1000xf32>
  %large = tensor.empty() : tensor<50000x1000xf32>
  %0 = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y, %table : tensor<50000x1000xf32>, tensor<1000xf32>) outs(%large : tensor<50000x1000xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
  } -> tensor<50000x1000xf32>
  %small = tensor.empty() : tensor<100x1000xf32>
  %1 = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%z, %cheap : tensor<100x1000xf32>, tensor<1000xf32>) outs(%small : tensor<100x1000xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
  } -> tensor<100x1000xf32>
  return %0, %1 : tensor<50000x1000xf32>, tensor<100x1000xf32>
}

// -----

// A large product whose last two dimensions stay the last is computed as it is read; otherwise, it is transposed afterwards.
// CHECK-LABEL: func.func @reordered
// CHECK: %[[PRODUCT:.+]] = linalg.generic
// CHECK: %[[BEHIND:.+]] = "iree_tensor_ext.compute_barrier.start"(%[[PRODUCT]])
// CHECK-NOT: compute_barrier
// CHECK: linalg.transpose ins(%[[PRODUCT]] {{.*}} permutation = [0, 1, 3, 2]
// CHECK: linalg.transpose ins(%[[BEHIND]] {{.*}} permutation = [0, 2, 1, 3]
#left = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#right = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
#result = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
func.func @reordered(%x: tensor<2x2x256x256xf32>, %y: tensor<2x2x256x32xf32>)
    -> (tensor<2x2x32x256xf32>, tensor<2x256x2x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x2x256x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2x256x32xf32>) -> tensor<2x2x256x32xf32>
  %0 = linalg.generic {indexing_maps = [#left, #right, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<2x2x256x256xf32>, tensor<2x2x256x32xf32>) outs(%zeros : tensor<2x2x256x32xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %product = arith.mulf %a, %b : f32
      %sum = arith.addf %out, %product : f32
      linalg.yield %sum : f32
  } -> tensor<2x2x256x32xf32>
  %swapped = tensor.empty() : tensor<2x2x32x256xf32>
  %1 = linalg.transpose ins(%0 : tensor<2x2x256x32xf32>) outs(%swapped : tensor<2x2x32x256xf32>) permutation = [0, 1, 3, 2]
  %moved = tensor.empty() : tensor<2x256x2x32xf32>
  %2 = linalg.transpose ins(%0 : tensor<2x2x256x32xf32>) outs(%moved : tensor<2x256x2x32xf32>) permutation = [0, 2, 1, 3]
  return %1, %2 : tensor<2x2x32x256xf32>, tensor<2x256x2x32xf32>
}
