// Text of the pointwise ops, for each kind of element type.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @float_functions(%arg0: tensor<2x?xf32>) {
  %0 = dovetail.exp %arg0 : tensor<2x?xf32>
  %1 = dovetail.exp2 %arg0 : tensor<2x?xf32>
  %2 = dovetail.expm1 %arg0 : tensor<2x?xf32>
  %3 = dovetail.log %arg0 : tensor<2x?xf32>
  %4 = dovetail.log1p %arg0 : tensor<2x?xf32>
  %5 = dovetail.sqrt %arg0 : tensor<2x?xf32>
  %6 = dovetail.rsqrt %arg0 : tensor<2x?xf32>
  %7 = dovetail.sin %arg0 : tensor<2x?xf32>
  %8 = dovetail.cos %arg0 : tensor<2x?xf32>
  %9 = dovetail.tan %arg0 : tensor<2x?xf32>
  %10 = dovetail.asin %arg0 : tensor<2x?xf32>
  %11 = dovetail.acos %arg0 : tensor<2x?xf32>
  %12 = dovetail.atan %arg0 : tensor<2x?xf32>
  %13 = dovetail.sinh %arg0 : tensor<2x?xf32>
  %14 = dovetail.cosh %arg0 : tensor<2x?xf32>
  %15 = dovetail.tanh %arg0 : tensor<2x?xf32>
  %16 = dovetail.asinh %arg0 : tensor<2x?xf32>
  %17 = dovetail.acosh %arg0 : tensor<2x?xf32>
  %18 = dovetail.atanh %arg0 : tensor<2x?xf32>
  %19 = dovetail.logistic %arg0 : tensor<2x?xf32>
  %20 = dovetail.cbrt %arg0 : tensor<2x?xf32>
  %21 = dovetail.erf %arg0 : tensor<2x?xf32>
  %22 = dovetail.erfc %arg0 : tensor<2x?xf32>
  %23 = dovetail.floor %arg0 : tensor<2x?xf32>
  %24 = dovetail.ceil %arg0 : tensor<2x?xf32>
  %25 = dovetail.round_even %arg0 : tensor<2x?xf32>
  %t0 = dovetail.trunc %arg0 : tensor<2x?xf32>
  %t1 = dovetail.fraction %arg0 : tensor<2x?xf32>
  %t2 = dovetail.exponent %arg0 : tensor<2x?xf32>
  %26 = dovetail.round_away %arg0 : tensor<2x?xf32>
  %27 = dovetail.is_finite %arg0 : tensor<2x?xf32>
  return
}
// CHECK-LABEL: func.func @float_functions(%arg0: tensor<2x?xf32>)
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[EXP2:.+]] = dovetail.exp2 %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[EXPM1:.+]] = dovetail.expm1 %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[LOG:.+]] = dovetail.log %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[LOG1P:.+]] = dovetail.log1p %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[SQRT:.+]] = dovetail.sqrt %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[RSQRT:.+]] = dovetail.rsqrt %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[SIN:.+]] = dovetail.sin %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[COS:.+]] = dovetail.cos %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[TAN:.+]] = dovetail.tan %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ASIN:.+]] = dovetail.asin %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ACOS:.+]] = dovetail.acos %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ATAN:.+]] = dovetail.atan %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[SINH:.+]] = dovetail.sinh %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[COSH:.+]] = dovetail.cosh %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[TANH:.+]] = dovetail.tanh %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ASINH:.+]] = dovetail.asinh %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ACOSH:.+]] = dovetail.acosh %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ATANH:.+]] = dovetail.atanh %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[LOGISTIC:.+]] = dovetail.logistic %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[CBRT:.+]] = dovetail.cbrt %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ERF:.+]] = dovetail.erf %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ERFC:.+]] = dovetail.erfc %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[FLOOR:.+]] = dovetail.floor %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[CEIL:.+]] = dovetail.ceil %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ROUND_EVEN:.+]] = dovetail.round_even %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[TRUNC:.+]] = dovetail.trunc %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[FRACTION:.+]] = dovetail.fraction %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[EXPONENT:.+]] = dovetail.exponent %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ROUND_AWAY:.+]] = dovetail.round_away %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[IS_FINITE:.+]] = dovetail.is_finite %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    return

