// A loop or a branch in one dispatch overwrites a large donated argument that it updates.
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline="from=decompose to=lower" | FileCheck %s

// The output has the memory of the input, and nothing is copied to it before the loop.
// CHECK-LABEL: func.func @once0
// CHECK-NOT: vector.store
// CHECK: scf.for %{{.+}} = %c0 to %c9
// CHECK-LABEL: func.func @loop
// CHECK: "flow.dispatch"(%arg0{{.*}}tied_operands = [{{[0-9]+}} : index
module attributes {dovetail.target = "cpu"} {
func.func @loop(%x: tensor<1024x64xf32> {dovetail.donated}) -> tensor<1024x64xf32> {
  %end = dovetail.scan length 9 init(%x) over() consts() : (tensor<1024x64xf32>) -> tensor<1024x64xf32> {
  ^bb0(%c: tensor<1024x64xf32>):
    %place = dovetail.constant dense<3> : tensor<1xi32>
    %row = dovetail.slice %c starts [3, 0] strides [1, 1] : tensor<1024x64xf32> -> tensor<1x64xf32>
    %new = dovetail.sin %row : tensor<1x64xf32>
    %next = dovetail.scatter %c, %place, %new dims [0] window [1] : tensor<1024x64xf32>, tensor<1xi32>, tensor<1x64xf32>
    dovetail.yield %next : tensor<1024x64xf32>
  }
  return %end : tensor<1024x64xf32>
}
}

// -----

// Other arguments are copied, and so are small ones.
// CHECK-LABEL: func.func @kept
// CHECK: "flow.dispatch"(%arg0{{.*}}tied_operands = [-1 : index
module attributes {dovetail.target = "cpu"} {
func.func @kept(%x: tensor<1024x64xf32>) -> tensor<1024x64xf32> {
  %end = dovetail.scan length 99 init(%x) over() consts() : (tensor<1024x64xf32>) -> tensor<1024x64xf32> {
  ^bb0(%c: tensor<1024x64xf32>):
    %place = dovetail.constant dense<3> : tensor<1xi32>
    %row = dovetail.slice %c starts [3, 0] strides [1, 1] : tensor<1024x64xf32> -> tensor<1x64xf32>
    %new = dovetail.sin %row : tensor<1x64xf32>
    %next = dovetail.scatter %c, %place, %new dims [0] window [1] : tensor<1024x64xf32>, tensor<1xi32>, tensor<1x64xf32>
    dovetail.yield %next : tensor<1024x64xf32>
  }
  return %end : tensor<1024x64xf32>
}
}

// -----

// What a write made of a donated argument is overwritten like it.
// CHECK-LABEL: func.func @once0
// CHECK-NOT: vector.store
// CHECK: scf.for %{{.+}} = %c0 to %c9
// CHECK-LABEL: func.func @after_a_write
// CHECK: %[[WRITTEN:.+]] = tensor.insert_slice
// CHECK: "flow.dispatch"(%[[WRITTEN]]{{.*}}tied_operands = [0 : index
module attributes {dovetail.target = "cpu"} {
func.func @after_a_write(%x: tensor<1024x64xf32> {dovetail.donated}, %first: tensor<1x64xf32>) -> tensor<1024x64xf32> {
  %start = dovetail.constant dense<7> : tensor<1xi32>
  %written = dovetail.scatter %x, %start, %first dims [0] window [1] : tensor<1024x64xf32>, tensor<1xi32>, tensor<1x64xf32>
  %end = dovetail.scan length 9 init(%written) over() consts() : (tensor<1024x64xf32>) -> tensor<1024x64xf32> {
  ^bb0(%c: tensor<1024x64xf32>):
    %place = dovetail.constant dense<3> : tensor<1xi32>
    %row = dovetail.slice %c starts [3, 0] strides [1, 1] : tensor<1024x64xf32> -> tensor<1x64xf32>
    %new = dovetail.sin %row : tensor<1x64xf32>
    %next = dovetail.scatter %c, %place, %new dims [0] window [1] : tensor<1024x64xf32>, tensor<1xi32>, tensor<1x64xf32>
    dovetail.yield %next : tensor<1024x64xf32>
  }
  return %end : tensor<1024x64xf32>
}
}
