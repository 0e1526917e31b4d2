// Padded arrays are computed where they are read, from arrays with room for the windows beyond their ends.
// RUN: dovetail-opt %s --split-input-file --dovetail-mask-pads | FileCheck %s

// The gradient of a sum of squared differences: both pads share the copy of x.
// CHECK-LABEL: func.func @gradient
// CHECK-SAME:    (%[[X:.+]]: tensor<8xf32>)
// CHECK-NOT:     tensor.pad
// CHECK-DAG:     %[[ROOM:.+]] = tensor.empty() : tensor<10xf32>
// CHECK:         %[[COPY:.+]] = tensor.insert_slice %[[X]] into %[[ROOM]][1] [8] [1]
// CHECK:         %[[BEFORE:.+]] = tensor.extract_slice %[[COPY]][0] [8] [1]
// CHECK:         %[[FIRST:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[BEFORE]] : tensor<8xf32>, tensor<8xf32>)
// CHECK:         %[[LOW:.+]] = linalg.generic {{.*}} ins(%[[FIRST]] : tensor<8xf32>)
// CHECK:           %[[I:.+]] = linalg.index 0
// CHECK:           %[[IS:.+]] = arith.cmpi sge, %[[I]], %c1
// CHECK:           arith.select %[[IS]], %{{.+}}, %{{.+}} : f32
// CHECK:         %[[AFTER:.+]] = tensor.extract_slice %[[COPY]][2] [8] [1]
// CHECK:         %[[SECOND:.+]] = linalg.generic {{.*}} ins(%[[AFTER]], %[[X]] : tensor<8xf32>, tensor<8xf32>)
// CHECK:         %[[HIGH:.+]] = linalg.generic {{.*}} ins(%[[SECOND]] : tensor<8xf32>)
// CHECK:           arith.cmpi slt, %{{.+}}, %c7
// CHECK:         linalg.generic {{.*}} ins(%[[LOW]], %[[HIGH]] : tensor<8xf32>, tensor<8xf32>)
// CHECK-NOT:     tensor.pad
#id = affine_map<(i) -> (i)>
func.func @gradient(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.extract_slice %x[1] [7] [1] : tensor<8xf32> to tensor<7xf32>
  %b = tensor.extract_slice %x[0] [7] [1] : tensor<8xf32> to tensor<7xf32>
  %e = tensor.empty() : tensor<7xf32>
  %d = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : tensor<7xf32>, tensor<7xf32>) outs(%e : tensor<7xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<7xf32>
  %low = tensor.pad %d low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<7xf32> to tensor<8xf32>
  %high = tensor.pad %d low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<7xf32> to tensor<8xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%low, %high : tensor<8xf32>, tensor<8xf32>) outs(%e8 : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  return %sum : tensor<8xf32>
}

// -----

// Nothing is copied where the window is within the array.
// CHECK-LABEL: func.func @inside
// CHECK-SAME:    (%[[X:.+]]: tensor<4x8xf32>)
// CHECK-NOT:     tensor.insert_slice
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf32>)
// CHECK:           %[[J:.+]] = linalg.index 1
// CHECK:           arith.cmpi sge, %[[J]], %c3
func.func @inside(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %scalar = tensor.extract %one[] : tensor<f32>
  %a = tensor.extract_slice %x[0, 3] [4, 5] [1, 1] : tensor<4x8xf32> to tensor<4x5xf32>
  %low = tensor.pad %a low[0, 3] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %scalar : f32
  } : tensor<4x5xf32> to tensor<4x8xf32>
  return %low : tensor<4x8xf32>
}

// -----

// One pad of an array costs what the copy would; a division by an element beyond the end might trap.
// CHECK-LABEL: func.func @kept
// CHECK:         tensor.pad
// CHECK:         tensor.pad
#id = affine_map<(i) -> (i)>
func.func @kept(%x: tensor<8xf32>, %n: tensor<8xi32>) -> (tensor<9xf32>, tensor<8xi32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %once = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<9xf32>
  %a = tensor.extract_slice %n[1] [7] [1] : tensor<8xi32> to tensor<7xi32>
  %e = tensor.empty() : tensor<7xi32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<7xi32>) outs(%e : tensor<7xi32>) {
  ^bb0(%p: i32, %o: i32):
    %r = arith.divsi %none, %p : i32
    linalg.yield %r : i32
  } -> tensor<7xi32>
  %divided = tensor.pad %d low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %none : i32
  } : tensor<7xi32> to tensor<8xi32>
  return %once, %divided : tensor<9xf32>, tensor<8xi32>
}