func.func @scaled(%arg0: tensor<2x?xf16>, %arg1: tensor<2x?xi32>) {
  %0 = dovetail.ldexp %arg0, %arg1 : tensor<2x?xf16>, tensor<2x?xi32>
  return
}
// CHECK-LABEL: func.func @scaled(%arg0: tensor<2x?xf16>, %arg1: tensor<2x?xi32>)
// CHECK-NEXT:    %[[LDEXP:.+]] = dovetail.ldexp %arg0, %arg1 : tensor<2x?xf16>, tensor<2x?xi32>
// CHECK-NEXT:    return

func.func @complex_functions(%arg0: tensor<?xcomplex<f32>>) {
  %0 = dovetail.exp %arg0 : tensor<?xcomplex<f32>>
  %1 = dovetail.exp2 %arg0 : tensor<?xcomplex<f32>>
  %2 = dovetail.expm1 %arg0 : tensor<?xcomplex<f32>>
  %3 = dovetail.log %arg0 : tensor<?xcomplex<f32>>
  %4 = dovetail.log1p %arg0 : tensor<?xcomplex<f32>>
  %5 = dovetail.sqrt %arg0 : tensor<?xcomplex<f32>>
  %6 = dovetail.rsqrt %arg0 : tensor<?xcomplex<f32>>
  %7 = dovetail.sin %arg0 : tensor<?xcomplex<f32>>
  %8 = dovetail.cos %arg0 : tensor<?xcomplex<f32>>
  %9 = dovetail.tan %arg0 : tensor<?xcomplex<f32>>
  %10 = dovetail.asin %arg0 : tensor<?xcomplex<f32>>
  %11 = dovetail.acos %arg0 : tensor<?xcomplex<f32>>
  %12 = dovetail.atan %arg0 : tensor<?xcomplex<f32>>
  %13 = dovetail.sinh %arg0 : tensor<?xcomplex<f32>>
  %14 = dovetail.cosh %arg0 : tensor<?xcomplex<f32>>
  %15 = dovetail.tanh %arg0 : tensor<?xcomplex<f32>>
  %16 = dovetail.asinh %arg0 : tensor<?xcomplex<f32>>
  %17 = dovetail.acosh %arg0 : tensor<?xcomplex<f32>>
  %18 = dovetail.atanh %arg0 : tensor<?xcomplex<f32>>
  %19 = dovetail.logistic %arg0 : tensor<?xcomplex<f32>>
  return
}
// CHECK-LABEL: func.func @complex_functions(%arg0: tensor<?xcomplex<f32>>)
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[EXP2:.+]] = dovetail.exp2 %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[EXPM1:.+]] = dovetail.expm1 %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[LOG:.+]] = dovetail.log %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[LOG1P:.+]] = dovetail.log1p %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[SQRT:.+]] = dovetail.sqrt %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[RSQRT:.+]] = dovetail.rsqrt %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[SIN:.+]] = dovetail.sin %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[COS:.+]] = dovetail.cos %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[TAN:.+]] = dovetail.tan %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[ASIN:.+]] = dovetail.asin %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[ACOS:.+]] = dovetail.acos %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[ATAN:.+]] = dovetail.atan %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[SINH:.+]] = dovetail.sinh %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[COSH:.+]] = dovetail.cosh %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[TANH:.+]] = dovetail.tanh %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[ASINH:.+]] = dovetail.asinh %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[ACOSH:.+]] = dovetail.acosh %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[ATANH:.+]] = dovetail.atanh %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[LOGISTIC:.+]] = dovetail.logistic %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    return

