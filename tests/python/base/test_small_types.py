"""Element types of 8 bits or less: all values stored, converted and computed with, compiled too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.base import dtypes
from support.breadth import some

SMALL = [*dtypes.SMALL_INTS, *dtypes.SMALL_FLOATS]
# It only has powers of two: there is no zero, and the code generator flushes the smallest ones.
SCALES = dtypes.float8_e8m0fnu


def every_value(dtype: np.dtype) -> np.ndarray:
    return np.arange(2 ** dtypes.itemsize_bits(dtype), dtype=np.uint8).view(dtype)


def floats() -> np.ndarray:
    """Floats of all magnitudes, halfway between numbers of small types, and special ones."""
    rng = np.random.default_rng(0)
    random = rng.integers(0, 2**32, 2000, dtype=np.uint32).view(np.float32)
    grid = np.arange(0, 2**31, 2**17, dtype=np.uint32).view(np.float32)
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e30, -1e30], np.float32)
    with np.errstate(all="ignore"):
        values = np.concatenate(
            [random, rng.normal(size=2000).astype("f") * 8, grid, -grid, special]
        )
        return values[~((np.abs(values) < 2.0**-126) & (values != 0))]


def assert_same(got: Any, wanted: Any, what: str) -> None:
    x, y = np.asarray(got), np.asarray(wanted)
    assert x.dtype == y.dtype, what
    with np.errstate(invalid="ignore"):
        x, y = x.astype(np.float64), y.astype(np.float64)
    np.testing.assert_array_equal(x, y, err_msg=what)
    known = ~np.isnan(x)
    np.testing.assert_array_equal(np.signbit(x[known]), np.signbit(y[known]), err_msg=what)


@pytest.mark.parametrize("dtype", SMALL, ids=str)
def test_conversions(dtype: np.dtype) -> None:
    """NumPy's conversions are those of ml_dtypes."""
    values, wide = every_value(dtype), floats()

    def convert(x: Any, y: Any) -> list[Any]:
        return [x, lax.convert_element_type(x, np.float32), lax.convert_element_type(y, dtype)]

    with np.errstate(all="ignore"):
        expected = [values, values.astype(np.float32), wide.astype(dtype)]
        if dtypes.kind(dtype) != "f":
            low, high = (dtypes.limit(dtype, greatest) for greatest in (False, True))
            whole = np.clip(np.trunc(np.nan_to_num(wide, nan=0)), low, high)
            expected[2] = whole.astype(dtype)
    for how, f in (("eager", convert), ("compiled", dt.jit(convert))):
        for got, wanted in zip(f(dnp.asarray(values), wide), expected, strict=True):
            assert_same(got, wanted, how)


@pytest.mark.parametrize("dtype", some([t for t in SMALL if t != SCALES], 2), ids=str)
def test_arithmetic(dtype: np.dtype) -> None:
    values = every_value(dtype)
    x, y = (dnp.asarray(m.reshape(-1)) for m in np.meshgrid(values[::3], values[::7]))

    def compute(x: Any, y: Any) -> list[Any]:
        results = [x + y, x - y, x * y, -x, x < y, x == y, dnp.maximum(x, y), lax.abs(x)]
        results += [
            dnp.sum(x),
            dnp.max(y),
            dnp.sort(x),
            dnp.argmax(y),
            x[::2],
            dnp.where(x > y, x, y),
        ]
        results += [
            dnp.concatenate([x, y])[3:-2],
            dnp.pad(x, 2),
            x.reshape(2, -1).T,
            x[dnp.argsort(y)],
        ]
        return [*results, dnp.cumsum(x[:9]), lax.dot(x, y)]

    # ml_dtypes itself is the reference for eager results.
    for got, wanted in zip(compute(x, y)[:3], _by_numpy(np.asarray(x), np.asarray(y)), strict=True):
        assert_same(got, wanted, "eager")
    for i, (got, wanted) in enumerate(zip(dt.jit(compute)(x, y), compute(x, y), strict=True)):
        assert_same(got, wanted, f"result {i}, compiled")


def _by_numpy(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    wide = np.int32 if dtypes.kind(x.dtype) in "iu" else np.float32
    with np.errstate(all="ignore"):
        a, b = x.astype(wide), y.astype(wide)
        return [r.astype(x.dtype) for r in (a + b, a - b, a * b)]


def test_bytes_of_any_content() -> None:
    """Bits of a byte that NumPy leaves undefined are ignored."""
    x = np.arange(256, dtype=np.uint8).view(dtypes.int4)
    expected = (np.arange(256) % 16 + 8) % 16 - 8
    for f in (
        lambda x: lax.convert_element_type(x, np.int32),
        dt.jit(lambda x: x.astype(np.int32)),
    ):
        np.testing.assert_array_equal(np.asarray(f(x)), expected)
    compared = dt.jit(lambda x: x == x.reshape(16, 16)[0][dnp.arange(256) % 16])(x)
    assert bool(dnp.all(compared))
    captured = dt.jit(lambda i: dnp.asarray(x[-12:])[i].astype(np.int32))
    np.testing.assert_array_equal(np.asarray(captured(np.arange(12))), expected[-12:])


def test_infinities() -> None:
    for dtype in dtypes.SMALL_FLOATS:
        values = every_value(dtype)
        has_infinity = bool(np.isinf(values.astype(np.float32)).any())
        assert np.isinf(dtypes.limit(dtype, True)) == has_infinity
        wanted = np.isinf(values.astype(np.float32))
        np.testing.assert_array_equal(np.asarray(dnp.isinf(values)), wanted)
        np.testing.assert_array_equal(np.asarray(dnp.isnan(values)), np.isnan(values))


def test_saved_programs(tmp_path: Any) -> None:
    from dovetail import runtime

    x = dnp.arange(-8, 8).astype("int4")
    path = tmp_path / "double.vmfb"
    dt.jit(lambda x: x + x).lower(x).compile().save(path)
    result = np.asarray(runtime.load(path).main(np.asarray(x)))
    assert result.dtype == dtypes.int4
    np.testing.assert_array_equal(result, np.asarray(x + x))
