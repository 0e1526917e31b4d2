// Products and sums round alike wherever they stand: LLVM would contract those that it finds in one function.
// RUN: dovetail-opt %s --split-input-file --dovetail-lower | FileCheck %s

// A product that only a sum reads is rounded once with it.
// CHECK-LABEL: func.func @added
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1, %arg2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[X:[^:]+]]: f32, %[[Y:[^:]+]]: f32, %[[Z:[^:]+]]: f32
// CHECK-NEXT: math.fma %[[X]], %[[Y]], %[[Z]] : f32
module attributes {dovetail.target = "cpu:x86-64-v3"} {
func.func @added(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %xy = dovetail.mul %x, %y : tensor<4xf32>
  %sum = dovetail.add %xy, %z : tensor<4xf32>
  return %sum : tensor<4xf32>
}
}

// -----

// One that is read twice has one value.
// CHECK-LABEL: func.func @read_twice
// CHECK: %[[ZERO:.+]] = arith.constant -0.0
// CHECK-NEXT: math.fma %{{.+}}, %{{.+}}, %[[ZERO]]
// CHECK: arith.subf
// CHECK-NOT: math.fma
// CHECK: return
module attributes {dovetail.target = "cpu:x86-64-v3"} {
func.func @read_twice(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %xy = dovetail.mul %x, %y : tensor<4xf32>
  %floor = dovetail.floor %xy : tensor<4xf32>
  %fraction = dovetail.sub %xy, %floor : tensor<4xf32>
  return %fraction : tensor<4xf32>
}
}

// -----

// CHECK-LABEL: func.func @subtracted
// CHECK: ^bb0(%[[X:[^:]+]]: f64, %[[Y:[^:]+]]: f64, %[[Z:[^:]+]]: f64
// CHECK: %[[MINUS:.+]] = arith.negf %[[X]]
// CHECK: math.fma %[[MINUS]], %[[Y]], %[[Z]] : f64
// CHECK-NOT: math.fma
// CHECK: return
module attributes {dovetail.target = "cpu:aarch64"} {
func.func @subtracted(%x: tensor<4xf64>, %y: tensor<4xf64>, %z: tensor<4xf64>) -> tensor<4xf64> {
  %xy = dovetail.mul %x, %y : tensor<4xf64>
  %difference = dovetail.sub %z, %xy : tensor<4xf64>
  return %difference : tensor<4xf64>
}
}

// -----

// Of two products, the first.
// CHECK-LABEL: func.func @both
// CHECK-COUNT-2: math.fma
// CHECK-NOT: math.fma
// CHECK: return
module attributes {dovetail.target = "cpu:x86-64-v3"} {
func.func @both(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %xx = dovetail.mul %x, %x : tensor<4xf32>
  %yy = dovetail.mul %y, %y : tensor<4xf32>
  %sum = dovetail.add %xx, %yy : tensor<4xf32>
  return %sum : tensor<4xf32>
}
}

// -----

// The code generator knows sums of many products.
// CHECK-LABEL: func.func @summed
// CHECK: arith.mulf
// CHECK-NOT: math.fma
// CHECK: return
module attributes {dovetail.target = "cpu:x86-64-v3"} {
func.func @summed(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64xf32> {
  %xy = dovetail.mul %x, %y : tensor<64x64xf32>
  %sum = dovetail.reduce_sum %xy [1] : tensor<64x64xf32>
  return %sum : tensor<64xf32>
}
}

// -----

// Without the instruction, nothing is contracted. Narrower types are rounded in between.
// CHECK-LABEL: func.func @separate
// CHECK-NOT: math.fma
// CHECK: return
module attributes {dovetail.target = "cpu:x86_64"} {
func.func @separate(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %xy = dovetail.mul %x, %y : tensor<4xf32>
  %sum = dovetail.add %xy, %z : tensor<4xf32>
  return %sum : tensor<4xf32>
}
}

// -----

// CHECK-LABEL: func.func @narrow
// CHECK-NOT: math.fma
// CHECK: return
module attributes {dovetail.target = "cpu:x86-64-v3"} {
func.func @narrow(%x: tensor<4xf16>, %y: tensor<4xf16>, %z: tensor<4xf16>) -> tensor<4xf16> {
  %xy = dovetail.mul %x, %y : tensor<4xf16>
  %sum = dovetail.add %xy, %z : tensor<4xf16>
  return %sum : tensor<4xf16>
}
}
