// For a CPU sums of many floats are formed in f64; long ones of products of matrices in blocks, which are added in f64.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s

module attributes {dovetail.target = "cpu"} {
func.func @columns(%arg0: tensor<?x3xf32>) -> tensor<3xf32> {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<?x3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func @columns
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]{{.*}} ins(%arg0 : tensor<?x3xf32>) outs(%{{.*}} : tensor<3xf64>)
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.addf %{{.*}} : f64
// CHECK: arith.truncf %{{.*}} : f64 to f32

// Sums over dimensions that are not the innermost one are made of blocks, each added in the elements' type.
func.func @many_rows(%arg0: tensor<2x32x16x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.reduce_sum %arg0 [1, 2] : tensor<2x32x16x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @many_rows
// CHECK: tensor.collapse_shape %arg0 {{.*}} into tensor<2x512x3xf32>
// CHECK: %[[ROWS:.*]] = tensor.expand_shape {{.*}} into tensor<2x8x64x3xf32>
// CHECK: %[[BLOCKS:.*]] = linalg.generic {{.*}}["parallel", "parallel", "reduction", "parallel"]} ins(%[[ROWS]] : tensor<2x8x64x3xf32>) outs(%{{.*}} : tensor<2x8x3xf32>)
// CHECK: linalg.generic {{.*}}["parallel", "reduction", "parallel"]} ins(%[[BLOCKS]] : tensor<2x8x3xf32>) outs(%{{.*}} : tensor<2x3xf64>)

// Rows come first, and then what lies further out.
func.func @both_ends(%arg0: tensor<1000x10x128xf32>) -> tensor<10xf32> {
  %0 = dovetail.reduce_sum %arg0 [0, 2] : tensor<1000x10x128xf32>
  return %0 : tensor<10xf32>
}
// CHECK-LABEL: func.func @both_ends
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<1000x10x128xf32>) outs(%{{.*}} : tensor<1000x10xf64>)
// CHECK: linalg.generic {{.*}}["reduction", "parallel"]} ins(%[[SUMS]] : tensor<1000x10xf64>) outs(%{{.*}} : tensor<10xf64>)

// Other reductions of what is read from memory, too.
func.func @extremes(%arg0: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %0 = dovetail.reduce_max %arg0 [0] : tensor<1024x1024xf32>
  return %0 : tensor<1024xf32>
}
// CHECK-LABEL: func.func @extremes
// CHECK: %[[ROWS:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<128x8x1024xf32>
// CHECK: linalg.generic {{.*}}["parallel", "reduction", "parallel"]} ins(%[[ROWS]] : tensor<128x8x1024xf32>) outs(%{{.*}} : tensor<128x1024xf32>)
// CHECK: linalg.generic {{.*}}["reduction", "parallel"]} {{.*}} outs(%{{.*}} : tensor<1024xf32>)

// No block suits any of the dimensions.
func.func @apart(%arg0: tensor<7x2x4x3x6x2xf32>) -> tensor<2x3x2xf32> {
  %0 = dovetail.reduce_sum %arg0 [0, 2, 4] : tensor<7x2x4x3x6x2xf32>
  return %0 : tensor<2x3x2xf32>
}
// CHECK-LABEL: func.func @apart
// CHECK: linalg.generic {{.*}}["reduction", "parallel", "reduction", "parallel", "reduction", "parallel"]} ins(%arg0 : tensor<7x2x4x3x6x2xf32>) outs(%{{.*}} : tensor<2x3x2xf64>)

func.func @greatest(%arg0: tensor<5xf32>) -> tensor<f32> {
  %0 = dovetail.reduce_max %arg0 [0] : tensor<5xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func @greatest
// CHECK-NOT: f64
// CHECK: return

func.func @whole(%arg0: tensor<5xi32>) -> tensor<i32> {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<5xi32>
  return %0 : tensor<i32>
}
// CHECK-LABEL: func.func @whole
// CHECK-NOT: f64
// CHECK: return

// Few elements are added in their own type, as on any other device.
func.func @short(%arg0: tensor<3x64xf32>, %arg1: tensor<64xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<64xf32>) {
  %0 = dovetail.reduce_sum %arg0 [1] : tensor<3x64xf32>
  %1 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<3x64xf32>, tensor<64xf32>
  %2 = dovetail.cumsum %arg1, 0 : tensor<64xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<64xf32>
}
// CHECK-LABEL: func.func @short
// CHECK-NOT: f64
// CHECK: return

// Vectors add up rows: each of their 16 lanes has no more than 64 elements.
func.func @short_rows(%arg0: tensor<3x1024xf32>, %arg1: tensor<3x1025xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = dovetail.reduce_sum %arg0 [1] : tensor<3x1024xf32>
  %1 = dovetail.reduce_sum %arg1 [1] : tensor<3x1025xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}
// CHECK-LABEL: func.func @short_rows
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<3x1024xf32>) outs(%{{.*}} : tensor<3xf32>)
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<3x1025xf32>) outs(%{{.*}} : tensor<3xf64>)

