// RUN: dovetail-opt %s --dovetail-outline-functions --split-input-file | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// Equal bodies are one function, which has the constants; bodies that differ in a constant are two.

// CHECK: func.func private @[[OTHER:.*]](%{{.*}}: f32, %{{.*}}: f32) -> f32 attributes {dovetail.function = "[[OTHER]]"}
// CHECK: arith.constant 3.000000e+00 : f32
// CHECK: func.func private @[[FUNCTION:.*]](%{{.*}}: f32) -> f32 attributes {dovetail.function = "[[FUNCTION]]"}
// CHECK: arith.constant 2.000000e+00 : f32
// CHECK-COUNT-40: arith.mulf
// CHECK-NEXT: return
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  // CHECK: linalg.generic
  // CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
  // CHECK-NEXT: %[[CALL:.*]] = func.call @[[FUNCTION]](%[[IN]]) {dovetail.function = "[[FUNCTION]]"} : (f32) -> f32
  // CHECK-NEXT: linalg.yield %[[CALL]]
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %m0 = arith.mulf %in0, %two : f32
    %m1 = arith.mulf %m0, %two : f32
    %m2 = arith.mulf %m1, %two : f32
    %m3 = arith.mulf %m2, %two : f32
    %m4 = arith.mulf %m3, %two : f32
    %m5 = arith.mulf %m4, %two : f32
    %m6 = arith.mulf %m5, %two : f32
    %m7 = arith.mulf %m6, %two : f32
    %m8 = arith.mulf %m7, %two : f32
    %m9 = arith.mulf %m8, %two : f32
    %m10 = arith.mulf %m9, %two : f32
    %m11 = arith.mulf %m10, %two : f32
    %m12 = arith.mulf %m11, %two : f32
    %m13 = arith.mulf %m12, %two : f32
    %m14 = arith.mulf %m13, %two : f32
    %m15 = arith.mulf %m14, %two : f32
    %m16 = arith.mulf %m15, %two : f32
    %m17 = arith.mulf %m16, %two : f32
    %m18 = arith.mulf %m17, %two : f32
    %m19 = arith.mulf %m18, %two : f32
    %m20 = arith.mulf %m19, %two : f32
    %m21 = arith.mulf %m20, %two : f32
    %m22 = arith.mulf %m21, %two : f32
    %m23 = arith.mulf %m22, %two : f32
    %m24 = arith.mulf %m23, %two : f32
    %m25 = arith.mulf %m24, %two : f32
    %m26 = arith.mulf %m25, %two : f32
    %m27 = arith.mulf %m26, %two : f32
    %m28 = arith.mulf %m27, %two : f32
    %m29 = arith.mulf %m28, %two : f32
    %m30 = arith.mulf %m29, %two : f32
    %m31 = arith.mulf %m30, %two : f32
    %m32 = arith.mulf %m31, %two : f32
    %m33 = arith.mulf %m32, %two : f32
    %m34 = arith.mulf %m33, %two : f32
    %m35 = arith.mulf %m34, %two : f32
    %m36 = arith.mulf %m35, %two : f32
    %m37 = arith.mulf %m36, %two : f32
    %m38 = arith.mulf %m37, %two : f32
    %m39 = arith.mulf %m38, %two : f32
    linalg.yield %m39 : f32
  } -> tensor<8xf32>
  // CHECK: func.call @[[FUNCTION]]
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%0 : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %m0 = arith.mulf %in0, %two : f32
    %m1 = arith.mulf %m0, %two : f32
    %m2 = arith.mulf %m1, %two : f32
    %m3 = arith.mulf %m2, %two : f32
    %m4 = arith.mulf %m3, %two : f32
    %m5 = arith.mulf %m4, %two : f32
    %m6 = arith.mulf %m5, %two : f32
    %m7 = arith.mulf %m6, %two : f32
    %m8 = arith.mulf %m7, %two : f32
    %m9 = arith.mulf %m8, %two : f32
    %m10 = arith.mulf %m9, %two : f32
    %m11 = arith.mulf %m10, %two : f32
    %m12 = arith.mulf %m11, %two : f32
    %m13 = arith.mulf %m12, %two : f32
    %m14 = arith.mulf %m13, %two : f32
    %m15 = arith.mulf %m14, %two : f32
    %m16 = arith.mulf %m15, %two : f32
    %m17 = arith.mulf %m16, %two : f32
    %m18 = arith.mulf %m17, %two : f32
    %m19 = arith.mulf %m18, %two : f32
    %m20 = arith.mulf %m19, %two : f32
    %m21 = arith.mulf %m20, %two : f32
    %m22 = arith.mulf %m21, %two : f32
    %m23 = arith.mulf %m22, %two : f32
    %m24 = arith.mulf %m23, %two : f32
    %m25 = arith.mulf %m24, %two : f32
    %m26 = arith.mulf %m25, %two : f32
    %m27 = arith.mulf %m26, %two : f32
    %m28 = arith.mulf %m27, %two : f32
    %m29 = arith.mulf %m28, %two : f32
    %m30 = arith.mulf %m29, %two : f32
    %m31 = arith.mulf %m30, %two : f32
    %m32 = arith.mulf %m31, %two : f32
    %m33 = arith.mulf %m32, %two : f32
    %m34 = arith.mulf %m33, %two : f32
    %m35 = arith.mulf %m34, %two : f32
    %m36 = arith.mulf %m35, %two : f32
    %m37 = arith.mulf %m36, %two : f32
    %m38 = arith.mulf %m37, %two : f32
    %m39 = arith.mulf %m38, %two : f32
    linalg.yield %m39 : f32
  } -> tensor<8xf32>
  // CHECK: func.call @[[OTHER]](%{{.*}}, %{{.*}}) {dovetail.function = "[[OTHER]]"} : (f32, f32) -> f32
  %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%1, %y : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out: f32):
    %m0 = arith.mulf %in0, %three : f32
    %m1 = arith.mulf %m0, %three : f32
    %m2 = arith.mulf %m1, %three : f32
    %m3 = arith.mulf %m2, %three : f32
    %m4 = arith.mulf %m3, %three : f32
    %m5 = arith.mulf %m4, %three : f32
    %m6 = arith.mulf %m5, %three : f32
    %m7 = arith.mulf %m6, %three : f32
    %m8 = arith.mulf %m7, %three : f32
    %m9 = arith.mulf %m8, %three : f32
    %m10 = arith.mulf %m9, %three : f32
    %m11 = arith.mulf %m10, %three : f32
    %m12 = arith.mulf %m11, %three : f32
    %m13 = arith.mulf %m12, %three : f32
    %m14 = arith.mulf %m13, %three : f32
    %m15 = arith.mulf %m14, %three : f32
    %m16 = arith.mulf %m15, %three : f32
    %m17 = arith.mulf %m16, %three : f32
    %m18 = arith.mulf %m17, %three : f32
    %m19 = arith.mulf %m18, %three : f32
    %m20 = arith.mulf %m19, %three : f32
    %m21 = arith.mulf %m20, %three : f32
    %m22 = arith.mulf %m21, %three : f32
    %m23 = arith.mulf %m22, %three : f32
    %m24 = arith.mulf %m23, %three : f32
    %m25 = arith.mulf %m24, %three : f32
    %m26 = arith.mulf %m25, %three : f32
    %m27 = arith.mulf %m26, %three : f32
    %m28 = arith.mulf %m27, %three : f32
    %m29 = arith.mulf %m28, %three : f32
    %m30 = arith.mulf %m29, %three : f32
    %m31 = arith.mulf %m30, %three : f32
    %m32 = arith.mulf %m31, %three : f32
    %m33 = arith.mulf %m32, %three : f32
    %m34 = arith.mulf %m33, %three : f32
    %m35 = arith.mulf %m34, %three : f32
    %m36 = arith.mulf %m35, %three : f32
    %m37 = arith.mulf %m36, %three : f32
    %m38 = arith.mulf %m37, %three : f32
    %m39 = arith.mulf %m38, %three : f32
    %last = arith.addf %m39, %in1 : f32
    linalg.yield %last : f32
  } -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

