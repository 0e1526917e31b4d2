// The tangent of each function of one float.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.exp %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[EXP]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[EXP]], %[[MUL]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.exp2 %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[EXP2:.+]] = dovetail.exp2 %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.693147182> : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[EXP2]], %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[EXP2]], %[[MUL_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.expm1 %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[EXPM1:.+]] = dovetail.expm1 %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[EXPM1]], %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[EXPM1]], %[[MUL]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.log %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[LOG:.+]] = dovetail.log %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg1, %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[LOG]], %[[DIV]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.log1p %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[LOG1P:.+]] = dovetail.log1p %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg1, %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[LOG1P]], %[[DIV]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.sqrt %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[SQRT:.+]] = dovetail.sqrt %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<2.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SQRT]], %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg1, %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[SQRT]], %[[DIV]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.rsqrt %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[RSQRT:.+]] = dovetail.rsqrt %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %[[RSQRT]], %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<-5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[DIV]], %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[RSQRT]], %[[MUL_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.cbrt %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[CBRT:.+]] = dovetail.cbrt %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[CBRT]], %[[CBRT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<3.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[MUL]], %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg1, %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[CBRT]], %[[DIV]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.sin %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[SIN:.+]] = dovetail.sin %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[COS:.+]] = dovetail.cos %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[COS]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[SIN]], %[[MUL]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.cos %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[COS:.+]] = dovetail.cos %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[SIN:.+]] = dovetail.sin %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[SIN]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[COS]], %[[NEG]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.tan %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[TAN:.+]] = dovetail.tan %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[TAN]], %[[TAN]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL]], %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[TAN]], %[[MUL_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.asin %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ASIN:.+]] = dovetail.asin %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[CONSTANT]], %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SUB]], %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[RSQRT:.+]] = dovetail.rsqrt %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[RSQRT]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ASIN]], %[[MUL_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.acos %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ACOS:.+]] = dovetail.acos %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[CONSTANT]], %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SUB]], %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[RSQRT:.+]] = dovetail.rsqrt %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[RSQRT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ACOS]], %[[NEG]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.atan %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ATAN:.+]] = dovetail.atan %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL]], %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg1, %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ATAN]], %[[DIV]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.sinh %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[SINH:.+]] = dovetail.sinh %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[COSH:.+]] = dovetail.cosh %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[COSH]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[SINH]], %[[MUL]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.cosh %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[COSH:.+]] = dovetail.cosh %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[SINH:.+]] = dovetail.sinh %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[SINH]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[COSH]], %[[MUL]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.tanh %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[TANH:.+]] = dovetail.tanh %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[CONSTANT]], %[[TANH]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[TANH]], %[[CONSTANT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SUB]], %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[TANH]], %[[MUL_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.asinh %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ASINH:.+]] = dovetail.asinh %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL]], %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[RSQRT:.+]] = dovetail.rsqrt %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[RSQRT]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ASINH]], %[[MUL_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.acosh %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ACOSH:.+]] = dovetail.acosh %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<-1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[RSQRT:.+]] = dovetail.rsqrt %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD_1:.+]] = dovetail.add %arg0, %[[CONSTANT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[RSQRT_1:.+]] = dovetail.rsqrt %[[ADD_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[RSQRT]], %[[RSQRT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ACOSH]], %[[MUL_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.atanh %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ATANH:.+]] = dovetail.atanh %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[CONSTANT]], %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %[[CONSTANT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SUB]], %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg1, %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ATANH]], %[[DIV]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.logistic %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[LOGISTIC:.+]] = dovetail.logistic %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %[[CONSTANT]], %[[LOGISTIC]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[LOGISTIC]], %[[SUB]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg1, %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[LOGISTIC]], %[[MUL_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.erf %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ERF:.+]] = dovetail.erf %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %[[NEG]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.12837923> : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[EXP]], %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %arg1, %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ERF]], %[[MUL_2]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.erfc %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ERFC:.+]] = dovetail.erfc %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %[[NEG]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<-1.12837923> : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[EXP]], %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %arg1, %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ERFC]], %[[MUL_2]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.abs %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ABS:.+]] = dovetail.abs %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare ge %arg0, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %arg1, %[[NEG]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[ABS]], %[[SELECT]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.neg %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG_1:.+]] = dovetail.neg %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[NEG]], %[[NEG_1]] : tensor<2x3xf32>, tensor<2x3xf32>
