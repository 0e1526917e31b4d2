// Products of matrices by a library, in programs that run in the process that compiles them.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

// All calls share one executable, whose workgroups pass their number last.
// CHECK-LABEL: hal.executable.source
// CHECK: "hal.interface.workgroup.id"
// CHECK: call @dovetail_blas_product
// CHECK-LABEL: func @main
// The element type, the layout, the number of products, rows, columns, terms and workgroups.
// CHECK-DAG: arith.constant 300 : index
// CHECK-DAG: arith.constant 500 : index
// CHECK: "flow.dispatch"({{.*}}entry_points = [@product::@product]
// Small products of f32 are fused with others.
// CHECK-NOT: flow.dispatch
// CHECK: linalg.generic
module attributes {dovetail.host_functions, dovetail.threads = 4 : i64} {
  func.func @main(%a: tensor<300x400xf32>, %b: tensor<500x400xf32>, %c: tensor<20x20xf32>)
      -> (tensor<300x500xf32>, tensor<20x20xf32>) {
    %0 = dovetail.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<300x400xf32>, tensor<500x400xf32>
    %1 = dovetail.dot_general %c, %c batch [] x [] contract [1] x [0] : tensor<20x20xf32>, tensor<20x20xf32>
    return %0, %1 : tensor<300x500xf32>, tensor<20x20xf32>
  }
}

// -----

// Without the attribute, a program may run elsewhere.
// CHECK-LABEL: func @elsewhere
// CHECK-NOT: flow.dispatch
// CHECK: linalg.generic
func.func @elsewhere(%a: tensor<300x400xf32>, %b: tensor<400x500xf32>) -> tensor<300x500xf32> {
  %0 = dovetail.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<300x400xf32>, tensor<400x500xf32>
  return %0 : tensor<300x500xf32>
}

// -----

// An operand that is not a matrix as it is stored is transposed.
// CHECK-LABEL: func @main
// CHECK: %[[A:.+]] = linalg.transpose ins(%arg0 {{.*}} permutation = [0, 2, 1]
// CHECK: "flow.dispatch"({{.*}}%[[A]], %arg1, {{.*}}entry_points = [@product::@product]
module attributes {dovetail.host_functions} {
  func.func @main(%a: tensor<20x300x20xf32>, %b: tensor<300x500xf32>) -> tensor<20x20x500xf32> {
    %0 = dovetail.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<20x300x20xf32>, tensor<300x500xf32>
    return %0 : tensor<20x20x500xf32>
  }
}

// -----

// Both may be, and so may be matrices of a batch.
// CHECK-LABEL: func @main
// CHECK-DAG: %[[A:.+]] = linalg.transpose ins(%arg0 {{.*}} permutation = [0, 2, 1, 3]
// CHECK-DAG: %[[B:.+]] = linalg.transpose ins(%arg1 {{.*}} permutation = [0, 2, 1, 3]
// CHECK: "flow.dispatch"({{.*}}%[[A]], %[[B]], {{.*}}entry_points = [@product::@product]
module attributes {dovetail.host_functions} {
  func.func @main(%a: tensor<2x512x4x512xf32>, %b: tensor<2x512x4x64xf32>) -> tensor<2x4x512x64xf32> {
    %0 = dovetail.dot_general %a, %b batch [0, 2] x [0, 2] contract [3] x [1]
      : tensor<2x512x4x512xf32>, tensor<2x512x4x64xf32>
    return %0 : tensor<2x4x512x64xf32>
  }
}

// -----

// Nothing is transposed for a result that is larger than the operands: what follows it is fused with it.
// CHECK-LABEL: func @main
// CHECK-NOT: flow.dispatch
// CHECK: linalg.generic
module attributes {dovetail.host_functions} {
  func.func @main(%a: tensor<2x512x4x64xf32>, %b: tensor<2x512x4x64xf32>) -> tensor<2x4x512x512xf32> {
    %0 = dovetail.dot_general %a, %b batch [0, 2] x [0, 2] contract [3] x [3]
      : tensor<2x512x4x64xf32>, tensor<2x512x4x64xf32>
    return %0 : tensor<2x4x512x512xf32>
  }
}

// -----

// Of unknown sizes, also that is: they are taken for large.
// CHECK-LABEL: func @main
// CHECK-COUNT-2: linalg.transpose
// CHECK: "flow.dispatch"({{.*}}entry_points = [@product::@product]
module attributes {dovetail.host_functions} {
  func.func @main(%a: tensor<2x?x4x64xf32>, %b: tensor<2x?x4x64xf32>) -> tensor<2x4x?x?xf32> {
    %0 = dovetail.dot_general %a, %b batch [0, 2] x [0, 2] contract [3] x [3]
      : tensor<2x?x4x64xf32>, tensor<2x?x4x64xf32>
    return %0 : tensor<2x4x?x?xf32>
  }
}

