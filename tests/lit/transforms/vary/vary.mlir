// Values that are the same along a manual axis vary explicitly where they meet values that vary.
// RUN: dovetail-opt %s --dovetail-vary="function=loss axes=x,y arguments=,x" | FileCheck %s --check-prefix=LOSS
// RUN: dovetail-opt %s --dovetail-vary="function=train axes=x,y arguments=,x" | FileCheck %s --check-prefix=TRAIN

// LOSS-LABEL: func.func private @loss.vary
// LOSS-SAME:    %[[W:.+]]: tensor<4xf32>, %[[X:.+]]: tensor<4xf32>
// LOSS-NEXT:    %[[OWN:.+]] = dovetail.vary %[[W]] over ["x"] : tensor<4xf32>
// LOSS-NEXT:    %[[PRODUCT:.+]] = dovetail.mul %[[OWN]], %[[X]] : tensor<4xf32>
// LOSS-NEXT:    %[[SUM:.+]] = dovetail.reduce_sum %[[PRODUCT]] [0] : tensor<4xf32>
// LOSS-NEXT:    %[[TOTAL:.+]] = dovetail.all_reduce_sum %[[SUM]] over ["x"] invariant : tensor<f32>
// LOSS-NEXT:    return %[[TOTAL]]
func.func @loss(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<f32> {
  %0 = dovetail.mul %w, %x : tensor<4xf32>
  %1 = dovetail.reduce_sum %0 [0] : tensor<4xf32>
  %2 = dovetail.all_reduce_sum %1 over ["x"] : tensor<f32>
  return %2 : tensor<f32>
}

// The weights that the loop carries do not vary, for their gradient does not. A value that does not vary counts once for each
// device in a sum over them.
// TRAIN-LABEL: func.func private @loss.vary
// TRAIN-LABEL: func.func private @train.vary
// TRAIN:         dovetail.scan length 3 init(%{{.+}}) over() consts(%{{.+}})
// TRAIN:         dovetail.vjp @loss.vary wrt [0] of [0](
// TRAIN-NOT:     dovetail.vary
// TRAIN:         dovetail.yield
// TRAIN:         %[[OWN:.+]] = dovetail.vary %{{.+}} over ["y"]
// TRAIN-NEXT:    dovetail.all_reduce_max %[[OWN]] over ["y"] invariant
func.func @train(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dovetail.scan length 3 init(%w) over() consts(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%v: tensor<4xf32>, %y: tensor<4xf32>):
    %one = dovetail.constant dense<1.0> : tensor<f32>
    %1:2 = dovetail.vjp @loss wrt [0] of [0](%v, %y) cotangents(%one) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
    %2 = dovetail.sub %v, %1#1 : tensor<4xf32>
    dovetail.yield %2 : tensor<4xf32>
  }
  %3 = dovetail.all_reduce_max %0 over ["y"] : tensor<4xf32>
  return %3 : tensor<4xf32>
}
