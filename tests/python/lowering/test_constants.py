"""What programs compute of constants alone: while compiled if that takes long, else at its uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.reference.program import evaluate

X = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)

# Functions of an array of 4 times 6 elements, and the same in NumPy.
QUICK: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "a mask": (
        lambda x: dnp.where(dnp.tri(4, 6, dtype=bool), x, 0),
        lambda x: np.where(np.tri(4, 6, dtype=bool), x, 0),
    ),
    "a grid": (lambda x: x + dnp.linspace(0, 1, 6), lambda x: x + np.linspace(0, 1, 6)),
    "a checkerboard": (
        lambda x: x * ((dnp.arange(4)[:, None] + dnp.arange(6)) % 2),
        lambda x: x * ((np.arange(4)[:, None] + np.arange(6)) % 2),
    ),
}
SLOW: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "a window": (lambda x: x * dnp.cos(dnp.arange(6)), lambda x: x * np.cos(np.arange(6))),
    "frequencies": (
        lambda x: x / 100.0 ** dnp.linspace(0, 1, 6),
        lambda x: x / 100.0 ** np.linspace(0, 1, 6),
    ),
}


def ahead(function: Callable[..., Any], *args: Any) -> list[np.ndarray]:
    """What is computed before the function is compiled."""
    module = dt.jit(function).lower(*args)._program.after("check").clone()
    constants = module.take_computed_ahead()
    return [] if constants is None else evaluate(constants.program("main"), ())


@pytest.mark.parametrize("name", [*QUICK, *SLOW])
def test_constants(name: str) -> None:
    function, expected = {**QUICK, **SLOW}[name]
    assert len(ahead(function, X)) == (name in SLOW)
    # Nothing is left that the code generator would compute ahead.
    assert not dt.jit(function).lower(X).program.lowering().lowered.computes_ahead()
    np.testing.assert_allclose(dt.jit(function)(X), expected(X), rtol=1e-5, atol=1e-6)


def test_the_smallest_arrays_are_computed() -> None:
    """Not those that repeat their elements, nor those that are read of them with others."""
    [weights] = ahead(lambda x: x * dnp.exp(-dnp.arange(6.0))[None, :] + dnp.arange(6.0), X)
    assert weights.shape == (6,)
    np.testing.assert_allclose(weights, np.exp(-np.arange(6.0)), rtol=1e-6)
    both = ahead(lambda x: x * dnp.exp(-dnp.arange(6.0)) + dnp.exp(-dnp.arange(6.0)).sum(), X)
    assert sorted(each.size for each in both) == [1, 6]


def test_what_is_not_computed_ahead() -> None:
    large = 1 << 19
    assert not ahead(lambda x: x[0, 0] * dnp.sin(dnp.arange(large, dtype="float32")), X)
    assert not ahead(lambda x: x + lax.optimization_barrier(dnp.ones(6)).sum(), X)
    assert not ahead(lambda x: x + dnp.exp(lax.optimization_barrier(dnp.arange(6.0))), X)
    called = dt.ShapeDtypeStruct((6,), np.float32)
    assert not ahead(lambda x: x + dt.pure_callback(np.cos, called, dnp.arange(6.0)), X)
    rows = dt.vmap(lambda x: x * dnp.cos(lax.axis_index("rows")), axis_name="rows")
    assert not [each for each in ahead(rows, X) if each.ndim == 0]
    np.testing.assert_allclose(dt.jit(rows)(X), X * np.cos(np.arange(4))[:, None], rtol=1e-5)


def test_work_is_limited_for_all_constants() -> None:
    """What several arrays have in common is done once, and counts once."""

    def chain(steps: int) -> Callable[[Any], Any]:
        def f(x: Any) -> Any:
            table = dnp.arange(1000, dtype="float32")
            for _ in range(steps):
                table = dnp.sin(table)
                x = x + table[:6]
            return x

        return f

    assert len(ahead(chain(100), X)) == 100
    assert 900 < len(ahead(chain(1200), X)) < 1200


def test_constants_that_are_not_finite_are_found() -> None:
    with dt.debug_nans(True), pytest.raises(FloatingPointError, match="log"):
        dt.jit(lambda x: x * dnp.log(dnp.arange(6.0) - 2))(X)


def test_constants_of_matrices_and_of_random_numbers() -> None:
    def f(x: Any) -> Any:
        key = dt.random.key(3)
        noise = dt.random.normal(key, (6,))
        basis = dnp.linalg.cholesky(
            dnp.eye(6) * 4 + dnp.exp(-abs(dnp.arange(6.0)[:, None] - dnp.arange(6.0)))
        )
        return x @ basis + noise, dt.random.uniform(dt.random.split(key)[0], (3,)), dnp.sort(noise)

    assert len(ahead(f, X)) >= 3
    for got, wanted in zip(dt.jit(f)(X), f(X), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(
    "dtype",
    ["float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int8", "uint64"],
)
def test_element_types(dtype: str) -> None:
    def f(x: Any) -> Any:
        table = dnp.cumsum(dnp.arange(6).astype(dtype) + dnp.ones((), dtype))
        return x.astype(dtype) * table, table, table.at[1].set(7), table > 3

    def check(got: Any, wanted: Any) -> None:
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(
            np.asarray(got, np.complex128), np.asarray(wanted, np.complex128), rtol=0.01, atol=0.01
        )

    with dt.enable_x64():
        x = np.arange(6).astype(np.float32)
        assert ahead(f, x)
        for got, wanted in zip(dt.jit(f)(x), f(x), strict=True):
            check(got, wanted)


def test_large_masks() -> None:
    """Elements of less than a byte are computed at run time, of what is computed ahead."""

    def f(x: Any) -> Any:
        waves = dnp.sin(dnp.arange(200.0))
        return waves > x, (waves * 8).astype("int4") + 1, dnp.packbits(waves > 0)

    for got, wanted in zip(dt.jit(f)(0.5), f(0.5), strict=True):
        np.testing.assert_array_equal(got.astype("int32"), wanted.astype("int32"))


def test_constants_are_returned_and_overwritten() -> None:
    """Each call has its own."""

    def f(x: Any) -> Any:
        table = dnp.cos(dnp.arange(6.0))
        other = lax.fori_loop(0, 3, lambda i, t: t.at[i].add(x[0, i]), table)
        return table, other, table.at[2].set(0)

    function, donating = dt.jit(f), dt.jit(lambda t: t.at[0].set(9), donate_argnums=0)
    for _ in range(3):
        table, other, changed = function(X)
        np.testing.assert_allclose(table, np.cos(np.arange(6)), rtol=1e-5)
        wanted = np.cos(np.arange(6, dtype=np.float32))
        wanted[:3] += X[0, :3]
        np.testing.assert_allclose(other, wanted, rtol=1e-5)
        assert changed[2] == 0
        assert donating(table)[0] == 9


# Steps from arrays of n elements to such arrays, in Dovetail and NumPy.
STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "exp": lambda xp, x: xp.exp(-x * x),
    "cumsum": lambda xp, x: xp.cumsum(x),
    "sort": lambda xp, x: xp.sort(x),
    "reverse": lambda xp, x: x[::-1],
    "product": lambda xp, x: xp.outer(x, x) @ x / 10,
    "repeat": lambda xp, x: xp.concatenate([x[:1], x[:-1]]),
    "scale": lambda xp, x: x * 0.5 + 1,
    "normalize": lambda xp, x: x / (abs(x).sum() + 1),
}


@given(
    constant=st.lists(st.sampled_from(sorted(STEPS)), max_size=4),
    varying=st.lists(st.sampled_from(sorted(STEPS)), max_size=2),
    joins=st.sampled_from(["add", "multiply", "product", "both"]),
    size=st.sampled_from([1, 3, 8]),
)
def test_random_programs(constant: list[str], varying: list[str], joins: str, size: int) -> None:
    def f(xp: Any, x: Any) -> Any:
        table = xp.linspace(-1, 1, size).astype(x.dtype)
        for name in constant:
            table = STEPS[name](xp, table)
        for name in varying:
            x = STEPS[name](xp, x)
        match joins:
            case "add":
                return x + table
            case "multiply":
                return x * table
            case "product":
                return xp.outer(table, x)
        return x + table, table

    x = np.linspace(0, 2, size).astype(np.float32)
    got = dt.tree.leaves(dt.jit(lambda x: f(dnp, x))(x))
    for a, b in zip(got, dt.tree.leaves(f(np, x)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
