"""Copies are independent: changing one of two arrays does not affect the other."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

SOURCES: dict[str, Callable[[], dt.Array]] = {
    "host": lambda: dnp.arange(20000.0),
    "weak": lambda: dnp.asarray(2.5),
    "compiled": lambda: dt.jit(lambda: dnp.arange(20000.0), compile="now")(),
    "committed": lambda: dt.device_put(np.arange(20000, dtype=np.float32), dt.devices()[0]),
}
COPIES: dict[str, Callable[[Any], Any]] = {
    "method": lambda x: x.copy(),
    "array": dnp.array,
    "array-copy": lambda x: dnp.array(x, copy=True),
    "array-dtype": lambda x: dnp.array(x, dtype=x.dtype),
    "array-ndmin": lambda x: dnp.array(x, ndmin=2),
    "asarray-copy": lambda x: dnp.asarray(x, copy=True),
    "function": dnp.copy,
    "astype": lambda x: x.astype(x.dtype, copy=True),
    "astype-function": lambda x: dnp.astype(x, x.dtype, copy=True),
    "copy-module": copy.copy,
    "deepcopy": lambda x: copy.deepcopy([x])[0],
    "device_put": lambda x: dt.device_put(x, may_alias=False),
    "jit": dt.jit(lambda x: x.copy(), compile="now"),
    "evaluated": dt.jit(lambda x: dnp.array(x), compile="never"),
    "vmap": lambda x: dt.vmap(lambda y: y.copy(), in_axes=None, axis_size=1, out_axes=None)(x),
}
IN_MEMORY_OF_THEIR_OWN = [name for name in COPIES if name not in ("jit", "evaluated", "vmap")]


@pytest.mark.parametrize("make_copy", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_deleting_and_donating_one_leaves_the_other(
    source: Callable[[], dt.Array], make_copy: Callable[[Any], Any]
) -> None:
    overwrite = dt.jit(lambda x: x * 0 - 1, donate_argnums=0, compile="now")
    # Further calls replay the recorded ones, or run none of our Python.
    for _ in range(3):
        for spoil in (dt.Array.delete, overwrite):
            for first in (True, False):
                x = source()
                expected = np.array(x)
                y = make_copy(x)
                assert y is not x
                assert y.dtype == x.dtype
                spoiled, kept = (x, y) if first else (y, x)
                spoil(spoiled)
                assert spoiled.is_deleted()
                np.testing.assert_array_equal(np.array(kept).reshape(expected.shape), expected)


@pytest.mark.parametrize("name", IN_MEMORY_OF_THEIR_OWN)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_memory_is_not_shared(source: Callable[[], dt.Array], name: str) -> None:
    for _ in range(3):
        x = source()
        y = COPIES[name](x)
        assert not np.shares_memory(np.asarray(x), np.asarray(y))
        assert (y.device, y.committed) == (x.device, x.committed)


def test_a_copy_of_shared_memory_is_independent_of_it() -> None:
    given = np.zeros(3, np.float32)
    x = dnp.array(given, copy=False)
    y = x.copy()
    given[:] = 1
    np.testing.assert_array_equal(x, 1)
    np.testing.assert_array_equal(y, 0)


def test_weakness_stays() -> None:
    x = dnp.asarray(2.5)
    for _ in range(3):
        assert x.copy().weak_type
        assert dnp.array(x).weak_type
        assert not dnp.array(x, dtype=np.float32).weak_type


def test_a_copy_on_the_device_is_its_own() -> None:
    """It can be donated without another copy, as can the original."""
    x = dt.jit(lambda x: x + 1, compile="now")(dnp.arange(20000.0))
    y = x.copy()
    assert type(y._data) is type(x._data)
    assert not y._data.is_shared
    assert not x._data.is_shared


def test_copies_of_deleted_arrays_are_rejected() -> None:
    for source in SOURCES.values():
        x = source()
        x.delete()
        for name in ("method", "array", "function", "copy-module"):
            with pytest.raises(
                RuntimeError, match="Array has been deleted: it must not be used after delete"
            ):
                COPIES[name](x)


def test_doubly_donated_array_is_donated_as_a_copy() -> None:
    add = dt.jit(lambda a, b: (a + b, a - b), donate_argnums=(0, 1))
    x = dnp.ones(3)
    with pytest.raises(ValueError, match=r"donate a copy, `x\.copy\(\)`"):
        add(x, x)
    np.testing.assert_array_equal(add(x, x.copy()), [[2] * 3, [0] * 3])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x,
        lambda x: (x, x),
        lambda x: x.reshape(100, 200),
        lambda x: x[:10000],
        lambda x: dt.lax.cond(x[1] > 0, lambda: x, lambda: -x),
        lambda x: dt.lax.stop_gradient(x),
    ],
    ids=["itself", "twice", "reshaped", "part", "branch", "stopped"],
)
def test_returned_arguments_are_not_overwritten(function: Callable[[Any], Any]) -> None:
    overwrite = dt.jit(lambda x: x * 0 - 1, donate_argnums=0, compile="now")
    program = dt.jit(function, compile="now")
    for _ in range(3):
        x = dt.jit(lambda: dnp.arange(20000.0) + 1, compile="now")()
        before = [np.array(leaf) for leaf in dt.tree.leaves(function(x))]
        x = dt.jit(lambda: dnp.arange(20000.0) + 1, compile="now")()
        results = dt.tree.leaves(program(x))
        overwrite(x)
        for result, expected in zip(results, before, strict=True):
            np.testing.assert_array_equal(result, expected)
