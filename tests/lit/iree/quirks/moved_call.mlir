// IREE 3.13 moves the call of an imported function to before a host loop that calls another.
// RUN: %{compile} --compile-to=vm %s | FileCheck %s

// CHECK: vm.call @host.behind
// CHECK: vm.call @host.within

#scalar = affine_map<() -> ()>
func.func private @host.within()
func.func private @host.behind()
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %memory = "flow.tensor.alloca"() : () -> tensor<f32>
  %buffer = "hal.tensor.export"(%memory) {source_encoding = tensor<f32>} : (tensor<f32>) -> !hal.buffer
  %copy = "hal.tensor.alias"(%x, %buffer) {operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<f32>, !hal.buffer) -> tensor<f32>
  %start = "hal.tensor.export"(%copy) {source_encoding = tensor<f32>} : (tensor<f32>) -> !hal.buffer
  %other = "flow.tensor.alloca"() : () -> tensor<f32>
  %spare = "hal.tensor.export"(%other) {source_encoding = tensor<f32>} : (tensor<f32>) -> !hal.buffer
  %last:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %start, %b = %spare) -> (!hal.buffer, !hal.buffer) {
    %array = "hal.tensor.import"(%a) {operandSegmentSizes = array<i32: 1, 0, 0, 0>, target_encoding = tensor<f32>} : (!hal.buffer) -> tensor<f32>
    func.call @host.within() : () -> ()
    %empty = tensor.empty() : tensor<f32>
    %sum = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%array : tensor<f32>) outs(%empty : tensor<f32>) {
    ^bb0(%p: f32, %out: f32):
      %result = arith.addf %p, %p : f32
      linalg.yield %result : f32
    } -> tensor<f32>
    %in_spare = "hal.tensor.alias"(%sum, %b) {operandSegmentSizes = array<i32: 1, 0, 1, 0>} : (tensor<f32>, !hal.buffer) -> tensor<f32>
    %new = "hal.tensor.export"(%in_spare) {source_encoding = tensor<f32>} : (tensor<f32>) -> !hal.buffer
    scf.yield %new, %a : !hal.buffer, !hal.buffer
  }
  %final = "hal.tensor.import"(%last#0) {operandSegmentSizes = array<i32: 1, 0, 0, 0>, target_encoding = tensor<f32>} : (!hal.buffer) -> tensor<f32>
  call @host.behind() : () -> ()
  return %final : tensor<f32>
}
