// IREE 3.13 lets two results of one dispatch be written to their places in one array, where each has a padded array of
// its own: there is one fill.
// RUN: %{compile} %s --compile-to=stream | FileCheck %s

// CHECK:     stream.cmd.execute
// CHECK:     stream.cmd.fill
// CHECK-NOT: stream.cmd.fill
// CHECK:     stream.cmd.dispatch
// CHECK-NOT: stream.cmd.fill

#r = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#s = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%x: tensor<3x7x5xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %z = arith.constant 0.0 : f32
  %e3 = tensor.empty() : tensor<3x7xf32>
  %f3 = linalg.fill ins(%z : f32) outs(%e3 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %b:2 = linalg.generic {indexing_maps = [#r, #s, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<3x7x5xf32>) outs(%f3, %f3 : tensor<3x7xf32>, tensor<3x7xf32>) {
  ^bb0(%p: f32, %o: f32, %q: f32):
    %t = arith.addf %p, %o : f32
    %u = arith.maximumf %p, %q : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<3x7xf32>, tensor<3x7xf32>)
  %p = tensor.pad %b#0 low[2, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<3x7xf32> to tensor<5x7xf32>
  %q = tensor.pad %b#1 low[0, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<3x7xf32> to tensor<5x7xf32>
  return %p, %q : tensor<5x7xf32>, tensor<5x7xf32>
}