// -----

// The library reads matrices by columns, too: nothing is transposed.
// CHECK-LABEL: func @main
// CHECK-NOT: linalg.transpose %
// CHECK: arith.constant 2 : index
// CHECK: "flow.dispatch"(%{{.*}}, %arg1, {{.*}}entry_points = [@product::@product]
module attributes {dovetail.host_functions} {
  func.func @main(%a: tensor<300x400xf32>, %b: tensor<500x400xf32>) -> tensor<300x500xf32> {
    %0 = dovetail.transpose %b [1, 0] : tensor<500x400xf32>
    %1 = dovetail.dot_general %a, %0 batch [] x [] contract [1] x [0] : tensor<300x400xf32>, tensor<400x500xf32>
    return %1 : tensor<300x500xf32>
  }
}

// -----

// Factorizations and solutions are the library's, too.
// CHECK-LABEL: func @main
// CHECK: "flow.dispatch"({{.*}}entry_points = [@lu::@lu]
// CHECK: "flow.dispatch"({{.*}}entry_points = [@lu_solve::@lu_solve]
// CHECK: "flow.dispatch"({{.*}}entry_points = [@cholesky::@cholesky]
// CHECK: "flow.dispatch"({{.*}}entry_points = [@triangular_solve::@triangular_solve]
module attributes {dovetail.host_functions} {
  func.func @main(%a: tensor<5x3x3xf64>, %b: tensor<5x3x2xf64>) -> (tensor<5x3x2xf64>, tensor<5x3x2xf64>) {
    %lu, %pivots, %permutation = dovetail.lu %a : tensor<5x3x3xf64>
    %0 = dovetail.lu_solve %a, %lu, %permutation, %b
      : tensor<5x3x3xf64>, tensor<5x3x3xf64>, tensor<5x3xi32>, tensor<5x3x2xf64>
    %1 = dovetail.cholesky %a : tensor<5x3x3xf64>
    %2 = dovetail.triangular_solve %1, %b left_side = true lower = true : tensor<5x3x3xf64>, tensor<5x3x2xf64>
    return %0, %2 : tensor<5x3x2xf64>, tensor<5x3x2xf64>
  }
}

// -----

// A loop whose products are worth several threads is no dispatch on one of them: the library's threads compute them.
// CHECK-LABEL: func @main
// CHECK: scf.for
// CHECK: "flow.dispatch"({{.*}}entry_points = [@product::@product]
module attributes {dovetail.host_functions, dovetail.target = "cpu", dovetail.threads = 2 : i64} {
  func.func @main(%x: tensor<1000xf64>, %a: tensor<1000x1000xf64>) -> tensor<1000xf64> {
    %0 = dovetail.scan length 30 init(%x) over() consts(%a)
      : (tensor<1000xf64>, tensor<1000x1000xf64>) -> tensor<1000xf64> {
    ^bb0(%y: tensor<1000xf64>, %b: tensor<1000x1000xf64>):
      %1 = dovetail.dot_general %b, %y batch [] x [] contract [1] x [0] : tensor<1000x1000xf64>, tensor<1000xf64>
      dovetail.yield %1 : tensor<1000xf64>
    }
    return %0 : tensor<1000xf64>
  }
}

// -----

// On one thread it is.
// CHECK-LABEL: func @main
// CHECK-NOT: scf.for
// CHECK: "flow.dispatch"({{.*}}entry_points = [@once
module attributes {dovetail.host_functions, dovetail.target = "cpu", dovetail.threads = 1 : i64} {
  func.func @main(%x: tensor<1000xf64>, %a: tensor<1000x1000xf64>) -> tensor<1000xf64> {
    %0 = dovetail.scan length 30 init(%x) over() consts(%a)
      : (tensor<1000xf64>, tensor<1000x1000xf64>) -> tensor<1000xf64> {
    ^bb0(%y: tensor<1000xf64>, %b: tensor<1000x1000xf64>):
      %1 = dovetail.dot_general %b, %y batch [] x [] contract [1] x [0] : tensor<1000x1000xf64>, tensor<1000xf64>
      dovetail.yield %1 : tensor<1000xf64>
    }
    return %0 : tensor<1000xf64>
  }
}