#map = affine_map<(d0) -> (d0)>

// What depends on indices, on constants alone, or is short stays; bfloat16 stays, too.

// CHECK-NOT: dovetail.function
func.func @stays(%x: tensor<8xf32>, %y: tensor<8xbf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xbf16>) {
  %two = arith.constant 2.0 : f32
  %half = arith.constant 0.5 : bf16
  %ahead = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %empty = tensor.empty() : tensor<8xf32>
  %halves = tensor.empty() : tensor<8xbf16>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %m0 = arith.mulf %in0, %two : f32
    %m1 = arith.mulf %m0, %two : f32
    %m2 = arith.mulf %m1, %two : f32
    %m3 = arith.mulf %m2, %two : f32
    %m4 = arith.mulf %m3, %two : f32
    %m5 = arith.mulf %m4, %two : f32
    %m6 = arith.mulf %m5, %two : f32
    %m7 = arith.mulf %m6, %two : f32
    %m8 = arith.mulf %m7, %two : f32
    %m9 = arith.mulf %m8, %two : f32
    %m10 = arith.mulf %m9, %two : f32
    %m11 = arith.mulf %m10, %two : f32
    %m12 = arith.mulf %m11, %two : f32
    %m13 = arith.mulf %m12, %two : f32
    %m14 = arith.mulf %m13, %two : f32
    %m15 = arith.mulf %m14, %two : f32
    %m16 = arith.mulf %m15, %two : f32
    %m17 = arith.mulf %m16, %two : f32
    %m18 = arith.mulf %m17, %two : f32
    %m19 = arith.mulf %m18, %two : f32
    %m20 = arith.mulf %m19, %two : f32
    %m21 = arith.mulf %m20, %two : f32
    %m22 = arith.mulf %m21, %two : f32
    %m23 = arith.mulf %m22, %two : f32
    %m24 = arith.mulf %m23, %two : f32
    %m25 = arith.mulf %m24, %two : f32
    %m26 = arith.mulf %m25, %two : f32
    %m27 = arith.mulf %m26, %two : f32
    %m28 = arith.mulf %m27, %two : f32
    %m29 = arith.mulf %m28, %two : f32
    %m30 = arith.mulf %m29, %two : f32
    %m31 = arith.mulf %m30, %two : f32
    %m32 = arith.mulf %m31, %two : f32
    %m33 = arith.mulf %m32, %two : f32
    %m34 = arith.mulf %m33, %two : f32
    %m35 = arith.mulf %m34, %two : f32
    %m36 = arith.mulf %m35, %two : f32
    %m37 = arith.mulf %m36, %two : f32
    %m38 = arith.mulf %m37, %two : f32
    %m39 = arith.mulf %m38, %two : f32
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %last = arith.addf %m39, %f : f32
    linalg.yield %last : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%ahead : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %m0 = arith.mulf %in0, %two : f32
    %m1 = arith.mulf %m0, %two : f32
    %m2 = arith.mulf %m1, %two : f32
    %m3 = arith.mulf %m2, %two : f32
    %m4 = arith.mulf %m3, %two : f32
    %m5 = arith.mulf %m4, %two : f32
    %m6 = arith.mulf %m5, %two : f32
    %m7 = arith.mulf %m6, %two : f32
    %m8 = arith.mulf %m7, %two : f32
    %m9 = arith.mulf %m8, %two : f32
    %m10 = arith.mulf %m9, %two : f32
    %m11 = arith.mulf %m10, %two : f32
    %m12 = arith.mulf %m11, %two : f32
    %m13 = arith.mulf %m12, %two : f32
    %m14 = arith.mulf %m13, %two : f32
    %m15 = arith.mulf %m14, %two : f32
    %m16 = arith.mulf %m15, %two : f32
    %m17 = arith.mulf %m16, %two : f32
    %m18 = arith.mulf %m17, %two : f32
    %m19 = arith.mulf %m18, %two : f32
    %m20 = arith.mulf %m19, %two : f32
    %m21 = arith.mulf %m20, %two : f32
    %m22 = arith.mulf %m21, %two : f32
    %m23 = arith.mulf %m22, %two : f32
    %m24 = arith.mulf %m23, %two : f32
    %m25 = arith.mulf %m24, %two : f32
    %m26 = arith.mulf %m25, %two : f32
    %m27 = arith.mulf %m26, %two : f32
    %m28 = arith.mulf %m27, %two : f32
    %m29 = arith.mulf %m28, %two : f32
    %m30 = arith.mulf %m29, %two : f32
    %m31 = arith.mulf %m30, %two : f32
    %m32 = arith.mulf %m31, %two : f32
    %m33 = arith.mulf %m32, %two : f32
    %m34 = arith.mulf %m33, %two : f32
    %m35 = arith.mulf %m34, %two : f32
    %m36 = arith.mulf %m35, %two : f32
    %m37 = arith.mulf %m36, %two : f32
    %m38 = arith.mulf %m37, %two : f32
    %m39 = arith.mulf %m38, %two : f32
    %m40 = arith.mulf %m39, %two : f32
    %m41 = arith.mulf %m40, %two : f32
    %m42 = arith.mulf %m41, %two : f32
    %m43 = arith.mulf %m42, %two : f32
    %m44 = arith.mulf %m43, %two : f32
    %m45 = arith.mulf %m44, %two : f32
    %m46 = arith.mulf %m45, %two : f32
    %m47 = arith.mulf %m46, %two : f32
    %m48 = arith.mulf %m47, %two : f32
    %m49 = arith.mulf %m48, %two : f32
    %m50 = arith.mulf %m49, %two : f32
    %m51 = arith.mulf %m50, %two : f32
    %m52 = arith.mulf %m51, %two : f32
    %m53 = arith.mulf %m52, %two : f32
    %m54 = arith.mulf %m53, %two : f32
    %m55 = arith.mulf %m54, %two : f32
    %m56 = arith.mulf %m55, %two : f32
    %m57 = arith.mulf %m56, %two : f32
    %m58 = arith.mulf %m57, %two : f32
    %m59 = arith.mulf %m58, %two : f32
    %m60 = arith.mulf %m59, %two : f32
    %m61 = arith.mulf %m60, %two : f32
    %m62 = arith.mulf %m61, %two : f32
    %m63 = arith.mulf %m62, %two : f32
    %m64 = arith.mulf %m63, %two : f32
    %m65 = arith.mulf %m64, %two : f32
    %m66 = arith.mulf %m65, %two : f32
    %m67 = arith.mulf %m66, %two : f32
    %m68 = arith.mulf %m67, %two : f32
    %m69 = arith.mulf %m68, %two : f32
    %m70 = arith.mulf %m69, %two : f32
    %m71 = arith.mulf %m70, %two : f32
    %m72 = arith.mulf %m71, %two : f32
    %m73 = arith.mulf %m72, %two : f32
    %m74 = arith.mulf %m73, %two : f32
    %m75 = arith.mulf %m74, %two : f32
    %m76 = arith.mulf %m75, %two : f32
    %m77 = arith.mulf %m76, %two : f32
    %m78 = arith.mulf %m77, %two : f32
    %m79 = arith.mulf %m78, %two : f32
    %m80 = arith.mulf %m79, %two : f32
    %m81 = arith.mulf %m80, %two : f32
    %m82 = arith.mulf %m81, %two : f32
    %m83 = arith.mulf %m82, %two : f32
    %m84 = arith.mulf %m83, %two : f32
    %m85 = arith.mulf %m84, %two : f32
    %m86 = arith.mulf %m85, %two : f32
    %m87 = arith.mulf %m86, %two : f32
    %m88 = arith.mulf %m87, %two : f32
    %m89 = arith.mulf %m88, %two : f32
    %m90 = arith.mulf %m89, %two : f32
    %m91 = arith.mulf %m90, %two : f32
    %m92 = arith.mulf %m91, %two : f32
    %m93 = arith.mulf %m92, %two : f32
    %m94 = arith.mulf %m93, %two : f32
    %m95 = arith.mulf %m94, %two : f32
    %m96 = arith.mulf %m95, %two : f32
    %m97 = arith.mulf %m96, %two : f32
    %m98 = arith.mulf %m97, %two : f32
    %m99 = arith.mulf %m98, %two : f32
    %m100 = arith.mulf %m99, %two : f32
    %m101 = arith.mulf %m100, %two : f32
    %m102 = arith.mulf %m101, %two : f32
    %m103 = arith.mulf %m102, %two : f32
    %m104 = arith.mulf %m103, %two : f32
    %m105 = arith.mulf %m104, %two : f32
    %m106 = arith.mulf %m105, %two : f32
    %m107 = arith.mulf %m106, %two : f32
    %m108 = arith.mulf %m107, %two : f32
    %m109 = arith.mulf %m108, %two : f32
    %m110 = arith.mulf %m109, %two : f32
    %m111 = arith.mulf %m110, %two : f32
    %m112 = arith.mulf %m111, %two : f32
    %m113 = arith.mulf %m112, %two : f32
    %m114 = arith.mulf %m113, %two : f32
    %m115 = arith.mulf %m114, %two : f32
    %m116 = arith.mulf %m115, %two : f32
    %m117 = arith.mulf %m116, %two : f32
    %m118 = arith.mulf %m117, %two : f32
    %m119 = arith.mulf %m118, %two : f32
    linalg.yield %m119 : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %m0 = arith.mulf %in0, %two : f32
    %m1 = arith.mulf %m0, %two : f32
    %m2 = arith.mulf %m1, %two : f32
    %m3 = arith.mulf %m2, %two : f32
    %m4 = arith.mulf %m3, %two : f32
    %m5 = arith.mulf %m4, %two : f32
    %m6 = arith.mulf %m5, %two : f32
    %m7 = arith.mulf %m6, %two : f32
    linalg.yield %m7 : f32
  } -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%y : tensor<8xbf16>) outs(%halves : tensor<8xbf16>) {
  ^bb0(%in0: bf16, %out: bf16):
    %m0 = arith.mulf %in0, %half : bf16
    %m1 = arith.mulf %m0, %half : bf16
    %m2 = arith.mulf %m1, %half : bf16
    %m3 = arith.mulf %m2, %half : bf16
    %m4 = arith.mulf %m3, %half : bf16
    %m5 = arith.mulf %m4, %half : bf16
    %m6 = arith.mulf %m5, %half : bf16
    %m7 = arith.mulf %m6, %half : bf16
    %m8 = arith.mulf %m7, %half : bf16
    %m9 = arith.mulf %m8, %half : bf16
    %m10 = arith.mulf %m9, %half : bf16
    %m11 = arith.mulf %m10, %half : bf16
    %m12 = arith.mulf %m11, %half : bf16
    %m13 = arith.mulf %m12, %half : bf16
    %m14 = arith.mulf %m13, %half : bf16
    %m15 = arith.mulf %m14, %half : bf16
    %m16 = arith.mulf %m15, %half : bf16
    %m17 = arith.mulf %m16, %half : bf16
    %m18 = arith.mulf %m17, %half : bf16
    %m19 = arith.mulf %m18, %half : bf16
    %m20 = arith.mulf %m19, %half : bf16
    %m21 = arith.mulf %m20, %half : bf16
    %m22 = arith.mulf %m21, %half : bf16
    %m23 = arith.mulf %m22, %half : bf16
    %m24 = arith.mulf %m23, %half : bf16
    %m25 = arith.mulf %m24, %half : bf16
    %m26 = arith.mulf %m25, %half : bf16
    %m27 = arith.mulf %m26, %half : bf16
    %m28 = arith.mulf %m27, %half : bf16
    %m29 = arith.mulf %m28, %half : bf16
    %m30 = arith.mulf %m29, %half : bf16
    %m31 = arith.mulf %m30, %half : bf16
    %m32 = arith.mulf %m31, %half : bf16
    %m33 = arith.mulf %m32, %half : bf16
    %m34 = arith.mulf %m33, %half : bf16
    %m35 = arith.mulf %m34, %half : bf16
    %m36 = arith.mulf %m35, %half : bf16
    %m37 = arith.mulf %m36, %half : bf16
    %m38 = arith.mulf %m37, %half : bf16
    %m39 = arith.mulf %m38, %half : bf16
    %m40 = arith.mulf %m39, %half : bf16
    %m41 = arith.mulf %m40, %half : bf16
    %m42 = arith.mulf %m41, %half : bf16
    %m43 = arith.mulf %m42, %half : bf16
    %m44 = arith.mulf %m43, %half : bf16
    %m45 = arith.mulf %m44, %half : bf16
    %m46 = arith.mulf %m45, %half : bf16
    %m47 = arith.mulf %m46, %half : bf16
    %m48 = arith.mulf %m47, %half : bf16
    %m49 = arith.mulf %m48, %half : bf16
    %m50 = arith.mulf %m49, %half : bf16
    %m51 = arith.mulf %m50, %half : bf16
    %m52 = arith.mulf %m51, %half : bf16
    %m53 = arith.mulf %m52, %half : bf16
    %m54 = arith.mulf %m53, %half : bf16
    %m55 = arith.mulf %m54, %half : bf16
    %m56 = arith.mulf %m55, %half : bf16
    %m57 = arith.mulf %m56, %half : bf16
    %m58 = arith.mulf %m57, %half : bf16
    %m59 = arith.mulf %m58, %half : bf16
    %m60 = arith.mulf %m59, %half : bf16
    %m61 = arith.mulf %m60, %half : bf16
    %m62 = arith.mulf %m61, %half : bf16
    %m63 = arith.mulf %m62, %half : bf16
    %m64 = arith.mulf %m63, %half : bf16
    %m65 = arith.mulf %m64, %half : bf16
    %m66 = arith.mulf %m65, %half : bf16
    %m67 = arith.mulf %m66, %half : bf16
    %m68 = arith.mulf %m67, %half : bf16
    %m69 = arith.mulf %m68, %half : bf16
    %m70 = arith.mulf %m69, %half : bf16
    %m71 = arith.mulf %m70, %half : bf16
    %m72 = arith.mulf %m71, %half : bf16
    %m73 = arith.mulf %m72, %half : bf16
    %m74 = arith.mulf %m73, %half : bf16
    %m75 = arith.mulf %m74, %half : bf16
    %m76 = arith.mulf %m75, %half : bf16
    %m77 = arith.mulf %m76, %half : bf16
    %m78 = arith.mulf %m77, %half : bf16
    %m79 = arith.mulf %m78, %half : bf16
    %m80 = arith.mulf %m79, %half : bf16
    %m81 = arith.mulf %m80, %half : bf16
    %m82 = arith.mulf %m81, %half : bf16
    %m83 = arith.mulf %m82, %half : bf16
    %m84 = arith.mulf %m83, %half : bf16
    %m85 = arith.mulf %m84, %half : bf16
    %m86 = arith.mulf %m85, %half : bf16
    %m87 = arith.mulf %m86, %half : bf16
    %m88 = arith.mulf %m87, %half : bf16
    %m89 = arith.mulf %m88, %half : bf16
    %m90 = arith.mulf %m89, %half : bf16
    %m91 = arith.mulf %m90, %half : bf16
    %m92 = arith.mulf %m91, %half : bf16
    %m93 = arith.mulf %m92, %half : bf16
    %m94 = arith.mulf %m93, %half : bf16
    %m95 = arith.mulf %m94, %half : bf16
    %m96 = arith.mulf %m95, %half : bf16
    %m97 = arith.mulf %m96, %half : bf16
    %m98 = arith.mulf %m97, %half : bf16
    %m99 = arith.mulf %m98, %half : bf16
    %m100 = arith.mulf %m99, %half : bf16
    %m101 = arith.mulf %m100, %half : bf16
    %m102 = arith.mulf %m101, %half : bf16
    %m103 = arith.mulf %m102, %half : bf16
    %m104 = arith.mulf %m103, %half : bf16
    %m105 = arith.mulf %m104, %half : bf16
    %m106 = arith.mulf %m105, %half : bf16
    %m107 = arith.mulf %m106, %half : bf16
    %m108 = arith.mulf %m107, %half : bf16
    %m109 = arith.mulf %m108, %half : bf16
    %m110 = arith.mulf %m109, %half : bf16
    %m111 = arith.mulf %m110, %half : bf16
    %m112 = arith.mulf %m111, %half : bf16
    %m113 = arith.mulf %m112, %half : bf16
    %m114 = arith.mulf %m113, %half : bf16
    %m115 = arith.mulf %m114, %half : bf16
    %m116 = arith.mulf %m115, %half : bf16
    %m117 = arith.mulf %m116, %half : bf16
    %m118 = arith.mulf %m117, %half : bf16
    %m119 = arith.mulf %m118, %half : bf16
    linalg.yield %m119 : bf16
  } -> tensor<8xbf16>
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xbf16>
}

