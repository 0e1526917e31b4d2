// Of an array that a loop updates, but whose old version is needed, only what the update does not write over is copied.
// RUN: dovetail-opt %s --dovetail-carry-references | FileCheck %s

// CHECK-LABEL: func.func @ends
// CHECK: scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}, %[[SPARE:.*]] = %{{.*}})
// CHECK: %[[X:.*]] = "hal.tensor.import"(%[[OLD]])
// CHECK-NOT: hal.tensor.alias
// CHECK: %[[NEW:.*]] = "hal.tensor.import"(%[[SPARE]]) {consume
// CHECK: %[[FIRST:.*]] = tensor.extract_slice %[[X]][0] [1] [1]
// CHECK: %[[ONE:.*]] = tensor.insert_slice %[[FIRST]] into %[[NEW]][0] [1] [1]
// CHECK: %[[LAST:.*]] = tensor.extract_slice %[[X]][99999] [1] [1]
// CHECK: %[[BOTH:.*]] = tensor.insert_slice %[[LAST]] into %[[ONE]][99999] [1] [1]
// CHECK: tensor.insert_slice %{{.*}} into %[[BOTH]][1] [99998] [1]
// CHECK: scf.yield %{{.*}}, %[[OLD]]

// Of a short array, the copy takes no longer.
// CHECK-LABEL: func.func @short
// CHECK: scf.for
// CHECK: hal.tensor.alias

#id = affine_map<(i) -> (i)>
func.func @ends(%x: tensor<100000xf32>, %n: index) -> tensor<100000xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> tensor<100000xf32> {
    %left = tensor.extract_slice %a[0] [99998] [1] : tensor<100000xf32> to tensor<99998xf32>
    %e = tensor.empty() : tensor<99998xf32>
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%left : tensor<99998xf32>) outs(%e : tensor<99998xf32>) {
    ^bb0(%in: f32, %out: f32):
      %d = arith.addf %in, %in : f32
      linalg.yield %d : f32
    } -> tensor<99998xf32>
    %u = tensor.insert_slice %s into %a[1] [99998] [1] : tensor<99998xf32> into tensor<100000xf32>
    scf.yield %u : tensor<100000xf32>
  }
  return %r : tensor<100000xf32>
}

func.func @short(%x: tensor<100xf32>, %n: index) -> tensor<100xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> tensor<100xf32> {
    %left = tensor.extract_slice %a[0] [98] [1] : tensor<100xf32> to tensor<98xf32>
    %e = tensor.empty() : tensor<98xf32>
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%left : tensor<98xf32>) outs(%e : tensor<98xf32>) {
    ^bb0(%in: f32, %out: f32):
      %d = arith.addf %in, %in : f32
      linalg.yield %d : f32
    } -> tensor<98xf32>
    %u = tensor.insert_slice %s into %a[1] [98] [1] : tensor<98xf32> into tensor<100xf32>
    scf.yield %u : tensor<100xf32>
  }
  return %r : tensor<100xf32>
}
