// Constraints of loops and branches.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op length must be at least 0, or -1, got: -2}}
  %0:2 = dovetail.scan length -2 init(%c) over(%ys) consts() : (tensor<f32>, tensor<?xf32>) -> (tensor<f32>, tensor<?xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op count must be of rank 0 and come with length -1, got: 'tensor<i32>' and length 4}}
  %0:2 = dovetail.scan length 4 count %i init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>, tensor<i32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op count must be of rank 0 and come with length -1, got: 'tensor<4xi32>' and length -1}}
  %0:2 = dovetail.scan length -1 count %is init(%c) over(%ys) consts() : (tensor<f32>, tensor<?xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<?xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op length must be known, or given by 'count' or an operand of 'over', got: none of them}}
  %0 = dovetail.scan length -1 init(%c) over() consts() : (tensor<f32>) -> (tensor<f32>) {
  ^bb0(%a: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op operands of 'over' must have a leading dimension of 3, got: 'tensor<4xf32>'}}
  %0:2 = dovetail.scan length 3 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op operands of 'over' must have a leading dimension of 4, got: 'tensor<?xf32>'}}
  %0:2 = dovetail.scan length 4 init(%c) over(%ys) consts() : (tensor<f32>, tensor<?xf32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op operands of 'over' must have a leading dimension of 4, got: 'tensor<f32>'}}
  %0:2 = dovetail.scan length 4 init(%c) over(%c) consts() : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op must have a result for each of 2 carries, got: 1 results}}
  %0 = dovetail.scan length 4 init(%c, %c) over(%xs) consts() : (tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<f32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op stacked results must have a leading dimension of 4, got: 'tensor<3xf32>'}}
  %0:2 = dovetail.scan length 4 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<3xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op stacked results must have a leading dimension of 4, got: 'tensor<f32>'}}
  %0:2 = dovetail.scan length 4 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op stacked results must have a leading dimension of ?, got: 'tensor<4xf32>'}}
  %0:2 = dovetail.scan length -1 init(%c) over(%ys) consts() : (tensor<f32>, tensor<?xf32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op stacked results must have a leading dimension of 4, got: 'index'}}
  %0:2 = dovetail.scan length 4 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, index) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    %1 = arith.constant 0 : index
    dovetail.yield %a, %1 : tensor<f32>, index
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op carries must keep their types ('tensor<f32>'), got: ('tensor<f64>')}}
  %0:2 = dovetail.scan length 4 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f64>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    %1 = dovetail.convert %a : tensor<f32> -> tensor<f64>
    dovetail.yield %1, %x : tensor<f64>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op body must end in 'dovetail.yield', got: 'hal.return'}}
  %0:2 = dovetail.scan length 4 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    "hal.return"(%a, %x) : (tensor<f32>, tensor<f32>) -> ()
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op body must take ('tensor<f32>', 'tensor<f32>'), got: ('tensor<f32>', 'tensor<4xf32>')}}
  %0:2 = dovetail.scan length 4 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<4xf32>):
    dovetail.yield %a, %a : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op body must take ('tensor<f32>', 'tensor<f32>'), got: ('tensor<f32>')}}
  %0:2 = dovetail.scan length 4 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>):
    dovetail.yield %a, %a : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op body must return ('tensor<f32>', 'tensor<f32>'), got: ('tensor<f32>')}}
  %0:2 = dovetail.scan length 4 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op body must return ('tensor<f32>', 'tensor<i1>'), got: ('tensor<f32>', 'tensor<f32>')}}
  %0:2 = dovetail.scan length 4 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xi1>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.while' op carries must keep their types ('tensor<f32>'), got: ('tensor<i1>')}}
  %0 = dovetail.while init(%c) consts(%c) : (tensor<f32>, tensor<f32>) -> tensor<i1> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.is_finite %a : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.while' op cond must return ('tensor<i1>'), got: ('tensor<f32>')}}
  %0 = dovetail.while init(%c) consts(%c) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.while' op cond must take ('tensor<f32>', 'tensor<f32>'), got: ('tensor<f32>')}}
  %0 = dovetail.while init(%c) consts(%c) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    %1 = dovetail.is_finite %a : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.while' op body must return ('tensor<f32>'), got: ()}}
  %0 = dovetail.while init(%c) consts(%c) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.is_finite %a : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.yield
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.while' op body must take ('tensor<f32>', 'tensor<f32>'), got: ('tensor<f32>', 'tensor<i1>')}}
  %0 = dovetail.while init(%c) consts(%c) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.is_finite %a : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>, %b: tensor<i1>):
    dovetail.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.while' op body must end in 'dovetail.yield', got: 'hal.return'}}
  %0 = dovetail.while init(%c) consts(%c) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = dovetail.is_finite %a : tensor<f32>
    dovetail.yield %1 : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "hal.return"(%a) : (tensor<f32>) -> ()
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.case' op index must be of rank 0, got: 'tensor<4xi32>'}}
  %0 = dovetail.case %is of(%c) : (tensor<4xi32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.case' op must have a branch, got: none}}
  %0 = "dovetail.case"(%i, %c) : (tensor<i32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.case' op each branch must return ('tensor<f32>'), got: ()}}
  %0 = dovetail.case %i of(%c) : (tensor<i32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>):
    dovetail.yield
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.case' op each branch must take ('tensor<f32>'), got: ('tensor<f32>', 'tensor<f32>')}}
  %0 = dovetail.case %i of(%c) : (tensor<i32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.case' op operand #0 must be tensor without encoding of 32-bit signless integer values, but got 'tensor<f32>'}}
  %0 = dovetail.case %c of(%c) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>):
    dovetail.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op operand #0 must be variadic of tensor without encoding of bool, integer, float or complex values, but got 'index'}}
  %0:2 = dovetail.scan length 4 init(%n) over(%xs) consts() : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
  ^bb0(%a: index, %x: tensor<f32>):
    dovetail.yield %a, %x : index, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  %0:2 = dovetail.scan length 4 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    // expected-error @+1 {{use of undeclared SSA value name}}
    %1 = dovetail.add %a, %c : tensor<f32>
    dovetail.yield %1, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %0:2 = dovetail.scan length 4 init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  ^bb1:
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.scan' op operand #2 must be tensor without encoding of 32-bit signless integer values, but got 'tensor<f32>'}}
  %0:2 = dovetail.scan length -1 count %c init(%c) over(%xs) consts() : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %x: tensor<f32>):
    dovetail.yield %a, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.index' op operand #0 must be tensor without encoding of 32-bit signless integer values, but got 'tensor<f32>'}}
  %0 = dovetail.index %c : tensor<f32>
  return
}

// -----

func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>, %ys: tensor<?xf32>, %i: tensor<i32>, %is: tensor<4xi32>, %n: index) {
  // expected-error @+1 {{'dovetail.index' op number must be of rank 0, got: 'tensor<4xi32>'}}
  %0 = dovetail.index %is : tensor<4xi32>
  return
}

// -----

// Names of bodies are their own.
func.func @wrong(%c: tensor<f32>, %xs: tensor<4xf32>) {
  %0 = dovetail.scan length 4 init(%c) over() consts() : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    // expected-error @+1 {{use of undeclared SSA value name}}
    %1 = dovetail.add %a, %c : tensor<f32>
    dovetail.yield %1 : tensor<f32>
  }
  return
}
