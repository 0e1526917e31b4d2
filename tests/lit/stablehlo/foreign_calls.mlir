// Calls of functions of native libraries, by XLA's typed interface: to StableHLO, and back. Kernels are plain ops there.
// RUN: dovetail-opt %s --dovetail-to-stablehlo | FileCheck %s
// RUN: dovetail-opt %s --dovetail-to-stablehlo | dovetail-opt --dovetail-from-stablehlo | FileCheck %s --check-prefix=BACK

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.custom_call @f(%arg0) {api_version = 4 : i32, has_side_effect = true, mhlo.backend_config = {by = 2.000000e+00 : f32, name = "x", ns = dense<[1, 2]> : tensor<2xi64>}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>]}
// CHECK: stablehlo.custom_call @g(%arg0) {{.*}}output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
// CHECK-NOT: stablehlo.case
// CHECK: stablehlo.exponential
// BACK-LABEL: func.func @main
// BACK: dovetail.ffi_call "f"(%arg0) with {by = 2.000000e+00 : f32, name = "x", ns = dense<[1, 2]> : tensor<2xi64>} {has_side_effect = true, input_layouts = [array<i64: 1, 0>], output_layouts = [array<i64: 0, 1>, array<i64>]}
// BACK: dovetail.ffi_call "g"(%arg0) {aliases = array<i64: 0>
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0:2 = dovetail.ffi_call "f"(%x) with {by = 2.0 : f32, name = "x", ns = dense<[1, 2]> : tensor<2xi64>} {has_side_effect = true, input_layouts = [array<i64: 1, 0>], output_layouts = [array<i64: 0, 1>, array<i64>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>)
  %1 = dovetail.ffi_call "g"(%x) {aliases = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %index = dovetail.constant dense<0> : tensor<i32>
  %2 = dovetail.case %index of(%x) {dovetail.kernel} : (tensor<i32>, tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%a: tensor<2x3xf32>):
    %3 = dovetail.exp %a : tensor<2x3xf32>
    dovetail.yield %3 : tensor<2x3xf32>
  }
  return %0#0, %0#1, %1, %2 : tensor<2x3xf32>, tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>
}
