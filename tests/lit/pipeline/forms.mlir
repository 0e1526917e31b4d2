// The last phases make the form that is asked for.
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline=to=carry | FileCheck %s --check-prefixes=MERGED,REFERENCES
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline="to=carry form=merged" | FileCheck %s --check-prefixes=MERGED,REFERENCES
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline="to=carry form=unmerged" | FileCheck %s --check-prefixes=UNMERGED,REFERENCES
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline="to=carry form=by-value" | FileCheck %s --check-prefixes=UNMERGED,VALUES
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline="to=carry form=fenced" | FileCheck %s --check-prefixes=VALUES,FENCED
// RUN: dovetail-opt %s --split-input-file --dovetail-pipeline="to=carry form=fenced-apart" | FileCheck %s --check-prefixes=VALUES,APART
// RUN: not dovetail-opt %s --dovetail-pipeline=form=fast 2>&1 | FileCheck %s --check-prefix=UNKNOWN

module attributes {dovetail.host_loops} {
  // REFERENCES: scf.for {{.*}} -> (!hal.buffer, !hal.buffer)
  // VALUES: %[[LOOP:.+]] = scf.for {{.*}} -> (tensor<400xf32>)
  // FENCED: util.optimization_barrier"(%[[LOOP]]
  // FENCED: util.optimization_barrier"(%{{.+}}, %{{.+}}) : (tensor<400xf32>, tensor<400xf32>)
  // APART-COUNT-2: util.optimization_barrier"(%{{.+}}) : (tensor<400xf32>) -> tensor<400xf32>
  func.func @loop(%x: tensor<400xf32>) -> (tensor<400xf32>, tensor<400xf32>) {
    %0 = dovetail.scan length 9 init(%x) over() consts() : (tensor<400xf32>) -> tensor<400xf32> {
    ^bb0(%c: tensor<400xf32>):
      %1 = dovetail.sin %c : tensor<400xf32>
      dovetail.yield %1 : tensor<400xf32>
    }
    %2 = dovetail.cos %x : tensor<400xf32>
    %3:2 = dovetail.optimization_barrier %0, %2 : tensor<400xf32>, tensor<400xf32>
    return %3#0, %3#1 : tensor<400xf32>, tensor<400xf32>
  }
}

// -----

// MERGED-LABEL: func.func @small(
// MERGED: "flow.dispatch"
// UNMERGED-LABEL: func.func @small(
// UNMERGED-NOT: flow.dispatch
module attributes {dovetail.target = "cpu"} {
func.func @small(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = dovetail.reduce_max %x [1] : tensor<4x4xf32>
  %1 = dovetail.broadcast %0 dims [0] : tensor<4xf32> -> tensor<4x4xf32>
  %2 = dovetail.sub %x, %1 : tensor<4x4xf32>
  %3 = dovetail.reduce_sum %2 [0] : tensor<4x4xf32>
  %4 = dovetail.broadcast %3 dims [1] : tensor<4xf32> -> tensor<4x4xf32>
  %5 = dovetail.div %2, %4 : tensor<4x4xf32>
  return %5 : tensor<4x4xf32>
}
}

// UNKNOWN: form must be one of merged, merged-apart, merged-generated, unmerged, unmerged-apart, unmerged-generated, by-value, by-value-apart, by-value-generated, fenced, fenced-apart, fenced-generated, got: 'fast'
