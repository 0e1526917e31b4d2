"""Sums, products and extremes of segments, against NumPy, with derivatives and batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.errors import ConcretizationTypeError

SUM, PROD, MAX, MIN = (getattr(dt.ops, f"segment_{n}") for n in ("sum", "prod", "max", "min"))
FUNCTIONS = {
    "sum": (SUM, np.add, 0),
    "prod": (PROD, np.multiply, 1),
    "max": (MAX, np.maximum, None),
    "min": (MIN, np.minimum, None),
}
# In no particular order, one segment without rows, and two rows without a segment.
IDS = np.array([3, 0, -1, 3, 1, 9, 0], np.int32)
COUNT = 5


def rows(dtype: str, shape: tuple[int, ...] = (7, 2)) -> np.ndarray:
    return np.random.default_rng(0).integers(1, 5, shape).astype(dtype)


def expected(name: str, data: np.ndarray, ids: np.ndarray, count: int) -> np.ndarray:
    _, ufunc, neutral = FUNCTIONS[name]
    if neutral is None and data.dtype.kind == "b":
        neutral = name == "min"
    elif neutral is None:
        greatest = np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).max
        least = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
        neutral = least if name == "max" else greatest
    result = np.full((count, *data.shape[1:]), neutral, data.dtype)
    inside = (ids >= 0) & (ids < count)
    ufunc.at(result, ids[inside], data[inside])
    return result


@pytest.mark.parametrize("bucket_size", [None, 1, 3, 20])
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *((name, dtype) for name in FUNCTIONS for dtype in ("float32", "int32", "uint8")),
        *(("max", "bool"), ("min", "bool")),
    ],
)
def test_segments(name: str, dtype: str, bucket_size: int | None) -> None:
    data = rows(dtype)
    function = FUNCTIONS[name][0]
    actual = function(data, IDS, COUNT, bucket_size=bucket_size)
    assert actual.dtype == data.dtype
    np.testing.assert_array_equal(actual, expected(name, data, IDS, COUNT))


def test_compiled_segments() -> None:
    data = rows("float32")

    @dt.jit
    def all_of_them(data: Any, ids: Any) -> Any:
        return [
            f(data, ids, COUNT, bucket_size=b) for b in (None, 3) for f in (SUM, PROD, MAX, MIN)
        ]

    actual = all_of_them(data, IDS)
    wanted = [expected(name, data, IDS, COUNT) for name in FUNCTIONS] * 2
    for a, e in zip(actual, wanted, strict=True):
        np.testing.assert_array_equal(a, e)


def test_numbers_without_a_segment() -> None:
    data = rows("int32")
    clipped = np.clip(IDS, 0, COUNT - 1)
    for name, (function, _, _) in FUNCTIONS.items():
        actual = function(data, IDS, COUNT, mode="clip")
        np.testing.assert_array_equal(actual, expected(name, data, clipped, COUNT))


def test_the_number_of_segments_follows_from_known_ids() -> None:
    data = rows("float32")
    assert SUM(data, IDS).shape == (10, 2)
    assert SUM(data, IDS, 0).shape == (0, 2)
    with pytest.raises(ConcretizationTypeError, match="so give it num_segments"):
        dt.jit(SUM)(data, IDS)
    with pytest.raises(ValueError, match="num_segments must be given where there are no rows"):
        SUM(data[:0], IDS[:0])


def test_derivatives_of_segments() -> None:
    data = rows("float32") + np.linspace(0, 0.5, 14, dtype=np.float32).reshape(7, 2)
    weights = dnp.arange(10, dtype=np.float32).reshape(COUNT, 2) + 1

    def loss(function: Any, **options: Any) -> Any:
        return lambda d, ids: dnp.sum(weights * dnp.nan_to_num(function(d, ids, COUNT, **options)))

    inside = (IDS >= 0) & (IDS < COUNT)
    by_row = np.where(inside[:, None], np.asarray(weights)[np.clip(IDS, 0, 4)], 0)
    np.testing.assert_allclose(dt.grad(loss(SUM))(data, IDS), by_row)
    np.testing.assert_allclose(dt.grad(loss(SUM, bucket_size=2))(data, IDS), by_row)
    for function, name in ((MAX, "max"), (MIN, "min")):
        extreme = expected(name, data, IDS, COUNT)[np.clip(IDS, 0, 4)]
        wanted = np.where(data == extreme, by_row, 0)
        np.testing.assert_allclose(dt.grad(loss(function))(data, IDS), wanted)
    # Each segment has at most one row.
    ids = np.array([3, 0, -1, 2, 1, 9, 4], np.int32)
    by_row = np.where(
        ((ids >= 0) & (ids < COUNT))[:, None], np.asarray(weights)[np.clip(ids, 0, 4)], 0
    )
    np.testing.assert_allclose(dt.grad(loss(PROD, unique_indices=True))(data, ids), by_row)


def test_batches_of_segments() -> None:
    data = rows("float32", (3, 7, 2))
    ids = np.stack([IDS, IDS[::-1], np.roll(IDS, 2)])
    for name, (function, _, _) in FUNCTIONS.items():
        both = dt.vmap(lambda d, i, f=function: f(d, i, COUNT))(data, ids)
        one = dt.vmap(lambda d, f=function: f(d, IDS, COUNT))(data)
        for k in range(3):
            np.testing.assert_array_equal(both[k], expected(name, data[k], ids[k], COUNT))
            np.testing.assert_array_equal(one[k], expected(name, data[k], IDS, COUNT))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.array([True]), np.array([0])), "does not accept dtype bool; the element type must be"),
        (
            (np.array([1], np.float32), np.array([0], np.float32)),
            "segment_ids must be integers, got: float32",
        ),
        (
            (np.array([1], np.float32), np.array([0]), -1),
            "num_segments must not be negative, got: -1",
        ),
        (
            (np.array([1, 2], np.float32), np.array([0]), 1),
            "a number for each row of data, got: shapes",
        ),
        (
            (np.array([1], np.float32), np.array([0]), 1, False, False, 0),
            "buckets must have at least one",
        ),
    ],
)
def test_bad_segments(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        SUM(*arguments)