func.func @float_pairs(%arg0: tensor<2x?xf32>, %arg1: tensor<2x?xf32>) {
  %0 = dovetail.pow %arg0, %arg1 : tensor<2x?xf32>
  %1 = dovetail.atan2 %arg0, %arg1 : tensor<2x?xf32>
  %2 = dovetail.nextafter %arg0, %arg1 : tensor<2x?xf32>
  %3 = dovetail.add %arg0, %arg1 : tensor<2x?xf32>
  %4 = dovetail.sub %arg0, %arg1 : tensor<2x?xf32>
  %5 = dovetail.mul %arg0, %arg1 : tensor<2x?xf32>
  %6 = dovetail.div %arg0, %arg1 : tensor<2x?xf32>
  %7 = dovetail.rem %arg0, %arg1 : tensor<2x?xf32>
  %8 = dovetail.max %arg0, %arg1 : tensor<2x?xf32>
  %9 = dovetail.min %arg0, %arg1 : tensor<2x?xf32>
  %10 = dovetail.hypot %arg0, %arg1 : tensor<2x?xf32>
  %11 = dovetail.logaddexp %arg0, %arg1 : tensor<2x?xf32>
  %12 = dovetail.logaddexp2 %arg0, %arg1 : tensor<2x?xf32>
  %13 = dovetail.floor_div %arg0, %arg1 : tensor<2x?xf32>
  %14 = dovetail.floor_rem %arg0, %arg1 : tensor<2x?xf32>
  %15 = dovetail.copysign %arg0, %arg1 : tensor<2x?xf32>
  %16 = dovetail.heaviside %arg0, %arg1 : tensor<2x?xf32>
  return
}
// CHECK-LABEL: func.func @float_pairs(%arg0: tensor<2x?xf32>, %arg1: tensor<2x?xf32>)
// CHECK-NEXT:    %[[POW:.+]] = dovetail.pow %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ATAN2:.+]] = dovetail.atan2 %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[NEXTAFTER:.+]] = dovetail.nextafter %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[REM:.+]] = dovetail.rem %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[MAX:.+]] = dovetail.max %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[MIN:.+]] = dovetail.min %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[HYPOT:.+]] = dovetail.hypot %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[LOGADDEXP:.+]] = dovetail.logaddexp %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[LOGADDEXP2:.+]] = dovetail.logaddexp2 %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[FLOOR_DIV:.+]] = dovetail.floor_div %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[FLOOR_REM:.+]] = dovetail.floor_rem %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[COPYSIGN:.+]] = dovetail.copysign %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[HEAVISIDE:.+]] = dovetail.heaviside %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    return

func.func @complex_arithmetic(%arg0: tensor<3xcomplex<f64>>, %arg1: tensor<3xcomplex<f64>>) {
  %0 = dovetail.add %arg0, %arg1 : tensor<3xcomplex<f64>>
  %1 = dovetail.sub %arg0, %arg1 : tensor<3xcomplex<f64>>
  %2 = dovetail.mul %arg0, %arg1 : tensor<3xcomplex<f64>>
  %3 = dovetail.div %arg0, %arg1 : tensor<3xcomplex<f64>>
  %4 = dovetail.pow %arg0, %arg1 : tensor<3xcomplex<f64>>
  %u0 = dovetail.abs %arg0 : tensor<3xcomplex<f64>>
  %u1 = dovetail.sign %arg0 : tensor<3xcomplex<f64>>
  %u2 = dovetail.neg %arg0 : tensor<3xcomplex<f64>>
  %u3 = dovetail.conj %arg0 : tensor<3xcomplex<f64>>
  %u4 = dovetail.real %arg0 : tensor<3xcomplex<f64>>
  %u5 = dovetail.imag %arg0 : tensor<3xcomplex<f64>>
  return
}
// CHECK-LABEL: func.func @complex_arithmetic(%arg0: tensor<3xcomplex<f64>>, %arg1: tensor<3xcomplex<f64>>)
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %arg1 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg0, %arg1 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg0, %arg1 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[POW:.+]] = dovetail.pow %arg0, %arg1 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[ABS:.+]] = dovetail.abs %arg0 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[SIGN:.+]] = dovetail.sign %arg0 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[CONJ:.+]] = dovetail.conj %arg0 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[REAL:.+]] = dovetail.real %arg0 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[IMAG:.+]] = dovetail.imag %arg0 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    return

func.func @complex_from_parts(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<?xf64>, %arg3: tensor<?xf64>) {
  %0 = dovetail.complex %arg0, %arg1 : tensor<f32>
  %1 = dovetail.complex %arg2, %arg3 : tensor<?xf64>
  return
}
// CHECK-LABEL: func.func @complex_from_parts(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<?xf64>, %arg3: tensor<?xf64>)
// CHECK-NEXT:    %[[COMPLEX:.+]] = dovetail.complex %arg0, %arg1 : tensor<f32>
// CHECK-NEXT:    %[[COMPLEX_1:.+]] = dovetail.complex %arg2, %arg3 : tensor<?xf64>
// CHECK-NEXT:    return

