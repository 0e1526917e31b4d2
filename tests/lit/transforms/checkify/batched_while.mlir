// The body of a loop over a batch whose elements need different numbers of iterations also runs for those that have
// finished, where it must not fail.
// RUN: dovetail-opt %s --dovetail-checkify=kinds=div --verify-diagnostics

func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{Checkify does not support batched while-loops (checkify-of-vmap-of-while), whose body also runs for elements that have finished, got: a check in a while_loop whose predicate is batched; move the vmap to the outer level, as vmap of checkify}}
  %0 = dovetail.while init(%x) consts() : (tensor<f32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>):
    %2 = dovetail.is_finite %c : tensor<f32>
    dovetail.yield %2 : tensor<i1>
  } do {
  ^bb0(%c: tensor<f32>):
    %1 = dovetail.div %c, %c : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = dovetail.vmap @f in [0] out [0] (%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
