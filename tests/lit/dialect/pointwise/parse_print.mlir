// Text of pointwise ops: of each format, for each kind of element type. tests/python/ops/test_ops.py parses all of them.
// RUN: dovetail-opt %s | FileCheck %s
// RUN: dovetail-opt %s --mlir-print-op-generic | dovetail-opt | FileCheck %s

func.func @float_functions(%arg0: tensor<2x?xf32>) {
  %0 = dovetail.exp %arg0 : tensor<2x?xf32>
  %t2 = dovetail.exponent %arg0 : tensor<2x?xf32>
  %27 = dovetail.is_finite %arg0 : tensor<2x?xf32>
  return
}
// CHECK-LABEL: func.func @float_functions(%arg0: tensor<2x?xf32>)
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<2x?xf32>
// CHECK-NEXT:    %[[EXPONENT:.+]] = dovetail.exponent %arg0 : tensor<2x?xf32>
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
  return
}
// CHECK-LABEL: func.func @complex_functions(%arg0: tensor<?xcomplex<f32>>)
// CHECK-NEXT:    %[[EXP:.+]] = dovetail.exp %arg0 : tensor<?xcomplex<f32>>
// CHECK-NEXT:    return

func.func @float_pairs(%arg0: tensor<2x?xf32>, %arg1: tensor<2x?xf32>) {
  %1 = dovetail.atan2 %arg0, %arg1 : tensor<2x?xf32>
  %3 = dovetail.add %arg0, %arg1 : tensor<2x?xf32>
  return
}
// CHECK-LABEL: func.func @float_pairs(%arg0: tensor<2x?xf32>, %arg1: tensor<2x?xf32>)
// CHECK-NEXT:    %[[ATAN2:.+]] = dovetail.atan2 %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %arg1 : tensor<2x?xf32>
// CHECK-NEXT:    return

func.func @complex_arithmetic(%arg0: tensor<3xcomplex<f64>>, %arg1: tensor<3xcomplex<f64>>) {
  %2 = dovetail.mul %arg0, %arg1 : tensor<3xcomplex<f64>>
  %u0 = dovetail.abs %arg0 : tensor<3xcomplex<f64>>
  %u4 = dovetail.real %arg0 : tensor<3xcomplex<f64>>
  return
}
// CHECK-LABEL: func.func @complex_arithmetic(%arg0: tensor<3xcomplex<f64>>, %arg1: tensor<3xcomplex<f64>>)
// CHECK-NEXT:    %[[MUL:.+]] = dovetail.mul %arg0, %arg1 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[ABS:.+]] = dovetail.abs %arg0 : tensor<3xcomplex<f64>>
// CHECK-NEXT:    %[[REAL:.+]] = dovetail.real %arg0 : tensor<3xcomplex<f64>>
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
  %11 = dovetail.shift_left %arg0, %arg1 : tensor<4x?xui8>
  %u1 = dovetail.not %arg0 : tensor<4x?xui8>
  return
}
// CHECK-LABEL: func.func @unsigned_arithmetic(%arg0: tensor<4x?xui8>, %arg1: tensor<4x?xui8>)
// CHECK-NEXT:    %[[ADD:.+]] = dovetail.add %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[SHIFT_LEFT:.+]] = dovetail.shift_left %arg0, %arg1 : tensor<4x?xui8>
// CHECK-NEXT:    %[[NOT:.+]] = dovetail.not %arg0 : tensor<4x?xui8>
// CHECK-NEXT:    return

func.func @signed_arithmetic(%arg0: tensor<?xi64>, %arg1: tensor<?xi64>) {
  %1 = dovetail.sub %arg0, %arg1 : tensor<?xi64>
  %u0 = dovetail.abs %arg0 : tensor<?xi64>
  %u3 = dovetail.not %arg0 : tensor<?xi64>
  return
}
// CHECK-LABEL: func.func @signed_arithmetic(%arg0: tensor<?xi64>, %arg1: tensor<?xi64>)
// CHECK-NEXT:    %[[SUB:.+]] = dovetail.sub %arg0, %arg1 : tensor<?xi64>
// CHECK-NEXT:    %[[ABS:.+]] = dovetail.abs %arg0 : tensor<?xi64>
// CHECK-NEXT:    %[[NOT:.+]] = dovetail.not %arg0 : tensor<?xi64>
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
  %5 = dovetail.max %arg0, %arg1 : tensor<?x3xi1>
  %n = dovetail.not %arg0 : tensor<?x3xi1>
  return
}
// CHECK-LABEL: func.func @bools(%arg0: tensor<?x3xi1>, %arg1: tensor<?x3xi1>)
// CHECK-NEXT:    %[[AND:.+]] = dovetail.and %arg0, %arg1 : tensor<?x3xi1>
// CHECK-NEXT:    %[[MAX:.+]] = dovetail.max %arg0, %arg1 : tensor<?x3xi1>
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