func.func @unsigned_arithmetic(%arg0: tensor<4x?xui8>, %arg1: tensor<4x?xui8>) {
  %0 = dovetail.add %arg0, %arg1 : tensor<4x?xui8>
  %1 = dovetail.sub %arg0, %arg1 : tensor<4x?xui8>
  %2 = dovetail.mul %arg0, %arg1 : tensor<4x?xui8>
  %3 = dovetail.div %arg0, %arg1 : tensor<4x?xui8>
  %4 = dovetail.rem %arg0, %arg1 : tensor<4x?xui8>
  %d0 = dovetail.floor_div %arg0, %arg1 : tensor<4x?xui8>
  %d1 = dovetail.floor_rem %arg0, %arg1 : tensor<4x?xui8>
  %5 = dovetail.max %arg0, %arg1 : tensor<4x?xui8>
  %6 = dovetail.min %arg0, %arg1 : tensor<4x?xui8>
  %7 = dovetail.pow %arg0, %arg1 : tensor<4x?xui8>
  %8 = dovetail.and %arg0, %arg1 : tensor<4x?xui8>
  %9 = dovetail.or %arg0, %arg1 : tensor<4x?xui8>
  %10 = dovetail.xor %arg0, %arg1 : tensor<4x?xui8>
  %11 = dovetail.shift_left %arg0, %arg1 : tensor<4x?xui8>
  %12 = dovetail.shift_right_arithmetic %arg0, %arg1 : tensor<4x?xui8>
  %13 = dovetail.shift_right_logical %arg0, %arg1 : tensor<4x?xui8>
  %u0 = dovetail.sign %arg0 : tensor<4x?xui8>
  %u1 = dovetail.not %arg0 : tensor<4x?xui8>
  %u2 = dovetail.population_count %arg0 : tensor<4x?xui8>
  %u3 = dovetail.count_leading_zeros %arg0 : tensor<4x?xui8>
  %u4 = dovetail.neg %arg0 : tensor<4x?xui8>
  return
}
// CHECK-LABEL: func.func @unsigned_arithmetic(%arg0: tensor<4x?xui8>, %arg1: tensor<4x?xui8>)
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[REM:.+]] = dovetail.rem %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[FLOOR_DIV:.+]] = dovetail.floor_div %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[FLOOR_REM:.+]] = dovetail.floor_rem %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[MAX:.+]] = dovetail.max %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[MIN:.+]] = dovetail.min %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[POW:.+]] = dovetail.pow %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[AND:.+]] = dovetail.and %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[OR:.+]] = dovetail.or %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[XOR:.+]] = dovetail.xor %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[SHIFT_LEFT:.+]] = dovetail.shift_left %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[SHIFT_RIGHT_ARITHMETIC:.+]] = dovetail.shift_right_arithmetic %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[SHIFT_RIGHT_LOGICAL:.+]] = dovetail.shift_right_logical %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[SIGN:.+]] = dovetail.sign %arg0 : tensor<4x?xui8>
// CHECK-NEXT:    %[[NOT:.+]] = dovetail.not %arg0 : tensor<4x?xui8>
// CHECK-NEXT:    %[[POPULATION_COUNT:.+]] = dovetail.population_count %arg0 : tensor<4x?xui8>
// CHECK-NEXT:    %[[COUNT_LEADING_ZEROS:.+]] = dovetail.count_leading_zeros %arg0 : tensor<4x?xui8>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<4x?xui8>
// CHECK-NEXT:    return

