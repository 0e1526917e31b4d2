// Constraints of ops on sizes.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics

func.func @rank(%size: index) {
  // expected-error @+1 {{'dovetail.from_index' op result must be of rank 0, got: 'tensor<2xi32>'}}
  %0 = dovetail.from_index %size : tensor<2xi32>
  return
}

// -----

func.func @bounds(%size: index) {
  // expected-error @+1 {{'dovetail.assume' op bounds must be 0 or more and in order, got: 3 and 2}}
  %0 = dovetail.assume %size min 3 max 2 multiple 1
  return
}

// -----

func.func @negative(%size: index) {
  // expected-error @+1 {{'dovetail.assume' op bounds must be 0 or more and in order, got: -1 and 2}}
  %0 = dovetail.assume %size min -1 max 2 multiple 1
  return
}

// -----

func.func @multiple(%size: index) {
  // expected-error @+1 {{'dovetail.assume' op multiple must be 1 or more, got: 0}}
  %0 = dovetail.assume %size min 1 max 2 multiple 0
  return
}

// -----

func.func @count(%x: tensor<?x?xf32>, %size: index) {
  // expected-error @+1 {{'dovetail.with_sizes' op must have one size for each '?' of 'tensor<?x?xf32>', got: 1}}
  %0 = dovetail.with_sizes %x sizes(%size) : tensor<?x?xf32>
  return
}
