// What is computed from slices is reshaped from behind a barrier; small arrays, and those from no slices or whole arrays, are
// not.
// RUN: dovetail-opt %s --dovetail-separate-reshapes | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         %[[SLICE:.+]] = tensor.extract_slice
// CHECK:         %[[SINE:.+]] = linalg.generic {{.*}} ins(%[[SLICE]] : tensor<256x256xf32>)
// CHECK:         %[[BARRIER:.+]] = "iree_tensor_ext.compute_barrier.end"(%[[SINE]]) : (tensor<256x256xf32>) -> tensor<256x256xf32>
// CHECK:         tensor.collapse_shape %[[BARRIER]]
// CHECK:         tensor.expand_shape %[[BARRIER]]
// CHECK-NOT:     compute_barrier
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<258x258xf32>, %y: tensor<256x256xf32>, %z: tensor<6x6xf32>)
    -> (tensor<65536xf32>, tensor<2x128x256xf32>, tensor<256x256xf32>, tensor<65536xf32>, tensor<16xf32>) {
  %0 = tensor.extract_slice %x[1, 2] [256, 256] [1, 1] : tensor<258x258xf32> to tensor<256x256xf32>
  %e = tensor.empty() : tensor<256x256xf32>
  %sine = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = math.sin %p : f32
    linalg.yield %r : f32
  } -> tensor<256x256xf32>
  %1 = tensor.collapse_shape %sine [[0, 1]] : tensor<256x256xf32> into tensor<65536xf32>
  %2 = tensor.expand_shape %sine [[0, 1], [2]] output_shape [2, 128, 256] : tensor<256x256xf32> into tensor<2x128x256xf32>
  %whole = tensor.expand_shape %y [[0], [1, 2]] output_shape [256, 256, 1] : tensor<256x256xf32> into tensor<256x256x1xf32>
  %same = tensor.extract_slice %whole[0, 0, 0] [256, 256, 1] [1, 1, 1] : tensor<256x256x1xf32> to tensor<256x256xf32>
  %cosine = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%same : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = math.cos %p : f32
    linalg.yield %r : f32
  } -> tensor<256x256xf32>
  %3 = tensor.collapse_shape %cosine [[0, 1]] : tensor<256x256xf32> into tensor<65536xf32>
  %4 = tensor.extract_slice %z[1, 1] [4, 4] [1, 1] : tensor<6x6xf32> to tensor<4x4xf32>
  %f = tensor.empty() : tensor<4x4xf32>
  %small = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = math.sin %p : f32
    linalg.yield %r : f32
  } -> tensor<4x4xf32>
  %5 = tensor.collapse_shape %small [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  return %1, %2, %sine, %3, %5 : tensor<65536xf32>, tensor<2x128x256xf32>, tensor<256x256xf32>, tensor<65536xf32>, tensor<16xf32>
}