func.func @signed_arithmetic(%arg0: tensor<?xi64>, %arg1: tensor<?xi64>) {
  %0 = dovetail.add %arg0, %arg1 : tensor<?xi64>
  %1 = dovetail.sub %arg0, %arg1 : tensor<?xi64>
  %2 = dovetail.mul %arg0, %arg1 : tensor<?xi64>
  %3 = dovetail.div %arg0, %arg1 : tensor<?xi64>
  %4 = dovetail.rem %arg0, %arg1 : tensor<?xi64>
  %d0 = dovetail.floor_div %arg0, %arg1 : tensor<?xi64>
  %d1 = dovetail.floor_rem %arg0, %arg1 : tensor<?xi64>
  %5 = dovetail.max %arg0, %arg1 : tensor<?xi64>
  %6 = dovetail.min %arg0, %arg1 : tensor<?xi64>
  %7 = dovetail.pow %arg0, %arg1 : tensor<?xi64>
  %8 = dovetail.and %arg0, %arg1 : tensor<?xi64>
  %9 = dovetail.or %arg0, %arg1 : tensor<?xi64>
  %10 = dovetail.xor %arg0, %arg1 : tensor<?xi64>
  %11 = dovetail.shift_left %arg0, %arg1 : tensor<?xi64>
  %12 = dovetail.shift_right_arithmetic %arg0, %arg1 : tensor<?xi64>
  %13 = dovetail.shift_right_logical %arg0, %arg1 : tensor<?xi64>
  %u0 = dovetail.abs %arg0 : tensor<?xi64>
  %u1 = dovetail.sign %arg0 : tensor<?xi64>
  %u2 = dovetail.neg %arg0 : tensor<?xi64>
  %u3 = dovetail.not %arg0 : tensor<?xi64>
  %u4 = dovetail.population_count %arg0 : tensor<?xi64>
  %u5 = dovetail.count_leading_zeros %arg0 : tensor<?xi64>
  return
}
// CHECK-LABEL: func.func @signed_arithmetic(%arg0: tensor<?xi64>, %arg1: tensor<?xi64>)
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[DIV:.+]] = dovetail.div %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[REM:.+]] = dovetail.rem %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[FLOOR_DIV:.+]] = dovetail.floor_div %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[FLOOR_REM:.+]] = dovetail.floor_rem %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[MAX:.+]] = dovetail.max %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[MIN:.+]] = dovetail.min %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[POW:.+]] = dovetail.pow %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[AND:.+]] = dovetail.and %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[OR:.+]] = dovetail.or %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[XOR:.+]] = dovetail.xor %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[SHIFT_LEFT:.+]] = dovetail.shift_left %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[SHIFT_RIGHT_ARITHMETIC:.+]] = dovetail.shift_right_arithmetic %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[SHIFT_RIGHT_LOGICAL:.+]] = dovetail.shift_right_logical %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[ABS:.+]] = dovetail.abs %arg0 : tensor<?xi64>
// CHECK-NEXT:    %[[SIGN:.+]] = dovetail.sign %arg0 : tensor<?xi64>
// CHECK-NEXT:    %[[NEG:.+]] = dovetail.neg %arg0 : tensor<?xi64>
// CHECK-NEXT:    %[[NOT:.+]] = dovetail.not %arg0 : tensor<?xi64>
// CHECK-NEXT:    %[[POPULATION_COUNT:.+]] = dovetail.population_count %arg0 : tensor<?xi64>
// CHECK-NEXT:    %[[COUNT_LEADING_ZEROS:.+]] = dovetail.count_leading_zeros %arg0 : tensor<?xi64>
// CHECK-NEXT:    return

func.func @narrow_integers(%arg0: tensor<8xi4>, %arg1: tensor<8xui4>) {
  %0 = dovetail.add %arg0, %arg0 : tensor<8xi4>
  %1 = dovetail.mul %arg1, %arg1 : tensor<8xui4>
  return
}
// CHECK-LABEL: func.func @narrow_integers(%arg0: tensor<8xi4>, %arg1: tensor<8xui4>)
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %arg0 : tensor<8xi4>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg1, %arg1 : tensor<8xui4>
// CHECK-NEXT:    return

func.func @bools(%arg0: tensor<?x3xi1>, %arg1: tensor<?x3xi1>) {
  %0 = dovetail.and %arg0, %arg1 : tensor<?x3xi1>
  %1 = dovetail.or %arg0, %arg1 : tensor<?x3xi1>
  %2 = dovetail.xor %arg0, %arg1 : tensor<?x3xi1>
  %3 = dovetail.add %arg0, %arg1 : tensor<?x3xi1>
  %4 = dovetail.mul %arg0, %arg1 : tensor<?x3xi1>
  %5 = dovetail.max %arg0, %arg1 : tensor<?x3xi1>
  %6 = dovetail.min %arg0, %arg1 : tensor<?x3xi1>
  %n = dovetail.not %arg0 : tensor<?x3xi1>
  return
}
// CHECK-LABEL: func.func @bools(%arg0: tensor<?x3xi1>, %arg1: tensor<?x3xi1>)
// CHECK-NEXT:    %[[AND:.+]] = dovetail.and %arg0, %arg1 : tensor<?x3xi1>
// CHECK-NEXT:    %[[OR:.+]] = dovetail.or %arg0, %arg1 : tensor<?x3xi1>
// CHECK-NEXT:    %[[XOR:.+]] = dovetail.xor %arg0, %arg1 : tensor<?x3xi1>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %arg1 : tensor<?x3xi1>
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<?x3xi1>
// CHECK-NEXT:    %[[MAX:.+]] = dovetail.max %arg0, %arg1 : tensor<?x3xi1>
// CHECK-NEXT:    %[[MIN:.+]] = dovetail.min %arg0, %arg1 : tensor<?x3xi1>
// CHECK-NEXT:    %[[NOT:.+]] = dovetail.not %arg0 : tensor<?x3xi1>
// CHECK-NEXT:    return

