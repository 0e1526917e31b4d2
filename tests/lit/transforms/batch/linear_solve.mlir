// Where only the matrix has a batch, so has the solution, and then the right-hand side of all functions too.
// RUN: dovetail-opt %s --dovetail-batch="dims=1,-1 size=5" | FileCheck %s --check-prefix=MATRIX
// RUN: dovetail-opt %s --dovetail-batch="dims=-1,1 size=5" | FileCheck %s --check-prefix=RHS

// MATRIX-DAG: func.func private @divide.batch(%{{.+}}: tensor<5x3xf32>, %{{.+}}: tensor<3x5xf32>) -> (tensor<5x3xf32>, tensor<5xf32>)
// MATRIX-DAG: func.func private @times.batch(%{{.+}}: tensor<5x3xf32>, %{{.+}}: tensor<3x5xf32>) -> tensor<5x3xf32>
// MATRIX:     func.func private @main.batch(%[[A:.+]]: tensor<3x5xf32>, %[[B:.+]]: tensor<3xf32>)
// MATRIX-NEXT:  %[[BS:.+]] = dovetail.broadcast %[[B]] dims [1] : tensor<3xf32> -> tensor<5x3xf32>
// MATRIX-NEXT:  dovetail.linear_solve @divide.batch matvec @times.batch vecmat @times.batch_1 transpose_solve @divide.batch_0(%[[BS]]) captured(%[[A]])

// RHS-DAG: func.func private @divide.batch(%{{.+}}: tensor<3x5xf32>, %{{.+}}: tensor<3xf32>) -> (tensor<3x5xf32>, tensor<5xf32>)
// RHS-DAG: func.func private @times.batch(%{{.+}}: tensor<3x5xf32>, %{{.+}}: tensor<3xf32>) -> tensor<3x5xf32>
// RHS:     func.func private @main.batch(%[[A:.+]]: tensor<3xf32>, %[[B:.+]]: tensor<3x5xf32>)
// RHS-NEXT:  dovetail.linear_solve @divide.batch matvec @times.batch vecmat @times.batch_1 transpose_solve @divide.batch_0(%[[B]]) captured(%[[A]])
func.func private @divide(%b: tensor<3xf32>, %a: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
  %0 = dovetail.div %b, %a : tensor<3xf32>
  %1 = dovetail.reduce_sum %0 [0] : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<f32>
}
func.func private @times(%x: tensor<3xf32>, %a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = dovetail.mul %a, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
  %0:2 = dovetail.linear_solve @divide matvec @times vecmat @times transpose_solve @divide(%b) captured(%a)
    : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<f32>
}
