"""Arithmetic at the edges against JAX itself: divisors of zero, wide shifts, NaN, conversions."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
import dovetail.numpy as dnp  # noqa: E402
from dovetail import config, lax  # noqa: E402
from dovetail.base import dtypes  # noqa: E402
from support import jax_compare  # noqa: E402, F401  (keeps what JAX compiles)
from support.edge_values import FLOATS, INTEGERS, edges, pairs, special  # noqa: E402


@pytest.fixture(autouse=True)
def in_64_bits() -> Any:
    with config.enable_x64(True), jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def assert_same(ours: Any, theirs: Any, what: str) -> None:
    """Equal bits, except for NaN."""
    if isinstance(theirs, (tuple, list)):
        for i, (x, y) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(x, y, f"{what}[{i}]")
        return
    x, y = np.asarray(ours), np.asarray(theirs)
    assert x.dtype == y.dtype, what
    if dtypes.kind(x.dtype) in "fc":
        np.testing.assert_array_equal(np.isnan(x), np.isnan(y), err_msg=what)
        known = ~np.isnan(x)
        for part in (np.real, np.imag) if dtypes.kind(x.dtype) == "c" else (np.asarray,):
            signs = np.signbit(part(x))[known], np.signbit(part(y))[known]
            np.testing.assert_array_equal(*signs, err_msg=what)
        x, y = x[known], y[known]
    np.testing.assert_array_equal(x, y, err_msg=what)


# Where JAX on the CPU is wrong: it counts bits that 4-bit integers do not have, for example.
MISTAKEN = {
    ("right_shift", "uint2"),
    ("right_shift", "uint4"),
    ("population_count", "int4"),
    ("true_divide", "int2"),
    ("true_divide", "uint2"),
}


def compare(library: Any, theirs: Any, names: str, *arrays: np.ndarray) -> None:
    """Compare functions, eagerly and in one compiled program, with JAX's."""
    known = [n for n in names.split() if (n, arrays[0].dtype.name) not in MISTAKEN]
    compiled = dt.jit(lambda *xs: [getattr(library, name)(*xs) for name in known])(*arrays)
    for name, program in zip(known, compiled, strict=True):
        expected = getattr(theirs, name)(*map(jnp.asarray, arrays))
        assert_same(getattr(library, name)(*map(dnp.asarray, arrays)), expected, f"{name}: eager")
        assert_same(program, expected, f"{name}: compiled")


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers(dtype: np.dtype) -> None:
    compare(lax, jax.lax, "div rem max min add sub mul", *pairs(dtype))
    compare(dnp, jnp, "floor_divide remainder fmod divmod true_divide", *pairs(dtype))
    compare(lax, jax.lax, "sign neg population_count clz", edges(dtype))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_shifts(dtype: np.dtype) -> None:
    compare(lax, jax.lax, "shift_left shift_right_logical shift_right_arithmetic", *pairs(dtype))
    compare(dnp, jnp, "left_shift right_shift", *pairs(dtype))


UNARY = "abs sign floor ceil trunc rint square negative positive isnan isinf signbit nan_to_num"
BINARY = """maximum minimum fmax fmin add subtract multiply divide copysign remainder fmod divmod
floor_divide nextafter heaviside equal less logical_and"""


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats(dtype: np.dtype) -> None:
    values = special(dtype)
    x, y = (a.reshape(-1) for a in np.meshgrid(values[:16], values[:16]))
    compare(dnp, jnp, UNARY, values)
    compare(dnp, jnp, BINARY, x, y)


DIFFERENTIABLE = """abs negative positive square sinc sqrt cbrt reciprocal exp2 log1p expm1 tanh
arctan arcsinh deg2rad maximum minimum fmax fmin add subtract multiply divide copysign remainder
fmod hypot arctan2 logaddexp logaddexp2 heaviside"""


@pytest.mark.parametrize("name", DIFFERENTIABLE.split())
def test_derivatives_at_signed_zeros_and_ties(name: str) -> None:
    values = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -3.0], np.float32)
    x, y = (a.reshape(-1) for a in np.meshgrid(values, values))
    count = 1 if len(inspect.signature(getattr(dnp, name)).parameters) == 1 else 2
    for wrt in range(count):
        ours, theirs = (
            lib.vmap(lib.grad(lambda *xs, module=module: getattr(module, name)(*xs), wrt))
            for lib, module in ((dt, dnp), (jax, jnp))
        )
        expected = theirs(*(x, y)[:count])
        for function in (ours, dt.jit(ours)):
            np.testing.assert_allclose(function(*(x, y)[:count]), expected, rtol=2e-6, atol=1e-6)


# XLA has no 6-bit floats on the CPU; it turns the largest 4-bit float into the largest integer, and
# NaN into two zeros.
ODD = {dtypes.float6_e2m3fn, dtypes.float6_e3m2fn, dtypes.float4_e2m1fn}
CONVERTED = [t for t in dtypes.KINDS if t not in ODD]


@pytest.mark.parametrize("source", CONVERTED, ids=str)
def test_conversions(source: np.dtype) -> None:
    values = special(source) if dtypes.kind(source) in "fc" else edges(source)
    ours = dt.jit(lambda x: [lax.convert_element_type(x, t) for t in CONVERTED])(values)
    for target, compiled in zip(CONVERTED, ours, strict=True):
        what = f"{source} to {target}"
        expected = np.asarray(jnp.asarray(values).astype(target))
        eager = lax.convert_element_type(values, target)
        assert_same(eager, expected, f"{what}: eager")
        assert_same(compiled, expected, f"{what}: compiled")
