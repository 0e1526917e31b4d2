"""Programs in the style of PyTorch's exporters, written by hand from their documented ops: values and derivatives.

Such programs have weights as arguments, layouts and names of other compilers as attributes, ops of batch
normalization, and calls of functions that are ops of `chlo` today.
"""

# ruff: noqa: E501 - programs have lines of any length

from __future__ import annotations

from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp

# A convolution, batch normalization, a pool, and a linear layer with GELU, in evaluation.
NETWORK = """
module @IrToHlo.80 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<5x12xf32>, %arg2: tensor<3xf32>, %arg3: tensor<3xf32>, %arg4: tensor<3xf32>, %arg5: tensor<3xf32>, %arg6: tensor<3xf32>, %arg7: tensor<3x2x3x3xf32>, %arg8: tensor<4x2x4x4xf32>) -> tensor<4x5xf32> {
    %0 = stablehlo.constant dense<5.000000e-01> : tensor<4x5xf32>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<4x5xf32>
    %2 = stablehlo.constant dense<0.707106769> : tensor<4x5xf32>
    %3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.constant dense<0.000000e+00> : tensor<4x3x4x4xf32>
    %5 = stablehlo.convolution(%arg8, %arg7) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<4x3x4x4xf32>
    %6 = stablehlo.broadcast_in_dim %arg6, dims = [1] : (tensor<3xf32>) -> tensor<4x3x4x4xf32>
    %7 = stablehlo.add %5, %6 : tensor<4x3x4x4xf32>
    %8 = "stablehlo.batch_norm_inference"(%7, %arg5, %arg4, %arg3, %arg2) {epsilon = 9.99999974E-6 : f32, feature_index = 1 : i64} : (tensor<4x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x4x4xf32>
    %9 = stablehlo.maximum %8, %4 : tensor<4x3x4x4xf32>
    %10 = "stablehlo.reduce_window"(%9, %3) ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %23 = stablehlo.maximum %arg9, %arg10 : tensor<f32>
      stablehlo.return %23 : tensor<f32>
    }) {base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<4x3x4x4xf32>, tensor<f32>) -> tensor<4x3x2x2xf32>
    %11 = stablehlo.reshape %10 : (tensor<4x3x2x2xf32>) -> tensor<4x12xf32>
    %12 = stablehlo.transpose %arg1, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[12,5]{0,1}"} : (tensor<5x12xf32>) -> tensor<12x5xf32>
    %13 = stablehlo.dot_general %11, %12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x5xf32>) -> tensor<4x5xf32>
    %14 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<5xf32>) -> tensor<4x5xf32>
    %15 = stablehlo.add %13, %14 : tensor<4x5xf32>
    %16 = stablehlo.multiply %15, %2 : tensor<4x5xf32>
    %17 = stablehlo.custom_call @mhlo.erf(%16) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %18 = stablehlo.add %17, %1 : tensor<4x5xf32>
    %19 = stablehlo.multiply %15, %0 : tensor<4x5xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<4x5xf32>
    return %20 : tensor<4x5xf32>
  }
}
"""

# One step of batch normalization in training, and its gradient as PyTorch's exporters write it.
NORMALIZATION = """
module @IrToHlo.9 {
  func.func @main(%arg0: tensor<6x3x2xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>, %arg3: tensor<6x3x2xf32>) -> (tensor<6x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<6x3x2xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0, %1, %2 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {epsilon = 9.99999974E-6 : f32, feature_index = 1 : i64} : (tensor<6x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<6x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
    %3, %4, %5 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %1, %2, %arg3) {epsilon = 9.99999974E-6 : f32, feature_index = 1 : i64} : (tensor<6x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<6x3x2xf32>) -> (tensor<6x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
    return %0, %1, %2, %3, %4, %5 : tensor<6x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<6x3x2xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
"""


def network(bias: Any, matrix: Any, *rest: Any) -> dt.Array:
    variance, mean, offset, scale, shift, kernel, x = rest
    spread = [v[:, None, None] for v in (variance, mean, offset, scale, shift)]
    variance, mean, offset, scale, shift = spread
    y = dt.lax.conv_general_dilated(x, kernel, (1, 1), "SAME") + shift
    y = (y - mean) / dnp.sqrt(variance + 1e-5) * scale + offset
    y = dnp.maximum(y, 0).reshape(4, 3, 2, 2, 2, 2).max((3, 5)).reshape(4, 12)
    return dt.nn.gelu(y @ matrix.T + bias, approximate=False)


def test_a_network_in_evaluation() -> None:
    rng = np.random.default_rng(0)
    shapes = [(5,), (5, 12), (3,), (3,), (3,), (3,), (3,), (3, 2, 3, 3), (4, 2, 4, 4)]
    args = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    args[2] = np.abs(args[2]) + 0.5
    f = dt.stablehlo.load(NETWORK)
    np.testing.assert_allclose(f(*args), network(*args), rtol=1e-4, atol=1e-5)
    weights = tuple(range(8))
    ours = dt.jit(dt.grad(lambda *a: (f(*a) ** 2).sum(), weights))(*args)
    wanted = dt.grad(lambda *a: (network(*a) ** 2).sum(), weights)(*args)
    for a, b in zip(ours, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)


def test_batch_normalization_and_its_gradient() -> None:
    rng = np.random.default_rng(1)
    x, cotangent = (rng.normal(size=(6, 3, 2)).astype(np.float32) for _ in range(2))
    scale, offset = (rng.normal(size=3).astype(np.float32) for _ in range(2))

    def normalized(x: Any, scale: Any, offset: Any) -> dt.Array:
        mean = x.mean((0, 2), keepdims=True)
        variance = ((x - mean) ** 2).mean((0, 2), keepdims=True)
        return (x - mean) / dnp.sqrt(variance + 1e-5) * scale[:, None] + offset[:, None]

    value, pull_back = dt.vjp(normalized, x, scale, offset)
    wanted = (value, x.mean((0, 2)), x.var((0, 2)), *pull_back(dnp.asarray(cotangent)))
    found = dt.stablehlo.load(NORMALIZATION)(x, scale, offset, cotangent)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)
