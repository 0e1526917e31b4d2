// A dispatch of a loop binds at most 32 arrays, which is what the runtime passes to it: more small ones share a binding,
// results that are not used have none, and numbers that are known are part of the code.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s
// RUN: sed 's/^func.func/module attributes {dovetail.target = "cuda"} { func.func/; $a }' %s \
// RUN:   | dovetail-opt --dovetail-lower | FileCheck %s --check-prefix=CUDA

// CHECK-LABEL: func.func @main
// CHECK:         %[[JOINED:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[256] [1] [1] : tensor<1xf32> into tensor<272xf32>
// CHECK-NEXT:    %[[OUTS:.*]] = "flow.dispatch"(%arg0, %[[JOINED]]) {entry_points = [@once0::@once0],
// CHECK-SAME:      : (tensor<i32>, tensor<272xf32>) -> tensor<272xf32>
// CHECK-NEXT:    %[[FIRST:.*]] = tensor.extract_slice %[[OUTS]][0] [1] [1] : tensor<272xf32> to tensor<1xf32>
// CHECK-NEXT:    %[[RESULT:.*]] = tensor.collapse_shape %[[FIRST]] [] : tensor<1xf32> into tensor<f32>
// CHECK:         tensor.extract_slice %[[OUTS]][256] [1] [1]
// CHECK:         return %[[RESULT]],

// On CUDA, where a view begins is a part of the code: what is bound begins with the buffer.
// CUDA: %[[BYTES:.*]] = "hal.interface.binding.subspan"{{.*}} -> memref<68xi8>
// CUDA-NEXT: memref.view %[[BYTES]][%{{.*}}][] : memref<68xi8> to memref<f32>

func.func @main(%arg0: tensor<i32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<f32>, %arg9: tensor<f32>, %arg10: tensor<f32>, %arg11: tensor<f32>, %arg12: tensor<f32>, %arg13: tensor<f32>, %arg14: tensor<f32>, %arg15: tensor<f32>, %arg16: tensor<f32>, %arg17: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = dovetail.constant dense<0> : tensor<i32>
  %1:18 = dovetail.while init(%0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg13, %arg14, %arg15, %arg16, %arg17) consts(%arg0) : (tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  ^bb0(%arg18: tensor<i32>, %arg19: tensor<f32>, %arg20: tensor<f32>, %arg21: tensor<f32>, %arg22: tensor<f32>, %arg23: tensor<f32>, %arg24: tensor<f32>, %arg25: tensor<f32>, %arg26: tensor<f32>, %arg27: tensor<f32>, %arg28: tensor<f32>, %arg29: tensor<f32>, %arg30: tensor<f32>, %arg31: tensor<f32>, %arg32: tensor<f32>, %arg33: tensor<f32>, %arg34: tensor<f32>, %arg35: tensor<f32>, %arg36: tensor<i32>):
    %2 = dovetail.compare lt %arg18, %arg36 : tensor<i32>
    dovetail.yield %2 : tensor<i1>
  } do {
  ^bb0(%arg18: tensor<i32>, %arg19: tensor<f32>, %arg20: tensor<f32>, %arg21: tensor<f32>, %arg22: tensor<f32>, %arg23: tensor<f32>, %arg24: tensor<f32>, %arg25: tensor<f32>, %arg26: tensor<f32>, %arg27: tensor<f32>, %arg28: tensor<f32>, %arg29: tensor<f32>, %arg30: tensor<f32>, %arg31: tensor<f32>, %arg32: tensor<f32>, %arg33: tensor<f32>, %arg34: tensor<f32>, %arg35: tensor<f32>, %arg36: tensor<i32>):
    %2 = dovetail.constant dense<1.000000e+00> : tensor<f32>
    %3 = dovetail.constant dense<2.000000e+00> : tensor<f32>
    %4 = dovetail.constant dense<1> : tensor<i32>
    %5 = dovetail.add %arg18, %4 : tensor<i32>
    %6 = dovetail.mul %arg20, %3 : tensor<f32>
    %7 = dovetail.mul %arg21, %3 : tensor<f32>
    %8 = dovetail.mul %arg22, %3 : tensor<f32>
    %9 = dovetail.mul %arg23, %3 : tensor<f32>
    %10 = dovetail.mul %arg24, %3 : tensor<f32>
    %11 = dovetail.mul %arg25, %3 : tensor<f32>
    %12 = dovetail.mul %arg26, %3 : tensor<f32>
    %13 = dovetail.mul %arg27, %3 : tensor<f32>
    %14 = dovetail.mul %arg28, %3 : tensor<f32>
    %15 = dovetail.mul %arg29, %3 : tensor<f32>
    %16 = dovetail.mul %arg30, %3 : tensor<f32>
    %17 = dovetail.mul %arg31, %3 : tensor<f32>
    %18 = dovetail.mul %arg32, %3 : tensor<f32>
    %19 = dovetail.mul %arg33, %3 : tensor<f32>
    %20 = dovetail.mul %arg34, %3 : tensor<f32>
    %21 = dovetail.mul %arg35, %3 : tensor<f32>
    %22 = dovetail.add %arg19, %2 : tensor<f32>
    dovetail.yield %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22 : tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %1#1, %1#2, %1#3, %1#4, %1#5, %1#6, %1#7, %1#8, %1#9, %1#10, %1#11, %1#12, %1#13, %1#14, %1#15, %1#16, %1#17 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
