// A transformer block, as `examples/tensor_parallel.py` traces it. Only weights and the batch have stated shardings.
// RUN: dovetail-opt %s --dovetail-pipeline=to=shard | FileCheck %s

// Heads and hidden units are divided over "model": one sum after the attention, one after the perceptron.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     dovetail.{{all_|reduce_scatter|permute}}
// CHECK:         dovetail.dot_general {{.*}} batch [0, 2] x [0, 2] contract [4] x [3] : tensor<2x32x2x1x8xf32>, tensor<2x32x2x8xf32>
// CHECK-NOT:     dovetail.{{all_|reduce_scatter|permute}}
// CHECK:         %[[OUT:.+]] = dovetail.dot_general {{.*}} : tensor<2x32x16xf32>, tensor<16x64xf32>
// CHECK-NEXT:    %[[ATTENDED:.+]] = dovetail.all_reduce_sum %[[OUT]] over ["model"] : tensor<2x32x64xf32>
// CHECK-NEXT:    dovetail.add %{{.+}}, %[[ATTENDED]]
// CHECK-NOT:     dovetail.{{all_|reduce_scatter|permute}}
// CHECK:         dovetail.dot_general %{{.+}}, %arg4 {{.*}} : tensor<2x32x64xf32>, tensor<64x64xf32>
// CHECK-NOT:     dovetail.{{all_|reduce_scatter|permute}}
// CHECK:         %[[DOWN:.+]] = dovetail.dot_general {{.*}} : tensor<2x32x64xf32>, tensor<64x64xf32>
// CHECK-NEXT:    %[[THOUGHT:.+]] = dovetail.all_reduce_sum %[[DOWN]] over ["model"] : tensor<2x32x64xf32>
// CHECK-NEXT:    dovetail.add %{{.+}}, %[[THOUGHT]]
// CHECK-NOT:     dovetail.{{all_|reduce_scatter|permute}}
// CHECK:         return
#mesh = #dovetail.mesh<["data" = 2, "model" = 4]>
module attributes {dovetail.partition = #mesh} {
  func.func @main(%down: tensor<256x64xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"model"}, {}]>},
                  %key: tensor<64x64xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"model"}]>},
                  %out: tensor<64x64xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"model"}, {}]>},
                  %query: tensor<64x64xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"model"}]>},
                  %up: tensor<64x256xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"model"}]>},
                  %value: tensor<64x64xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{}, {"model"}]>},
                  %x: tensor<4x32x64xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"data"}, {}, {}]>})
      -> tensor<4x32x64xf32> {
    %0 = dovetail.reduce_sum %x [2] : tensor<4x32x64xf32>
    %1 = dovetail.reshape %0 : tensor<4x32xf32> -> tensor<4x32x1xf32>
    %2 = dovetail.constant dense<6.400000e+01> : tensor<4x32x1xf32>
    %3 = dovetail.div %1, %2 : tensor<4x32x1xf32>
    %4 = dovetail.integer_pow %x, 2 : tensor<4x32x64xf32>
    %5 = dovetail.reduce_sum %4 [2] : tensor<4x32x64xf32>
    %6 = dovetail.reshape %5 : tensor<4x32xf32> -> tensor<4x32x1xf32>
    %7 = dovetail.constant dense<6.400000e+01> : tensor<4x32x1xf32>
    %8 = dovetail.div %6, %7 : tensor<4x32x1xf32>
    %9 = dovetail.integer_pow %3, 2 : tensor<4x32x1xf32>
    %10 = dovetail.sub %8, %9 : tensor<4x32x1xf32>
    %11 = dovetail.constant dense<0.000000e+00> : tensor<4x32x1xf32>
    %12 = dovetail.max %11, %10 : tensor<4x32x1xf32>
    %13 = dovetail.reshape %3 : tensor<4x32x1xf32> -> tensor<4x32xf32>
    %14 = dovetail.broadcast %13 dims [0, 1] : tensor<4x32xf32> -> tensor<4x32x64xf32>
    %15 = dovetail.sub %x, %14 : tensor<4x32x64xf32>
    %16 = dovetail.constant dense<9.99999974E-6> : tensor<4x32x1xf32>
    %17 = dovetail.add %12, %16 : tensor<4x32x1xf32>
    %18 = dovetail.rsqrt %17 : tensor<4x32x1xf32>
    %19 = dovetail.reshape %18 : tensor<4x32x1xf32> -> tensor<4x32xf32>
    %20 = dovetail.broadcast %19 dims [0, 1] : tensor<4x32xf32> -> tensor<4x32x64xf32>
    %21 = dovetail.mul %15, %20 : tensor<4x32x64xf32>
    %22 = dovetail.dot_general %21, %query batch [] x [] contract [2] x [0] : tensor<4x32x64xf32>, tensor<64x64xf32>
    %23 = dovetail.reshape %22 : tensor<4x32x64xf32> -> tensor<4x32x8x8xf32>
    %24 = dovetail.dot_general %21, %key batch [] x [] contract [2] x [0] : tensor<4x32x64xf32>, tensor<64x64xf32>
    %25 = dovetail.reshape %24 : tensor<4x32x64xf32> -> tensor<4x32x8x8xf32>
    %26 = dovetail.dot_general %21, %value batch [] x [] contract [2] x [0] : tensor<4x32x64xf32>, tensor<64x64xf32>
    %27 = dovetail.reshape %26 : tensor<4x32x64xf32> -> tensor<4x32x8x8xf32>
    %28 = dovetail.reshape %23 : tensor<4x32x8x8xf32> -> tensor<4x32x8x1x8xf32>
    %29 = dovetail.dot_general %28, %25 batch [0, 2] x [0, 2] contract [4] x [3] : tensor<4x32x8x1x8xf32>, tensor<4x32x8x8xf32>
    %30 = dovetail.transpose %29 [0, 1, 3, 2, 4] : tensor<4x8x32x1x32xf32>
    %31 = dovetail.constant dense<0.353553385> : tensor<f32>
    %32 = dovetail.broadcast %31 dims [] : tensor<f32> -> tensor<4x8x1x32x32xf32>
    %33 = dovetail.mul %30, %32 : tensor<4x8x1x32x32xf32>
    %34 = dovetail.iota 0 : tensor<32x32xi32>
    %35 = dovetail.iota 1 : tensor<32x32xi32>
    %36 = dovetail.compare le %35, %34 : tensor<32x32xi32>
    %37 = dovetail.constant dense<-2.38197633E+38> : tensor<f32>
    %38 = dovetail.broadcast %37 dims [] : tensor<f32> -> tensor<4x8x1x32x32xf32>
    %39 = dovetail.broadcast %36 dims [3, 4] : tensor<32x32xi1> -> tensor<4x8x1x32x32xi1>
    %40 = dovetail.select %39, %33, %38 : tensor<4x8x1x32x32xi1>, tensor<4x8x1x32x32xf32>
    %41 = dovetail.reduce_max %40 [4] : tensor<4x8x1x32x32xf32>
    %42 = dovetail.constant dense<0xFF800000> : tensor<f32>
    %43 = dovetail.convert %42 : tensor<f32> -> tensor<f32>
    %44 = dovetail.broadcast %43 dims [] : tensor<f32> -> tensor<4x8x1x32xf32>
    %45 = dovetail.max %44, %41 : tensor<4x8x1x32xf32>
    %46 = dovetail.reshape %45 : tensor<4x8x1x32xf32> -> tensor<4x8x1x32x1xf32>
    %47 = dovetail.reshape %46 : tensor<4x8x1x32x1xf32> -> tensor<4x8x1x32xf32>
    %48 = dovetail.broadcast %47 dims [0, 1, 2, 3] : tensor<4x8x1x32xf32> -> tensor<4x8x1x32x32xf32>
    %49 = dovetail.sub %40, %48 : tensor<4x8x1x32x32xf32>
    %50 = dovetail.exp %49 : tensor<4x8x1x32x32xf32>
    %51 = dovetail.reduce_sum %50 [4] : tensor<4x8x1x32x32xf32>
    %52 = dovetail.reshape %51 : tensor<4x8x1x32xf32> -> tensor<4x8x1x32x1xf32>
    %53 = dovetail.reshape %52 : tensor<4x8x1x32x1xf32> -> tensor<4x8x1x32xf32>
    %54 = dovetail.broadcast %53 dims [0, 1, 2, 3] : tensor<4x8x1x32xf32> -> tensor<4x8x1x32x32xf32>
    %55 = dovetail.div %50, %54 : tensor<4x8x1x32x32xf32>
    %56 = dovetail.dot_general %55, %27 batch [0, 1] x [0, 2] contract [4] x [1] : tensor<4x8x1x32x32xf32>, tensor<4x32x8x8xf32>
    %57 = dovetail.transpose %56 [0, 3, 1, 2, 4] : tensor<4x8x1x32x8xf32>
    %58 = dovetail.reshape %57 : tensor<4x32x8x1x8xf32> -> tensor<4x32x8x8xf32>
    %59 = dovetail.reshape %58 : tensor<4x32x8x8xf32> -> tensor<4x32x64xf32>
    %60 = dovetail.dot_general %59, %out batch [] x [] contract [2] x [0] : tensor<4x32x64xf32>, tensor<64x64xf32>
    %61 = dovetail.add %x, %60 : tensor<4x32x64xf32>
    %62 = dovetail.reduce_sum %61 [2] : tensor<4x32x64xf32>
    %63 = dovetail.reshape %62 : tensor<4x32xf32> -> tensor<4x32x1xf32>
    %64 = dovetail.constant dense<6.400000e+01> : tensor<4x32x1xf32>
    %65 = dovetail.div %63, %64 : tensor<4x32x1xf32>
    %66 = dovetail.integer_pow %61, 2 : tensor<4x32x64xf32>
    %67 = dovetail.reduce_sum %66 [2] : tensor<4x32x64xf32>
    %68 = dovetail.reshape %67 : tensor<4x32xf32> -> tensor<4x32x1xf32>
    %69 = dovetail.constant dense<6.400000e+01> : tensor<4x32x1xf32>
    %70 = dovetail.div %68, %69 : tensor<4x32x1xf32>
    %71 = dovetail.integer_pow %65, 2 : tensor<4x32x1xf32>
    %72 = dovetail.sub %70, %71 : tensor<4x32x1xf32>
    %73 = dovetail.constant dense<0.000000e+00> : tensor<4x32x1xf32>
    %74 = dovetail.max %73, %72 : tensor<4x32x1xf32>
    %75 = dovetail.reshape %65 : tensor<4x32x1xf32> -> tensor<4x32xf32>
    %76 = dovetail.broadcast %75 dims [0, 1] : tensor<4x32xf32> -> tensor<4x32x64xf32>
    %77 = dovetail.sub %61, %76 : tensor<4x32x64xf32>
    %78 = dovetail.constant dense<9.99999974E-6> : tensor<4x32x1xf32>
    %79 = dovetail.add %74, %78 : tensor<4x32x1xf32>
    %80 = dovetail.rsqrt %79 : tensor<4x32x1xf32>
    %81 = dovetail.reshape %80 : tensor<4x32x1xf32> -> tensor<4x32xf32>
    %82 = dovetail.broadcast %81 dims [0, 1] : tensor<4x32xf32> -> tensor<4x32x64xf32>
    %83 = dovetail.mul %77, %82 : tensor<4x32x64xf32>
    %84 = dovetail.dot_general %83, %up batch [] x [] contract [2] x [0] : tensor<4x32x64xf32>, tensor<64x256xf32>
    %85 = dovetail.integer_pow %84, 3 : tensor<4x32x256xf32>
    %86 = dovetail.constant dense<4.471500e-02> : tensor<4x32x256xf32>
    %87 = dovetail.mul %86, %85 : tensor<4x32x256xf32>
    %88 = dovetail.add %84, %87 : tensor<4x32x256xf32>
    %89 = dovetail.constant dense<0.797884583> : tensor<f32>
    %90 = dovetail.broadcast %89 dims [] : tensor<f32> -> tensor<4x32x256xf32>
    %91 = dovetail.mul %90, %88 : tensor<4x32x256xf32>
    %92 = dovetail.tanh %91 : tensor<4x32x256xf32>
    %93 = dovetail.constant dense<1.000000e+00> : tensor<4x32x256xf32>
    %94 = dovetail.add %93, %92 : tensor<4x32x256xf32>
    %95 = dovetail.constant dense<5.000000e-01> : tensor<4x32x256xf32>
    %96 = dovetail.mul %95, %94 : tensor<4x32x256xf32>
    %97 = dovetail.mul %84, %96 : tensor<4x32x256xf32>
    %98 = dovetail.dot_general %97, %down batch [] x [] contract [2] x [0] : tensor<4x32x256xf32>, tensor<256x64xf32>
    %99 = dovetail.add %61, %98 : tensor<4x32x64xf32>
    return %99 : tensor<4x32x64xf32>
  }
}