func.func @powers(%arg0: tensor<2x?xf32>, %arg1: tensor<?xi64>, %arg2: tensor<?xcomplex<f32>>) {
  %0 = dovetail.integer_pow %arg0, 3 : tensor<2x?xf32>
  %1 = dovetail.integer_pow %arg0, -2 : tensor<2x?xf32>
  %2 = dovetail.integer_pow %arg1, 0 : tensor<?xi64>
  %3 = dovetail.integer_pow %arg2, 5 : tensor<?xcomplex<f32>>
  return
}
// CHECK-LABEL: func.func @powers(%arg0: tensor<2x?xf32>, %arg1: tensor<?xi64>, %arg2: tensor<?xcomplex<f32>>)
// CHECK-NEXT:    %[[INTEGER_POW:.+]] = dovetail.integer_pow %arg0, 3 : tensor<2x?xf32>
// CHECK-NEXT:    %[[INTEGER_POW_1:.+]] = dovetail.integer_pow %arg0, -2 : tensor<2x?xf32>
// CHECK-NEXT:    %[[INTEGER_POW_2:.+]] = dovetail.integer_pow %arg1, 0 : tensor<?xi64>
// CHECK-NEXT:    %[[INTEGER_POW_3:.+]] = dovetail.integer_pow %arg2, 5 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    return

func.func @comparisons(%arg0: tensor<4x?xui8>, %arg1: tensor<4x?xui8>, %arg2: tensor<?xcomplex<f32>>, %arg3: tensor<?xcomplex<f32>>) {
  %0 = dovetail.compare eq %arg0, %arg1 : tensor<4x?xui8>
  %1 = dovetail.compare ne %arg0, %arg1 : tensor<4x?xui8>
  %2 = dovetail.compare lt %arg0, %arg1 : tensor<4x?xui8>
  %3 = dovetail.compare le %arg0, %arg1 : tensor<4x?xui8>
  %4 = dovetail.compare gt %arg0, %arg1 : tensor<4x?xui8>
  %5 = dovetail.compare ge %arg0, %arg1 : tensor<4x?xui8>
  %c = dovetail.compare eq %arg2, %arg3 : tensor<?xcomplex<f32>>
  return
}
// CHECK-LABEL: func.func @comparisons(%arg0: tensor<4x?xui8>, %arg1: tensor<4x?xui8>, %arg2: tensor<?xcomplex<f32>>, %arg3: tensor<?xcomplex<f32>>)
// CHECK-NEXT:    %[[COMPARE:.+]] = dovetail.compare eq %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[COMPARE_1:.+]] = dovetail.compare ne %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[COMPARE_2:.+]] = dovetail.compare lt %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[COMPARE_3:.+]] = dovetail.compare le %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[COMPARE_4:.+]] = dovetail.compare gt %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[COMPARE_5:.+]] = dovetail.compare ge %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[COMPARE_6:.+]] = dovetail.compare eq %arg2, %arg3 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    return

func.func @choices(%arg0: tensor<?xi1>, %arg1: tensor<?xcomplex<f32>>, %arg2: tensor<?xcomplex<f32>>, %arg3: tensor<2x?xf32>) {
  %0 = dovetail.select %arg0, %arg1, %arg2 : tensor<?xi1>, tensor<?xcomplex<f32>>
  %1 = dovetail.clamp %arg3, %arg3, %arg3 : tensor<2x?xf32>
  return
}
// CHECK-LABEL: func.func @choices(%arg0: tensor<?xi1>, %arg1: tensor<?xcomplex<f32>>, %arg2: tensor<?xcomplex<f32>>, %arg3: tensor<2x?xf32>)
// CHECK-NEXT:    %[[SELECT:.+]] = dovetail.select %arg0, %arg1, %arg2 : tensor<?xi1>, tensor<?xcomplex<f32>>
// CHECK-NEXT:    %[[CLAMP:.+]] = dovetail.clamp %arg3, %arg3, %arg3 : tensor<2x?xf32>
// CHECK-NEXT:    return

