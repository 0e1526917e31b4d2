// Folds of the pointwise ops.
// RUN: dovetail-opt %s --canonicalize | FileCheck %s

func.func @add_zero(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.constant dense<0.0> : tensor<2x3xf32>
  %0 = dovetail.add %arg0, %1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @add_zero(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @zero_add(%arg0: tensor<4xi32>) -> tensor<4xi32> {
  %1 = dovetail.constant dense<0> : tensor<4xi32>
  %0 = dovetail.add %1, %arg0 : tensor<4xi32>
  return %0 : tensor<4xi32>
}
// CHECK-LABEL: func.func @zero_add(%arg0: tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:    return %arg0 : tensor<4xi32>

func.func @add_zero_complex(%arg0: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %1 = dovetail.constant dense<(0.0,0.0)> : tensor<2xcomplex<f32>>
  %0 = dovetail.add %arg0, %1 : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// CHECK-LABEL: func.func @add_zero_complex(%arg0: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
// CHECK-NEXT:    return %arg0 : tensor<2xcomplex<f32>>

func.func @add_imaginary(%arg0: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %1 = dovetail.constant dense<(0.0,1.0)> : tensor<2xcomplex<f32>>
  %0 = dovetail.add %arg0, %1 : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// CHECK-LABEL: func.func @add_imaginary(%arg0: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<(0.000000e+00,1.000000e+00)> : tensor<2xcomplex<f32>>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT]] : tensor<2xcomplex<f32>>
// CHECK-NEXT:    return %[[ADD]] : tensor<2xcomplex<f32>>

func.func @or_false(%arg0: tensor<4xi1>) -> tensor<4xi1> {
  %1 = dovetail.constant dense<false> : tensor<4xi1>
  %0 = dovetail.add %arg0, %1 : tensor<4xi1>
  return %0 : tensor<4xi1>
}
// CHECK-LABEL: func.func @or_false(%arg0: tensor<4xi1>) -> tensor<4xi1>
// CHECK-NEXT:    return %arg0 : tensor<4xi1>

func.func @add_constants() -> tensor<2x3xf32> {
  %1 = dovetail.constant dense<1.5> : tensor<2x3xf32>
  %2 = dovetail.constant dense<2.0> : tensor<2x3xf32>
  %0 = dovetail.add %1, %2 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @add_constants() -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<3.500000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<2x3xf32>

func.func @add_wraps() -> tensor<4xui8> {
  %1 = dovetail.constant dense<200> : tensor<4xui8>
  %2 = dovetail.constant dense<100> : tensor<4xui8>
  %0 = dovetail.add %1, %2 : tensor<4xui8>
  return %0 : tensor<4xui8>
}
// CHECK-LABEL: func.func @add_wraps() -> tensor<4xui8>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<44> : tensor<4xui8>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<4xui8>

func.func @sub_zero(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.constant dense<0.0> : tensor<2x3xf32>
  %0 = dovetail.sub %arg0, %1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @sub_zero(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @zero_sub(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.constant dense<0.0> : tensor<2x3xf32>
  %0 = dovetail.sub %1, %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @zero_sub(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[CONSTANT]], %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[SUB]] : tensor<2x3xf32>

func.func @sub_constants() -> tensor<4xi32> {
  %1 = dovetail.constant dense<1> : tensor<4xi32>
  %2 = dovetail.constant dense<2> : tensor<4xi32>
  %0 = dovetail.sub %1, %2 : tensor<4xi32>
  return %0 : tensor<4xi32>
}
// CHECK-LABEL: func.func @sub_constants() -> tensor<4xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<-1> : tensor<4xi32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<4xi32>

func.func @mul_one(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.constant dense<1.0> : tensor<2x3xf32>
  %0 = dovetail.mul %arg0, %1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @mul_one(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @one_mul(%arg0: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %1 = dovetail.constant dense<(1.0,0.0)> : tensor<2xcomplex<f32>>
  %0 = dovetail.mul %1, %arg0 : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// CHECK-LABEL: func.func @one_mul(%arg0: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
// CHECK-NEXT:    return %arg0 : tensor<2xcomplex<f32>>

func.func @mul_zero_integer(%arg0: tensor<4xi32>) -> tensor<4xi32> {
  %1 = dovetail.constant dense<0> : tensor<4xi32>
  %0 = dovetail.mul %arg0, %1 : tensor<4xi32>
  return %0 : tensor<4xi32>
}
// CHECK-LABEL: func.func @mul_zero_integer(%arg0: tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0> : tensor<4xi32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<4xi32>

func.func @mul_zero_float(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.constant dense<0.0> : tensor<2x3xf32>
  %0 = dovetail.mul %arg0, %1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @mul_zero_float(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]] : tensor<2x3xf32>

func.func @and_true(%arg0: tensor<4xi1>) -> tensor<4xi1> {
  %1 = dovetail.constant dense<true> : tensor<4xi1>
  %0 = dovetail.mul %arg0, %1 : tensor<4xi1>
  return %0 : tensor<4xi1>
}
// CHECK-LABEL: func.func @and_true(%arg0: tensor<4xi1>) -> tensor<4xi1>
// CHECK-NEXT:    return %arg0 : tensor<4xi1>

func.func @and_false(%arg0: tensor<4xi1>) -> tensor<4xi1> {
  %1 = dovetail.constant dense<false> : tensor<4xi1>
  %0 = dovetail.mul %arg0, %1 : tensor<4xi1>
  return %0 : tensor<4xi1>
}
// CHECK-LABEL: func.func @and_false(%arg0: tensor<4xi1>) -> tensor<4xi1>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<false> : tensor<4xi1>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<4xi1>

func.func @mul_constants() -> tensor<2x3xf32> {
  %1 = dovetail.constant dense<3.0> : tensor<2x3xf32>
  %2 = dovetail.constant dense<0.5> : tensor<2x3xf32>
  %0 = dovetail.mul %1, %2 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @mul_constants() -> tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.500000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<2x3xf32>

func.func @div_one(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %1 = dovetail.constant dense<1.0> : tensor<2x3xf32>
  %0 = dovetail.div %arg0, %1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @div_one(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @select_same(%arg0: tensor<4xi1>, %arg1: tensor<4xi32>) -> tensor<4xi32> {
  %0 = dovetail.select %arg0, %arg1, %arg1 : tensor<4xi1>, tensor<4xi32>
  return %0 : tensor<4xi32>
}
// CHECK-LABEL: func.func @select_same(%arg0: tensor<4xi1>, %arg1: tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:    return %arg1 : tensor<4xi32>

func.func @select_true(%arg0: tensor<4xi32>, %arg1: tensor<4xi32>) -> tensor<4xi32> {
  %1 = dovetail.constant dense<true> : tensor<4xi1>
  %0 = dovetail.select %1, %arg0, %arg1 : tensor<4xi1>, tensor<4xi32>
  return %0 : tensor<4xi32>
}
// CHECK-LABEL: func.func @select_true(%arg0: tensor<4xi32>, %arg1: tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:    return %arg0 : tensor<4xi32>

func.func @select_false(%arg0: tensor<4xi32>, %arg1: tensor<4xi32>) -> tensor<4xi32> {
  %1 = dovetail.constant dense<false> : tensor<4xi1>
  %0 = dovetail.select %1, %arg0, %arg1 : tensor<4xi1>, tensor<4xi32>
  return %0 : tensor<4xi32>
}
// CHECK-LABEL: func.func @select_false(%arg0: tensor<4xi32>, %arg1: tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:    return %arg1 : tensor<4xi32>

func.func @convert_same(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.convert %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @convert_same(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>

func.func @convert_to_narrow() -> tensor<2x3xbf16> {
  %1 = dovetail.constant dense<0.1> : tensor<2x3xf32>
  %0 = dovetail.convert %1 : tensor<2x3xf32> -> tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}
// CHECK-LABEL: func.func @convert_to_narrow() -> tensor<2x3xbf16>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000980e-01> : tensor<2x3xbf16>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<2x3xbf16>

func.func @convert_signed() -> tensor<4xf64> {
  %1 = dovetail.constant dense<-1> : tensor<4xi32>
  %0 = dovetail.convert %1 : tensor<4xi32> -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// CHECK-LABEL: func.func @convert_signed() -> tensor<4xf64>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<-1.000000e+00> : tensor<4xf64>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<4xf64>

func.func @convert_unsigned() -> tensor<4xf32> {
  %1 = dovetail.constant dense<255> : tensor<4xui8>
  %0 = dovetail.convert %1 : tensor<4xui8> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func @convert_unsigned() -> tensor<4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<2.550000e+02> : tensor<4xf32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<4xf32>

func.func @convert_bool() -> tensor<4xi32> {
  %1 = dovetail.constant dense<true> : tensor<4xi1>
  %0 = dovetail.convert %1 : tensor<4xi1> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// CHECK-LABEL: func.func @convert_bool() -> tensor<4xi32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1> : tensor<4xi32>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<4xi32>

func.func @convert_wraps() -> tensor<4xui8> {
  %1 = dovetail.constant dense<300> : tensor<4xi32>
  %0 = dovetail.convert %1 : tensor<4xi32> -> tensor<4xui8>
  return %0 : tensor<4xui8>
}
// CHECK-LABEL: func.func @convert_wraps() -> tensor<4xui8>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<44> : tensor<4xui8>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<4xui8>

func.func @convert_to_bool() -> tensor<4xi1> {
  %1 = dovetail.constant dense<2> : tensor<4xi32>
  %0 = dovetail.convert %1 : tensor<4xi32> -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
// CHECK-LABEL: func.func @convert_to_bool() -> tensor<4xi1>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<true> : tensor<4xi1>
// CHECK-NEXT:    return %[[CONSTANT]] : tensor<4xi1>

// Pointwise ops fold on splats by their scalar code.
// CHECK-LABEL: @splats
func.func @splats() -> (tensor<4xi32>, tensor<4xi1>, tensor<4xf32>, tensor<4xui8>, tensor<4xi32>, tensor<4xbf16>) {
  // CHECK-DAG: %[[DIV:.*]] = dovetail.constant dense<-2> : tensor<4xi32>
  // CHECK-DAG: %[[LESS:.*]] = dovetail.constant dense<true> : tensor<4xi1>
  // CHECK-DAG: %[[EXP:.*]] = dovetail.constant dense<7.389056{{[0-9]*}}> : tensor<4xf32>
  // CHECK-DAG: %[[SHIFT:.*]] = dovetail.constant dense<128> : tensor<4xui8>
  // CHECK-DAG: %[[CLAMP:.*]] = dovetail.constant dense<2> : tensor<4xi32>
  // CHECK-DAG: %[[ROOT:.*]] = dovetail.constant dense<1.4140{{[0-9]*}}e+00> : tensor<4xbf16>
  // CHECK: return %[[DIV]], %[[LESS]], %[[EXP]], %[[SHIFT]], %[[CLAMP]], %[[ROOT]]
  %a = dovetail.constant dense<-5> : tensor<4xi32>
  %b = dovetail.constant dense<2> : tensor<4xi32>
  %div = dovetail.div %a, %b : tensor<4xi32>
  %less = dovetail.compare lt %a, %b : tensor<4xi32>
  %x = dovetail.constant dense<2.0> : tensor<4xf32>
  %exp = dovetail.exp %x : tensor<4xf32>
  %bit = dovetail.constant dense<1> : tensor<4xui8>
  %seven = dovetail.constant dense<7> : tensor<4xui8>
  %shift = dovetail.shift_left %bit, %seven : tensor<4xui8>
  %nine = dovetail.constant dense<9> : tensor<4xi32>
  %clamp = dovetail.clamp %a, %nine, %b : tensor<4xi32>
  %y = dovetail.constant dense<2.0> : tensor<4xbf16>
  %root = dovetail.sqrt %y : tensor<4xbf16>
  return %div, %less, %exp, %shift, %clamp, %root
      : tensor<4xi32>, tensor<4xi1>, tensor<4xf32>, tensor<4xui8>, tensor<4xi32>, tensor<4xbf16>
}

// A check for NaN and infinities finds the op that makes the first of them.
// CHECK-LABEL: @not_finite
func.func @not_finite() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[LOG:.*]] = dovetail.log
  // CHECK-DAG: %[[DIV:.*]] = dovetail.div
  // CHECK-DAG: %[[INF:.*]] = dovetail.constant dense<0xFF800000> : tensor<4xf32>
  // CHECK: return %[[LOG]], %[[DIV]], %[[INF]]
  %one = dovetail.constant dense<-1.0> : tensor<4xf32>
  %zero = dovetail.constant dense<0.0> : tensor<4xf32>
  %inf = dovetail.constant dense<0x7F800000> : tensor<4xf32>
  %log = dovetail.log %one : tensor<4xf32>
  %div = dovetail.div %zero, %zero : tensor<4xf32>
  %neg = dovetail.neg %inf : tensor<4xf32>
  return %log, %div, %neg : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
