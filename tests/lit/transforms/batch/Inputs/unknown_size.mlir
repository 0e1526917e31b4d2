// A batch whose size no argument says.

func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{names axis "i" of size ?, which no argument of its function carries}}
  %0 = dovetail.all_reduce_sum %arg0 over ["i"] : tensor<f32>
  return %0 : tensor<f32>
}
