// Factor maps of collectives: an axis is no loop of theirs.
// RUN: dovetail-opt %s --verify-diagnostics --dovetail-print-factors

func.func @all_reduce_sum_0(%arg0: tensor<2x?xf32>) {
  // expected-remark @+1 {{([i,j])->([i,j])}}
  %0 = dovetail.all_reduce_sum %arg0 over ["i"] : tensor<2x?xf32>
  return
}

func.func @all_gather_1(%arg0: tensor<2x?xf32>) {
  // expected-remark @+1 {{([i,j])->([i,_,j])}}
  %0 = dovetail.all_gather %arg0 over ["i"] sizes [3] dimension 1 : tensor<2x?xf32>
  return
}

func.func @reduce_scatter_2(%arg0: tensor<?x3x4xf32>) {
  // expected-remark @+1 {{([i,_,j])->([i,j])}}
  %0 = dovetail.reduce_scatter %arg0 over ["i"] sizes [3] dimension 1 : tensor<?x3x4xf32>
  return
}

func.func @all_to_all_3(%arg0: tensor<3x?x4xf32>) {
  // expected-remark @+1 {{([_,i,j])->([i,j,_])}}
  %0 = dovetail.all_to_all %arg0 over ["i"] sizes [3] from 0 to 2 : tensor<3x?x4xf32>
  return
}

func.func @permute_4(%arg0: tensor<2x?xf32>) {
  // expected-remark @+1 {{([i,j])->([i,j])}}
  %0 = dovetail.permute %arg0 over ["i"] sizes [3] from [0] to [1] : tensor<2x?xf32>
  return
}

func.func @axis_index_5(%arg0: tensor<f32>) {
  // expected-remark @+1 {{()->([])}}
  %0 = dovetail.axis_index over ["i"] sizes [3]
  return
}