func.func @conversions(%arg0: tensor<2x?xf32>) {
  %0 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xi1>
  %1 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xi8>
  %2 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xi16>
  %3 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xi32>
  %4 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xi64>
  %5 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xui8>
  %6 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xui16>
  %7 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xui32>
  %8 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xui64>
  %9 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf8E4M3FN>
  %10 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf8E5M2>
  %11 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf8E4M3FNUZ>
  %12 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf8E5M2FNUZ>
  %13 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xbf16>
  %14 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf16>
  %15 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf64>
  %16 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xcomplex<f32>>
  %17 = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xcomplex<f64>>
  return
}
// CHECK-LABEL: func.func @conversions(%arg0: tensor<2x?xf32>)
// CHECK-NEXT:    %[[CONVERT:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xi1>
// CHECK-NEXT:    %[[CONVERT_1:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xi8>
// CHECK-NEXT:    %[[CONVERT_2:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xi16>
// CHECK-NEXT:    %[[CONVERT_3:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xi32>
// CHECK-NEXT:    %[[CONVERT_4:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xi64>
// CHECK-NEXT:    %[[CONVERT_5:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xui8>
// CHECK-NEXT:    %[[CONVERT_6:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xui16>
// CHECK-NEXT:    %[[CONVERT_7:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xui32>
// CHECK-NEXT:    %[[CONVERT_8:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xui64>
// CHECK-NEXT:    %[[CONVERT_9:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf8E4M3FN>
// CHECK-NEXT:    %[[CONVERT_10:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf8E5M2>
// CHECK-NEXT:    %[[CONVERT_11:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf8E4M3FNUZ>
// CHECK-NEXT:    %[[CONVERT_12:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf8E5M2FNUZ>
// CHECK-NEXT:    %[[CONVERT_13:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xbf16>
// CHECK-NEXT:    %[[CONVERT_14:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf16>
// CHECK-NEXT:    %[[CONVERT_15:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xf64>
// CHECK-NEXT:    %[[CONVERT_16:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xcomplex<f32>>
// CHECK-NEXT:    %[[CONVERT_17:.+]] = dovetail.convert %arg0 : tensor<2x?xf32> -> tensor<2x?xcomplex<f64>>
// CHECK-NEXT:    return

func.func @bitcasts(%arg0: tensor<2x?xf32>, %arg1: tensor<bf16>) {
  %0 = dovetail.bitcast %arg0 : tensor<2x?xf32> -> tensor<2x?xui32>
  %1 = dovetail.bitcast %arg1 : tensor<bf16> -> tensor<i16>
  return
}
// CHECK-LABEL: func.func @bitcasts(%arg0: tensor<2x?xf32>, %arg1: tensor<bf16>)
// CHECK-NEXT:    %[[BITCAST:.+]] = dovetail.bitcast %arg0 : tensor<2x?xf32> -> tensor<2x?xui32>
// CHECK-NEXT:    %[[BITCAST_1:.+]] = dovetail.bitcast %arg1 : tensor<bf16> -> tensor<i16>
// CHECK-NEXT:    return

func.func @stopped(%arg0: tensor<?xcomplex<f32>>) {
  %0 = dovetail.stop_gradient %arg0 : tensor<?xcomplex<f32>>
  return
}
// CHECK-LABEL: func.func @stopped(%arg0: tensor<?xcomplex<f32>>)
// CHECK-NEXT:    %[[STOP_GRADIENT:.+]] = dovetail.stop_gradient %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    return

func.func @attributes(%arg0: tensor<2x?xf32>) {
  %0 = dovetail.exp %arg0 {dovetail.note = "kept"} : tensor<2x?xf32>
  return
}
// CHECK-LABEL: func.func @attributes(%arg0: tensor<2x?xf32>)
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 {dovetail.note = "kept"} : tensor<2x?xf32>
// CHECK-NEXT:    return
