"""Handlers of XLA's FFI, compiled with XLA's headers and with `dovetail/xla_ffi.h`."""

from __future__ import annotations

import ctypes
import functools
import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import ffi
from dovetail.reference import ffi as reference
from support.native_libraries import jax_headers, library, needs_jax_headers

FOLDER = Path(__file__).parent
MODES = ("eager", "never", "now")
EPS = np.float32(1e-5)


def run(mode: str, function: Any, *args: Any) -> Any:
    if mode == "eager":
        return function(*args)
    with dt.config.compile(mode):
        return dt.jit(function)(*args)


@pytest.fixture(scope="module")
def handlers() -> ctypes.CDLL:
    """The library compiled with XLA's headers; its handlers are registered."""
    loaded = ctypes.CDLL(str(library(FOLDER / "handlers.cc", "-isystem", str(jax_headers()))))
    for name in ("Counter", "Step"):
        parts = {}
        for key in ("Id", "Info"):
            function = getattr(loaded, name + key)
            function.restype = ctypes.c_void_p
            parts[f"type_{key.lower()}"] = ffi.pycapsule(function())
        ffi.register_ffi_type(name, parts)
    for name in ("RmsNorm", "Attributes", "ParallelSum", "Later", "Describe"):
        ffi.register_ffi_target(name, ffi.pycapsule(getattr(loaded, name)))
    stages = {
        stage.lower() or "execute": ffi.pycapsule(getattr(loaded, "Count" + stage))
        for stage in ("Instantiate", "Prepare", "Initialize", "")
    }
    ffi.register_ffi_target("Count", stages)
    return loaded


@pytest.fixture(scope="module")
def minimal() -> ctypes.CDLL:
    loaded = ctypes.CDLL(str(library(FOLDER / "minimal_handlers.c")))
    ffi.register_ffi_target("Shift", ffi.pycapsule(loaded.Shift), platform="CPU")
    return loaded


def scalar(dtype: Any) -> dt.ShapeDtypeStruct:
    return dt.ShapeDtypeStruct((), dtype)


# Made for JAX -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_library_that_was_compiled_for_jax(mode: str) -> None:
    """JAX's own handlers for LAPACK, from its wheel."""
    handlers = pytest.importorskip("jaxlib.cpu._lapack")
    handlers.initialize()
    ffi.register_ffi_target(
        "lapack_spotrf_ffi", handlers.registrations()["lapack_spotrf_ffi"], platform="cpu"
    )

    def factor(a: Any) -> Any:
        call = ffi.ffi_call(
            "lapack_spotrf_ffi",
            (dt.ShapeDtypeStruct(a.shape, a.dtype), scalar(np.int32)),
            input_output_aliases={0: 0},
        )
        return call(a, uplo=np.uint8(ord("U")))

    x = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    a = x @ x.T + 4 * np.eye(4, dtype=np.float32)
    factors, status = run(mode, factor, a)
    assert int(status) == 0
    np.testing.assert_allclose(np.tril(factors), np.linalg.cholesky(a), rtol=1e-5, atol=1e-6)
    assert int(run(mode, factor, -a)[1]) == 1


# With our own header ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.usefixtures("minimal")
def test_a_handler_of_our_header(mode: str) -> None:
    def shift(x: Any, **attributes: Any) -> Any:
        return ffi.ffi_call("Shift", dt.ShapeDtypeStruct(x.shape, x.dtype))(x, **attributes)

    with dt.enable_x64(True):
        x = np.arange(6.0).reshape(2, 3)
        np.testing.assert_array_equal(run(mode, lambda x: shift(x, by=0.5), x), x + 0.5)
        with pytest.raises(
            RuntimeError, match=r"`Shift` failed: INVALID_ARGUMENT: Shift needs `by`"
        ):
            run(mode, shift, x)
    with pytest.raises(RuntimeError, match="Shift takes float64, called at"):
        run(mode, lambda x: shift(x, by=0.5), np.float32(1))


def test_versions_and_names(minimal: ctypes.CDLL) -> None:
    with pytest.raises(ValueError, match=r"version 0\.3 of XLA's FFI or an earlier one, got: 0\.4"):
        ffi.register_ffi_target("future", ffi.pycapsule(minimal.FromTheFuture))
    ffi.register_ffi_target("Shift", ffi.pycapsule(minimal.Shift))  # It has it already.
    with pytest.raises(
        ValueError, match=r"`Shift` cannot be registered, got: the name has another"
    ):
        ffi.register_c_function("Shift", minimal.Shift)
    # Other platforms' handlers do not matter.
    ffi.register_ffi_target("Shift", ffi.pycapsule(minimal.FromTheFuture), platform="CUDA")
    for wrong in (minimal.Shift, {"execute": 5}):
        with pytest.raises(TypeError, match="must be a PyCapsule"):
            ffi.register_ffi_target("other", wrong)
    for stages in ({}, {"execute": ffi.pycapsule(minimal.Shift), "more": None}):
        with pytest.raises(ValueError, match="fn must have the stage 'execute'"):
            ffi.register_ffi_target("other", stages)
    with pytest.raises(ValueError, match="api_version must be 1"):
        ffi.register_ffi_target("other", ffi.pycapsule(minimal.Shift), api_version=0)
    with pytest.raises(ValueError, match="not supported"):
        ffi.register_ffi_type_id("other", None)


# With XLA's headers -------------------------------------------------------------------------------


