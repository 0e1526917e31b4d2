// Rules of ops on sizes: what is tied to sizes is linear, and a batch is one more dimension.
// RUN: dovetail-opt %s --dovetail-transpose="function=tied linear=0" --split-input-file | FileCheck %s --check-prefix=TRANSPOSE
// RUN: dovetail-opt %s --dovetail-batch="function=tied dims=1,-1 size=5" --split-input-file | FileCheck %s --check-prefix=BATCH
// RUN: dovetail-opt %s --verify-diagnostics --dovetail-print-factors

// TRANSPOSE:     func.func {{.*}}@tied.transpose{{.*}}(%[[SIZE:.+]]: index, %{{.+}}: index, %[[CT:.+]]: tensor<?x3xf32>)
// TRANSPOSE:       %[[RESULT:.+]] = dovetail.with_sizes %[[CT]] sizes(%[[SIZE]]) : tensor<?x3xf32>
// TRANSPOSE-NEXT:  return %[[RESULT]]
// BATCH:         func.func {{.*}}@tied.batch{{.*}}(%[[X:.+]]: tensor<?x5x3xf32>, %[[SIZE:.+]]: index)
// BATCH:           %[[RESULT:.+]] = dovetail.with_sizes %[[X]] sizes(%[[SIZE]]) : tensor<?x5x3xf32>
// BATCH-NEXT:      return %[[RESULT]]
func.func @tied(%x: tensor<?x3xf32>, %size: index) -> tensor<?x3xf32> {
  // expected-remark @+1 {{([i,j],[])->([i,j])}}
  %0 = dovetail.with_sizes %x sizes(%size) : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
