"""Every op of the table in cached calls: bit for bit what it computes without the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dovetail import _core, config
from dovetail.arrays.array import Array
from dovetail.eager.cache import remembered
from dovetail.eager.recording import record
from dovetail.ops.operands import ArrayLike
from dovetail.reference.specialization import specialized
from dovetail.reference.table import RAW
from support.op_calls import Call, all_calls
from support.op_row import ELEMENT


@pytest.fixture(autouse=True)
def in_64_bits() -> Iterator[None]:
    _core.clear_eager_cache()
    with config.enable_x64(True):
        yield


def assert_same(actual: Array, expected: Array, what: str) -> None:
    assert (actual.dtype, actual.weak_type) == (expected.dtype, expected.weak_type), what
    # Including signs of zeros, and NaNs wherever they are.
    x, y = actual._value(), expected._value()
    assert x.shape == y.shape, what
    is_same = np.equal(x, y)
    if x.dtype.kind in "fc":
        is_same &= np.signbit(np.real(x)) == np.signbit(np.real(y))
    assert np.all(is_same | ((x != x) & (y != y))), what


def laid_out(x: np.ndarray, way: str) -> np.ndarray:
    """The same elements, one after the other or not."""
    if way == "plain" or not x.ndim:
        return x
    return np.repeat(x, 2, axis=-1)[..., ::2] if way == "strided" else np.asfortranarray(x)


@pytest.mark.parametrize("dtype", ELEMENT, ids=str)
def test_replays_compute_what_calls_do(dtype: np.dtype) -> None:
    calls = all_calls(dtype)
    are_recorded = [check(call) for call in calls]
    # Otherwise both would be computed in the same way.
    assert sum(are_recorded) > 0.9 * len(calls)


def check(call: Call) -> bool:
    """Compares, and returns whether the call is recorded."""

    def function(*operands: ArrayLike) -> Any:
        return call.apply(*operands)

    fast = remembered(function, __name__, "function")
    values, operands = call.values(subnormal=True), []
    for way in ("plain", "plain", "plain", "strided", "columns"):
        operands = [Array(laid_out(x, way)) for x in values]
        assert_same(fast(*operands), function(*operands), f"{call} {way}")
    return record(function, operands, {}, [True] * len(operands), False).executor is not None


def test_calls_need_no_attributes() -> None:
    x = np.ones((2, 3), np.float32)
    chain = specialized(RAW["reduce_sum"], (x,), {"dims": (0,)})
    assert chain is not None
    ((function, keywords),) = chain
    np.testing.assert_array_equal(function(x, **keywords), np.full(3, 2))
    assert specialized(RAW["sort"], (x,), {"dimension": 0, "num_keys": 1}) is None
