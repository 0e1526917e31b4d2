// Constraints of functions with rules.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func private @rule(tensor<2xf32>, tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_jvp' op callee must be a function of this module, got: @nobody}}
  %0 = dovetail.custom_jvp @nobody rule @rule(%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_jvp' op rule must be a function of this module, got: @nobody}}
  %0 = dovetail.custom_jvp @f rule @nobody(%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @rule(tensor<2xf32>, tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_jvp' op arguments must be ('tensor<2xf32>', 'tensor<i32>', 'tensor<2xf32>'), got: ('tensor<2xf32>', 'tensor<i32>')}}
  %0 = dovetail.custom_jvp @f rule @rule(%x, %n) : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @fwd(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_jvp' op arguments of rule must be ('tensor<2xf32>', 'tensor<i32>', 'tensor<2xf32>', 'tensor<2xf32>'), got: ('tensor<2xf32>', 'tensor<i32>', 'tensor<2xf32>')}}
  %0 = dovetail.custom_jvp @f rule @fwd(%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @short(tensor<2xf32>, tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_jvp' op results of rule must be ('tensor<2xf32>', 'tensor<2xf32>'), got: ('tensor<2xf32>')}}
  %0 = dovetail.custom_jvp @f rule @short(%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @bwd(tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_vjp' op fwd must be a function of this module, got: @nobody}}
  %0 = dovetail.custom_vjp @f fwd @nobody bwd @bwd wrt [0](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @bwd(tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @none()

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_vjp' op arguments of fwd must be ('tensor<2xf32>', 'tensor<i32>', 'tensor<2xf32>'), got: ()}}
  %0 = dovetail.custom_vjp @f fwd @none bwd @bwd wrt [0](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @bwd(tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @silent(tensor<2xf32>, tensor<i32>, tensor<2xf32>)

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_vjp' op fwd must return 1 results and residuals, got: 0}}
  %0 = dovetail.custom_vjp @f fwd @silent bwd @bwd wrt [0](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @bwd(tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @other(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<i32>

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_vjp' op first results of fwd must be ('tensor<2xf32>'), got: ('tensor<i32>')}}
  %0 = dovetail.custom_vjp @f fwd @other bwd @bwd wrt [0](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @fwd(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_vjp' op bwd must be a function of this module, got: @nobody}}
  %0 = dovetail.custom_vjp @f fwd @fwd bwd @nobody wrt [0](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @fwd(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)
func.func private @none()

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_vjp' op arguments of bwd must be ('tensor<i32>', 'tensor<2xf32>', 'tensor<2xf32>'), got: ()}}
  %0 = dovetail.custom_vjp @f fwd @fwd bwd @none wrt [0](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @fwd(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)
func.func private @bwd(tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_vjp' op results of bwd must be (), got: ('tensor<2xf32>')}}
  %0 = dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @fwd(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)
func.func private @bwd(tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_vjp' op wrt must be at least 0 and less than 2, got: 2}}
  %0 = dovetail.custom_vjp @f fwd @fwd bwd @bwd wrt [2](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_tangent' op bwd must be a function of this module, got: @nobody}}
  %0 = dovetail.custom_tangent @nobody of [0](%n, %x) tangents(%x) : (tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @bwd(tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_tangent' op arguments of bwd must be ('tensor<2xf32>', 'tensor<2xf32>'), got: ('tensor<i32>', 'tensor<2xf32>', 'tensor<2xf32>')}}
  %0 = dovetail.custom_tangent @bwd of [0](%x) tangents(%x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @bwd(tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_tangent' op of must be at least 0 and less than 1, got: 1}}
  %0 = dovetail.custom_tangent @bwd of [1](%n, %x) tangents(%x) : (tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @bwd(tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_tangent' op tangents must be ('tensor<2xf32>'), got: ()}}
  %0 = dovetail.custom_tangent @bwd of [0](%n, %x) tangents() : (tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @bwd(tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>, %size: index) {
  // expected-error @+1 {{'dovetail.custom_tangent' op must have one size for each '?' of its results, 0, got: 1}}
  %0 = dovetail.custom_tangent @bwd of [0](%n, %x) sizes(%size) tangents(%x) : (tensor<i32>, tensor<2xf32>, index, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{'dovetail.custom_tangent' op must have 2 tangents, got: 1}}
  %0 = dovetail.custom_tangent "bwd.0" of [0, 2](%n) tangents(%x) : (tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<2xf32>
func.func private @g(tensor<2xf32>) -> tensor<f32>

func.func @wrong(%b: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.linear_solve' op solutions must be ('tensor<2xf32>'), got: ('tensor<f32>')}}
  %0 = dovetail.linear_solve @g matvec @f(%b) : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<2xf32>
func.func private @g(tensor<2xf32>) -> tensor<f32>

func.func @wrong(%b: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.linear_solve' op results of matvec must be ('tensor<2xf32>'), got: ('tensor<f32>')}}
  %0 = dovetail.linear_solve @f matvec @g(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%b: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.linear_solve' op must have 'vecmat' and 'transpose_solve', or neither, got: one}}
  %0 = dovetail.linear_solve @f matvec @f vecmat @f(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<2xf32>
func.func private @g(tensor<2xf32>) -> tensor<f32>

func.func @wrong(%b: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.linear_solve' op first results of transpose_solve must be ('tensor<2xf32>'), got: ('tensor<f32>')}}
  %0 = dovetail.linear_solve @f matvec @f vecmat @f transpose_solve @g(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @k(tensor<2xf32>)
func.func private @f(tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%b: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.linear_solve' op must return one solution for each of 1 right-hand sides, got: 0 results}}
  dovetail.linear_solve @k matvec @f(%b) : (tensor<2xf32>) -> ()
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.custom_vmap' op arguments must be ('tensor<2xf32>'), got: ('tensor<2xf32>', 'tensor<2xf32>')}}
  %0 = dovetail.custom_vmap @f rule "r"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.custom_vmap' op jvps must be lists of the numbers of arguments whose tangents follow, got: 1}}
  %0 = dovetail.custom_vmap @f rule "r" jvps [1](%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+2 {{'dovetail.custom_vmap' op jvps must be at least 0 and less than 1, got: 1}}
  // expected-error @+1 {{'dovetail.custom_vmap' op jvps must be lists of the numbers of arguments whose tangents follow, got: array<i64: 1>}}
  %0 = dovetail.custom_vmap @f rule "r" jvps [array<i64: 1>](%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<?xf32>) {
  // expected-error @+1 {{'dovetail.primitive' op must have operands and results of static shape, got: 'tensor<?xf32>'}}
  %0 = dovetail.primitive "rotate" rules "rotate.0"(%x) : (tensor<?xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>

func.func @wrong(%x: tensor<2xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{'dovetail.custom_partition' op 'factors' must have a list for each of 2 arguments and 1 results, with the number of a factor, or -1, for each dimension, got: [array<i64: 0>, array<i64: 0>, array<i64: 0>]}}
  %0 = dovetail.custom_partition @f rules "p.0" factors [array<i64: 0>, array<i64: 0>, array<i64: 0>](%x, %n) captured(%x) : (tensor<2xf32>, tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @wrong(%x: tensor<2xf32>) {
  // expected-error @+1 {{'dovetail.custom_partition' op callee must be a function of this module, got: @nobody}}
  %0 = dovetail.custom_partition @nobody rules "p.0"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
