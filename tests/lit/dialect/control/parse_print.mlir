// Text of loops and branches.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @scan(%arg0: tensor<f32>, %arg1: tensor<4x2xf32>, %arg2: tensor<4xi1>, %arg3: tensor<2xf32>) {
  %0:2 = dovetail.scan length 4 init(%arg0) over(%arg1, %arg2) consts(%arg3) : (tensor<f32>, tensor<4x2xf32>, tensor<4xi1>, tensor<2xf32>) -> (tensor<f32>, tensor<4x2xf32>) {
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<2xf32>, %arg6: tensor<i1>, %arg7: tensor<2xf32>):
    %1 = dovetail.add %arg5, %arg7 : tensor<2xf32>
    dovetail.yield %arg4, %1 : tensor<f32>, tensor<2xf32>
  }
  dovetail.scan length 0 init() over() consts() {reverse = true} : () -> () {
    dovetail.yield
  }
  return
}
// CHECK-LABEL: func.func @scan(%arg0: tensor<f32>, %arg1: tensor<4x2xf32>, %arg2: tensor<4xi1>, %arg3: tensor<2xf32>)
// CHECK-NEXT:     %0:2 = dovetail.scan length 4 init(%arg0) over(%arg1, %arg2) consts(%arg3) : (tensor<f32>, tensor<4x2xf32>, tensor<4xi1>, tensor<2xf32>) -> (tensor<f32>, tensor<4x2xf32>) {
// CHECK-NEXT:     ^bb0(%arg4: tensor<f32>, %arg5: tensor<2xf32>, %arg6: tensor<i1>, %arg7: tensor<2xf32>):
// CHECK-NEXT:       %1 = dovetail.add %arg5, %arg7 : tensor<2xf32>
// CHECK-NEXT:       dovetail.yield %arg4, %1 : tensor<f32>, tensor<2xf32>
// CHECK-NEXT:     }
// CHECK-NEXT:     dovetail.scan length 0 init() over() consts() {reverse = true} : () -> () {
// CHECK-NEXT:       dovetail.yield
// CHECK-NEXT:     }
// CHECK-NEXT:     return

func.func @scan_of_unknown_length(%arg0: tensor<?xf32>, %arg1: tensor<?x?xf32>, %arg2: index, %arg3: tensor<i32>) {
  %0 = dovetail.scan length -1 init(%arg0) over(%arg1) consts(%arg2) : (tensor<?xf32>, tensor<?x?xf32>, index) -> tensor<?xf32> {
  ^bb0(%arg4: tensor<?xf32>, %arg5: tensor<?xf32>, %arg6: index):
    dovetail.yield %arg5 : tensor<?xf32>
  }
  %1:2 = dovetail.scan length -1 count %arg3 init(%arg0) over() consts(%arg2) {reverse = true} : (tensor<?xf32>, index, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%arg4: tensor<?xf32>, %arg5: index):
    %2 = dovetail.constant dense<7> : tensor<i32>
    dovetail.yield %arg4, %2 : tensor<?xf32>, tensor<i32>
  }
  return
}
// CHECK-LABEL: func.func @scan_of_unknown_length(%arg0: tensor<?xf32>, %arg1: tensor<?x?xf32>, %arg2: index, %arg3: tensor<i32>)
// CHECK-NEXT:     %0 = dovetail.scan length -1 init(%arg0) over(%arg1) consts(%arg2) : (tensor<?xf32>, tensor<?x?xf32>, index) -> tensor<?xf32> {
// CHECK-NEXT:     ^bb0(%arg4: tensor<?xf32>, %arg5: tensor<?xf32>, %arg6: index):
// CHECK-NEXT:       dovetail.yield %arg5 : tensor<?xf32>
// CHECK-NEXT:     }
// CHECK-NEXT:     %1:2 = dovetail.scan length -1 count %arg3 init(%arg0) over() consts(%arg2) {reverse = true} : (tensor<?xf32>, index, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>) {
// CHECK-NEXT:     ^bb0(%arg4: tensor<?xf32>, %arg5: index):
// CHECK-NEXT:       %2 = dovetail.constant dense<7> : tensor<i32>
// CHECK-NEXT:       dovetail.yield %arg4, %2 : tensor<?xf32>, tensor<i32>
// CHECK-NEXT:     }
// CHECK-NEXT:     return

