"""A library of handlers of XLA's FFI: the same file, called by JAX and by Dovetail."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from support.native_libraries import jax_headers, library

jax = pytest.importorskip("jax", minversion="0.10")

HANDLERS = Path(__file__).parents[1] / "ffi" / "handlers.cc"


def test_a_library_serves_both() -> None:
    loaded = ctypes.CDLL(str(library(HANDLERS, "-isystem", str(jax_headers()))))
    x = np.linspace(-0.5, 0.5, 32, dtype=np.float32).reshape(8, 4)

    def results(module: Any) -> list[np.ndarray]:
        handler = module.ffi.pycapsule(loaded.RmsNorm)
        module.ffi.register_ffi_target("shared_rms_norm", handler, platform="cpu")

        def rms_norm(x: Any) -> Any:
            struct = module.ShapeDtypeStruct(x.shape, x.dtype)
            call = module.ffi.ffi_call("shared_rms_norm", struct, vmap_method="broadcast_all")
            return call(x, eps=np.float32(1e-5))

        calls = module.jit(rms_norm), module.vmap(rms_norm), module.jit(module.vmap(rms_norm))
        return [np.asarray(call(x)) for call in calls]

    for got, expected in zip(results(dt), results(jax), strict=True):
        np.testing.assert_array_equal(got, expected)
