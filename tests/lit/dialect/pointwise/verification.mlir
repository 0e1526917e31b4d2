// Constraints of the pointwise ops.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%arg0: tensor<2xi32>) {
  // expected-error @+1 {{'dovetail.exp' op operand #0 must be tensor without encoding of float or complex values, but got 'tensor<2xi32>'}}
  %0 = dovetail.exp %arg0 : tensor<2xi32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xui8>) {
  // expected-error @+1 {{'dovetail.abs' op operand #0 must be tensor without encoding of signed integer, float or complex values, but got 'tensor<2xui8>'}}
  %0 = dovetail.abs %arg0 : tensor<2xui8>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.not' op operand #0 must be tensor without encoding of integer or bool values, but got 'tensor<2xf32>'}}
  %0 = dovetail.not %arg0 : tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.real' op operand #0 must be tensor without encoding of complex values, but got 'tensor<2xf32>'}}
  %0 = dovetail.real %arg0 : tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xcomplex<f32>>, %arg1: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{'dovetail.max' op operand #0 must be tensor without encoding of bool, integer or float values, but got 'tensor<2xcomplex<f32>>'}}
  %0 = dovetail.max %arg0, %arg1 : tensor<2xcomplex<f32>>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf16>, %arg1: tensor<2xf16>) {
  // expected-error @+1 {{'dovetail.complex' op operand #0 must be tensor without encoding of f32 or f64 values, but got 'tensor<2xf16>'}}
  %0 = dovetail.complex %arg0, %arg1 : tensor<2xf16>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xi1>, %arg1: tensor<2xi1>) {
  // expected-error @+1 {{'dovetail.sub' op operand #0 must be tensor without encoding of integer, float or complex values, but got 'tensor<2xi1>'}}
  %0 = dovetail.sub %arg0, %arg1 : tensor<2xi1>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.add' op requires all operands to have the same type}}
  %0 = "dovetail.add"(%arg0, %arg1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>, %arg1: tensor<2xf64>) {
  // expected-error @+1 {{'dovetail.mul' op requires all operands to have the same type}}
  %0 = "dovetail.mul"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{'dovetail.exp' op inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'}}
  // expected-error @+1 {{'dovetail.exp' op failed to infer returned types}}
  %0 = "dovetail.exp"(%arg0) : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.exp' op all non-scalar operands/results must have the same shape and base type}}
  %0 = "dovetail.exp"(%arg0) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+2 {{'dovetail.abs' op inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xcomplex<f32>>'}}
  // expected-error @+1 {{'dovetail.abs' op failed to infer returned types}}
  %0 = "dovetail.abs"(%arg0) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{'dovetail.compare' op inferred type(s) 'tensor<2xi1>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  // expected-error @+1 {{'dovetail.compare' op failed to infer returned types}}
  %0 = "dovetail.compare"(%arg0, %arg0) <{direction = #dovetail<direction lt>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+2 {{custom op 'dovetail.compare' expected one of [eq, ne, lt, le, gt, ge] for comparison, got: near}}
  // expected-error @+1 {{custom op 'dovetail.compare' failed to parse Direction parameter 'value' which is to be a `::dovetail::CompareDirection`}}
  %0 = dovetail.compare near %arg0, %arg0 : tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xi1>, %arg1: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.select' op operands must have one shape, got: 'tensor<3xf32>' and 'tensor<2xi1>'}}
  %0 = dovetail.select %arg0, %arg1, %arg1 : tensor<2xi1>, tensor<3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xi8>, %arg1: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.select' op operand #0 must be tensor without encoding of bool values, but got 'tensor<2xi8>'}}
  %0 = dovetail.select %arg0, %arg1, %arg1 : tensor<2xi8>, tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xi1>, %arg1: tensor<2xf32>, %arg2: tensor<2xf64>) {
  // expected-error @+1 {{'dovetail.select' op failed to verify that all of {x, y} have same type}}
  %0 = "dovetail.select"(%arg0, %arg1, %arg2) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.convert' op all non-scalar operands/results must have the same shape and base type}}
  %0 = dovetail.convert %arg0 : tensor<2xf32> -> tensor<3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.convert' op result #0 must be tensor without encoding of bool, integer, float or complex values, but got 'tensor<2xf128>'}}
  %0 = dovetail.convert %arg0 : tensor<2xf32> -> tensor<2xf128>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.convert' op result #0 must be tensor without encoding of bool, integer, float or complex values, but got 'tensor<2xindex>'}}
  %0 = dovetail.convert %arg0 : tensor<2xf32> -> tensor<2xindex>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.bitcast' op element types must be real and have one width, got: 'f32' and 'i16'}}
  %0 = dovetail.bitcast %arg0 : tensor<2xf32> -> tensor<2xi16>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{'dovetail.bitcast' op element types must be real and have one width, got: 'complex<f32>' and 'i64'}}
  %0 = dovetail.bitcast %arg0 : tensor<2xcomplex<f32>> -> tensor<2xi64>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32, "sparse">) {
  // expected-error @+1 {{'dovetail.exp' op operand #0 must be tensor without encoding of float or complex values, but got 'tensor<2xf32, "sparse">'}}
  %0 = dovetail.exp %arg0 : tensor<2xf32, "sparse">
  return
}

// -----

func.func @wrong(%arg0: i32) {
  // expected-error @+1 {{custom op 'dovetail.neg' invalid kind of type specified: expected builtin.tensor, but found 'i32'}}
  %0 = dovetail.neg %arg0 : i32
  return
}

// -----

func.func @wrong(%arg0: tensor<*xf32>) {
  // expected-error @+1 {{custom op 'dovetail.neg' invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = dovetail.neg %arg0 : tensor<*xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.integer_pow' op requires attribute 'exponent'}}
  %0 = "dovetail.integer_pow"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.reduce_precision' op must keep at least 1 bit of the exponent and 0 of the mantissa, got: 0 and 3}}
  %0 = dovetail.reduce_precision %arg0 exponent 0 mantissa 3 : tensor<3xf32>
  return
}

// -----

func.func @wrong(%arg0: tensor<3xf32>) {
  // expected-error @+1 {{'dovetail.reduce_precision' op must keep at least 1 bit of the exponent and 0 of the mantissa, got: 5 and -1}}
  %0 = dovetail.reduce_precision %arg0 exponent 5 mantissa -1 : tensor<3xf32>
  return
}
