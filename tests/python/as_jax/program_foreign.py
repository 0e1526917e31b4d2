"""Primitives of users that call functions of native libraries."""

# pyright: reportMissingImports=false

from __future__ import annotations

import ctypes
from pathlib import Path

import jax
import numpy as np
import pytest
from jax.extend.core import Primitive
from jax.interpreters import mlir

from dovetail import ffi
from support.native_libraries import library

X = np.arange(12, dtype=np.float32).reshape(4, 3)


def test_lowerings_to_foreign_calls():
    """Their layouts are from minor to major, and parameters become attributes."""
    functions = ctypes.CDLL(str(library(Path(__file__).parents[1] / "ffi" / "functions.c")))
    ffi.register_c_function("scale", functions.scale)
    scaled = Primitive("scaled")
    scaled.def_abstract_eval(lambda x, **params: x)
    rule = jax.ffi.ffi_lowering("scale", operand_layouts=[(0, 1)], backend_config={"by": 2.0})
    mlir.register_lowering(scaled, rule)
    np.testing.assert_array_equal(jax.jit(scaled.bind)(X), 2 * X.T.reshape(X.shape))
    np.testing.assert_array_equal(
        jax.jit(lambda x: scaled.bind(x, by=3.0))(X), 3 * X.T.reshape(X.shape)
    )
    build = jax.ffi.build_ffi_lowering_function("scale", has_side_effect=True)
    mlir.register_lowering(scaled, lambda context, x: build(context, x, by=4.0).results)
    np.testing.assert_array_equal(jax.jit(scaled.bind)(X), 4 * X)
    with pytest.raises(ValueError, match="backend_config must be a dictionary"):
        jax.ffi.ffi_lowering("scale", backend_config="by")
