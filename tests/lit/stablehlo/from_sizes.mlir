// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-from-stablehlo | FileCheck %s

// Sizes follow from those of the arguments, through calls, loops and arithmetic.
// CHECK-LABEL: func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<i32>) -> (tensor<7xf32>, tensor<4xf32>, tensor<5xf32>)
func.func @main(%x: tensor<5xf32>, %i: tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = stablehlo.convert %x : (tensor<5xf32>) -> tensor<?xf32>
  %n = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %1:3 = call @f(%n, %0, %i) : (tensor<i32>, tensor<?xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %1#0, %1#1, %1#2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
// CHECK-NOT: @f
func.func private @f(%n: tensor<i32>, %x: tensor<?xf32>, %i: tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  // CHECK: dovetail.pad %arg0, %{{.+}} low [2] interior [0]
  %half = stablehlo.divide %n, %two : tensor<i32>
  %low = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_pad %x, %z, %low, %none, %none : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  // A slice whose start is a value, and whose size is known.
  // CHECK: dovetail.gather %arg0, %{{.+}} dims [0] window [4]
  %start = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
  %all = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %size = stablehlo.subtract %all, %one : tensor<1xi32>
  %limit = stablehlo.add %start, %size : tensor<1xi32>
  %1 = stablehlo.real_dynamic_slice %x, %start, %limit, %one : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  // CHECK: dovetail.while
  // CHECK: dovetail.add %{{.+}}, %{{.+}} : tensor<5xf32>
  %2:2 = stablehlo.while(%k = %two, %y = %x) : tensor<i32>, tensor<?xf32>
  cond {
    %p = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %k, %two : tensor<i32>
    %double = stablehlo.add %y, %y : tensor<?xf32>
    stablehlo.return %next, %double : tensor<i32>, tensor<?xf32>
  }
  return %0, %1, %2#1 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>) -> tensor<3x4xf32>
func.func @main(%x: tensor<5x4xf32>) -> tensor<?x4xf32, #stablehlo.bounds<5, ?>> {
  %three = stablehlo.constant dense<3> : tensor<i32>
  // CHECK: dovetail.slice %arg0 starts [0, 0] strides [1, 1] : tensor<5x4xf32> -> tensor<3x4xf32>
  %0 = stablehlo.set_dimension_size %x, %three, dim = 0 : (tensor<5x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<5, ?>>
  return %0 : tensor<?x4xf32, #stablehlo.bounds<5, ?>>
}

// -----

func.func @main(%x: tensor<5xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %0 = stablehlo.convert %x : (tensor<5xf32>) -> tensor<?xf32>
  // expected-error @+1 {{set_dimension_size: the size must be known, and none greater than that of the array, got: a value}}
  %1 = stablehlo.set_dimension_size %0, %n, dim = 0 : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<5xf32>) -> tensor<?xf32> {
  %0 = stablehlo.convert %x : (tensor<5xf32>) -> tensor<?xf32>
  %1 = call @f(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func private @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{call: a function must not call itself, got: 'f'}}
  %1 = call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
