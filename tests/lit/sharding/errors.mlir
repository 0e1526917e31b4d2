// Shardings that do not fit are refused where they are stated.
// RUN: dovetail-opt %s --split-input-file --verify-diagnostics --dovetail-pipeline=to=shard

#mesh = #dovetail.mesh<["x" = 2]>
#other = #dovetail.mesh<["y" = 2]>

// expected-error@+2 {{argument 0 must have a sharding over #dovetail.mesh<["x" = 2]> with one entry for each dimension of 'tensor<4xf32>', got: #dovetail.sharding}}
module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#other, [{"y"}]>}) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

module attributes {dovetail.partition = #mesh} {
  // expected-error@+1 {{argument 0 must have a sharding}}
  func.func @main(%x: tensor<4xf32> {dovetail.sharding = #dovetail.sharding<#mesh, [{"x"}, {}]>}) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

module attributes {dovetail.partition = #mesh} {
  // expected-error@+1 {{result 0 must have a sharding}}
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {dovetail.sharding = 3}) {
    return %x : tensor<4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{'dovetail.shardings' must have one entry for each of 1 results, got: []}}
    %0 = dovetail.sin %x {dovetail.shardings = []} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{'dovetail.partition' must be a mesh, got: 3}}
module attributes {dovetail.partition = 3} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

// expected-error@+1 {{function must be one of: other; got: main}}
module attributes {dovetail.partition = #mesh} {
  func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{flows to must have the same sharding, got: #dovetail.sharding<#dovetail.mesh<["x" = 2]>, [{"x"}]> and #dovetail.sharding<#dovetail.mesh<["x" = 2]>, [{}]>}}
    %0 = dovetail.scan length 3 init(%x) over() consts() {
        dovetail.shardings = [#dovetail.sharding<#mesh, [{}]>],
        dovetail.argument_shardings = [[#dovetail.sharding<#mesh, [{"x"}]>]]} : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%carry: tensor<4xf32>):
      %1 = dovetail.sin %carry : tensor<4xf32>
      dovetail.yield %1 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}

// -----

#mesh = #dovetail.mesh<["x" = 2]>

module attributes {dovetail.partition = #mesh} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{'dovetail.argument_shardings' must have one entry for each of 1 bodies, got: []}}
    %0 = dovetail.scan length 3 init(%x) over() consts() {dovetail.argument_shardings = []}
        : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%carry: tensor<4xf32>):
      %1 = dovetail.sin %carry : tensor<4xf32>
      dovetail.yield %1 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}
