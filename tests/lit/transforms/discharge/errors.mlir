// Uses of references that have no meaning.
// RUN: dovetail-opt %s --dovetail-discharge -verify-diagnostics -split-input-file

func.func @after_end(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.new_ref %arg0 : tensor<f32>
  %1 = dovetail.freeze %0 : <f32>
  // expected-error @+1 {{'dovetail.ref_get' op must not use a reference after its end, got: '!dovetail.ref<f32>' after 'dovetail.freeze'}}
  %2 = dovetail.ref_get %0 : <f32>
  return %2 : tensor<f32>
}

// -----

func.func @returned(%arg0: tensor<f32>) -> !dovetail.ref<f32> {
  %0 = dovetail.new_ref %arg0 : tensor<f32>
  // expected-error @+1 {{'func.return' op must not return a reference, which would leave its scope, got: '!dovetail.ref<f32>'; return what it holds}}
  return %0 : !dovetail.ref<f32>
}

// -----

func.func @alias(%arg0: !dovetail.ref<f32>) {
  // expected-error @+1 {{'dovetail.scan' op must take a reference once, got: it twice, as operand #1 again}}
  dovetail.scan length 2 init() over() consts(%arg0, %arg0) : (!dovetail.ref<f32>, !dovetail.ref<f32>) -> () {
  ^bb0(%a: !dovetail.ref<f32>, %b: !dovetail.ref<f32>):
    dovetail.yield
  }
  return
}

// -----

func.func @request(%arg0: !dovetail.ref<f32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'dovetail.vmap' op must not take references, got: '!dovetail.ref<f32>', 'tensor<2xf32>'; only loops, branches and calls do}}
  %0 = dovetail.vmap @f in [-1, 0] out [0] (%arg0, %arg1) : (!dovetail.ref<f32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func private @f(%arg0: !dovetail.ref<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  return %arg1 : tensor<f32>
}

// -----

func.func @predicate(%arg0: !dovetail.ref<i1>) {
  dovetail.while init() consts(%arg0) : (!dovetail.ref<i1>) -> () {
  ^bb0(%a: !dovetail.ref<i1>):
    %0 = dovetail.ref_get %a : <i1>
    %1 = dovetail.not %0 : tensor<i1>
    dovetail.ref_set %a, %1 : <i1>, tensor<i1>
    // expected-error @+1 {{the predicate of a loop must not write to a reference, got: one that does; write to it in the body}}
    dovetail.yield %0 : tensor<i1>
  } do {
  ^bb0(%a: !dovetail.ref<i1>):
    dovetail.yield
  }
  return
}

// -----

func.func @ends(%arg0: !dovetail.ref<f32>) {
  dovetail.scan length 2 init() over() consts(%arg0) : (!dovetail.ref<f32>) -> () {
  ^bb0(%a: !dovetail.ref<f32>):
    %0 = dovetail.freeze %a : <f32>
    // expected-error @+1 {{a loop or branch must not end a reference from outside of it}}
    dovetail.yield
  }
  return
}

// -----

// expected-error @+1 {{'argument' must not end a reference that it takes, got: 'dovetail.freeze' of argument 0}}
func.func @argument(%arg0: !dovetail.ref<f32>) -> tensor<f32> {
  %0 = dovetail.freeze %arg0 : <f32>
  return %0 : tensor<f32>
}

// -----

func.func @made_here(%arg0: tensor<f32>) {
  // expected-error @+1 {{a rule of a backward rule must not read a reference that the differentiated function makes, got: '!dovetail.ref<f32>'; make it outside of the function}}
  %0 = dovetail.new_ref %arg0 : tensor<f32>
  %1 = dovetail.ref_echo %0 read depth 2 : <f32>
  dovetail.ref_set_echo %0, %1 depth 2 : <f32>, tensor<f32>
  return
}
