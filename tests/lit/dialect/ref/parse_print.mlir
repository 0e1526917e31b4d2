// Text of ops on references.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s | dovetail-opt | FileCheck %s

// CHECK-LABEL: func.func @main(%arg0: tensor<2x?xf32>, %arg1: !dovetail.ref<i1>, %arg2: !dovetail.ref<3xcomplex<f32>>)
func.func @main(%arg0: tensor<2x?xf32>, %arg1: !dovetail.ref<i1>, %arg2: !dovetail.ref<3xcomplex<f32>>) -> tensor<2x?xf32> {
  // CHECK-NEXT: %[[REF:.+]] = dovetail.new_ref %arg0 : tensor<2x?xf32>
  %0 = dovetail.new_ref %arg0 : tensor<2x?xf32>
  // CHECK-NEXT: %[[GET:.+]] = dovetail.ref_get %[[REF]] : <2x?xf32>
  %1 = dovetail.ref_get %0 : <2x?xf32>
  // CHECK-NEXT: dovetail.ref_set %[[REF]], %[[GET]] : <2x?xf32>, tensor<2x?xf32>
  dovetail.ref_set %0, %1 : <2x?xf32>, tensor<2x?xf32>
  // CHECK-NEXT: %[[LAST:.+]] = dovetail.freeze %[[REF]] : <2x?xf32>
  %2 = dovetail.freeze %0 : <2x?xf32>
  // CHECK-NEXT: return %[[LAST]]
  return %2 : tensor<2x?xf32>
}

// CHECK-LABEL: func.func @echoes
func.func @echoes(%arg0: !dovetail.ref<3xi32>, %arg1: !dovetail.ref<2xbf16>) {
  // CHECK-NEXT: %[[ECHO:.+]] = dovetail.ref_echo %arg0 : <3xi32>
  %0 = dovetail.ref_echo %arg0 : <3xi32>
  // CHECK-NEXT: dovetail.ref_set_echo %arg0, %[[ECHO]] : <3xi32>, tensor<3xf64>
  dovetail.ref_set_echo %arg0, %0 : <3xi32>, tensor<3xf64>
  // CHECK-NEXT: %[[READ:.+]] = dovetail.ref_echo %arg1 read : <2xbf16>
  %1 = dovetail.ref_echo %arg1 read : <2xbf16>
  // CHECK-NEXT: dovetail.ref_set_echo %arg1, %[[READ]] : <2xbf16>, tensor<2xbf16>
  dovetail.ref_set_echo %arg1, %1 : <2xbf16>, tensor<2xbf16>
  return
}

// CHECK-LABEL: func.func @ends
func.func @ends(%arg0: !dovetail.ref<3xi8>, %held: tensor<3xf32>, %x: tensor<f32>) -> tensor<f32> {
  // CHECK: %[[ECHO:.+]] = dovetail.ref_echo %{{.+}} read depth 2 : <3xi8>
  // CHECK: dovetail.ref_set_echo %{{.+}}, %[[ECHO]] depth 2 : <3xi8>, tensor<3xf32>
  // CHECK: dovetail.echo_end %{{.+}} of %[[ECHO]], %{{.+}} : tensor<3xf32>, tensor<3xf32>, tensor<f32> -> tensor<f32>
  %echo = dovetail.ref_echo %arg0 read depth 2 : <3xi8>
  dovetail.ref_set_echo %arg0, %echo depth 2 : <3xi8>, tensor<3xf32>
  %0 = dovetail.echo_end %held of %echo, %x : tensor<3xf32>, tensor<3xf32>, tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}
