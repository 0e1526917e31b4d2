"""Random index expressions against JAX: reads, updates, their gradients, and all of it in `jit`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
import dovetail.numpy as dnp  # noqa: E402
from support.jax_compare import FACTOR, check, evaluated, outcome  # noqa: E402
from support.jax_indexing import Case, read, write  # noqa: E402


def both(case: Case, transform: Any = lambda library, f: f) -> tuple[Any, Any]:
    """The outcomes of an expression here and in JAX, under a transform of each library."""
    function = evaluated(case.expression, list(case.arrays))
    results = []
    for library, xp in ((dt, dnp), (jax, jnp)):
        arrays = [xp.asarray(a) for a in case.arrays.values()]
        results.append(outcome(transform(library, lambda *a, xp=xp: function(xp, *a)), *arrays))
    return results[0], results[1]


def description(case: Case) -> str:
    return "; ".join([case.expression, *(f"{n} = {a!r}" for n, a in case.arrays.items())])


def agree(case: Case, ours: Any, theirs: Any) -> None:
    """Like `check`; JAX's result for an array without elements depends on how it is read."""
    if not case.arrays["x"].size and isinstance(ours, IndexError):
        assert isinstance(theirs, (TypeError, IndexError)) or not theirs.size, description(case)
        return
    check(ours, theirs, description(case))


@pytest.mark.parametrize("seed", range(100 * FACTOR))
def test_read(seed: int) -> None:
    case = read(seed)
    agree(case, *both(case))


@pytest.mark.parametrize("seed", range(10_000, 10_000 + 100 * FACTOR))
def test_write(seed: int) -> None:
    case = write(seed)
    agree(case, *both(case))


def compiled(library: Any, f: Any) -> Any:
    return lambda *arrays: library.jit(f).lower(*arrays).compile()(*arrays)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20_000, 20_000 + 16 * FACTOR))
def test_jitted(seed: int) -> None:
    """Arrays of integers are traced: nothing is known about their values."""
    case = (read, write)[seed % 2](seed, masks=False)
    agree(case, *both(case, compiled))


def gradients(library: Any, f: Any) -> Any:
    """The gradients with respect to all floats of a sum in which no two elements have the same
    weight.
    """
    xp: Any = dnp if library is dt else jnp

    def total(*arrays: Any) -> Any:
        y = f(*arrays)
        weights = xp.reshape(xp.arange(1.0, 1.0 + y.size), y.shape)
        return xp.sum(xp.sin(y) * weights)

    def function(*arrays: Any) -> Any:
        floats = tuple(i for i, a in enumerate(arrays) if a.dtype == np.float32)
        return library.grad(total, floats)(*arrays)

    return function


@pytest.mark.parametrize("seed", range(30_000, 30_000 + 40 * FACTOR))
def test_gradients(seed: int) -> None:
    # Out of bounds, JAX reads the nearest element and gives it no gradient.
    case = (read, write)[seed % 2](seed, beyond=False, kinds=["float32"])
    ours, theirs = both(case, gradients)
    if isinstance(theirs, NotImplementedError):
        return
    agree(case, ours, theirs)
