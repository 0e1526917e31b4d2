// Fourier transforms become kernels: of short ones, in steps that each multiply by roots of unity; of real numbers, as
// half as many complex ones; of lengths with large prime factors, as convolutions.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

func.func @short(%arg0: tensor<40x16xcomplex<f32>>) -> tensor<40x16xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 1 length 16 : tensor<40x16xcomplex<f32>>
  return %0 : tensor<40x16xcomplex<f32>>
}
// CHECK: sym_name = "[[NAME:fft_f32_16_1_1_40]]", sym_visibility = "public"
// CHECK: func.func @[[NAME]]()
// CHECK-LABEL: func.func @short
// CHECK-NEXT: %[[ANS:.+]] = "flow.dispatch"(%arg0) {entry_points = [@[[NAME]]::@[[NAME]]]
// CHECK-NEXT: return %[[ANS]]

// -----

// Vectors of columns, of which the first step's lie apart in the result. The steps of short rows are one kernel, with
// intermediate results on the stack.
func.func @rows(%arg0: tensor<?x1024xcomplex<f32>>) -> tensor<?x1024xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 1 length 1024 : tensor<?x1024xcomplex<f32>>
  return %0 : tensor<?x1024xcomplex<f32>>
}
// CHECK: func.func @[[NAME:fft_f32_32_32_1_n_and_1_more_[0-9a-f]+]]()
// CHECK: "hal.interface.constant.load"
// CHECK: memref.alloca() : memref<2048xf32>
// CHECK: memref.subview
// CHECK: vector.load {{.*}} vector<32xf32>
// CHECK: vector.shuffle {{.*}} [0, 2, 4
// CHECK-LABEL: func.func @rows
// CHECK: %[[ROWS:.+]] = tensor.dim %arg0
// CHECK: "flow.dispatch"(%[[ROWS]], %arg0, {{.*}}@[[NAME]]
// CHECK-NEXT: return

// -----

func.func @long_rows(%arg0: tensor<?x16384xcomplex<f32>>) -> tensor<?x16384xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 1 length 16384 : tensor<?x16384xcomplex<f32>>
  return %0 : tensor<?x16384xcomplex<f32>>
}
// CHECK: func.func @fft_f32_128_1_128_n_in_place()
// CHECK: func.func @fft_f32_128_128_1_n()
// CHECK-LABEL: func.func @long_rows
// CHECK: %[[ROWS:.+]] = tensor.dim %arg0
// CHECK: %[[FIRST:.+]] = "flow.dispatch"(%[[ROWS]], %arg0, {{.*}}@fft_f32_128_128_1_n
// CHECK: "flow.dispatch"(%[[ROWS]], %[[FIRST]], {{.*}}@fft_f32_128_1_128_n_in_place{{.*}}tied_operands = [0 : index]

// -----

// The last stage of a row overwrites what the first one has read.
func.func @image(%arg0: tensor<16x1024xcomplex<f32>>) -> tensor<16x1024xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 0 length 16 : tensor<16x1024xcomplex<f32>>
  %1 = dovetail.fft %0, 1 length 1024 : tensor<16x1024xcomplex<f32>>
  return %1 : tensor<16x1024xcomplex<f32>>
}
// CHECK-LABEL: func.func @image
// CHECK: %[[FIRST:.+]] = "flow.dispatch"(%arg0) {{.*}}tied_operands = [-1 : index]
// CHECK: "flow.dispatch"(%[[FIRST]], {{.*}}_in_place{{.*}}tied_operands = [0 : index]

// -----

// Transforms along further dimensions overwrite the result of the first, unless something else reads that.
func.func @space(%arg0: tensor<40x32x16xcomplex<f32>>) -> (tensor<40x32x16xcomplex<f32>>, tensor<40x32x16xcomplex<f32>>) {
  %0 = dovetail.fft %arg0, 2 length 16 : tensor<40x32x16xcomplex<f32>>
  %1 = dovetail.fft %0, 1 length 32 : tensor<40x32x16xcomplex<f32>>
  %2 = dovetail.fft %1, 0 length 40 : tensor<40x32x16xcomplex<f32>>
  return %0, %2 : tensor<40x32x16xcomplex<f32>>, tensor<40x32x16xcomplex<f32>>
}
// CHECK-LABEL: func.func @space
// CHECK: %[[LAST:.+]] = "flow.dispatch"(%arg0) {{.*}}@fft_f32_16_1_1_1280{{.*}}tied_operands = [-1 : index]
// CHECK: %[[MIDDLE:.+]] = "flow.dispatch"(%[[LAST]], {{.*}}@fft_f32_32_1_16_40{{.*}}tied_operands = [-1 : index]
// CHECK: "flow.dispatch"(%[[MIDDLE]], {{.*}}@fft_f32_40_1_512_1_in_place{{.*}}tied_operands = [0 : index]

