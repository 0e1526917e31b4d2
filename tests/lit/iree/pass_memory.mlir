// A function that asks for it takes and returns buffers, which are arrays inside; what it consumes, it still does.
// RUN: dovetail-opt %s --dovetail-pass-memory --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[A:.+]]: !hal.buffer, %[[B:.+]]: !hal.buffer) -> (!hal.buffer, !hal.buffer) {
// CHECK-DAG:     %[[X:.+]] = "hal.tensor.import"(%[[A]]) {{.*}}target_encoding = tensor<3xf32>
// CHECK-DAG:     %[[Y:.+]] = "hal.tensor.import"(%[[B]]) {{.*}}consume
// CHECK:         %[[SUM:.+]] = arith.addf %[[X]], %[[Y]]
// CHECK:         %[[R:.+]] = "hal.tensor.export"(%[[SUM]])
// CHECK:         %[[S:.+]] = "hal.tensor.export"(%[[X]])
// CHECK:         return %[[R]], %[[S]]
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32> {iree.abi.consume}) -> (tensor<3xf32>, tensor<3xf32>) attributes {dovetail.passes_memory} {
  %sum = arith.addf %x, %y : tensor<3xf32>
  return %sum, %x : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @views
// CHECK-SAME:    (%{{.+}}: tensor<3xf32>) -> tensor<3xf32>
func.func @views(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

// expected-error @below {{arguments and results that are passed as memory must be arrays of known sizes, got: '(tensor<?xf32>) -> tensor<?xf32>'}}
func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> attributes {dovetail.passes_memory} {
  return %x : tensor<?xf32>
}
