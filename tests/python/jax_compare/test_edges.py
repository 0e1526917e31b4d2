"""Arguments at the edges of functions' domains, all of them, against JAX itself: evaluated and
compiled.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
import dovetail.numpy as dnp  # noqa: E402
from support.jax_compare import check, outcome  # noqa: E402


@pytest.mark.parametrize("rank", [1, 2, 4])
def test_rolled_axes(rank: int) -> None:
    x = np.zeros((2, 3, 4, 5)[:rank])
    for axis, start in itertools.product(range(-rank, rank), range(-rank - 1, rank + 2)):
        ours, theirs = (outcome(xp.rollaxis, x, axis, start) for xp in (dnp, jnp))
        check(ours, theirs, f"rollaxis of rank {rank} with {axis}, {start}")


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 3, 4, 5)])
def test_directives_of_joining(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape)).reshape(shape)
    for ndmin in range(len(shape), 7):
        for position in range(-ndmin - 2, ndmin + 2):
            directive = f"0,{ndmin},{position}"
            for name in ("r_", "c_"):
                ours, theirs = (
                    outcome(lambda xp=xp, d=directive, n=name: getattr(xp, n)[d, xp.asarray(x)])
                    for xp in (dnp, jnp)
                )
                check(ours, theirs, f"{name}[{directive!r}] of {shape}")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_spacing(dtype: str) -> None:
    limits = dnp.finfo(dtype)
    values = [0, 1, 1.5, 2, float(limits.max), float(limits.tiny), 1000, np.nan]
    x = np.array([*values, *(-v for v in values)]).astype(dnp.asarray(0, dtype).dtype)
    expected = jnp.spacing(x)
    for spacing in (dnp.spacing, dt.jit(dnp.spacing)):
        actual = spacing(x)
        check(actual, expected, "spacing", 0)
        finite = np.isfinite(np.asarray(expected, np.float32))
        ours, theirs = (np.signbit(np.asarray(v, np.float32)) for v in (actual, expected))
        np.testing.assert_array_equal(ours[finite], theirs[finite])


@pytest.mark.parametrize("name", ["log", "log2", "log10", "exp", "exp2", "expm1", "log1p"])
def test_complex_infinities_and_zeros(name: str) -> None:
    """Where JAX has a number, or an infinity, so do we."""
    parts = [0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, 1e10, -1e10]
    x = np.array([complex(re, im) for re in parts for im in parts], np.complex64)
    if name in ("exp2", "expm1", "exp"):
        x = x[np.abs(np.imag(x)) < 1e9]
    theirs = np.asarray(getattr(jnp, name)(x))
    for function in (getattr(dnp, name), dt.jit(getattr(dnp, name))):
        ours = np.asarray(function(x))
        for part in (np.real, np.imag):
            known = ~np.isnan(part(theirs))
            np.testing.assert_allclose(part(ours)[known], part(theirs)[known], rtol=1e-5)


def cases() -> list[Any]:
    masks: Any = [np.array([True, False, True]), np.array([2, 0, -3]), np.array([0.0, 0.5, -0.5])]
    return [(m, name) for m in masks for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")]


@pytest.mark.parametrize(("x", "name"), cases())
def test_running_bools(x: np.ndarray, name: str) -> None:
    for function in (getattr(dnp, name), dt.jit(getattr(dnp, name), static_argnames="dtype")):
        check(function(x, dtype=bool), getattr(jnp, name)(x, dtype=bool), name)


@pytest.mark.parametrize("reverse", [False, True])
def test_derivatives_of_running_extremes_at_ties(reverse: bool) -> None:
    x = np.array([2.0, 1.0, 3.0, 1.0, 0.5, 0.5], np.float32)
    jacobian = dt.jacobian(lambda x: dt.lax.cummin(x, 0, reverse))
    np.testing.assert_array_equal(
        jacobian(x), jax.jacobian(lambda x: jax.lax.cummin(x, 0, reverse))(x)
    )
    # With four equal elements, JAX gives each a quarter of the last tangent.
    halves = jacobian(np.ones(4, np.float32))
    np.testing.assert_array_equal(
        halves[0 if reverse else -1], np.array([1, 1, 2, 4])[:: -1 if reverse else 1] / 8
    )
