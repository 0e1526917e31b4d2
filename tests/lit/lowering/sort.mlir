// Long rows are sorted by digits where the target is a CPU, in one dispatch, and merged in parallel elsewhere.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s
// What was lowered is read again as it was written.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower -o %t.1
// RUN: dovetail-opt %t.1 --split-input-file -o %t.2 && diff %t.1 %t.2

module attributes {dovetail.target = "cpu"} {
  func.func @digits(%arg0: tensor<3x200xf32>) -> tensor<3x200xf32> {
    %0 = dovetail.sort %arg0 dimension 1 keys 1 : tensor<3x200xf32>
    return %0 : tensor<3x200xf32>
  }
  // CHECK-LABEL: func.func @digits
  // CHECK: %[[KEYS:.*]] = linalg.generic
  // CHECK: arith.bitcast {{.*}} : f32 to i32
  // CHECK: %[[STATE:.*]] = "flow.dispatch.workgroups"
  // CHECK: ^bb0(%{{.*}}: !iree_tensor_ext.dispatch.tensor<readonly:tensor<3x200xi32>>, %{{.*}}: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<3x1424xi32>>):
  // CHECK: "iree_tensor_ext.dispatch.tensor.load"
  // CHECK: scf.forall (%{{.*}}) in (3)
  // CHECK: tensor.parallel_insert_slice
  // CHECK: {mapping = [#iree_codegen.workgroup_mapping<x>]}
  // CHECK: "iree_tensor_ext.dispatch.tensor.store"
  // CHECK: linalg.generic
  // CHECK: tensor.extract %[[STATE]]
  // CHECK: tensor.extract %arg0

  // A few elements are selected: the numbers of those, in the inverted order of the keys.
  func.func @selection(%arg0: tensor<3x200xi32>) -> tensor<3x5xi32> {
    %0 = dovetail.sort %arg0 dimension 1 keys 1 first 5 descending = true : tensor<3x200xi32>
    return %0 : tensor<3x5xi32>
  }
  // CHECK-LABEL: func.func @selection
  // CHECK: arith.xori {{.*}} : i32
  // CHECK: "flow.dispatch.workgroups"
  // CHECK: writeonly:tensor<3x5xi32>>
  // CHECK: scf.while

  // Two sorted copies of the numbers, and 256 counters for one digit.
  func.func @one_digit(%arg0: tensor<200xi8>, %arg1: tensor<200xf64>) -> tensor<200xf64> {
    %0:2 = dovetail.sort %arg0, %arg1 dimension 0 keys 1 : tensor<200xi8>, tensor<200xf64>
    return %0#1 : tensor<200xf64>
  }
  // CHECK-LABEL: func.func @one_digit
  // CHECK: tensor<1x200xi32>) -> tensor<1x656xi32>

  func.func @dynamic(%arg0: tensor<?x?xi32>) -> tensor<?x?xi32> {
    %0 = dovetail.sort %arg0 dimension 0 keys 1 : tensor<?x?xi32>
    return %0 : tensor<?x?xi32>
  }
  // CHECK-LABEL: func.func @dynamic
  // CHECK: linalg.transpose
  // CHECK: "flow.dispatch.workgroups"
  // CHECK: "iree_tensor_ext.dispatch.workload.ordinal"
  // CHECK: "flow.dispatch.tie_shape"

  func.func @counted(%arg0: tensor<60xf32>) -> tensor<60xf32> {
    %0 = dovetail.sort %arg0 dimension 0 keys 1 : tensor<60xf32>
    return %0 : tensor<60xf32>
  }
  // CHECK-LABEL: func.func @counted
  // CHECK-NOT: flow.dispatch
}

// -----

// In a program that runs in this process, a library sorts elements, and orders short rows and large arrays.
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 2 : i64} {
  func.func @elements(%arg0: tensor<5x200x3xf64>, %arg1: tensor<200xui32>) -> (tensor<5x200x3xf64>, tensor<200xui32>) {
    %0 = dovetail.sort %arg0 dimension 1 keys 1 : tensor<5x200x3xf64>
    %1 = dovetail.sort %arg1 dimension 0 keys 1 descending = true : tensor<200xui32>
    return %0, %1 : tensor<5x200x3xf64>, tensor<200xui32>
  }
  // CHECK-LABEL: func.func @elements
  // CHECK: linalg.transpose
  // CHECK: "flow.dispatch"({{.*}}entry_points = [@sort::@sort]{{.*}} -> tensor<15x200xf64>
  // CHECK: linalg.transpose {{.*}} permutation = [0, 2, 1]
  // CHECK: "flow.dispatch"({{.*}}entry_points = [@sort::@sort]{{.*}} -> tensor<1x200xi32>
  // CHECK-NOT: linalg.generic

  func.func @places(%arg0: tensor<3x200xbf16>, %arg1: tensor<3x200xf64>) -> tensor<3x200xf64> {
    %0:2 = dovetail.sort %arg0, %arg1 dimension 1 keys 1 : tensor<3x200xbf16>, tensor<3x200xf64>
    return %0#1 : tensor<3x200xf64>
  }
  // CHECK-LABEL: func.func @places
  // CHECK: arith.bitcast {{.*}} : f32 to i32
  // CHECK: "flow.dispatch"({{.*}}entry_points = [@sort::@sort]{{.*}} -> tensor<3x200xi32>
  // CHECK: tensor.extract %arg1

  // Keys of 64 bits, two keys, and a row that stays in the cache are sorted by digits.
  func.func @digits_of_others(%arg0: tensor<3x200xf64>, %arg1: tensor<3x200xi32>, %arg2: tensor<4096xf32>)
      -> (tensor<3x200xi32>, tensor<3x200xf64>, tensor<4096xf32>) {
    %0:2 = dovetail.sort %arg0, %arg1 dimension 1 keys 1 : tensor<3x200xf64>, tensor<3x200xi32>
    %1:2 = dovetail.sort %arg1, %arg0 dimension 1 keys 2 : tensor<3x200xi32>, tensor<3x200xf64>
    %2:2 = dovetail.sort %arg2, %arg2 dimension 0 keys 1 : tensor<4096xf32>, tensor<4096xf32>
    return %0#1, %1#1, %2#1 : tensor<3x200xi32>, tensor<3x200xf64>, tensor<4096xf32>
  }
  // CHECK-LABEL: func.func @digits_of_others
  // CHECK-NOT: sort::@sort
}

// -----

func.func @merged(%arg0: tensor<300xf32>) -> tensor<300xf32> {
  %0 = dovetail.sort %arg0 dimension 0 keys 1 : tensor<300xf32>
  return %0 : tensor<300xf32>
}
// CHECK-LABEL: func.func @merged
// CHECK-NOT: flow.dispatch
// CHECK: scf.for
