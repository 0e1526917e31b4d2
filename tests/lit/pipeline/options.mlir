// Options that name no phases, or phases out of order, are errors.
// RUN: not dovetail-opt %s --dovetail-pipeline=to=nonsense 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not dovetail-opt %s --dovetail-pipeline="from=lower to=expand" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not dovetail-opt %s --dovetail-pipeline=until=lower 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not dovetail-opt %s --dovetail-jvp=function=nobody 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not dovetail-opt %s --dovetail-batch="dims=0 size=-7" 2>&1 | FileCheck %s --check-prefix=SIZE

func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  return %arg0 : tensor<2xf32>
}

// UNKNOWN: from and to must be two of trace, {{.*}}lower, {{.*}}carry, in this order, got: '' and 'nonsense'
// ORDER: from and to must be two of trace, {{.*}}lower, {{.*}}carry, in this order, got: 'lower' and 'expand'
// OPTION: no such option until
// FUNCTION: error: function must be one of: main; got: nobody
// SIZE: error: size must be -1 or at least 0, got: -7
