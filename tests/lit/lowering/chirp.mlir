// Transforms of rows whose length has large prime factors, by the library.
// RUN: dovetail-opt %s --dovetail-lower --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NOT:     fft_
// CHECK:         "flow.dispatch"({{.*}}entry_points = [@chirp::@chirp]
// CHECK-SAME:    -> tensor<20x101xcomplex<f32>>
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @main(%x: tensor<20x101xcomplex<f32>>) -> tensor<20x101xcomplex<f32>> {
    %0 = dovetail.fft %x, 1 length 101 : tensor<20x101xcomplex<f32>>
    return %0 : tensor<20x101xcomplex<f32>>
  }
}

// -----

// Of few rows, most lanes would have none; longer ones do not stay in the cache.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     chirp::@chirp
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @main(%x: tensor<3x101xcomplex<f32>>, %y: tensor<20x5003xcomplex<f32>>)
      -> (tensor<3x101xcomplex<f32>>, tensor<20x5003xcomplex<f32>>) {
    %0 = dovetail.fft %x, 1 length 101 : tensor<3x101xcomplex<f32>>
    %1 = dovetail.fft %y, 1 length 5003 : tensor<20x5003xcomplex<f32>>
    return %0, %1 : tensor<3x101xcomplex<f32>>, tensor<20x5003xcomplex<f32>>
  }
}
