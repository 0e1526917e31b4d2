// What is kept together is one dispatch: of parts by workgroups, or of one thread if it takes little time.
// RUN: dovetail-opt %s --split-input-file --dovetail-divide-loops | FileCheck %s
// RUN: dovetail-opt %s --split-input-file --dovetail-divide-loops --dovetail-lower | FileCheck %s --check-prefix=LOWERED

// Twice as many parts as threads. What all parts are multiplied by is the same for all; large products are left to the
// library, and small ones read a transposed copy where elements that are added up lie next to each other.
// CHECK-LABEL: func.func @products
// CHECK:         dovetail.scan length 8 init() over({{.+}}) consts({{.+}}) {dovetail.kernel, dovetail.workgroups}
// CHECK:           dovetail.dot_general {{.+}} : tensor<128x512xf32>, tensor<512x512xf32>
// CHECK:           dovetail.exp
// CHECK:           dovetail.dot_general {{.+}} : tensor<128x64xf32>, tensor<32x64xf32>
// CHECK-NOT:     dovetail.case

// LOWERED:       "hal.executable.source"
// LOWERED:         %[[COPY:.+]] = "hal.interface.binding.subspan"{{.+}} : (index) -> memref<64x32xf32>
// LOWERED:         call @dovetail_blas_product(
// LOWERED:         vector.load %[[COPY]]
// LOWERED:         func{{(.func)?}} private @dovetail_blas_product(index, index, index, index, index, index, {{.+}}) attributes {llvm.bareptr = true}
// LOWERED-LABEL: func.func @products
// LOWERED-COUNT-1: "flow.dispatch"
// LOWERED-NOT:     "flow.dispatch"
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 4} {
  func.func @products(%x: tensor<1024x512xf32>, %w: tensor<512x512xf32>, %y: tensor<1024x64xf32>, %v: tensor<32x64xf32>) -> (tensor<1024x512xf32>, tensor<1024x32xf32>) {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0:2 = dovetail.case %index of(%x, %w, %y, %v) {dovetail.kernel} : (tensor<i32>, tensor<1024x512xf32>, tensor<512x512xf32>, tensor<1024x64xf32>, tensor<32x64xf32>) -> (tensor<1024x512xf32>, tensor<1024x32xf32>) {
    ^bb0(%a: tensor<1024x512xf32>, %b: tensor<512x512xf32>, %d: tensor<1024x64xf32>, %c: tensor<32x64xf32>):
      %1 = dovetail.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<1024x512xf32>, tensor<512x512xf32>
      %2 = dovetail.exp %1 : tensor<1024x512xf32>
      %3 = dovetail.dot_general %d, %c batch [] x [] contract [1] x [1] : tensor<1024x64xf32>, tensor<32x64xf32>
      dovetail.yield %2, %3 : tensor<1024x512xf32>, tensor<1024x32xf32>
    }
    return %0#0, %0#1 : tensor<1024x512xf32>, tensor<1024x32xf32>
  }
}

// -----

// CHECK-LABEL: func.func @small
// CHECK:         dovetail.case
// LOWERED-LABEL: func.func @small
// LOWERED-NOT:     linalg
// LOWERED:         "flow.dispatch"
module attributes {dovetail.target = "cpu"} {
  func.func @small(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0 = dovetail.case %index of(%x) {dovetail.kernel} : (tensor<i32>, tensor<8x8xf32>) -> tensor<8x8xf32> {
    ^bb0(%a: tensor<8x8xf32>):
      %1 = dovetail.reduce_sum %a [0, 1] : tensor<8x8xf32>
      %2 = dovetail.broadcast %1 dims [] : tensor<f32> -> tensor<8x8xf32>
      %3 = dovetail.div %a, %2 : tensor<8x8xf32>
      dovetail.yield %3 : tensor<8x8xf32>
    }
    return %0 : tensor<8x8xf32>
  }
}

// -----

// Each element needs all others: several dispatches, which threads share.
// CHECK-LABEL: func.func @all
// CHECK-NOT:     dovetail.case
// CHECK-NOT:     dovetail.scan
module attributes {dovetail.target = "cpu"} {
  func.func @all(%x: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0 = dovetail.case %index of(%x) {dovetail.kernel} : (tensor<i32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
    ^bb0(%a: tensor<2048x2048xf32>):
      %1 = dovetail.reduce_sum %a [0, 1] : tensor<2048x2048xf32>
      %2 = dovetail.broadcast %1 dims [] : tensor<f32> -> tensor<2048x2048xf32>
      %3 = dovetail.div %a, %2 : tensor<2048x2048xf32>
      dovetail.yield %3 : tensor<2048x2048xf32>
    }
    return %0 : tensor<2048x2048xf32>
  }
}