// The code generator would compute a sum of products in one type as a contraction, element by element.
func.func @squares(%arg0: tensor<3x1024xf32>) -> tensor<3xf32> {
  %0 = dovetail.mul %arg0, %arg0 : tensor<3x1024xf32>
  %1 = dovetail.reduce_sum %0 [1] : tensor<3x1024xf32>
  return %1 : tensor<3xf32>
}
// CHECK-LABEL: func.func @squares
// CHECK: outs(%{{.*}} : tensor<3xf64>)

// In a loop, a matrix stays in a cache.
func.func @in_a_loop(%arg0: tensor<512x512xf32>, %arg1: tensor<512xf32>) -> tensor<512xf32> {
  %0 = dovetail.scan length 4 init(%arg1) over() consts(%arg0) : (tensor<512xf32>, tensor<512x512xf32>) -> tensor<512xf32> {
  ^bb0(%x: tensor<512xf32>, %w: tensor<512x512xf32>):
    %1 = dovetail.dot_general %w, %x batch [] x [] contract [1] x [0] : tensor<512x512xf32>, tensor<512xf32>
    dovetail.yield %1 : tensor<512xf32>
  }
  return %0 : tensor<512xf32>
}
// CHECK-LABEL: func.func @in_a_loop
// CHECK-NOT: f64
// CHECK: return

func.func @complex(%arg0: tensor<65xcomplex<f32>>) -> tensor<complex<f32>> {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<65xcomplex<f32>>
  return %0 : tensor<complex<f32>>
}
// CHECK-LABEL: func.func @complex
// CHECK: complex.re
// CHECK: arith.addf %{{.*}} : f64
// CHECK: complex.im
// CHECK: arith.addf %{{.*}} : f64
// CHECK: complex.create

func.func @dot(%arg0: tensor<?xbf16>, %arg1: tensor<?xbf16>) -> tensor<bf16> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [0] x [0] : tensor<?xbf16>, tensor<?xbf16>
  return %0 : tensor<bf16>
}
// CHECK-LABEL: func.func @dot
// CHECK: arith.mulf %{{.*}} : f64
// CHECK-NEXT: arith.addf %{{.*}} : f64

func.func @matrix_by_vector(%arg0: tensor<4x90xf32>, %arg1: tensor<90x1xf32>) -> tensor<4x1xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<4x90xf32>, tensor<90x1xf32>
  return %0 : tensor<4x1xf32>
}
// CHECK-LABEL: func.func @matrix_by_vector
// CHECK: arith.addf %{{.*}} : f64

func.func @vector_by_matrix(%arg0: tensor<1024xf32>, %arg1: tensor<1024x9xf32>) -> tensor<9xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [0] x [0] : tensor<1024xf32>, tensor<1024x9xf32>
  return %0 : tensor<9xf32>
}
// CHECK-LABEL: func.func @vector_by_matrix
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<16x9xf32>)
// CHECK: linalg.generic {{.*}}["reduction", "parallel"]} ins(%{{.*}} : tensor<16x9xf32>) outs(%{{.*}} : tensor<9xf64>)

func.func @matrices(%arg0: tensor<4x9xf32>, %arg1: tensor<9x3xf32>) -> tensor<4x3xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<4x9xf32>, tensor<9x3xf32>
  return %0 : tensor<4x3xf32>
}
// CHECK-LABEL: func.func @matrices
// CHECK-NOT: f64
// CHECK: return

func.func @long(%arg0: tensor<4x4096xf32>, %arg1: tensor<4096x3xf32>) -> tensor<4x3xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<4x4096xf32>, tensor<4096x3xf32>
  return %0 : tensor<4x3xf32>
}
// CHECK-LABEL: func.func @long
// CHECK-DAG: tensor.expand_shape %arg0 {{.*}} into tensor<4x16x256xf32>
// CHECK-DAG: tensor.expand_shape %arg1 {{.*}} into tensor<16x256x3xf32>
// CHECK: %[[BLOCKS:.*]] = linalg.generic {{.*}}["parallel", "parallel", "parallel", "reduction"]{{.*}} outs(%{{.*}} : tensor<16x4x3xf32>)
// CHECK: linalg.generic {{.*}}["reduction", "parallel", "parallel"]} ins(%[[BLOCKS]] : tensor<16x4x3xf32>) outs(%{{.*}} : tensor<4x3xf64>)

func.func @rest(%arg0: tensor<4x4099xf32>, %arg1: tensor<3x4099xf32>) -> tensor<4x3xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [1] : tensor<4x4099xf32>, tensor<3x4099xf32>
  return %0 : tensor<4x3xf32>
}
// CHECK-LABEL: func.func @rest
// CHECK: tensor.extract_slice %arg0[0, 0] [4, 4000] [1, 1]
// CHECK: tensor.extract_slice %arg0[0, 4000] [4, 99] [1, 1]
// CHECK: %[[REST:.*]] = "iree_tensor_ext.compute_barrier.start"
// CHECK: linalg.generic {{.*}}["reduction", "parallel", "parallel"]{{.*}} outs(%[[REST]] : tensor<4x3xf64>)

