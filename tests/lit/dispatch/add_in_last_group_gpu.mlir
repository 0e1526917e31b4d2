// The threads of the last workgroup of a dispatch add the terms of all, behind fences of the device.
// RUN: dovetail-opt %s --dovetail-pipeline="from=decompose to=lower" --dovetail-merge-small | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: sed 's/"cuda:sm_80"/"rocm:gfx942"/' %s | dovetail-opt --dovetail-pipeline="from=decompose to=lower" --dovetail-merge-small | FileCheck %s --check-prefixes=CHECK,ROCM
// RUN: sed 's/"cuda:sm_80"/"metal"/' %s | dovetail-opt --dovetail-pipeline="from=decompose to=lower" --dovetail-merge-small | FileCheck %s --check-prefix=METAL

// CHECK:         dovetail.groups = {{[0-9]+}} : index, dovetail.threads = [[THREADS:[0-9]+]] : index
// CHECK:         workgroup_size = {{\[}}[[THREADS]], 1, 1]
// CUDA:          "llvm.fence"() {ordering = 6 : i64, syncscope = "device"}
// ROCM:          "llvm.fence"() {ordering = 6 : i64, syncscope = "agent"}
// CHECK:         %[[SHARED:.+]] = memref.alloc() : memref<1xi32, #gpu.address_space<workgroup>>
// CHECK:         "gpu.barrier"
// CHECK:         scf.if
// CHECK-NEXT:      %[[BEFORE:.+]] = memref.atomic_rmw addi
// CHECK-NEXT:      memref.store %[[BEFORE]], %[[SHARED]]
// CHECK:         "gpu.barrier"
// CHECK-NEXT:    %[[COUNT:.+]] = memref.load %[[SHARED]]
// CHECK-NEXT:    %[[IS_LAST:.+]] = arith.cmpi eq, %[[COUNT]]
// CHECK-NEXT:    scf.if %[[IS_LAST]]
// CHECK-NEXT:      "llvm.fence"
// CHECK:           scf.for
// CHECK-LABEL: func.func @main
// CHECK:         "flow.dispatch"
// CHECK-NOT:     linalg.generic
// CHECK:         return

// What others wrote is not seen before the dispatch has ended.
// METAL-LABEL: func.func @main
// METAL:         "flow.dispatch"
// METAL:         linalg.generic
// METAL:         return
module attributes {dovetail.target = "cuda:sm_80"} {
func.func @main(%x: tensor<1024x256xf32>) -> (tensor<1024x256xf32>, tensor<256xf32>) {
  %zero = dovetail.constant dense<0> : tensor<i32>
  %r:2 = dovetail.case %zero of(%x) {dovetail.kernel} : (tensor<i32>, tensor<1024x256xf32>) -> (tensor<1024x256xf32>, tensor<256xf32>) {
  ^bb0(%a: tensor<1024x256xf32>):
    %m = dovetail.reduce_max %a [1] : tensor<1024x256xf32>
    %b = dovetail.broadcast %m dims [0] : tensor<1024xf32> -> tensor<1024x256xf32>
    %e = dovetail.sub %a, %b : tensor<1024x256xf32>
    %s = dovetail.reduce_sum %e [0] : tensor<1024x256xf32>
    dovetail.yield %e, %s : tensor<1024x256xf32>, tensor<256xf32>
  }
  return %r#0, %r#1 : tensor<1024x256xf32>, tensor<256xf32>
}
}