// -----

// A batch of few entries: workgroups compute parts of entries, and choose what belongs to theirs, without a copy.
// CHECK-LABEL: func.func @batch
// CHECK:         dovetail.scan length 8 init() over({{.+}}) consts({{.+}}) {dovetail.kernel, dovetail.workgroups}
// CHECK:           dovetail.gather {{.+}} dims [0] window [1] {dovetail.within} : tensor<2x1x64x512xf32>, tensor<1xi32>
// CHECK:           dovetail.dot_general {{.+}} : tensor<1x256x64xf32>, tensor<1x64x512xf32>
// CHECK:           dovetail.exp
// CHECK-NOT:     dovetail.case
// LOWERED-LABEL: func.func @batch
// LOWERED-COUNT-1: "flow.dispatch"
// LOWERED-NOT:     "flow.dispatch"
module attributes {dovetail.target = "cpu", dovetail.threads = 4} {
  func.func @batch(%x: tensor<2x1024x64xf32>, %w: tensor<2x64x512xf32>) -> tensor<2x1024x512xf32> {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0 = dovetail.case %index of(%x, %w) {dovetail.kernel} : (tensor<i32>, tensor<2x1024x64xf32>, tensor<2x64x512xf32>) -> tensor<2x1024x512xf32> {
    ^bb0(%a: tensor<2x1024x64xf32>, %b: tensor<2x64x512xf32>):
      %1 = dovetail.dot_general %a, %b batch [0] x [0] contract [2] x [1] : tensor<2x1024x64xf32>, tensor<2x64x512xf32>
      %2 = dovetail.exp %1 : tensor<2x1024x512xf32>
      dovetail.yield %2 : tensor<2x1024x512xf32>
    }
    return %0 : tensor<2x1024x512xf32>
  }
}

// -----

// A batch that no division of the arrays of all entries makes one dispatch of, in the second form: each workgroup computes
// a part of an entry. What cannot be divided, such as shifts, it computes whole, and takes its part of that.
// CHECK-LABEL: func.func @forms
// CHECK:         dovetail.scan length 8 init() over({{.+}}) consts({{.+}}) {dovetail.kernel, dovetail.workgroups}
// CHECK:           dovetail.slice {{.+}} starts [1] strides [1] : tensor<33xi32> -> tensor<32xi32>
// CHECK:           dovetail.gather {{.+}} dims [0] window [8] {dovetail.within} : tensor<32xi32>, tensor<1xi32>
// CHECK:           dovetail.reduce_sum {{.+}} [1] : tensor<8x4096xi32>
// CHECK-NOT:     dovetail.case
// LOWERED-LABEL: func.func @forms
// LOWERED-COUNT-1: "flow.dispatch"
// LOWERED-NOT:     "flow.dispatch"
module attributes {dovetail.target = "cpu", dovetail.threads = 4} {
  func.func @forms(%x: tensor<2x33xi32>, %y: tensor<2x32x4096xi32>) -> tensor<2x32x4096xi32> {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0 = dovetail.case %index of(%x, %y) {dovetail.kernel} : (tensor<i32>, tensor<2x33xi32>, tensor<2x32x4096xi32>) -> tensor<2x32x4096xi32> {
    ^bb0(%a: tensor<2x33xi32>, %b: tensor<2x32x4096xi32>):
      %1 = dovetail.cumsum %b, 0 : tensor<2x32x4096xi32>
      %2 = dovetail.cumsum %1, 1 : tensor<2x32x4096xi32>
      %3 = dovetail.cumsum %2, 2 : tensor<2x32x4096xi32>
      dovetail.yield %3 : tensor<2x32x4096xi32>
    }, {
    ^bb0(%a: tensor<2x33xi32>, %b: tensor<2x32x4096xi32>):
      %1 = dovetail.scan length 2 init() over(%a, %b) consts() {dovetail.entries} : (tensor<2x33xi32>, tensor<2x32x4096xi32>) -> tensor<2x32x4096xi32> {
      ^bb0(%c: tensor<33xi32>, %d: tensor<32x4096xi32>):
        %2 = dovetail.slice %c starts [1] strides [1] : tensor<33xi32> -> tensor<32xi32>
        %3 = dovetail.reduce_sum %d [1] : tensor<32x4096xi32>
        %4 = dovetail.add %2, %3 : tensor<32xi32>
        %5 = dovetail.broadcast %4 dims [0] : tensor<32xi32> -> tensor<32x4096xi32>
        %6 = dovetail.sub %d, %5 : tensor<32x4096xi32>
        dovetail.yield %6 : tensor<32x4096xi32>
      }
      dovetail.yield %1 : tensor<2x32x4096xi32>
    }
    return %0 : tensor<2x32x4096xi32>
  }
}

