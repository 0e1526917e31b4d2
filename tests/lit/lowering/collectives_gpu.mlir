// On GPUs, collectives become IREE's. These divide the leading dimension; complex numbers are exchanged as their parts,
// and element types that they do not reduce as wider ones.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

module attributes {dovetail.mesh = #dovetail.mesh<["data" = 2, "model" = 4]>, dovetail.target = "cuda"} {
  func.func @main(%x: tensor<2x?xf32>) -> tensor<2x?x4xf32> {
    %0 = dovetail.all_gather %x over ["model"] sizes [4] dimension 2 : tensor<2x?xf32>
    return %0 : tensor<2x?x4xf32>
  }
}
// CHECK-NOT: hal.executable
// CHECK-LABEL: func.func @main
// CHECK: %[[ALL:.+]] = "flow.channel.default"() : () -> !flow.channel
// CHECK: %[[RANK:.+]] = "flow.channel.rank"(%[[ALL]])
// CHECK: %[[GROUP:.+]] = "flow.channel.split"(%[[ALL]], %{{.+}}, %{{.+}})
// CHECK: %[[PARTS:.+]] = tensor.expand_shape %{{.+}} {{\[\[}}0, 1], [2]] {{.*}} into tensor<1x2x?xf32>
// CHECK: %[[TO:.+]] = tensor.empty(%{{.+}}) : tensor<4x2x?xf32>
// CHECK: %[[GATHERED:.+]] = "flow.collective.all_gather"(%[[TO]], %{{.+}}, %[[PARTS]], %[[GROUP]]) {element_type = 5 : i32, tied_operands = [0 : index]}
// CHECK: linalg.transpose ins(%[[GATHERED]] : {{.*}} permutation = [1, 2, 0]

// -----

module attributes {dovetail.mesh = #dovetail.mesh<["data" = 2]>, dovetail.target = "rocm"} {
  func.func @types(%x: tensor<3xcomplex<f64>>, %y: tensor<3xf8E4M3FN>, %z: tensor<3xui16>) -> (tensor<3xcomplex<f64>>, tensor<3xf8E4M3FN>, tensor<3xui16>) {
    %0 = dovetail.all_reduce_sum %x over ["data"] : tensor<3xcomplex<f64>>
    %1 = dovetail.all_reduce_max %y over ["data"] : tensor<3xf8E4M3FN>
    %2 = dovetail.permute %z over ["data"] sizes [2] from [0] to [1] : tensor<3xui16>
    return %0, %1, %2 : tensor<3xcomplex<f64>>, tensor<3xf8E4M3FN>, tensor<3xui16>
  }
}
// CHECK-LABEL: func.func @types
// CHECK: complex.re
// CHECK: "flow.collective.all_reduce"({{.*}}) {element_type = 10 : i32, reduction_op = 1 : i32, {{.*}} -> tensor<3xf64>
// CHECK: complex.im
// CHECK: "flow.collective.all_reduce"({{.*}}) {element_type = 10 : i32, reduction_op = 1 : i32, {{.*}} -> tensor<3xf64>
// CHECK: complex.create
// CHECK: "flow.collective.all_reduce"({{.*}}) {element_type = 9 : i32, reduction_op = 4 : i32, {{.*}} -> tensor<3xf32>
// The first has no source and the second no target.
// CHECK: %[[TARGET:.+]] = arith.select {{.*}} : index
// CHECK: %[[SOURCE:.+]] = arith.select {{.*}} : index
// CHECK: "flow.collective.send_recv"(%{{.+}}, %{{.+}}, %{{.+}}, %[[TARGET]], %[[SOURCE]]) {element_type = 8 : i32
