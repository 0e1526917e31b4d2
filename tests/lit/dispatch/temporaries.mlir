// Temporaries of a dispatch that are not needed at the same time share their memory.
// RUN: dovetail-opt %s --dovetail-lower | FileCheck %s

// Each iteration multiplies five times. A product is needed until the next one has been computed: there are two at a
// time, each of 40 times 40 numbers of 4 bytes.
// CHECK-LABEL: func.func @products(
// CHECK: tensor<12800xi8>
// CHECK-NOT: tensor<{{[0-9]+}}xi8>
module attributes {dovetail.target = "cpu"} {
  func.func @products(%x: tensor<40x40xf32>) -> tensor<40x40xf32> {
    %0 = dovetail.scan length 9 init(%x) over() consts() : (tensor<40x40xf32>) -> tensor<40x40xf32> {
    ^bb0(%c: tensor<40x40xf32>):
      %1 = dovetail.dot_general %c, %c batch [] x [] contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
      %2 = dovetail.dot_general %1, %1 batch [] x [] contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
      %3 = dovetail.dot_general %2, %2 batch [] x [] contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
      %4 = dovetail.dot_general %3, %3 batch [] x [] contract [1] x [0] : tensor<40x40xf32>, tensor<40x40xf32>
      dovetail.yield %4 : tensor<40x40xf32>
    }
    return %0 : tensor<40x40xf32>
  }
}