// -----

#map = affine_map<(d0) -> (d0)>

// A program with few ops stays as it is.

// CHECK-NOT: dovetail.function
func.func @short(%x: tensor<8xf32>) -> tensor<8xf32> {
  %two = arith.constant 2.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %m0 = arith.mulf %in0, %two : f32
    %m1 = arith.mulf %m0, %two : f32
    %m2 = arith.mulf %m1, %two : f32
    %m3 = arith.mulf %m2, %two : f32
    %m4 = arith.mulf %m3, %two : f32
    %m5 = arith.mulf %m4, %two : f32
    %m6 = arith.mulf %m5, %two : f32
    %m7 = arith.mulf %m6, %two : f32
    %m8 = arith.mulf %m7, %two : f32
    %m9 = arith.mulf %m8, %two : f32
    %m10 = arith.mulf %m9, %two : f32
    %m11 = arith.mulf %m10, %two : f32
    %m12 = arith.mulf %m11, %two : f32
    %m13 = arith.mulf %m12, %two : f32
    %m14 = arith.mulf %m13, %two : f32
    %m15 = arith.mulf %m14, %two : f32
    %m16 = arith.mulf %m15, %two : f32
    %m17 = arith.mulf %m16, %two : f32
    %m18 = arith.mulf %m17, %two : f32
    %m19 = arith.mulf %m18, %two : f32
    %m20 = arith.mulf %m19, %two : f32
    %m21 = arith.mulf %m20, %two : f32
    %m22 = arith.mulf %m21, %two : f32
    %m23 = arith.mulf %m22, %two : f32
    %m24 = arith.mulf %m23, %two : f32
    %m25 = arith.mulf %m24, %two : f32
    %m26 = arith.mulf %m25, %two : f32
    %m27 = arith.mulf %m26, %two : f32
    %m28 = arith.mulf %m27, %two : f32
    %m29 = arith.mulf %m28, %two : f32
    %m30 = arith.mulf %m29, %two : f32
    %m31 = arith.mulf %m30, %two : f32
    %m32 = arith.mulf %m31, %two : f32
    %m33 = arith.mulf %m32, %two : f32
    %m34 = arith.mulf %m33, %two : f32
    %m35 = arith.mulf %m34, %two : f32
    %m36 = arith.mulf %m35, %two : f32
    %m37 = arith.mulf %m36, %two : f32
    %m38 = arith.mulf %m37, %two : f32
    %m39 = arith.mulf %m38, %two : f32
    linalg.yield %m39 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