// What the blocks amount to would be larger than the operands.
func.func @large(%arg0: tensor<4096x4096xf32>, %arg1: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [1] x [0] : tensor<4096x4096xf32>, tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
// CHECK-LABEL: func.func @large
// CHECK-NOT: tensor.expand_shape
// CHECK: return

func.func @running(%arg0: tensor<16384xf32>) -> tensor<16384xf32> {
  %0 = dovetail.cumsum %arg0, 0 : tensor<16384xf32>
  return %0 : tensor<16384xf32>
}
// CHECK-LABEL: func.func @running
// CHECK: tensor.expand_shape %arg0 {{.*}} into tensor<128x128xf32>
// CHECK: "iree_linalg_ext.scan"
// CHECK: (tensor<128x128xf32>, tensor<128x128xf32>, tensor<128xf32>)
// CHECK: "iree_linalg_ext.scan"
// CHECK: (tensor<128xf64>, tensor<128xf64>, tensor<f64>)

func.func @running_of_any_size(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dovetail.cumsum %arg0, 0 : tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func @running_of_any_size
// CHECK: "iree_linalg_ext.scan"
// CHECK: (tensor<?xf64>, tensor<?xf64>, tensor<f64>)

// Where few results have many terms, parts are reduced at the same time: as many as have whole vectors, up to 64.
func.func @parts(%arg0: tensor<10000000xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = dovetail.reduce_sum %arg0 [0] : tensor<10000000xf32>
  %1 = dovetail.reduce_max %arg0 [0] : tensor<10000000xf32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
// CHECK-LABEL: func.func @parts
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<50x200000xf32>
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}["parallel", "reduction"]} ins(%[[PARTS]] : tensor<50x200000xf32>) outs(%{{.*}} : tensor<50xf64>)
// CHECK: linalg.generic {{.*}}["reduction"]} ins(%[[SUMS]] : tensor<50xf64>) outs(%{{.*}} : tensor<f64>)
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]} ins(%{{.*}} : tensor<50x200000xf32>) outs(%{{.*}} : tensor<50xf32>)

func.func @parts_of_a_dot(%arg0: tensor<8388608xf32>, %arg1: tensor<8388608xf32>) -> tensor<f32> {
  %0 = dovetail.dot_general %arg0, %arg1 batch [] x [] contract [0] x [0] : tensor<8388608xf32>, tensor<8388608xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func @parts_of_a_dot
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]} ins(%{{.*}} : tensor<64x131072xf32>, tensor<64x131072xf32>) outs(%{{.*}} : tensor<64xf64>) attrs =
// CHECK-SAME: {compilation_info = #iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<distribution = [1, 0], vector_common_parallel = [1, 0], vector_reduction = [0, 64]>, translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>, {enable_loop_peeling}>>}
// CHECK: linalg.generic {{.*}}["reduction"]} ins(%{{.*}} : tensor<64xf64>) outs(%{{.*}} : tensor<f64>)

// What is left over of whole vectors is reduced by itself: a prime number of terms has no parts.
func.func @prime(%arg0: tensor<1000003xf32>) -> tensor<f32> {
  %0 = dovetail.reduce_max %arg0 [0] : tensor<1000003xf32>
  return %0 : tensor<f32>
}
// CHECK-LABEL: func.func @prime
// CHECK: %[[WHOLE:.*]] = tensor.extract_slice %arg0[0] [1000000] [1]
// CHECK: tensor.expand_shape %[[WHOLE]] {{.*}} into tensor<50x20000xf32>
// CHECK: %[[REST:.*]] = tensor.extract_slice %arg0[1000000] [3] [1]
// CHECK: linalg.generic {{.*}}["reduction"]} ins(%[[REST]] : tensor<3xf32>)
// CHECK: arith.maximumf

func.func @rows(%arg0: tensor<1000x1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %0 = dovetail.reduce_sum %arg0 [1] : tensor<1000x1000xf32>
  %1 = dovetail.reduce_sum %arg0 [0] : tensor<1000x1000xf32>
  return %0, %1 : tensor<1000xf32>, tensor<1000xf32>
}
// CHECK-LABEL: func.func @rows
// CHECK: tensor.extract_slice %arg0[0, 0] [1000, 992] [1, 1]
// CHECK: tensor.extract_slice %arg0[0, 992] [1000, 8] [1, 1]
// CHECK: tensor.concat dim(0) {{.*}} : (tensor<992xf64>, tensor<8xf64>) -> tensor<1000xf64>

// Other arrays would be computed twice.
func.func @computed(%arg0: tensor<1000x1000xf32>) -> tensor<1000xf32> {
  %0 = dovetail.sin %arg0 : tensor<1000x1000xf32>
  %1 = dovetail.reduce_sum %0 [1] : tensor<1000x1000xf32>
  return %1 : tensor<1000xf32>
}
// CHECK-LABEL: func.func @computed
// CHECK-NOT: tensor.extract_slice
// CHECK: return
}