@needs_jax_headers
@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("mode", MODES)
class TestHandlers:
    def test_buffers_and_errors(self, mode: str) -> None:
        def rms_norm(x: Any, eps: Any = EPS, **options: Any) -> Any:
            struct = dt.ShapeDtypeStruct(x.shape, x.dtype)
            return ffi.ffi_call("RmsNorm", struct, **options)(x, eps=eps)

        x = np.linspace(-0.5, 0.5, 32, dtype=np.float32).reshape(8, 4)
        expected = x / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(run(mode, rms_norm, x), expected, rtol=1e-5)
        batched = dt.vmap(lambda x: rms_norm(x, vmap_method="broadcast_all"))
        np.testing.assert_allclose(run(mode, batched, x), expected, rtol=1e-5)
        for array, eps, match in [
            (np.float32(1), np.float32(0), "INVALID_ARGUMENT: RmsNorm input must be an array"),
            (np.arange(3), np.float32(0), "Wrong buffer dtype: expected F32 but got S32"),
            (x, 1e-5, "Wrong scalar data type: expected F32 but got F64"),
        ]:
            with pytest.raises(RuntimeError, match=match):
                run(mode, functools.partial(rms_norm, eps=eps), array)

    def test_numbers_of_arrays(self, mode: str) -> None:
        x = np.ones(3, np.float32)
        call = ffi.ffi_call("RmsNorm", dt.ShapeDtypeStruct((3,), np.float32))
        with pytest.raises(RuntimeError, match="Wrong number of arguments: expected 1 but got 2"):
            run(mode, lambda x: call(x, x, eps=np.float32(0)), x)
        two = ffi.ffi_call("RmsNorm", (dt.ShapeDtypeStruct((3,), np.float32),) * 2)
        with pytest.raises(RuntimeError, match="Wrong number of results: expected 1 but got 2"):
            run(mode, lambda x: two(x, eps=np.float32(0)), x)

    def test_attributes(self, mode: str) -> None:
        with dt.enable_x64(True):
            call = ffi.ffi_call("Attributes", scalar(np.float64))
            given = {
                "number": np.int32(1),
                "text": "four",
                "array": np.array([10, 20]),
                "inner": {"deep": 0.5, "other": "x"},
            }
            assert float(run(mode, lambda: call(**given))) == 35.5
            with pytest.raises(RuntimeError, match=r"Unexpected attribute|deep"):
                run(mode, lambda: call(**{**given, "inner": {"wide": 0.5}}))
            with pytest.raises(RuntimeError, match=r"[Aa]ttribute"):
                run(mode, lambda: call(**{**given, "text": 5}))

    def test_types(self, mode: str) -> None:
        dtypes = [np.bool_, np.int8, np.uint16, np.uint32, np.float16, np.complex64]
        dtypes.append(
            dt.numpy.bfloat16.dtype if hasattr(dt.numpy.bfloat16, "dtype") else np.float32
        )
        arrays = [np.ones((2,), dtype) for dtype in dtypes]
        call = ffi.ffi_call("Describe", dt.ShapeDtypeStruct((2 * len(arrays),), np.int32))
        numbers = np.asarray(run(mode, lambda *arrays: call(*arrays), *arrays)).reshape(-1, 2)
        assert numbers[:, 1].tolist() == [2] * len(arrays)
        assert numbers[:6, 0].tolist() == [1, 2, 7, 8, 10, 15]

    def test_scratch_memory_and_threads(self, mode: str) -> None:
        x = np.arange(1000, dtype=np.float32)
        call = ffi.ffi_call("ParallelSum", scalar(np.float32))
        assert float(run(mode, lambda x: call(x), x)) == x.sum()

    def test_what_goes_on_in_the_background(self, mode: str) -> None:
        call = ffi.ffi_call("Later", dt.ShapeDtypeStruct((1,), np.float32))
        assert run(mode, lambda x: call(x), np.ones(1, np.float32)).tolist() == [1]
        with pytest.raises(RuntimeError, match="`Later` failed: ABORTED: too late"):
            run(mode, lambda x: call(x), -np.ones(1, np.float32))

    def test_a_handler_that_cannot_be_instantiated(self, mode: str) -> None:
        call = ffi.ffi_call("Count", scalar(np.int32))
        with pytest.raises(RuntimeError, match="OUT_OF_RANGE: start must not be negative"):
            run(mode, lambda: call(start=-1))


@needs_jax_headers
def test_states(handlers: ctypes.CDLL) -> None:
    reference.forget()
    gc.collect()
    assert handlers.LivingCounters() == 0

    def count(start: int) -> Any:
        # A handler with state is not a function of its arguments.
        return ffi.ffi_call("Count", scalar(np.int32), has_side_effect=True)(start=start)

    # Each call of a program has its own state, which ends with the program.
    program = dt.jit(lambda: (count(100), count(100), count(0)))
    assert [int(x) for x in program()] == [111, 111, 11]
    assert [int(x) for x in program()] == [122, 122, 22]
    assert handlers.LivingCounters() == 3
    again = dt.jit(lambda: (count(100), count(100), count(0)))
    del program
    gc.collect()
    assert handlers.LivingCounters() == 0
    assert [int(x) for x in again()] == [111, 111, 11]
    del again
    gc.collect()
    assert handlers.LivingCounters() == 0
    # Eager calls share one for each set of attributes.
    assert [int(count(5)), int(count(5)), int(count(6))] == [16, 27, 17]
    assert handlers.LivingCounters() == 2
    reference.forget()
    assert handlers.LivingCounters() == 0
