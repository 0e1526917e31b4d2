// Calls of foreign functions become dispatches that pass on the addresses of their buffers.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

// Calls with similar arguments share their code; a result in the memory of an argument is tied to it.
// CHECK:       sym_name = "foreign_call_1_over1_0"
// CHECK:       call @dovetail_ffi_call_3_0(
// CHECK:       sym_name = "foreign_call_1_new_0"
// CHECK-NOT:   "hal.executable.source"()
// CHECK-LABEL: func.func @main
// CHECK:         %[[Y:.+]] = "flow.dispatch"(%{{.+}}, %arg0, %{{.+}}) {entry_points = [@foreign_call_1_new_0::@foreign_call_1_new_0]{{.*}} tied_operands = [-1 : index]} : (tensor<{{.+}}xi64>, tensor<4x3xf32>, i32) -> tensor<12xf32>
// CHECK:         %[[Z:.+]] = "flow.dispatch"(%{{.+}}, %[[Y]], %{{.+}}) {entry_points = [@foreign_call_1_over1_0::@foreign_call_1_over1_0]{{.*}} tied_operands = [1 : index]} : (tensor<{{.+}}xi64>, tensor<12xf32>, i32) -> tensor<12xf32>
// CHECK:         %[[W:.+]] = "flow.dispatch"(%{{.+}}, %[[Z]], %{{.+}}) {entry_points = [@foreign_call_1_new_0::@foreign_call_1_new_0]
// CHECK:         return %[[W]]
func.func @main(%x: tensor<4x3xf32>) -> tensor<12xf32> {
  %0 = dovetail.ffi_call "f"(%x) : (tensor<4x3xf32>) -> tensor<12xf32>
  %1 = dovetail.ffi_call "g"(%0) {aliases = array<i64: 0>} : (tensor<12xf32>) -> tensor<12xf32>
  %2 = dovetail.ffi_call "f"(%1) : (tensor<12xf32>) -> tensor<12xf32>
  return %2 : tensor<12xf32>
}

// -----

// Calls with effects depend on each other, also through loops; the last one is needed.
// CHECK-LABEL: func.func @main
// CHECK:         %[[ZERO:.+]] = arith.constant dense<0> : tensor<i32>
// CHECK:         %[[FIRST:.+]] = "flow.dispatch"(%{{.+}}, %arg0, %[[ZERO]], %{{.+}}) {entry_points = [@foreign_call_1_0_ordered::@foreign_call_1_0_ordered]
// CHECK:         %[[LOOP:.+]]:2 = scf.for {{.*}} iter_args(%{{.+}} = %arg0, %[[INNER:.+]] = %[[FIRST]])
// CHECK:           %[[NEXT:.+]] = "flow.dispatch"(%{{.+}}, %{{.+}}, %[[INNER]], %{{.+}})
// CHECK:           scf.yield %{{.+}}, %[[NEXT]]
// CHECK:         "util.optimization_barrier"(%[[LOOP]]#1) : (tensor<i32>) -> tensor<i32>
// CHECK-NEXT:    return %[[LOOP]]#0
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  dovetail.ffi_call "f"(%x) {has_side_effect = true} : (tensor<f32>) -> ()
  %0 = dovetail.scan length 3 init(%x) over() consts() : (tensor<f32>) -> tensor<f32> {
  ^bb0(%c: tensor<f32>):
    dovetail.ffi_call "f"(%c) {has_side_effect = true} : (tensor<f32>) -> ()
    %1 = dovetail.sin %c : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// They depend on callbacks too, which the host orders by numbers.
// CHECK-LABEL: func.func @main
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK:         %[[CALL:.+]] = call @host.f0(%arg0, %[[ZERO]]) : (tensor<f32>, i32) -> i32
// CHECK:         %[[ARRAY:.+]] = tensor.from_elements %[[CALL]] : tensor<i32>
// CHECK:         %[[TOKEN:.+]] = "flow.dispatch"(%{{.+}}, %arg0, %[[ARRAY]], %{{.+}})
// CHECK:         %[[NUMBER:.+]] = tensor.extract %[[TOKEN]][] : tensor<i32>
// CHECK:         %[[LAST:.+]] = call @host.f0(%arg0, %[[NUMBER]])
// CHECK:         "util.optimization_barrier"(%[[LAST]]) : (i32) -> i32
module attributes {dovetail.host_functions} {
  func.func @main(%x: tensor<f32>) {
    dovetail.callback "f" effect "io"(%x) : (tensor<f32>) -> ()
    dovetail.ffi_call "g"(%x) {has_side_effect = true} : (tensor<f32>) -> ()
    dovetail.callback "f" effect "io"(%x) : (tensor<f32>) -> ()
    return
  }
}
