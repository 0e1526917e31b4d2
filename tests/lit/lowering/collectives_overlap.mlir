// On GPUs, the sum of one layer's gradient over the devices runs beside the products of the layer before it.
// RUN: dovetail-opt %s --dovetail-pipeline=to=carry | iree-compile - --iree-input-type=none --compile-to=stream \
// RUN:   --iree-hal-target-device=cuda --iree-cuda-target=sm_80 | FileCheck %s

// CHECK:      stream.cmd.concurrent {
// CHECK-NEXT:   stream.cmd.collective<all_reduce with sum : f32>
// CHECK:        stream.cmd.dispatch @{{.*}}matmul
// CHECK:      stream.cmd.collective<all_reduce with sum : f32>
#mesh = #dovetail.mesh<["d" = 8]>
module attributes {dovetail.partition = #mesh, dovetail.target = "cuda"} {
  func.func @main(
      %x: tensor<512x256xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"d"}, {}]>},
      %y: tensor<512x256xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"d"}, {}]>},
      %w: tensor<256x256xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {}]>})
      -> (tensor<256x256xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {}]>},
          tensor<256x256xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {}]>}) {
    %0 = dovetail.dot_general %x, %y batch [] x [] contract [0] x [0] : tensor<512x256xf32>, tensor<512x256xf32>
    %1 = dovetail.dot_general %y, %w batch [] x [] contract [1] x [0] : tensor<512x256xf32>, tensor<256x256xf32>
    %2 = dovetail.dot_general %x, %1 batch [] x [] contract [0] x [0] : tensor<512x256xf32>, tensor<512x256xf32>
    return %2, %0 : tensor<256x256xf32>, tensor<256x256xf32>
  }
}
