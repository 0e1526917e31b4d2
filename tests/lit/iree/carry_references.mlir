// Loops of the host carry buffers: what is carried first is copied, what is new is written to a second buffer.
// RUN: dovetail-opt %s --dovetail-carry-references | FileCheck %s

// CHECK-LABEL: func.func @computed(
// CHECK:      %[[SPARE:.+]] = "hal.tensor.export"(%{{.+}}) {{.*}} -> !hal.buffer
// CHECK:      %[[MEMORY:.+]] = "flow.tensor.alloca"() : () -> tensor<4xf32>
// CHECK-NEXT: %[[BUFFER:.+]] = "hal.tensor.export"(%[[MEMORY]])
// CHECK-NEXT: %[[COPY:.+]] = "hal.tensor.alias"(%arg1, %[[BUFFER]])
// CHECK-NEXT: %[[FIRST:.+]] = "hal.tensor.export"(%[[COPY]])
// CHECK-NEXT: %[[LOOP:.+]]:2 = scf.for {{.*}} iter_args(%[[A:.+]] = %[[FIRST]], %[[B:.+]] = %[[SPARE]]) -> (!hal.buffer, !hal.buffer)
// CHECK-NEXT:   %[[OLD:.+]] = "hal.tensor.import"(%[[A]])
// CHECK:        %[[NEW:.+]] = linalg.exp ins(%[[OLD]]
// CHECK-NEXT:   %[[PLACED:.+]] = "hal.tensor.alias"(%[[NEW]], %[[B]])
// CHECK-NEXT:   %[[NEXT:.+]] = "hal.tensor.export"(%[[PLACED]])
// CHECK-NEXT:   scf.yield %[[NEXT]], %[[A]]
// CHECK:      %[[RESULT:.+]] = "hal.tensor.import"(%[[LOOP]]#0)
// CHECK-NEXT: return %[[RESULT]]
func.func @computed(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Beside an array of which a slice is changed, and whose second buffer is none; numbers are carried as they are.
// CHECK-LABEL: func.func @updated(
// CHECK:      %[[MEMORY:.+]] = "flow.tensor.alloca"(%[[M:[a-z0-9_]+]], %[[N:[a-z0-9_]+]])
// CHECK-NEXT: %[[FIRST:.+]] = "hal.tensor.export"(%[[MEMORY]], %[[M]], %[[N]])
// CHECK-NEXT: scf.for {{.*}} iter_args(%[[A:.+]] = %[[FIRST]], %[[K:.+]] = %arg3) -> (!hal.buffer, f32)
// CHECK-NEXT:   %[[OLD:.+]] = "hal.tensor.import"(%[[A]], %[[M]], %[[N]])
// CHECK-NEXT:   %[[NEW:.+]] = tensor.insert_slice %arg2 into %[[OLD]]
// CHECK:        %[[DONE:.+]] = "hal.tensor.export"(%[[NEW]], %[[M]], %[[N]])
// CHECK-NEXT:   scf.yield %[[DONE]],
func.func @updated(%n: index, %m: index, %x: tensor<?xf32>, %k: f32) -> (tensor<?x?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%m, %s) : tensor<?x?xf32>
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e, %l = %k) -> (tensor<?x?xf32>, f32) {
    %1 = tensor.insert_slice %x into %a[%i, 0] [1, %s] [1, 1] : tensor<?xf32> into tensor<?x?xf32>
    %2 = arith.addf %l, %l : f32
    scf.yield %1, %2 : tensor<?x?xf32>, f32
  }
  return %0#0, %0#1 : tensor<?x?xf32>, f32
}