// -----

func.func @real(%arg0: tensor<3x30xf64>) -> tensor<3x30xf64> {
  %0 = dovetail.rfft %arg0, 1 length 30 : tensor<3x30xf64>
  %1 = dovetail.irfft %0, 1 length 30 : tensor<3x16xcomplex<f64>>
  return %1 : tensor<3x30xf64>
}
// CHECK: func.func @[[BACK:fft_to_pairs_f64_15_3_and_1_more_[0-9a-f]+]]()
// CHECK: func.func @[[HALF:fft_f64_15_1_1_3_and_1_more_[0-9a-f]+]]()
// CHECK-LABEL: func.func @real
// CHECK: %[[SPECTRUM:.+]] = "flow.dispatch"(%arg0, {{.*}}@[[HALF]]{{.*}} -> tensor<3x16xcomplex<f64>>
// CHECK: "flow.dispatch"(%[[SPECTRUM]], {{.*}}@[[BACK]]{{.*}} -> tensor<3x30xf64>

// -----

func.func @real_columns(%arg0: tensor<40x30xf64>) -> tensor<40x30xf64> {
  %0 = dovetail.rfft %arg0, 1 length 30 : tensor<40x30xf64>
  %1 = dovetail.irfft %0, 1 length 30 : tensor<40x16xcomplex<f64>>
  return %1 : tensor<40x30xf64>
}
// CHECK-LABEL: func.func @real_columns
// CHECK: %[[PAIRS:.+]] = "flow.dispatch"(%arg0) {{.*}} (tensor<40x30xf64>) -> tensor<40x15xcomplex<f64>>
// CHECK: %[[HALF:.+]] = "flow.dispatch"(%[[PAIRS]], {{.*}}@fft_of_real_f64_16_40{{.*}} -> tensor<40x16xcomplex<f64>>
// CHECK: %[[BACK:.+]] = "flow.dispatch"(%[[HALF]], {{.*}}@fft_to_pairs_f64_15_40{{.*}} -> tensor<40x15xcomplex<f64>>
// CHECK: "flow.dispatch"(%[[BACK]]) {{.*}} -> tensor<40x30xf64>

// -----

func.func @prime(%arg0: tensor<37xcomplex<f32>>) -> tensor<37xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 0 length 37 : tensor<37xcomplex<f32>>
  return %0 : tensor<37xcomplex<f32>>
}
// CHECK-LABEL: func.func @prime
// CHECK: "flow.dispatch"(%arg0, {{.*}}@fft_turned_37_f32_80_1_and_{{[0-9]}}_more_{{.*}} -> tensor<37xcomplex<f32>>
// CHECK-NEXT: return

// -----

func.func @long_prime(%arg0: tensor<9973xcomplex<f32>>) -> tensor<9973xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 0 length 9973 : tensor<9973xcomplex<f32>>
  return %0 : tensor<9973xcomplex<f32>>
}
// CHECK-LABEL: func.func @long_prime
// CHECK: @fft_turned_9973_f32_
// CHECK: @fft_filtered_9973_f32_
// CHECK: @fft_turned_back_9973_f32_

// -----

// Of large tables there are two, of which elements are products.
func.func @long(%arg0: tensor<1048576xcomplex<f32>>) -> tensor<1048576xcomplex<f32>> {
  %0 = dovetail.fft %arg0, 0 length 1048576 : tensor<1048576xcomplex<f32>>
  return %0 : tensor<1048576xcomplex<f32>>
}
// CHECK-LABEL: func.func @long
// CHECK: arith.constant dense<{{.*}}tensor<4096xf32>

// -----

// On other devices each thread holds a column.
module attributes {dovetail.target = "vulkan"} {
  func.func @device(%arg0: tensor<256xcomplex<f32>>) -> tensor<256xcomplex<f32>> {
    %0 = dovetail.fft %arg0, 0 length 256 : tensor<256xcomplex<f32>>
    return %0 : tensor<256xcomplex<f32>>
  }
}
// CHECK: func.func @fft_f32_16_1_16_1_in_place() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.spirv_pipeline<BaseLowering> workgroup_size = [64, 1, 1]>}
// CHECK-NOT: vector
// CHECK: "gpu.thread_id"() {dimension = #gpu.dim<x>}
