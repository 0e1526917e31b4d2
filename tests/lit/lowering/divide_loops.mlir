// Loops over large arrays as workgroups that each compute a part.
// RUN: dovetail-opt %s --split-input-file --dovetail-divide-loops | FileCheck %s
// RUN: dovetail-opt %s --split-input-file --dovetail-divide-loops --dovetail-lower | FileCheck %s --check-prefix=LOWERED

// The rows are divided, with the ops around the loop; the matrix is the same for all.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    (%[[X:.+]]: tensor<64x8xf32>, %[[W:.+]]: tensor<8x8xf32>)
// CHECK:         %[[PARTS:.+]] = dovetail.reshape %[[X]] : tensor<64x8xf32> -> tensor<16x4x8xf32>
// CHECK:         %[[ALL:.+]] = dovetail.scan length 16 init() over(%[[PARTS]]) consts(%[[W]]) {dovetail.workgroups}
// CHECK:           dovetail.sin %{{.+}} : tensor<4x8xf32>
// CHECK:           dovetail.scan length 10
// CHECK:             dovetail.dot_general {{.+}} : tensor<4x8xf32>, tensor<8x8xf32>
// CHECK:           dovetail.exp %{{.+}} : tensor<4x8xf32>
// CHECK:           dovetail.yield %{{.+}} : tensor<4x8xf32>
// CHECK:         %[[RESULT:.+]] = dovetail.reshape %[[ALL]] : tensor<16x4x8xf32> -> tensor<64x8xf32>
// CHECK-NEXT:    return %[[RESULT]]

// LOWERED:       "hal.return"(%[[GROUPS:.+]], %{{.+}}, %{{.+}})
// LOWERED:       builtin.module attributes {dovetail.dispatch, dovetail.groups = 16 : index}
// LOWERED:         "hal.interface.workgroup.id"() {dimension = 0 : index}
// LOWERED:       func.func @rows
// LOWERED-NOT:     scf.for
// LOWERED:         "flow.dispatch"
module attributes {dovetail.target = "cpu", dovetail.divide_loops} {
  func.func @rows(%x: tensor<64x8xf32>, %w: tensor<8x8xf32>) -> tensor<64x8xf32> {
    %0 = dovetail.sin %x : tensor<64x8xf32>
    %1 = dovetail.scan length 10 init(%0) over() consts(%w) : (tensor<64x8xf32>, tensor<8x8xf32>) -> tensor<64x8xf32> {
    ^bb0(%c: tensor<64x8xf32>, %v: tensor<8x8xf32>):
      %2 = dovetail.dot_general %c, %v batch [] x [] contract [1] x [0] : tensor<64x8xf32>, tensor<8x8xf32>
      dovetail.yield %2 : tensor<64x8xf32>
    }
    %3 = dovetail.exp %1 : tensor<64x8xf32>
    return %3 : tensor<64x8xf32>
  }
}

// -----

// Each row needs all others.
// CHECK-LABEL: func.func @mixed
// CHECK-NOT:     dovetail.workgroups
module attributes {dovetail.target = "cpu", dovetail.divide_loops} {
  func.func @mixed(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = dovetail.scan length 10 init(%x) over() consts() : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    ^bb0(%c: tensor<8x8xf32>):
      %1 = dovetail.dot_general %c, %c batch [] x [] contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
      dovetail.yield %1 : tensor<8x8xf32>
    }
    return %0 : tensor<8x8xf32>
  }
}

// -----

// A small loop is one dispatch as a whole.
// CHECK-LABEL: func.func @small
// CHECK-NOT:     dovetail.workgroups
module attributes {dovetail.target = "cpu"} {
  func.func @small(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
    %0 = dovetail.scan length 10 init(%x) over() consts() : (tensor<64x8xf32>) -> tensor<64x8xf32> {
    ^bb0(%c: tensor<64x8xf32>):
      %1 = dovetail.sin %c : tensor<64x8xf32>
      dovetail.yield %1 : tensor<64x8xf32>
    }
    return %0 : tensor<64x8xf32>
  }
}

// -----

// A loop that runs as long as any of several instances does, as vmap makes it: each part runs as long as it has to, and
// both bodies take the same part of what they share.
// CHECK-LABEL: func.func @masked
// CHECK:         dovetail.scan length 16 {{.+}} {dovetail.workgroups}
// CHECK:           dovetail.while {{.+}} (tensor<4xf32>, tensor<4xi1>)
// CHECK-NEXT:        ^bb0({{.+}}: tensor<4xf32>, {{.+}}: tensor<4xi1>, {{.+}}: tensor<4xf32>):
// CHECK-NEXT:        dovetail.reduce_or %{{.+}} [0] : tensor<4xi1>
module attributes {dovetail.target = "cpu", dovetail.divide_loops} {
  func.func @masked(%x: tensor<64xf32>, %p: tensor<64xi1>, %most: tensor<64xf32>) -> tensor<64xf32> {
    %0:2 = dovetail.while init(%x, %p) consts(%most) {dovetail.masked} : (tensor<64xf32>, tensor<64xi1>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xi1>) {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xi1>, %c: tensor<64xf32>):
      %1 = dovetail.reduce_or %b [0] : tensor<64xi1>
      dovetail.yield %1 : tensor<i1>
    } do {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xi1>, %c: tensor<64xf32>):
      %1 = dovetail.mul %a, %a : tensor<64xf32>
      %2 = dovetail.select %b, %1, %a : tensor<64xi1>, tensor<64xf32>
      %3 = dovetail.compare lt %2, %c : tensor<64xf32>
      %4 = dovetail.and %b, %3 : tensor<64xi1>
      dovetail.yield %2, %4 : tensor<64xf32>, tensor<64xi1>
    }
    return %0#0 : tensor<64xf32>
  }
}

// -----

// Without the mark, instances may change as long as any runs.
// CHECK-LABEL: func.func @not_masked
// CHECK-NOT:     dovetail.workgroups
module attributes {dovetail.target = "cpu", dovetail.divide_loops} {
  func.func @not_masked(%x: tensor<64xf32>, %p: tensor<64xi1>, %most: tensor<64xf32>) -> tensor<64xf32> {
    %0:2 = dovetail.while init(%x, %p) consts(%most) : (tensor<64xf32>, tensor<64xi1>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xi1>) {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xi1>, %c: tensor<64xf32>):
      %1 = dovetail.reduce_or %b [0] : tensor<64xi1>
      dovetail.yield %1 : tensor<i1>
    } do {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xi1>, %c: tensor<64xf32>):
      %1 = dovetail.mul %a, %a : tensor<64xf32>
      %3 = dovetail.compare lt %1, %c : tensor<64xf32>
      %4 = dovetail.and %b, %3 : tensor<64xi1>
      dovetail.yield %1, %4 : tensor<64xf32>, tensor<64xi1>
    }
    return %0#0 : tensor<64xf32>
  }
}
