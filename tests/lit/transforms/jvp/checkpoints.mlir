// Transforms go through checkpoints, which stay such; tangents have no names.
// RUN: dovetail-opt %s --dovetail-jvp="wrt=0" | FileCheck %s --check-prefix=JVP
// RUN: dovetail-opt %s --dovetail-batch="dims=0,-1 size=3" | FileCheck %s --check-prefix=BATCH
// RUN: dovetail-opt %s --dovetail-transpose="linear=0" | FileCheck %s --check-prefix=TRANSPOSE

func.func private @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.name %x "x" : tensor<2xf32>
  %1 = dovetail.mul %0, %y : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// JVP-LABEL: func.func private @f.jvp(
// JVP-SAME:    %[[X:.+]]: tensor<2xf32>, %[[Y:.+]]: tensor<2xf32>, %[[T:.+]]: tensor<2xf32>)
// JVP-NEXT:    %[[NAMED:.+]] = dovetail.name %[[X]] "x"
// JVP-NEXT:    %[[MUL:.+]] = dovetail.mul %[[NAMED]], %[[Y]]
// JVP-NEXT:    %[[TANGENT:.+]] = dovetail.mul %[[T]], %[[Y]]
// JVP-LABEL: func.func private @main.jvp(
// JVP-NEXT:    dovetail.checkpoint @f.jvp saving {{\[\["dot"\]\]}}(%arg0, %arg1, %arg2) {prevent_cse = false}
// BATCH-LABEL: func.func private @f.batch(
// BATCH-NEXT:    dovetail.name %arg0 "x" : tensor<3x2xf32>
// BATCH-LABEL: func.func private @main.batch(
// BATCH-NEXT:    dovetail.checkpoint @f.batch saving {{\[\["dot"\]\]}}(%arg0, %arg1) {prevent_cse = false}
// TRANSPOSE-LABEL: func.func private @f.transpose(
// TRANSPOSE-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %arg0
// TRANSPOSE-NEXT:    return %[[MUL]]
// TRANSPOSE-LABEL: func.func private @main.transpose(
// TRANSPOSE-NEXT:    dovetail.checkpoint @f.transpose saving {{\[\["dot"\]\]}}(%arg0, %arg1) {prevent_cse = false}
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dovetail.checkpoint @f saving [["dot"]](%x, %y) {prevent_cse = false} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
