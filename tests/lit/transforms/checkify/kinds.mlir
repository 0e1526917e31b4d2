// Only failures of the kinds that are asked for are looked for; checks go in any case.
// RUN: dovetail-opt %s --dovetail-checkify=kinds=user | FileCheck %s --check-prefix=USER
// RUN: dovetail-opt %s --dovetail-checkify=kinds=div | FileCheck %s --check-prefix=DIV
// RUN: dovetail-opt %s --dovetail-checkify=kinds=index | FileCheck %s --check-prefix=INDEX
// RUN: dovetail-opt %s --dovetail-checkify=kinds=nan | FileCheck %s --check-prefix=NAN

func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<1xi32>, %f: tensor<2xi32>) -> tensor<1xf32> {
  dovetail.check "user" table 0 of 3 %f : tensor<2xi32>
  %0 = dovetail.div %x, %y : tensor<4xf32>
  %1 = dovetail.gather %0, %i dims [0] window [1] : tensor<4xf32>, tensor<1xi32>
  return %1 : tensor<1xf32>
}
// USER-LABEL: @main.checkify(
// USER-SAME:    -> (tensor<2xi32>, tensor<1xf32>)
// USER-LABEL: @main.checked(
// USER-NOT:     dovetail.check
// USER:         %[[NUMBER:.*]] = dovetail.reshape %{{.*}} : tensor<1xi32> -> tensor<i32>
// USER:         dovetail.compare ge %[[NUMBER]]
// USER:         %[[NEW:.*]] = dovetail.concatenate
// USER:         %[[IS_FIRST:.*]] = dovetail.compare eq
// USER:         dovetail.and %[[IS_FIRST]]
// USER:         %[[NEXT:.*]] = dovetail.select %{{.*}}, %[[NEW]], %arg4
// USER-NEXT:    dovetail.div
// USER-NEXT:    %[[RESULT:.*]] = dovetail.gather
// USER-NEXT:    return %[[RESULT]], %[[NEXT]]

// DIV-LABEL: @main.checkify(
// DIV-SAME:    -> (tensor<1xi32>, tensor<1xf32>)
// DIV-LABEL: @main.checked(
// DIV-NOT:     dovetail.check
// DIV:         dovetail.div
// DIV:         %[[ZERO:.*]] = dovetail.compare eq %arg1
// DIV:         %[[CODES:.*]] = dovetail.select %[[ZERO]]
// DIV-NOT:     compare lt
// DIV:         dovetail.reduce_min %[[CODES]]

// INDEX-LABEL: @main.checkify(
// INDEX-SAME:    -> (tensor<4xi32>, tensor<1xf32>)
// INDEX-LABEL: @main.checked(
// INDEX-NOT:     compare eq %arg1
// INDEX:         dovetail.compare lt %arg2
// INDEX:         dovetail.compare gt %arg2

// NAN-LABEL: @main.checked(
// NAN-NOT:     compare eq %arg1
// NAN:         dovetail.div
// NAN:         dovetail.compare ne