func.func @while(%arg0: tensor<?xf32>, %arg1: tensor<f32>, %arg2: index) {
  %0:2 = dovetail.while init(%arg0, %arg1) consts(%arg2) : (tensor<?xf32>, tensor<f32>, index) -> (tensor<?xf32>, tensor<f32>) {
  ^bb0(%arg3: tensor<?xf32>, %arg4: tensor<f32>, %arg5: index):
    %1 = dovetail.is_finite %arg4 : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%arg3: tensor<?xf32>, %arg4: tensor<f32>, %arg5: index):
    %1 = dovetail.exp %arg4 : tensor<f32>
    dovetail.yield %arg3, %1 : tensor<?xf32>, tensor<f32>
  }
  return
}
// CHECK-LABEL: func.func @while(%arg0: tensor<?xf32>, %arg1: tensor<f32>, %arg2: index)
// CHECK-NEXT:     %0:2 = dovetail.while init(%arg0, %arg1) consts(%arg2) : (tensor<?xf32>, tensor<f32>, index) -> (tensor<?xf32>, tensor<f32>) {
// CHECK-NEXT:     ^bb0(%arg3: tensor<?xf32>, %arg4: tensor<f32>, %arg5: index):
// CHECK-NEXT:       %1 = dovetail.is_finite %arg4 : tensor<f32>
// CHECK-NEXT:       dovetail.yield %1 : tensor<i1>
// CHECK-NEXT:     } do {
// CHECK-NEXT:     ^bb0(%arg3: tensor<?xf32>, %arg4: tensor<f32>, %arg5: index):
// CHECK-NEXT:       %1 = dovetail.exp %arg4 : tensor<f32>
// CHECK-NEXT:       dovetail.yield %arg3, %1 : tensor<?xf32>, tensor<f32>
// CHECK-NEXT:     }
// CHECK-NEXT:     return

func.func @case(%arg0: tensor<i32>, %arg1: tensor<?xf32>, %arg2: index) {
  %0:2 = dovetail.case %arg0 of(%arg1, %arg2) : (tensor<i32>, tensor<?xf32>, index) -> (tensor<?xf32>, tensor<i1>) {
  ^bb0(%arg3: tensor<?xf32>, %arg4: index):
    %1 = dovetail.constant dense<true> : tensor<i1>
    dovetail.yield %arg3, %1 : tensor<?xf32>, tensor<i1>
  }, {
  ^bb0(%arg3: tensor<?xf32>, %arg4: index):
    %1 = dovetail.constant dense<false> : tensor<i1>
    %2 = dovetail.iota 0 sizes(%arg4) : tensor<?xf32>
    dovetail.yield %2, %1 : tensor<?xf32>, tensor<i1>
  }
  dovetail.case %arg0 of() : (tensor<i32>) -> () {
    dovetail.yield
  }
  return
}
// CHECK-LABEL: func.func @case(%arg0: tensor<i32>, %arg1: tensor<?xf32>, %arg2: index)
// CHECK-NEXT:     %0:2 = dovetail.case %arg0 of(%arg1, %arg2) : (tensor<i32>, tensor<?xf32>, index) -> (tensor<?xf32>, tensor<i1>) {
// CHECK-NEXT:     ^bb0(%arg3: tensor<?xf32>, %arg4: index):
// CHECK-NEXT:       %1 = dovetail.constant dense<true> : tensor<i1>
// CHECK-NEXT:       dovetail.yield %arg3, %1 : tensor<?xf32>, tensor<i1>
// CHECK-NEXT:     }, {
// CHECK-NEXT:     ^bb0(%arg3: tensor<?xf32>, %arg4: index):
// CHECK-NEXT:       %1 = dovetail.constant dense<false> : tensor<i1>
// CHECK-NEXT:       %2 = dovetail.iota 0 sizes(%arg4) : tensor<?xf32>
// CHECK-NEXT:       dovetail.yield %2, %1 : tensor<?xf32>, tensor<i1>
// CHECK-NEXT:     }
// CHECK-NEXT:     dovetail.case %arg0 of() : (tensor<i32>) -> () {
// CHECK-NEXT:       dovetail.yield
// CHECK-NEXT:     }
// CHECK-NEXT:     return

func.func @index(%arg0: tensor<i32>) {
  %0 = dovetail.index %arg0 : tensor<i32>
  return
}
// CHECK-LABEL: func.func @index(%arg0: tensor<i32>)
// CHECK-NEXT:     %0 = dovetail.index %arg0 : tensor<i32>
// CHECK-NEXT:     return