// The second position takes the first one's buffer, the first both spare ones in turn.
// CHECK-LABEL: func.func @passed(
// CHECK:      scf.for {{.*}} iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}, %[[FREE_A:.+]] = %{{.+}}, %[[FREE_B:.+]] = %{{.+}})
// CHECK:        %[[SUM:.+]] = linalg.add
// CHECK-NEXT:   %[[PLACED:.+]] = "hal.tensor.alias"(%[[SUM]], %[[FREE_B]])
// CHECK-NEXT:   %[[DONE:.+]] = "hal.tensor.export"(%[[PLACED]])
// CHECK-NEXT:   scf.yield %[[DONE]], %[[A]], %[[B]], %[[FREE_A]]
func.func @passed(%n: index, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// What is changed beside an array that is still needed is a copy in the second buffer, which becomes the next one.
// CHECK-LABEL: func.func @kept(
// CHECK:      scf.for {{.*}} iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}, %[[FREE_A:.+]] = %{{.+}}, %[[FREE_B:.+]] = %{{.+}})
// CHECK-NEXT:   %[[OLD:.+]] = "hal.tensor.import"(%[[A]])
// CHECK-NEXT:   %[[PLACED:.+]] = "hal.tensor.alias"(%[[OLD]], %[[FREE_A]])
// CHECK-NEXT:   %[[COPY:.+]] = "hal.tensor.export"(%[[PLACED]])
// CHECK-NEXT:   %[[OWN:.+]] = "hal.tensor.import"(%[[COPY]])
// CHECK-NEXT:   %[[NEW:.+]] = tensor.insert_slice %arg2 into %[[OWN]]
// CHECK-NEXT:   %[[NEXT_A:.+]] = "hal.tensor.export"(%[[NEW]])
// CHECK-NEXT:   %[[WRITTEN:.+]] = "hal.tensor.alias"(%[[OLD]], %[[FREE_B]])
// CHECK-NEXT:   %[[NEXT_B:.+]] = "hal.tensor.export"(%[[WRITTEN]])
// CHECK-NEXT:   scf.yield %[[NEXT_A]], %[[NEXT_B]], %[[A]], %[[B]]
func.func @kept(%n: index, %x: tensor<4xf32>, %k: tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = tensor.insert_slice %k into %a[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    scf.yield %1, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// A scatter writes over the array from which its updates were computed.
// CHECK-LABEL: func.func @table(
// CHECK:      scf.for {{.*}} iter_args(%[[A:.+]] = %{{.+}}) -> (!hal.buffer)
// CHECK-NEXT:   %[[OLD:.+]] = "hal.tensor.import"(%[[A]])
// CHECK-NOT:    hal.tensor.alias
// CHECK:        tensor.extract %[[OLD]]
// CHECK:        %[[NEW:.+]] = "iree_linalg_ext.scatter"({{.*}}, %[[OLD]])
// CHECK:        %[[DONE:.+]] = "hal.tensor.export"(%[[NEW]])
// CHECK-NEXT:   scf.yield %[[DONE]]
func.func @table(%n: index, %x: tensor<4xf32>, %place: tensor<1x1xi32>, %mask: tensor<1xi1>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<1xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%e : tensor<1xf32>) {
    ^bb0(%out: f32):
      %5 = tensor.extract %a[%i] : tensor<4xf32>
      linalg.yield %5 : f32
    } -> tensor<1xf32>
    %2 = "iree_tensor_ext.compute_barrier.start"(%1) : (tensor<1xf32>) -> tensor<1xf32>
    %3 = "iree_linalg_ext.scatter"(%2, %place, %mask, %a) ({
    ^bb0(%new: f32, %old: f32):
      "iree_linalg_ext.yield"(%new) : (f32) -> ()
    }) {dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 3, 1>, unique_indices = true} : (tensor<1xf32>, tensor<1x1xi32>, tensor<1xi1>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Two that change one array: both change a copy, in memory of its own.
// CHECK-LABEL: func.func @both(
// CHECK:      scf.for {{.*}} iter_args(%[[A:[a-z0-9]+]] = %{{.+}}, %{{.+}} = %{{.+}}
// CHECK-NEXT:   %[[OLD:.+]] = "hal.tensor.import"(%[[A]])
// CHECK-NEXT:   %[[PLACED:.+]] = "hal.tensor.alias"(%[[OLD]], %{{[0-9]+}})
// CHECK-NEXT:   %[[COPY:.+]] = "hal.tensor.export"(%[[PLACED]])
// CHECK-NEXT:   %[[OWN:.+]] = "hal.tensor.import"(%[[COPY]])
// CHECK-NEXT:   tensor.insert_slice %{{.+}} into %[[OWN]]
// CHECK-NEXT:   tensor.insert_slice %{{.+}} into %[[OWN]]
func.func @both(%n: index, %x: tensor<4xf32>, %k: tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = tensor.insert_slice %k into %a[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    %2 = tensor.insert_slice %k into %a[0] [1] [1] : tensor<1xf32> into tensor<4xf32>
    scf.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// An inner loop goes on with the outer one's buffer.
// CHECK-LABEL: func.func @nested(
// CHECK:      scf.for {{.*}} iter_args(%[[A:.+]] = %{{.+}}) -> (!hal.buffer)
// CHECK-NOT:    flow.tensor.alloca
// CHECK-NOT:    hal.tensor.alias
// CHECK:        scf.for {{.*}} iter_args(%{{.+}} = %[[A]]) -> (!hal.buffer)
func.func @nested(%n: index, %x: tensor<4xf32>, %k: tensor<1xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = scf.for %j = %c0 to %i step %c1 iter_args(%b = %a) -> tensor<4xf32> {
      %2 = tensor.insert_slice %k into %b[%j] [1] [1] : tensor<1xf32> into tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @repeated(
// CHECK:      scf.while (%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}})
// CHECK-NEXT:   "hal.tensor.import"(%[[A]])
// CHECK:        scf.condition(%{{.+}}) %[[A]], %[[B]] :
// CHECK:      ^bb0(%[[A:.+]]: !hal.buffer, %[[B:.+]]: !hal.buffer):
// IREE may find out that it needs none of them.
// CHECK-NEXT:   "util.optimization_barrier"(%[[A]])
// CHECK-NEXT:   "util.optimization_barrier"(%[[B]])
// CHECK:        "hal.tensor.alias"(%{{.+}}, %[[B]])
func.func @repeated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = tensor.extract %a[%c0] : tensor<4xf32>
    %2 = arith.cmpf olt, %1, %1 : f32
    scf.condition(%2) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// What comes out of a loop is not written over while it is read.
// CHECK-LABEL: func.func @moved(
// CHECK:      %[[LOOP:.+]]:2 = scf.for
// CHECK:      %[[RESULT:.+]] = "hal.tensor.import"(%[[LOOP]]#0)
// CHECK-NEXT: tensor.extract_slice %[[RESULT]]
// CHECK-NEXT: tensor.insert_slice %{{.+}} into %[[RESULT]]
// CHECK-NEXT: "util.optimization_barrier"(%[[RESULT]])
// CHECK-NEXT: return
func.func @moved(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %3 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  %1 = tensor.extract_slice %0[0] [3] [1] : tensor<4xf32> to tensor<3xf32>
  %2 = tensor.insert_slice %1 into %0[1] [3] [1] : tensor<3xf32> into tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A condition that may write over what it is given writes over a copy.
// CHECK-LABEL: func.func @writing(
// CHECK:      scf.while (%[[A:.+]] = %{{.+}}) : (!hal.buffer) -> !hal.buffer
// CHECK-NEXT:   %[[OLD:.+]] = "hal.tensor.import"(%[[A]])
// CHECK-NEXT:   "hal.tensor.alias"(%[[OLD]], %{{[0-9]+}})
// CHECK:        tensor.insert
// CHECK:        scf.condition(%{{.+}}) %[[A]] :
func.func @writing(%x: tensor<4xf32>, %k: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = tensor.insert %k into %a[%c0] : tensor<4xf32>
    %2 = tensor.extract %1[%c0] : tensor<4xf32>
    %3 = arith.cmpf olt, %2, %2 : f32
    scf.condition(%3) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    scf.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Numbers are passed on as they are, also where the condition computes them.
// CHECK-LABEL: func.func @counting(
// CHECK:      scf.while (%[[A:.+]] = %{{.+}}, %[[K:.+]] = %arg1)
// CHECK:        %[[NEXT:.+]] = arith.addi %[[K]], %[[K]]
// CHECK:        scf.condition(%{{.+}}) %[[A]], %[[NEXT]] : !hal.buffer, i32
func.func @counting(%x: tensor<4xf32>, %k: i32) -> (tensor<4xf32>, i32) {
  %c0 = arith.constant 0 : index
  %0:2 = scf.while (%a = %x, %l = %k) : (tensor<4xf32>, i32) -> (tensor<4xf32>, i32) {
    %1 = tensor.extract %a[%c0] : tensor<4xf32>
    %2 = arith.cmpf olt, %1, %1 : f32
    %3 = arith.addi %l, %l : i32
    scf.condition(%2) %a, %3 : tensor<4xf32>, i32
  } do {
  ^bb0(%a: tensor<4xf32>, %l: i32):
    scf.yield %a, %l : tensor<4xf32>, i32
  }
  return %0#0, %0#1 : tensor<4xf32>, i32
}

// Branches give buffers of their own, with the sizes that are not known.
// CHECK-LABEL: func.func @chosen(
// CHECK:      %[[IF:.+]]:3 = scf.if %arg0 -> (!hal.buffer, f32, index) {
// CHECK:        %[[SIZE:.+]] = tensor.dim %arg1
// CHECK:        %[[MEMORY:.+]] = "flow.tensor.alloca"(%[[SIZE]])
// CHECK:        %[[BUFFER:.+]] = "hal.tensor.export"(%[[MEMORY]]
// CHECK:        %[[PLACED:.+]] = "hal.tensor.alias"(%arg1, %[[SIZE]], %[[BUFFER]])
// CHECK:        %[[DONE:.+]] = "hal.tensor.export"(%[[PLACED]]
// CHECK:        scf.yield %[[DONE]], %arg3, %[[SIZE]]
// CHECK:      } else {
// CHECK:        %[[DONE:.+]] = "hal.tensor.export"
// CHECK:        scf.yield %{{.+}}, %arg3, %{{.+}} : !hal.buffer, f32, index
// CHECK:      %[[RESULT:.+]] = "hal.tensor.import"(%[[IF]]#0, %[[IF]]#2)
// CHECK-NEXT: return %[[RESULT]], %[[IF]]#1
func.func @chosen(%p: i1, %x: tensor<?xf32>, %y: tensor<?xf32>, %k: f32) -> (tensor<?xf32>, f32) {
  %0:2 = scf.if %p -> (tensor<?xf32>, f32) {
    scf.yield %x, %k : tensor<?xf32>, f32
  } else {
    scf.yield %y, %k : tensor<?xf32>, f32
  }
  return %0#0, %0#1 : tensor<?xf32>, f32
}

// What a barrier may share with others is copied: it has a use at the end.
// CHECK-LABEL: func.func @shared(
// CHECK:      %[[B:.+]]:2 = "util.optimization_barrier"(%arg1, %arg1)
// CHECK:      "hal.tensor.alias"(%[[B]]#0,
// CHECK:      scf.for
// CHECK:      "util.optimization_barrier"(%[[B]]#0)
// CHECK-NEXT: return
func.func @shared(%n: index, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b:2 = "util.optimization_barrier"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %b#0) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0, %b#1 : tensor<4xf32>, tensor<4xf32>
}

// Arrays that begin as the same number are filled with a number for each, which IREE does not know.
// CHECK-LABEL: func.func @same_fills(
// CHECK:      %[[FILL:.+]] = arith.constant dense<1.000000e+00>
// CHECK:      %[[ONE:.+]] = "util.optimization_barrier"(%{{.+}}) : (tensor<i32>)
// CHECK:      %[[FIRST:.+]] = linalg.generic {{.*}} ins(%[[FILL]], %[[ONE]] :
// CHECK:      "hal.tensor.alias"(%[[FIRST]],
// CHECK:      %[[OTHER:.+]] = "util.optimization_barrier"(%{{.+}}) : (tensor<i32>)
// CHECK:      %[[SECOND:.+]] = linalg.generic {{.*}} ins(%[[FILL]], %[[OTHER]] :
// CHECK:      "hal.tensor.alias"(%[[SECOND]],
// CHECK:      scf.for
func.func @same_fills(%n: index) -> (tensor<3xf64>, tensor<3xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : tensor<3xf64>
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %one, %y = %one) -> (tensor<3xf64>, tensor<3xf64>) {
    %twice = arith.addf %x, %x : tensor<3xf64>
    %square = arith.mulf %y, %y : tensor<3xf64>
    scf.yield %twice, %square : tensor<3xf64>, tensor<3xf64>
  }
  return %last#0, %last#1 : tensor<3xf64>, tensor<3xf64>
}