// -----

// On GPUs, what takes one workgroup little time is one dispatch.
// CHECK-LABEL: func.func @gpu
// CHECK:         dovetail.case
// LOWERED-LABEL: func.func @gpu
// LOWERED-NOT:     linalg
// LOWERED:         "flow.dispatch"
module attributes {dovetail.target = "vulkan"} {
  func.func @gpu(%x: tensor<8x8xf32>) -> tensor<8xf32> {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0 = dovetail.case %index of(%x) {dovetail.kernel} : (tensor<i32>, tensor<8x8xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8x8xf32>):
      %1 = dovetail.reduce_sum %a [0] : tensor<8x8xf32>
      %2 = dovetail.broadcast %1 dims [1] : tensor<8xf32> -> tensor<8x8xf32>
      %3 = dovetail.div %a, %2 : tensor<8x8xf32>
      %4 = dovetail.reduce_max %3 [0] : tensor<8x8xf32>
      dovetail.yield %4 : tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
}

// -----

// Of elementwise ops and one sum the code generator makes one dispatch.
// CHECK-LABEL: func.func @large_on_gpu
// CHECK-NOT:     dovetail.case
// CHECK-NOT:     dovetail.scan
module attributes {dovetail.target = "cuda"} {
  func.func @large_on_gpu(%x: tensor<1024x64xf32>) -> tensor<1024xf32> {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0 = dovetail.case %index of(%x) {dovetail.kernel} : (tensor<i32>, tensor<1024x64xf32>) -> tensor<1024xf32> {
    ^bb0(%a: tensor<1024x64xf32>):
      %1 = dovetail.reduce_sum %a [1] : tensor<1024x64xf32>
      %2 = dovetail.exp %1 : tensor<1024xf32>
      dovetail.yield %2 : tensor<1024xf32>
    }
    return %0 : tensor<1024xf32>
  }
}

// -----

// What is summed over the dimension that is divided is a term of each part; they are added behind the loop, also to what
// the kernel starts from. Products read what transpositions read.
// CHECK-LABEL: func.func @terms
// CHECK-SAME:      %[[START:[^ ]+]]: tensor<512xf32>)
// CHECK:         %[[PARTS:.+]]:2 = dovetail.scan length 8
// CHECK-SAME:      {dovetail.kernel, dovetail.workgroups}
// CHECK-NOT:       dovetail.transpose
// CHECK:           dovetail.dot_general {{.+}} contract [1] x [1] : tensor<128x512xf32>, tensor<512x512xf32>
// CHECK:           %[[TERM:.+]] = dovetail.reduce_sum {{.+}} [0] : tensor<128x512xf32>
// CHECK-NOT:       dovetail.add
// CHECK:         %[[SUM:.+]] = dovetail.reduce_sum %[[PARTS]]#1 [0] : tensor<8x512xf32>
// CHECK:         dovetail.add %[[START]], %[[SUM]]
// CHECK-NOT:     dovetail.case
module attributes {dovetail.target = "cpu", dovetail.host_functions, dovetail.threads = 4} {
  func.func @terms(%x: tensor<1024x512xf32>, %w: tensor<512x512xf32>, %start: tensor<512xf32>) -> (tensor<1024x512xf32>, tensor<512xf32>) {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0:2 = dovetail.case %index of(%x, %w, %start) {dovetail.kernel} : (tensor<i32>, tensor<1024x512xf32>, tensor<512x512xf32>, tensor<512xf32>) -> (tensor<1024x512xf32>, tensor<512xf32>) {
    ^bb0(%a: tensor<1024x512xf32>, %b: tensor<512x512xf32>, %c: tensor<512xf32>):
      %1 = dovetail.transpose %b [1, 0] : tensor<512x512xf32>
      %2 = dovetail.dot_general %a, %1 batch [] x [] contract [1] x [0] : tensor<1024x512xf32>, tensor<512x512xf32>
      %3 = dovetail.exp %2 : tensor<1024x512xf32>
      %4 = dovetail.reduce_sum %3 [0] : tensor<1024x512xf32>
      %5 = dovetail.add %c, %4 : tensor<512xf32>
      dovetail.yield %3, %5 : tensor<1024x512xf32>, tensor<512xf32>
    }
    return %0#0, %0#1 : tensor<1024x512xf32>, tensor<512xf32>
  }
}

// -----

// Workgroups of a GPU have parts of others.
// CHECK-LABEL: func.func @divided_on_gpu
// CHECK:         dovetail.scan length 512 init() over({{.+}}) consts({{.+}}) {dovetail.kernel, dovetail.workgroups}
// LOWERED-LABEL: func.func @divided_on_gpu
// LOWERED-COUNT-1: "flow.dispatch"
// LOWERED-NOT:     "flow.dispatch"
module attributes {dovetail.target = "cuda"} {
  func.func @divided_on_gpu(%x: tensor<1024x64xf32>) -> tensor<1024xf32> {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0 = dovetail.case %index of(%x) {dovetail.kernel} : (tensor<i32>, tensor<1024x64xf32>) -> tensor<1024xf32> {
    ^bb0(%a: tensor<1024x64xf32>):
      %1 = dovetail.reduce_sum %a [1] : tensor<1024x64xf32>
      %2 = dovetail.broadcast %1 dims [0] : tensor<1024xf32> -> tensor<1024x64xf32>
      %3 = dovetail.div %a, %2 : tensor<1024x64xf32>
      %4 = dovetail.reduce_max %3 [1] : tensor<1024x64xf32>
      dovetail.yield %4 : tensor<1024xf32>
    }
    return %0 : tensor<1024xf32>
  }
}

// -----

// The places of 8 programs, and the 512 rows of all of them, have as many parts.
// CHECK-LABEL: func.func @places_of_programs
// CHECK:         dovetail.scan length 8 init() over(%{{[0-9]+}}, %{{[0-9]+}}) consts({{.+}} : (tensor<8x128x512xf32>, tensor<8x1xi32>, tensor<i32>)
// CHECK-COUNT-2:   dovetail.iota {{[12]}} : tensor<1x128x512xi32>
// CHECK:           dovetail.reshape %{{.+}} : tensor<1x128x512xi1> -> tensor<128x512xi1>
// CHECK-NOT:     dovetail.case

// LOWERED-LABEL: func.func @places_of_programs
// LOWERED-COUNT-1: "flow.dispatch"
// LOWERED-NOT:     "flow.dispatch"
module attributes {dovetail.target = "cpu", dovetail.threads = 4} {
  func.func @places_of_programs(%x: tensor<1024x512xf32>) -> tensor<1024x512xf32> {
    %index = dovetail.constant dense<0> : tensor<i32>
    %0 = dovetail.case %index of(%x) {dovetail.kernel} : (tensor<i32>, tensor<1024x512xf32>) -> tensor<1024x512xf32> {
    ^bb0(%a: tensor<1024x512xf32>):
      %program = dovetail.iota 0 : tensor<8xi32>
      %size = dovetail.constant dense<128> : tensor<8xi32>
      %start = dovetail.mul %program, %size : tensor<8xi32>
      %starts = dovetail.broadcast %start dims [0] : tensor<8xi32> -> tensor<8x128x512xi32>
      %row = dovetail.iota 1 : tensor<8x128x512xi32>
      %rows = dovetail.add %starts, %row : tensor<8x128x512xi32>
      %columns = dovetail.iota 2 : tensor<8x128x512xi32>
      %isBelow = dovetail.compare ge %rows, %columns : tensor<8x128x512xi32>
      %mask = dovetail.reshape %isBelow : tensor<8x128x512xi1> -> tensor<1024x512xi1>
      %zeros = dovetail.constant dense<0.0> : tensor<1024x512xf32>
      %1 = dovetail.select %mask, %a, %zeros : tensor<1024x512xi1>, tensor<1024x512xf32>
      %2 = dovetail.reduce_sum %1 [1] : tensor<1024x512xf32>
      %3 = dovetail.broadcast %2 dims [0] : tensor<1024xf32> -> tensor<1024x512xf32>
      %4 = dovetail.div %1, %3 : tensor<1024x512xf32>
      dovetail.yield %4 : tensor<1024x512xf32>
    }
    return %0 : tensor<1024x512xf32>
  }
}
