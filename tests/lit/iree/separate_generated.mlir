// Generated arrays that are written over depend on an opaque number.
// RUN: dovetail-opt %s --split-input-file --dovetail-separate-generated | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// What is made of no array and written over depends on a number: IREE then copies it.
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

// Arrays of known sizes, too.
// CHECK-LABEL: func.func @complex_of_known_size(
// CHECK: %[[ONE:.*]] = "util.optimization_barrier"(%{{.*}}) : (tensor<i32>)
// CHECK: %[[Z:.*]] = linalg.generic
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[Z]], %[[ONE]] : tensor<4xcomplex<f64>>, tensor<i32>)
// CHECK: tensor.insert_slice %{{.*}} into %[[S]][0]
// CHECK: tensor.insert_slice %{{.*}} into %[[S]][1]
func.func @complex_of_known_size(%u: tensor<1xcomplex<f64>>) -> (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) {
  %zero = arith.constant dense<0.0> : tensor<4xf64>
  %e = tensor.empty() : tensor<4xcomplex<f64>>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%zero : tensor<4xf64>) outs(%e : tensor<4xcomplex<f64>>) {
  ^bb0(%a: f64, %out: complex<f64>):
    %c = complex.create %a, %a : complex<f64>
    linalg.yield %c : complex<f64>
  } -> tensor<4xcomplex<f64>>
  %0 = tensor.insert_slice %u into %z[0] [1] [1] : tensor<1xcomplex<f64>> into tensor<4xcomplex<f64>>
  %1 = tensor.insert_slice %u into %z[1] [1] [1] : tensor<1xcomplex<f64>> into tensor<4xcomplex<f64>>
  return %0, %1 : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>
}

// -----

// Iotas are computed when the program runs,
// CHECK-LABEL: func.func @small(
// CHECK: "util.optimization_barrier"
#id = affine_map<(d0) -> (d0)>
func.func @small(%u: tensor<1xi32>) -> (tensor<16xi32>, tensor<16xi32>) {
  %e = tensor.empty() : tensor<16xi32>
  %z = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<16xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    linalg.yield %c : i32
  } -> tensor<16xi32>
  %0 = tensor.insert_slice %u into %z[0] [1] [1] : tensor<1xi32> into tensor<16xi32>
  %1 = tensor.insert_slice %u into %z[1] [1] [1] : tensor<1xi32> into tensor<16xi32>
  return %0, %1 : tensor<16xi32>, tensor<16xi32>
}

// -----

// unless other constants take long: the code generator computes the small ones ahead, and copies them.
// CHECK: module attributes {dovetail.computes_ahead}
// CHECK-LABEL: func.func @small(
// CHECK-NOT: util.optimization_barrier
// CHECK-LABEL: func.func @large(
// CHECK: "util.optimization_barrier"
#id = affine_map<(d0) -> (d0)>
func.func @small(%u: tensor<1xi32>) -> (tensor<16xi32>, tensor<16xi32>) {
  %e = tensor.empty() : tensor<16xi32>
  %z = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<16xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    linalg.yield %c : i32
  } -> tensor<16xi32>
  %0 = tensor.insert_slice %u into %z[0] [1] [1] : tensor<1xi32> into tensor<16xi32>
  %1 = tensor.insert_slice %u into %z[1] [1] [1] : tensor<1xi32> into tensor<16xi32>
  return %0, %1 : tensor<16xi32>, tensor<16xi32>
}
func.func @large(%u: tensor<1xi32>) -> (tensor<262145xi32>, tensor<262145xi32>) {
  %e = tensor.empty() : tensor<262145xi32>
  %z = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<262145xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    linalg.yield %c : i32
  } -> tensor<262145xi32>
  %0 = tensor.insert_slice %u into %z[0] [1] [1] : tensor<1xi32> into tensor<262145xi32>
  %1 = tensor.insert_slice %u into %z[1] [1] [1] : tensor<1xi32> into tensor<262145xi32>
  return %0, %1 : tensor<262145xi32>, tensor<262145xi32>
}
func.func @cosines() -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %z = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    %x = arith.sitofp %c : i32 to f32
    %y = math.cos %x : f32
    linalg.yield %y : f32
  } -> tensor<16xf32>
  return %z : tensor<16xf32>
}

// -----

// What reads an argument in its body is no constant.
// CHECK-NOT: dovetail.computes_ahead
// CHECK-LABEL: func.func @read(
#id = affine_map<(d0) -> (d0)>
func.func @read(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %z = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %a = tensor.extract %x[%i] : tensor<16xf32>
    %y = math.cos %a : f32
    linalg.yield %y : f32
  } -> tensor<16xf32>
  return %z : tensor<16xf32>
}
