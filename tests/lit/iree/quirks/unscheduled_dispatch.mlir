// IREE 3.13 takes a dispatch that reads no array for one that each of its readers may repeat, and leaves it outside of the
// code that it schedules if it is read before a loop, in it, and behind it.
// RUN: not %{compile} %s -o %t.vmfb 2>&1 | FileCheck %s

// CHECK: 'stream.async.dispatch' op : streamable op expected to be in an execution region

#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<1000xf32>, %n: index) -> tensor<1000xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<1000xf32>
  %iota = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<1000xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    linalg.yield %f : f32
  } -> tensor<1000xf32>
  %b = "iree_tensor_ext.compute_barrier.start"(%iota) : (tensor<1000xf32>) -> tensor<1000xf32>
  %pp = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %b : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %d = arith.subf %p, %q : f32
    linalg.yield %d : f32
  } -> tensor<1000xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %pp) -> tensor<1000xf32> {
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%a, %b : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
    ^bb0(%p: f32, %q: f32, %out: f32):
      %d = arith.addf %p, %q : f32
      linalg.yield %d : f32
    } -> tensor<1000xf32>
    scf.yield %s : tensor<1000xf32>
  }
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%r, %b : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %d = arith.mulf %p, %q : f32
    linalg.yield %d : f32
  } -> tensor<1000xf32>
  return %t : tensor<1000xf32>
}
