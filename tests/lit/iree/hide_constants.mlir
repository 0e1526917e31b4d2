// An op on constants alone, or on what is computed from them, gets complex arrays from behind a barrier; others do not.
// RUN: dovetail-opt %s --dovetail-hide-constants | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-DAG:     %[[CONSTANT:.+]] = arith.constant dense<(1.000000e+00,-3.000000e+00)>
// CHECK:         %[[HIDDEN:.+]] = "util.optimization_barrier"(%[[CONSTANT]])
// CHECK:         %[[PART:.+]] = linalg.generic {{.*}} ins(%[[HIDDEN]]
// CHECK-NOT:     optimization_barrier
// CHECK:         %[[FILLED:.+]] = linalg.fill
// CHECK:         %[[HIDDEN:.+]] = "util.optimization_barrier"(%[[FILLED]])
// CHECK:         linalg.generic {{.*}} ins(%[[HIDDEN]]
// CHECK:         %[[MADE:.+]] = linalg.generic
// CHECK:           complex.create
// CHECK:         %[[ONE:.+]] = tensor.collapse_shape %[[MADE]]
// CHECK:         %[[HIDDEN:.+]] = "util.optimization_barrier"(%[[ONE]])
// CHECK:         linalg.generic {{.*}} ins(%[[HIDDEN]]
// CHECK-NOT:     optimization_barrier

#s = affine_map<() -> ()>
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<f32>, %y: tensor<2xcomplex<f32>>) -> (tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<2xcomplex<f32>>) {
  %c = arith.constant dense<(1.0, -3.0)> : tensor<complex<f32>>
  %e = tensor.empty() : tensor<f32>
  %part = linalg.generic {indexing_maps = [#s, #s], iterator_types = []} ins(%c : tensor<complex<f32>>) outs(%e : tensor<f32>) {
  ^bb0(%in: complex<f32>, %out: f32):
    %a = complex.im %in : complex<f32>
    linalg.yield %a : f32
  } -> tensor<f32>
  %absolute = linalg.generic {indexing_maps = [#s, #s], iterator_types = []} ins(%part : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %a = math.absf %in : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  %0 = linalg.generic {indexing_maps = [#s, #s, #s], iterator_types = []} ins(%part, %x : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %a = arith.addf %in, %in2 : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#s, #s, #s], iterator_types = []} ins(%absolute, %x : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %a = arith.addf %in, %in2 : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  %number = complex.constant [2.0 : f32, 0.5 : f32] : complex<f32>
  %e1 = tensor.empty() : tensor<2xcomplex<f32>>
  %e2 = tensor.empty() : tensor<2xf32>
  %filled = linalg.fill ins(%number : complex<f32>) outs(%e1 : tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%filled : tensor<2xcomplex<f32>>) outs(%e2 : tensor<2xf32>) {
  ^bb0(%in: complex<f32>, %out: f32):
    %a = complex.re %in : complex<f32>
    linalg.yield %a : f32
  } -> tensor<2xf32>
  %real = arith.constant dense<3.0> : tensor<1xf32>
  %e3 = tensor.empty() : tensor<1xcomplex<f32>>
  %made = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%real : tensor<1xf32>) outs(%e3 : tensor<1xcomplex<f32>>) {
  ^bb0(%in: f32, %out: complex<f32>):
    %a = complex.create %in, %in : complex<f32>
    linalg.yield %a : complex<f32>
  } -> tensor<1xcomplex<f32>>
  %one = tensor.collapse_shape %made [] : tensor<1xcomplex<f32>> into tensor<complex<f32>>
  %4 = linalg.generic {indexing_maps = [#s, #s], iterator_types = []} ins(%one : tensor<complex<f32>>) outs(%e : tensor<f32>) {
  ^bb0(%in: complex<f32>, %out: f32):
    %a = complex.re %in : complex<f32>
    linalg.yield %a : f32
  } -> tensor<f32>
  %i = arith.constant dense<(-1.0, 2.0)> : tensor<2xcomplex<f32>>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%y, %i : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) outs(%e1 : tensor<2xcomplex<f32>>) {
  ^bb0(%in: complex<f32>, %in2: complex<f32>, %out: complex<f32>):
    %a = complex.add %in, %in2 : complex<f32>
    linalg.yield %a : complex<f32>
  } -> tensor<2xcomplex<f32>>
  return %0, %1, %2, %4, %3 : tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<2xcomplex<f32>>
}
