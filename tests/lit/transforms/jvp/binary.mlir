// The tangents of functions of two floats, one for each form that a formula has; tests/python/ops checks all by numbers.
// RUN: dovetail-opt %s --split-input-file --dovetail-jvp=wrt=0,1 | FileCheck %s

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.pow %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[POW:.+]] = dovetail.pow %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg0, %[[CONSTANT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %arg1, %[[CONSTANT_2]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[AND:.+]] = dovetail.and %[[COMPARE]], %[[COMPARE_1]] : tensor<2x3xi1>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg1, %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[AND]], %[[CONSTANT]], %[[SUB]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[POW_1:.+]] = dovetail.pow %arg0, %[[SELECT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %[[POW_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg2, %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_2:.+]] = dovetail.compare eq %arg0, %[[CONSTANT_3]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_2]], %[[CONSTANT_4]], %arg0 : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[LOG:.+]] = dovetail.log %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %[[POW]], %[[LOG]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_3:.+]] = dovetail.mul %arg3, %[[MUL_2]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL_1]], %[[MUL_3]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[POW]], %[[ADD]] : tensor<2x3xf32>, tensor<2x3xf32>

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
// CHECK-NEXT:    %[[TRUNC:.+]] = dovetail.trunc %[[DIV]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg3, %[[TRUNC]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %[[MUL]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg2, %[[NEG]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[REM]], %[[ADD]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.max %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[MAX:.+]] = dovetail.max %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg1, %[[MAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT]], %[[CONSTANT_1]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %arg0, %[[MAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[COMPARE_1]], %[[SELECT]], %[[CONSTANT_2]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg2, %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_2:.+]] = dovetail.compare eq %arg0, %[[MAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_2:.+]] = dovetail.select %[[COMPARE_2]], %[[CONSTANT_3]], %[[CONSTANT_4]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_3:.+]] = dovetail.compare eq %arg1, %[[MAX]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_5:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_3:.+]] = dovetail.select %[[COMPARE_3]], %[[SELECT_2]], %[[CONSTANT_5]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %arg3, %[[SELECT_3]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL]], %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[MAX]], %[[ADD]] : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.nextafter %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[NEXTAFTER:.+]] = dovetail.nextafter %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    return %[[NEXTAFTER]], %arg2 : tensor<2x3xf32>, tensor<2x3xf32>

// -----

func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dovetail.hypot %arg0, %arg1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @main.jvp(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xf32>, %arg3: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK-NEXT:    %[[HYPOT:.+]] = dovetail.hypot %arg0, %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = dovetail.constant dense<0x7F800000> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_1:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_2:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %[[HYPOT]], %[[CONSTANT_2]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare eq %[[HYPOT]], %[[CONSTANT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[OR:.+]] = dovetail.or %[[COMPARE]], %[[COMPARE_1]] : tensor<2x3xi1>
// CHECK-NEXT:    %[[ABS:.+]] = dovetail.abs %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[ABS_1:.+]] = dovetail.abs %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_2:.+]] = dovetail.compare gt %[[ABS]], %[[ABS_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %[[COMPARE_2]], %arg1, %arg0 : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_1:.+]] = dovetail.select %[[OR]], %[[CONSTANT_1]], %[[SELECT]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_2:.+]] = dovetail.select %[[COMPARE_2]], %arg0, %arg1 : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_3:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_3:.+]] = dovetail.select %[[OR]], %[[CONSTANT_3]], %[[SELECT_2]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %[[SELECT_3]], %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SIGN:.+]] = dovetail.sign %[[SELECT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %[[DIV]], %[[DIV]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_4:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %[[MUL]], %[[CONSTANT_4]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[RSQRT:.+]] = dovetail.rsqrt %[[ADD]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_1:.+]] = dovetail.mul %[[SIGN]], %[[RSQRT]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_4:.+]] = dovetail.select %[[COMPARE_2]], %[[DIV]], %[[CONSTANT_1]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_2:.+]] = dovetail.mul %[[SELECT_4]], %[[MUL_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_5:.+]] = dovetail.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_6:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_5:.+]] = dovetail.select %[[COMPARE]], %[[CONSTANT_5]], %[[CONSTANT_6]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_6:.+]] = dovetail.select %[[OR]], %[[SELECT_5]], %[[MUL_2]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_3:.+]] = dovetail.mul %arg2, %[[SELECT_6]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_7:.+]] = dovetail.constant dense<0x7F800000> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_8:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_9:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_3:.+]] = dovetail.compare eq %[[HYPOT]], %[[CONSTANT_9]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_4:.+]] = dovetail.compare eq %[[HYPOT]], %[[CONSTANT_7]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[OR_1:.+]] = dovetail.or %[[COMPARE_3]], %[[COMPARE_4]] : tensor<2x3xi1>
// CHECK-NEXT:    %[[ABS_2:.+]] = dovetail.abs %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[ABS_3:.+]] = dovetail.abs %arg1 : tensor<2x3xf32>
// CHECK-NEXT:    %[[COMPARE_5:.+]] = dovetail.compare gt %[[ABS_2]], %[[ABS_3]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_7:.+]] = dovetail.select %[[COMPARE_5]], %arg0, %arg1 : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_8:.+]] = dovetail.select %[[OR_1]], %[[CONSTANT_8]], %[[SELECT_7]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_9:.+]] = dovetail.select %[[COMPARE_5]], %arg1, %arg0 : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_10:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_10:.+]] = dovetail.select %[[OR_1]], %[[CONSTANT_10]], %[[SELECT_9]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[DIV_1:.+]] = dovetail.div %[[SELECT_10]], %[[SELECT_8]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SIGN_1:.+]] = dovetail.sign %[[SELECT_8]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_4:.+]] = dovetail.mul %[[DIV_1]], %[[DIV_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_11:.+]] = dovetail.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD_1:.+]] = dovetail.add %[[MUL_4]], %[[CONSTANT_11]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[RSQRT_1:.+]] = dovetail.rsqrt %[[ADD_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_5:.+]] = dovetail.mul %[[SIGN_1]], %[[RSQRT_1]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_11:.+]] = dovetail.select %[[COMPARE_5]], %[[DIV_1]], %[[CONSTANT_8]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_6:.+]] = dovetail.mul %[[SELECT_11]], %[[MUL_5]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_12:.+]] = dovetail.constant dense<5.000000e-01> : tensor<2x3xf32>
// CHECK-NEXT:    %[[CONSTANT_13:.+]] = dovetail.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_12:.+]] = dovetail.select %[[COMPARE_3]], %[[CONSTANT_12]], %[[CONSTANT_13]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[SELECT_13:.+]] = dovetail.select %[[OR_1]], %[[SELECT_12]], %[[MUL_6]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT:    %[[MUL_7:.+]] = dovetail.mul %arg3, %[[SELECT_13]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[ADD_2:.+]] = dovetail.add %[[MUL_3]], %[[MUL_7]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[HYPOT]], %[[ADD_2]] : tensor<2x3xf32>, tensor<2x3xf32>
