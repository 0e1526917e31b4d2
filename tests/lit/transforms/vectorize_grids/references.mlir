// A kernel is a function on references, which a loop over its programs reads and writes by windows.
// RUN: dovetail-opt %s | FileCheck %s --check-prefix=TEXT
// RUN: dovetail-opt %s --dovetail-pipeline=to=simplify | FileCheck %s

// TEXT-LABEL: func.func @double
// TEXT: dovetail.scan length 2 init(%{{.+}}) over() consts(%{{.+}}, %{{.+}}) {dovetail.grid = true} : (tensor<i32>, !dovetail.ref<8xf32>, !dovetail.ref<8xf32>) -> tensor<i32>
// CHECK-LABEL: func.func @double(%arg0: tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[SUM:.+]] = dovetail.add %arg0, %arg0 : tensor<8xf32>
// CHECK-NEXT: return %[[SUM]]
func.func @double(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %start = dovetail.constant dense<0x7FC00000> : tensor<8xf32>
  %zero = dovetail.constant dense<0> : tensor<i32>
  %x_ref = dovetail.new_ref %arg0 : tensor<8xf32>
  %o_ref = dovetail.new_ref %start : tensor<8xf32>
  %0 = dovetail.scan length 2 init(%zero) over() consts(%x_ref, %o_ref) {dovetail.grid = true} : (tensor<i32>, !dovetail.ref<8xf32>, !dovetail.ref<8xf32>) -> tensor<i32> {
  ^bb0(%i: tensor<i32>, %x: !dovetail.ref<8xf32>, %o: !dovetail.ref<8xf32>):
    %one = dovetail.constant dense<1> : tensor<i32>
    %four = dovetail.constant dense<4> : tensor<i32>
    %first = dovetail.mul %i, %four : tensor<i32>
    %at = dovetail.reshape %first : tensor<i32> -> tensor<1xi32>
    %1 = dovetail.ref_get %x : <8xf32>
    %2 = dovetail.gather %1, %at dims [0] window [4] : tensor<8xf32>, tensor<1xi32>
    %3 = dovetail.add %2, %2 : tensor<4xf32>
    %4 = dovetail.ref_get %o : <8xf32>
    %5 = dovetail.scatter %4, %at, %3 dims [0] window [4] : tensor<8xf32>, tensor<1xi32>, tensor<4xf32>
    dovetail.ref_set %o, %5 : <8xf32>, tensor<8xf32>
    %6 = dovetail.add %i, %one : tensor<i32>
    dovetail.yield %6 : tensor<i32>
  }
  %7 = dovetail.freeze %o_ref : <8xf32>
  return %7 : tensor<8xf32>
}
