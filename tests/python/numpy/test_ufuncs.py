"""The methods of ufuncs against NumPy's, functions made ufuncs, and common divisors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import dtypes

pytestmark = pytest.mark.usefixtures("in_64_bits")

BINARY = ["add", "multiply", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_or"]
BINARY += ["bitwise_xor", "logical_and", "logical_or", "logical_xor", "logaddexp", "logaddexp2"]


def agree(ours: Any, theirs: Any) -> None:
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-13)


def sample(name: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.normal(size=shape) if name.startswith("logadd") else rng.integers(-3, 9, shape)


def calls(ufunc: Any, name: str, x: Any, v: Any) -> list[Any]:
    results = [ufunc.reduce(x, **o) for o in ({}, {"axis": 1}, {"axis": -1, "keepdims": True})]
    results += [ufunc.reduce(v), ufunc.outer(x, v), ufunc.reduceat(v, [0, 4, 1, 7])]
    results += [ufunc.accumulate(x, axis=axis) for axis in (0, 1)]
    if name not in ("logical_and", "logical_or"):
        results.append(ufunc.reduce(x, where=x > 0, initial=2))
    return results


@pytest.mark.parametrize("name", BINARY)
def test_methods(name: str) -> None:
    ours, theirs = getattr(dnp, name), getattr(np, name)
    x, v = sample(name, (3, 5)), sample(name, (9,))
    assert isinstance(ours, dnp.ufunc)
    assert (ours.nin, ours.nout, ours.identity) == (2, 1, theirs.identity)
    expected = calls(theirs, name, x, v)
    for got, wanted in zip(calls(ours, name, x, v), expected, strict=True):
        agree(got, wanted)
    indices = np.array([0, 4, 1, 7, 7])
    between = dt.jit(lambda v, indices: ours.reduceat(v, indices))(v, indices)
    agree(between, theirs.reduceat(v, indices))
    if name in ("add", "subtract", "bitwise_xor", "logaddexp"):
        program = dt.jit(lambda x, v: calls(ours, name, x, v))
        for got, wanted in zip(program(x, v), expected, strict=True):
            agree(got, wanted)
    updated = v.copy()
    theirs.at(updated, [1, 3, 1], 2)
    agree(ours.at(v, np.array([1, 3, 1]), 2, inplace=False), updated)


@pytest.mark.parametrize("dtype", ["bool", "int8"])
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logaddexp"])
def test_types_of_running_results(name: str, dtype: str) -> None:
    """Running results of bools are numbers if the results are; those of narrow integers keep their
    type.
    """
    x = np.array([1, 0, 1], dtype)
    expected = getattr(np, name).accumulate(x)
    got = getattr(dnp, name).accumulate(x)
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-3)
    narrow = dtype == "int8" and name in ("add", "multiply")
    wide = dnp.logaddexp(x, x).dtype if name == "logaddexp" else expected.dtype
    assert got.dtype == (np.int8 if narrow else wide)


def test_functions_made_ufuncs() -> None:
    decimal = dnp.frompyfunc(lambda x, y: 10 * x + y, 2, 1, identity=0)
    theirs = np.frompyfunc(lambda x, y: 10 * x + y, 2, 1, identity=0)
    x = np.arange(6).reshape(2, 3)
    agree(decimal(x, x[0]), theirs(x, x[0]).astype(int))
    for axis in (0, 1):
        agree(decimal.reduce(x, axis), theirs.reduce(x, axis).astype(int))
        agree(decimal.accumulate(x, axis), theirs.accumulate(x, axis).astype(int))
    assert int(decimal.reduce(x, None)) == 12345
    assert list(decimal.reduce(dnp.zeros((0, 2)))) == [0, 0]
    agree(decimal.outer(x[0], x[1]), theirs.outer(x[0], x[1]).astype(int))
    again = decimal.at(dnp.arange(3), np.array([1, 1]), np.array([4, 5]), inplace=False)
    assert list(again) == [0, 145, 2]
    assert repr(decimal) == "<ufunc '<lambda>'>"
    assert [r.shape for r in dnp.frompyfunc(lambda x: (x, -x), 1, 2)(x)] == [(2, 3)] * 2


# To the type checker these are plain functions.
xp: Any = dnp


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: xp.add.at(xp.ones(2), 0, 1), NotImplementedError, "inplace must be False"),
        (lambda: xp.negative.reduce(xp.ones(2)), ValueError, "must have two arguments and one"),
        (lambda: xp.subtract.reduce(xp.ones((0, 2))), ValueError, "function without identity"),
        (lambda: xp.subtract.reduce(xp.ones((2, 2)), (0, 1)), NotImplementedError, "the order"),
        (lambda: xp.add.reduceat(xp.ones(2), [0, 2]), ValueError, r"must be in \[0, 2\)"),
        (lambda: xp.frompyfunc(abs, 1, 1)(1, 2), TypeError, "must be 1 arguments, got: 2"),
        (lambda: xp.frompyfunc(abs, 1, 1)(1, where=True), NotImplementedError, "where must be"),
        (
            lambda: xp.gcd(2.0, 3),
            TypeError,
            "gcd does not accept dtype float64; the element type must be signed integer or",
        ),
        (lambda: xp.lcm(True, True), TypeError, "does not accept dtype bool"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("dtype", ["int4", "int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_divisors(dtype: str) -> None:
    high = dtypes.limit(dtypes.as_dtype(dtype), greatest=True)
    low = 0 if dtype.startswith("u") else -high
    numbers = {0, 1, 2, 6, high, high - 1, high // 2, high // 3, low, low // 2, 7, high // 7 * 3}
    # Neighbours in Fibonacci's sequence take the most steps.
    a, b = 1, 2
    while b <= high:
        a, b = b, a + b
    numbers |= {a, b - a}
    values = np.array(sorted(numbers), np.uint64 if low == 0 else np.int64).astype(dtype)
    x, y = (m.reshape(-1) for m in np.meshgrid(values, values))
    bits = 2 ** dtypes.itemsize_bits(dtype)
    for gcd, lcm in ((dnp.gcd, dnp.lcm), (dt.jit(dnp.gcd), dt.jit(dnp.lcm))):
        divisors, multiples = np.asarray(gcd(x, y)), np.asarray(lcm(x, y))
        assert divisors.dtype == multiples.dtype == dtype
        for p, q, d, m in zip(x, y, divisors, multiples, strict=True):
            assert int(d) == math.gcd(int(p), int(q))
            expected = math.lcm(int(p), int(q))
            if expected <= high:
                assert int(m) == expected
            else:
                assert (int(m) - expected) % bits == 0 or (int(m) + expected) % bits == 0


@pytest.mark.parametrize("name", ["nin", "nout", "nargs", "identity", "_func"])
def test_attributes_are_read_only(name: str) -> None:
    made = dnp.frompyfunc(lambda x, y: x + y, 2, 1)
    getattr(made, name)
    with pytest.raises(AttributeError):
        setattr(made, name, None)


def test_functions_of_indices_are_of_scalars() -> None:
    shapes = []

    def f(i: Any, j: Any, scale: float) -> Any:
        shapes.append((i.shape, j.shape))
        return scale * (i + j) * dnp.arange(3)

    result = dnp.fromfunction(f, (2, 4), scale=2)
    assert shapes == [((), ())]
    i, j, k = np.indices((2, 4, 3))
    np.testing.assert_array_equal(result, 2 * (i + j) * k)


@pytest.mark.parametrize("step", [1, 3, 7, 10])
def test_integers_at_equal_distances(step: int) -> None:
    for size in range(1, 60):
        expected = np.arange(size) * step + 1
        last = expected[-1]
        for dtype in (np.int32, np.float32):
            numbers = dnp.linspace(1, last, size, dtype=dtype)
            np.testing.assert_array_equal(numbers, expected, strict=False)
    largest = np.finfo(np.float32).max
    assert np.isfinite(dnp.linspace(-largest, largest, 50)).all()
    assert np.isfinite(dnp.linspace(0, 60000, 50, dtype=np.float16)).all()
