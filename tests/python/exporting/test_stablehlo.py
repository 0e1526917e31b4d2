"""Functions from StableHLO, and programs in it: without JAX, from stored text."""

# ruff: noqa: E501 - programs have lines of any length

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

TEXT = """
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<3x4xf32>, %w: tensor<4x2xf32>) -> (tensor<3x2xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.tanh %0 : tensor<3x2xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2 : tensor<3x2xf32>, tensor<f32>
  }
}
"""
X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
W = np.linspace(1, 2, 8, dtype=np.float32).reshape(4, 2)


def test_values_from_text_and_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(TEXT)
    for source in (TEXT, path, str(path)):
        hidden, total = dt.stablehlo.load(source)(X, W)
        np.testing.assert_allclose(hidden, np.tanh(X @ W), rtol=1e-6)
        np.testing.assert_allclose(total, np.tanh(X @ W).sum(), rtol=1e-5)


def test_derivatives_batches_and_compilation() -> None:
    f = dt.stablehlo.load(TEXT)
    gradient = dt.jit(dt.grad(lambda x, w: f(x, w)[1], 1))(X, W)
    wanted = X.T @ (1 - np.tanh(X @ W) ** 2)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-4, atol=1e-6)
    stacked = dt.vmap(lambda x: f(x, W)[1])(np.stack([X, 2 * X]))
    np.testing.assert_allclose(stacked, [np.tanh(X @ W).sum(), np.tanh(2 * X @ W).sum()], rtol=1e-5)


def test_exported_again() -> None:
    exported = dt.stablehlo.load(TEXT).exported
    again = dt.export.deserialize(exported.serialize())
    np.testing.assert_allclose(again.call(X, W)[0], np.tanh(X @ W), rtol=1e-6)


def test_a_program_comes_back_with_the_same_values() -> None:
    def f(x: Any, w: Any) -> tuple[dt.Array, dt.Array]:
        def step(carry: dt.Array, row: dt.Array) -> tuple[dt.Array, dt.Array]:
            carry = dnp.cumsum(carry) * 0.5 + row @ w
            return carry, dnp.sort(carry)

        last, all_of_them = dt.lax.scan(step, dnp.zeros(2), x)
        return last, dnp.where(all_of_them > 0, all_of_them, all_of_them[::-1])

    lowered = dt.jit(f).lower(X, W)
    text = lowered.as_text("stablehlo")
    assert lowered.compiler_ir("stablehlo") == lowered.compiler_ir() == text
    for ours, again in zip(f(X, W), dt.stablehlo.load(text)(X, W), strict=True):
        np.testing.assert_allclose(ours, again, rtol=1e-6)


def test_matrices_are_decomposed() -> None:
    a = np.array([[4, 1], [1, 3]], np.float32)
    text = dt.jit(dnp.linalg.inv).lower(a).as_text("stablehlo")
    assert "dovetail." not in text
    np.testing.assert_allclose(dt.stablehlo.load(text)(a), np.linalg.inv(a), rtol=1e-5)


def test_errors_name_op_and_line(tmp_path: Path) -> None:
    path = tmp_path / "infeed.mlir"
    path.write_text(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %0 = "stablehlo.all_to_all"(%x) {} : (tensor<2xf32>) -> tensor<2xf32>\n'
        "  return %0 : tensor<2xf32>\n}\n"
    )
    with pytest.raises(dt.errors.TransformError) as caught:
        dt.stablehlo.load(path)
    assert "got: 'stablehlo.all_to_all'" in str(caught.value)
    assert "infeed.mlir:2" in str(caught.value)
    with pytest.raises(ValueError, match="got: argument 0 of shape"):
        dt.stablehlo.load(
            "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}"
        )
    with pytest.raises(TypeError, match="got: int"):
        dt.stablehlo.load(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="bytecode"):
        dt.stablehlo.load("ML\xefR\n")
    with pytest.raises(FileNotFoundError):
        dt.stablehlo.load(tmp_path / "none.mlir")
    with pytest.raises(dt.errors.TransformError, match=r"dovetail\.bessel_i0e"):
        dt.jit(dt.lax.bessel_i0e).lower(X).as_text("stablehlo")
    with pytest.raises(ValueError, match="got: 'hlo'"):
        dt.jit(dnp.sin).lower(X).compiler_ir("hlo")
