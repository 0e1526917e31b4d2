// The tangents of each function of two floats.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0,1 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.pow %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[POW:.+]] = dovetail.pow %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg1, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg1, %[[CONSTANT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT]], %[[SUB]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[POW_1:.+]] = dovetail.pow %arg0, %[[SELECT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[POW_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg2, %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %arg0, %[[CONSTANT_3]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_1]], %[[CONSTANT_2]], %arg0 : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[LOG:.+]] = dovetail.log %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %[[POW]], %[[LOG]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_3:.+]] = dovetail.mul %arg3, %[[MUL_2]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL_1]], %[[MUL_3]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[POW]], %[[ADD]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.atan2 %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ATAN2:.+]] = dovetail.atan2 %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg0, %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL_1]], %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg1, %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %arg2, %[[DIV]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_3:.+]] = dovetail.mul %arg1, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_4:.+]] = dovetail.mul %arg0, %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD_1:.+]] = dovetail.add %[[MUL_4]], %[[MUL_3]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV_1:.+]] = dovetail.div %arg0, %[[ADD_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_5:.+]] = dovetail.mul %arg3, %[[DIV_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[MUL_5]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD_2:.+]] = dovetail.add %[[MUL_2]], %[[NEG]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ATAN2]], %[[ADD_2]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.add %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD_1:.+]] = dovetail.add %arg2, %arg3 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[ADD]], %[[ADD_1]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.sub %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg3 : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg2, %[[NEG]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[SUB]], %[[ADD]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg2, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %arg0, %arg3 : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL_1]], %[[MUL_2]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MUL]], %[[ADD]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.div %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV_1:.+]] = dovetail.div %arg2, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV_2:.+]] = dovetail.div %[[DIV]], %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg3, %[[DIV_2]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[DIV_1]], %[[NEG]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[DIV]], %[[ADD]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.rem %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[REM:.+]] = dovetail.rem %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[ABS:.+]] = dovetail.abs %[[DIV]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[FLOOR:.+]] = dovetail.floor %[[ABS]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SIGN:.+]] = dovetail.sign %[[DIV]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[SIGN]], %[[FLOOR]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg3, %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg2, %[[NEG]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[REM]], %[[ADD]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.max %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[MAX:.+]] = dovetail.max %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg1, %[[MAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT_1]], %[[CONSTANT]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %arg0, %[[MAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_1]], %[[SELECT]], %[[CONSTANT_2]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg2, %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_2:.+]] = dovetail.compare eq %arg0, %[[MAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_2:.+]] = dovetail.select %[[COMPARE_2]], %[[CONSTANT_4]], %[[CONSTANT_3]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_3:.+]] = dovetail.compare eq %arg1, %[[MAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_5:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_3:.+]] = dovetail.select %[[COMPARE_3]], %[[SELECT_2]], %[[CONSTANT_5]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg3, %[[SELECT_3]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL]], %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MAX]], %[[ADD]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.min %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[MIN:.+]] = dovetail.min %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg1, %[[MIN]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT_1]], %[[CONSTANT]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %arg0, %[[MIN]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_1]], %[[SELECT]], %[[CONSTANT_2]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg2, %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_2:.+]] = dovetail.compare eq %arg0, %[[MIN]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_2:.+]] = dovetail.select %[[COMPARE_2]], %[[CONSTANT_4]], %[[CONSTANT_3]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_3:.+]] = dovetail.compare eq %arg1, %[[MIN]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_5:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_3:.+]] = dovetail.select %[[COMPARE_3]], %[[SELECT_2]], %[[CONSTANT_5]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg3, %[[SELECT_3]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL]], %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MIN]], %[[ADD]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.nextafter %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[NEXTAFTER:.+]] = dovetail.nextafter %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[NEXTAFTER]], %arg2 : tensor<2x3xf32>, tensor<2x3xf32>
