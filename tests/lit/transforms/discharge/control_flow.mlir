// References in loops and branches.
// RUN: dovetail-opt %s --dovetail-discharge | FileCheck %s
// RUN: dovetail-opt %s --dovetail-pipeline=to=simplify | FileCheck %s --check-prefix=SIMPLE

// A reference that a loop writes to becomes a carry; one that it only reads stays a constant.
// CHECK-LABEL: func.func @scan
// CHECK-NEXT: %[[LOOP:.+]] = dovetail.scan length 4 init(%arg1) over(%arg0) consts(%arg1, %arg2)
// CHECK-NEXT: ^bb0(%[[NOW:.+]]: tensor<f32>, %[[X:.+]]: tensor<f32>, %{{.+}}: tensor<f32>, %[[READ:.+]]: tensor<f32>):
// CHECK-NEXT: %[[ADD:.+]] = dovetail.add %[[NOW]], %[[X]]
// CHECK-NEXT: %[[MUL:.+]] = dovetail.mul %[[ADD]], %[[READ]]
// CHECK-NEXT: dovetail.yield %[[MUL]]
// CHECK: return %[[LOOP]], %arg2
// SIMPLE-LABEL: func.func @scan
// SIMPLE-NEXT: dovetail.scan length 4 init(%arg1) over(%arg0) consts(%arg2)
func.func @scan(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = dovetail.new_ref %arg1 : tensor<f32>
  %1 = dovetail.new_ref %arg2 : tensor<f32>
  dovetail.scan length 4 init() over(%arg0) consts(%0, %1) : (tensor<4xf32>, !dovetail.ref<f32>, !dovetail.ref<f32>) -> () {
  ^bb0(%x: tensor<f32>, %a: !dovetail.ref<f32>, %b: !dovetail.ref<f32>):
    %4 = dovetail.ref_get %a : <f32>
    %5 = dovetail.add %4, %x : tensor<f32>
    %6 = dovetail.ref_get %b : <f32>
    %7 = dovetail.mul %5, %6 : tensor<f32>
    dovetail.ref_set %a, %7 : <f32>, tensor<f32>
    dovetail.yield
  }
  %2 = dovetail.freeze %0 : <f32>
  %3 = dovetail.freeze %1 : <f32>
  return %2, %3 : tensor<f32>, tensor<f32>
}

// The predicate sees what the body writes.
// CHECK-LABEL: func.func @while
// CHECK-NEXT: %[[LOOP:.+]] = dovetail.while init(%arg0) consts(%arg0, %arg1)
// CHECK-NEXT: ^bb0(%[[SEEN:.+]]: tensor<f32>, %{{.+}}: tensor<f32>, %[[BOUND:.+]]: tensor<f32>):
// CHECK-NEXT: %[[LT:.+]] = dovetail.compare lt %[[SEEN]], %[[BOUND]]
// CHECK-NEXT: dovetail.yield %[[LT]]
// CHECK: ^bb0(%[[NOW:.+]]: tensor<f32>, %{{.+}}: tensor<f32>, %{{.+}}: tensor<f32>):
// CHECK-NEXT: %[[EXP:.+]] = dovetail.exp %[[NOW]]
// CHECK-NEXT: dovetail.yield %[[EXP]]
// CHECK: return %[[LOOP]]
func.func @while(%arg0: !dovetail.ref<f32>, %arg1: tensor<f32>) {
  dovetail.while init() consts(%arg0, %arg1) : (!dovetail.ref<f32>, tensor<f32>) -> () {
  ^bb0(%a: !dovetail.ref<f32>, %bound: tensor<f32>):
    %0 = dovetail.ref_get %a : <f32>
    %1 = dovetail.compare lt %0, %bound : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%a: !dovetail.ref<f32>, %bound: tensor<f32>):
    %0 = dovetail.ref_get %a : <f32>
    %1 = dovetail.exp %0 : tensor<f32>
    dovetail.ref_set %a, %1 : <f32>, tensor<f32>
    dovetail.yield
  }
  return
}

// A branch that does not write returns what it got; a loop within a branch passes it on.
// CHECK-LABEL: func.func @case
// CHECK-NEXT: %[[CASE:.+]] = dovetail.case %arg0 of(%arg1, %arg1)
// CHECK-NEXT: ^bb0(%{{.+}}: tensor<f32>, %[[SAME:.+]]: tensor<f32>):
// CHECK-NEXT: dovetail.yield %[[SAME]]
// CHECK: ^bb0(%{{.+}}: tensor<f32>, %[[BEFORE:.+]]: tensor<f32>):
// CHECK-NEXT: %[[LOOP:.+]] = dovetail.scan length 2 init(%[[BEFORE]]) over() consts(%[[BEFORE]])
// CHECK: dovetail.yield %[[LOOP]]
// CHECK: return %[[CASE]]
func.func @case(%arg0: tensor<i32>, %arg1: !dovetail.ref<f32>) {
  dovetail.case %arg0 of(%arg1) : (tensor<i32>, !dovetail.ref<f32>) -> () {
  ^bb0(%a: !dovetail.ref<f32>):
    dovetail.yield
  }, {
  ^bb0(%a: !dovetail.ref<f32>):
    dovetail.scan length 2 init() over() consts(%a) : (!dovetail.ref<f32>) -> () {
    ^bb0(%b: !dovetail.ref<f32>):
      %0 = dovetail.ref_get %b : <f32>
      %1 = dovetail.exp %0 : tensor<f32>
      dovetail.ref_set %b, %1 : <f32>, tensor<f32>
      dovetail.yield
    }
    dovetail.yield
  }
  return
}

// References that a body makes are its own.
// CHECK-LABEL: func.func @inner
// CHECK-NEXT: dovetail.scan length 4 init() over(%arg0) consts()
// CHECK-NEXT: ^bb0(%[[X:.+]]: tensor<f32>):
// CHECK-NEXT: dovetail.yield %[[X]]
func.func @inner(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dovetail.scan length 4 init() over(%arg0) consts() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<f32>):
    %1 = dovetail.new_ref %x : tensor<f32>
    %2 = dovetail.freeze %1 : <f32>
    dovetail.yield %2 : tensor<f32>
  }
  return %0 : tensor<4xf32>
}
