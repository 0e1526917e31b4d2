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
    loaded = dt.stablehlo.load(TEXT)
    assert isinstance(loaded, dt.stablehlo.Loaded)
    exported = loaded.exported
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
    assert lowered.as_text(dialect="stablehlo") == text
    assert lowered.as_text(dialect="dovetail") == lowered.as_text("trace")
    for ours, again in zip(f(X, W), dt.stablehlo.load(text)(X, W), strict=True):
        np.testing.assert_allclose(ours, again, rtol=1e-6)


def test_matrices_are_decomposed() -> None:
    a = np.array([[4, 1], [1, 3]], np.float32)
    text = dt.jit(dnp.linalg.inv).lower(a).as_text("stablehlo")
    assert "dovetail." not in text
    np.testing.assert_allclose(dt.stablehlo.load(text)(a), np.linalg.inv(a), rtol=1e-5)


UNKNOWN_SIZES = """
func.func @main(%x: tensor<?x2xf32>, %w: tensor<?xf32>) -> tensor<?x2xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %w, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %n, %m) {error_message = "one size expected, got: {0} and {1}"} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %v = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %v, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %wide = stablehlo.dynamic_broadcast_in_dim %w, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  %y = stablehlo.multiply %x, %wide : tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
"""


def test_sizes_are_those_of_the_call() -> None:
    f = dt.stablehlo.load(UNKNOWN_SIZES)
    assert isinstance(f, dt.stablehlo.LoadedForShapes)
    assert f.shapes == ((-1, 2), (-1,))
    for size in (3, 4):
        x, w = np.ones((size, 2), np.float32), np.arange(size, dtype=np.float32)
        np.testing.assert_array_equal(f(x, w), x * w[:, None])
        gradient = dt.jit(dt.grad(lambda w, x=x: f(x, w).sum()))(w)
        np.testing.assert_array_equal(gradient, np.full(size, 2))
    refined = f.refined(x, dt.ShapeDtypeStruct((4,), "float32"))
    assert refined.exported.out_avals[0].shape == (4, 2)
    assert f.refined(x, w) is refined
    with pytest.raises(dt.errors.TransformError, match="one size expected, got: 4 and 3"):
        f(x, w[:3])
    with pytest.raises(ValueError, match=r"must have the shape \(\?, 2\)"):
        f(x.T, w)
    with pytest.raises(TypeError, match="takes 2 arguments, got: 1"):
        f(x)


def test_errors_name_op_and_line(tmp_path: Path) -> None:
    path = tmp_path / "infeed.mlir"
    path.write_text(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %0 = "stablehlo.infeed"(%x) {} : (tensor<2xf32>) -> tensor<2xf32>\n'
        "  return %0 : tensor<2xf32>\n}\n"
    )
    with pytest.raises(dt.errors.TransformError) as caught:
        dt.stablehlo.load(path)
    assert "got: 'stablehlo.infeed'" in str(caught.value)
    assert "infeed.mlir:2" in str(caught.value)
    with pytest.raises(TypeError, match="got: int"):
        dt.stablehlo.load(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"bytecode.*jaxlib"):
        dt.stablehlo.load(b"ML\xefR\n")
    with pytest.raises(TypeError, match="bytecode must be bytes"):
        dt.stablehlo.load("ML\xefR\n")
    with pytest.raises(FileNotFoundError):
        dt.stablehlo.load(tmp_path / "none.mlir")
    with pytest.raises(dt.errors.TransformError, match=r"dovetail\.callback"):
        dt.jit(lambda x: dt.pure_callback(np.sin, x, x)).lower(X).as_text("stablehlo")
    with pytest.raises(ValueError, match="got: 'hlo'"):
        dt.jit(dnp.sin).lower(X).compiler_ir("hlo")


def test_sizes_that_are_used_often_are_found_once() -> None:
    lines = "".join(f"  %{i + 1} = stablehlo.add %{i}, %{i} : tensor<1xi32>\n" for i in range(200))
    lines += "  %s = stablehlo.subtract %200, %199 : tensor<1xi32>\n"
    program = (
        "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
        "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
        "  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
        f"{lines}"
        "  %t = stablehlo.add %s, %0 : tensor<1xi32>\n"
        "  %y = stablehlo.dynamic_reshape %x, %t : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>\n"
        "  return %y : tensor<?xf32>\n}\n"
    )
    np.testing.assert_array_equal(dt.stablehlo.load(program)(X[0]), X[0])


def test_shardings_as_tiles() -> None:
    """They name no axes."""
    tiles = 'mhlo.sharding = "{devices=[2,4]<=[8]}"'
    replicated = 'mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"'
    text = f"""
    func.func @main(%x: tensor<8x8xf32> {{{tiles}}}) -> (tensor<8x8xf32> {{{replicated}}}) {{
      %0 = stablehlo.tanh %x : tensor<8x8xf32>
      return %0 : tensor<8x8xf32>
    }}"""
    loaded = dt.stablehlo.load(text)
    assert isinstance(loaded, dt.stablehlo.Loaded)
    x = np.ones((8, 8), np.float32)
    np.testing.assert_allclose(loaded(x), np.tanh(x), rtol=1e-6)
    taken, returned = loaded.in_shardings[0], loaded.out_shardings[0]
    assert taken is not None
    assert returned is not None
    assert dict(taken.mesh.shape) == {"axis_0": 2, "axis_1": 4}
    assert tuple(taken.spec) == ("axis_0", "axis_1")
    assert tuple(returned.spec) == ("axis_1",)
