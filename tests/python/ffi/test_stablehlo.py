"""Calls of foreign functions in programs of StableHLO."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import ffi

pytestmark = pytest.mark.usefixtures("functions")

X = np.arange(12, dtype=np.float32).reshape(4, 3)


def scale(x: Any) -> Any:
    return ffi.ffi_call("scale", dt.ShapeDtypeStruct(x.shape, x.dtype))(x, by=np.float32(3))


def test_a_call_there_and_back() -> None:
    text = dt.jit(lambda x: scale(x + 1)).lower(X).as_text("stablehlo")
    assert "stablehlo.custom_call @scale(" in text
    assert "mhlo.backend_config = {by = 3.000000e+00 : f32}" in text
    np.testing.assert_array_equal(dt.stablehlo.load(text)(X), 3 * (X + 1))


def test_a_call_as_jax_writes_it() -> None:
    text = """
      module @jit_f {
        func.func public @main(%arg0: tensor<4x3xf32>) -> (tensor<4x3xf32>) {
          %0 = stablehlo.custom_call @scale(%arg0) {api_version = 4 : i32, backend_config = "", mhlo.backend_config = {by = 0.5 : f32}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<4x3xf32>) -> tensor<4x3xf32>
          return %0 : tensor<4x3xf32>
        }
      }"""  # noqa: E501
    np.testing.assert_array_equal(dt.stablehlo.load(text)(X), X / 2)


def test_layouts() -> None:
    # The function scales all elements, in whichever order.
    by_columns = ffi.ffi_call(
        "scale",
        dt.ShapeDtypeStruct(X.shape, X.dtype),
        input_layouts=[(1, 0)],
        output_layouts=(1, 0),
    )
    text = dt.jit(lambda x: by_columns(x, by=np.float32(2))).lower(X).as_text("stablehlo")
    assert "operand_layouts = [dense<[0, 1]> : tensor<2xindex>]" in text
    np.testing.assert_array_equal(dt.stablehlo.load(text)(X), 2 * X)


def test_an_unknown_function() -> None:
    text = dt.jit(scale).lower(X).as_text("stablehlo").replace("@scale(", "@missing(")
    with pytest.raises(RuntimeError, match="the target `missing` failed"):
        dt.stablehlo.load(text)(X)
