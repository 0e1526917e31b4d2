"""Arithmetic at the edges, by rules in exact arithmetic: zero divisors, shifts, saturation, signs.

Every rule holds eagerly and in compiled programs, for every element type that it covers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import dtypes, lax
from support.edge_values import FLOATS, INTEGERS, edges, pairs, special

pytestmark = pytest.mark.usefixtures("in_64_bits")


Rules = dict[Callable[..., Any], Callable[..., int]]


def check(rules: Rules, *operands: np.ndarray) -> None:
    """Compare results of functions, eagerly and in one compiled program, with their rules on
    Python's integers.
    """
    dtype = operands[0].dtype
    bits = dtypes.itemsize_bits(dtype)
    rows = list(zip(*(map(int, operand) for operand in operands), strict=True))
    compiled = dt.jit(lambda *xs: [f(*xs) for f in rules])(*operands)
    for (function, rule), program in zip(rules.items(), compiled, strict=True):
        # Rules may return what the type cannot hold: it wraps.
        wrapped = [rule(*row) % 2**bits for row in rows]
        if dtypes.kind(dtype) == "i":
            wrapped = [v - 2**bits if v >= 2 ** (bits - 1) else v for v in wrapped]
        for how, got in (("eager", function(*operands)), ("compiled", program)):
            assert got.dtype == dtype
            mine = [int(v) for v in np.asarray(got)]
            wrong = [x for x in zip(rows, mine, wrapped, strict=True) if x[1] != x[2]]
            assert not wrong, f"{function}, {how}: operands, result, rule: {wrong[:5]}"


def quotient(x: int, y: int) -> int:
    """Truncated; for a division by zero, all bits are set."""
    return -1 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def rest(x: int, y: int) -> int:
    """With the sign of the dividend; for a division by zero, the dividend."""
    return x if y == 0 else x - y * quotient(x, y)


def floored(x: int, y: int) -> int:
    """The remainder as JAX and NumPy define it; 0 for a division by zero."""
    return x % y if y else 0


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_arithmetic(dtype: np.dtype) -> None:
    bits = dtypes.itemsize_bits(dtype)
    x, y = pairs(dtype)
    rules: Rules = {
        lax.div: quotient,
        lax.rem: rest,
        dnp.fmod: lambda x, y: rest(x, y) if y else 0,
        dnp.remainder: floored,
        lambda x, y: dnp.divmod(x, y)[1]: floored,
        lax.add: lambda x, y: x + y,
        lax.sub: lambda x, y: x - y,
        lax.mul: lambda x, y: x * y,
        lax.mulhi: lambda x, y: (x * y) >> bits,
        lax.max: max,
        lax.min: min,
    }
    check(rules, x, y)
    nonzero = y != np.zeros((), dtype)
    check({dnp.floor_divide: lambda x, y: x // y}, x[nonzero], y[nonzero])


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_powers_and_signs(dtype: np.dtype) -> None:
    bits = dtypes.itemsize_bits(dtype)
    rules: Rules = {
        lax.neg: lambda x: -x,
        dnp.abs: lambda x: abs(x),
        dnp.square: lambda x: x * x,
        lambda x: lax.integer_pow(x, 3): lambda x: x**3,
        lax.sign: lambda x: (x > 0) - (x < 0),
        lax.bitwise_not: lambda x: ~x,
        lax.population_count: lambda x: (x % 2**bits).bit_count(),
        lax.clz: lambda x: bits - (x % 2**bits).bit_length(),
    }
    check(rules, edges(dtype))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_shifts(dtype: np.dtype) -> None:
    bits = dtypes.itemsize_bits(dtype)

    def amount(n: int) -> int:
        # Negative amounts, read as unsigned ones, exceed the width.
        return n if 0 <= n < bits else bits

    def signed(x: int) -> int:
        return x - 2**bits if x >= 2 ** (bits - 1) else x

    rules: Rules = {
        lax.shift_left: lambda x, n: x << amount(n),
        lax.shift_right_logical: lambda x, n: (x % 2**bits) >> amount(n),
        lax.shift_right_arithmetic: lambda x, n: signed(x) >> amount(n),
        dnp.left_shift: lambda x, n: x << amount(n),
        # NumPy's version fills unsigned integers with zeros.
        dnp.right_shift: lambda x, n: x >> amount(n),
    }
    check(rules, *pairs(dtype))


def as_integer(value: float, dtype: np.dtype) -> int:
    """Truncated, and kept in the type's range; NaN as 0."""
    if math.isnan(value):
        return 0
    low, high = (dtypes.limit(dtype, greatest) for greatest in (False, True))
    return low if value <= low else high if value >= high else int(value)


@pytest.mark.parametrize("source", [*FLOATS, dtypes.float8_e4m3fn, dtypes.float8_e5m2], ids=str)
def test_floats_saturate_into_integers(source: np.dtype) -> None:
    values = special(source)
    compiled = dt.jit(lambda x: [lax.convert_element_type(x, t) for t in INTEGERS])(values)
    for target, result in zip(INTEGERS, compiled, strict=True):
        expected = [as_integer(float(v), target) for v in values]
        eager = lax.convert_element_type(values, target)
        assert [int(v) for v in np.asarray(eager)] == expected, target
        assert [int(v) for v in np.asarray(result)] == expected, target


@pytest.mark.parametrize("source", [np.dtype(bool), *INTEGERS], ids=str)
def test_integers_wrap_and_round(source: np.dtype) -> None:
    values = edges(source)
    targets = [*INTEGERS, *FLOATS, np.dtype(bool), dtypes.complex64]
    compiled = dt.jit(lambda x: [lax.convert_element_type(x, t) for t in targets])(values)
    for target, result in zip(targets, compiled, strict=True):
        for got in (lax.convert_element_type(values, target), result):
            for value, new in zip(values, np.asarray(got), strict=True):
                what = f"{source} {value} to {target}: {new}"
                kind = dtypes.kind(target)
                if kind in "iu":
                    width = 2 ** dtypes.itemsize_bits(target)
                    assert (int(new) - int(value)) % width == 0, what
                elif kind == "b":
                    assert bool(new) == (int(value) != 0), what
                elif kind == "f" and np.isfinite(float(new)):
                    # To nearest, from float32 for narrow floats: two roundings at most.
                    spacing = 2.0 ** (math.frexp(float(new))[1] - 1) * float(
                        dtypes.finfo(target).eps
                    )
                    assert abs(int(value) - float(new)) <= 0.501 * spacing, what


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_signs_of_zero_and_nan(dtype: np.dtype) -> None:
    zero, minus, nan = (np.array(v, dtype) for v in (0.0, -0.0, math.nan))
    x, y = np.stack([zero, minus, nan, nan]), np.stack([minus, zero, zero, nan])

    def outcomes(x: Any, y: Any) -> list[Any]:
        return [lax.max(x, y), lax.min(x, y), lax.add(x, y), lax.neg(x), lax.abs(x), lax.sign(x)]

    for results in (outcomes(dnp.asarray(x), dnp.asarray(y)), dt.jit(outcomes)(x, y)):
        greater, lesser, total, negated, size, sign = (np.asarray(r).astype(float) for r in results)
        for result in (greater, lesser, total):
            assert np.isnan(result[2:]).all()
        assert not np.signbit(greater[:2]).any()
        assert np.signbit(lesser[:2]).all()
        assert not np.signbit(total[:2]).any()
        assert list(np.signbit(negated[:2])) == [True, False]
        assert not np.signbit(size[:2]).any()
        assert list(np.signbit(sign[:2])) == [False, True]
        assert np.isnan(sign[2])


NARROW = [np.dtype("bfloat16"), dtypes.float16, dtypes.float8_e4m3fn, dtypes.float8_e5m2]


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_each_op_rounds(dtype: np.dtype) -> None:
    """Even if several ops become one loop, which would hold wider numbers in between."""
    # No product is an operand of a sum: the next test is about these.
    rng = np.random.default_rng(0)
    x, y = (dnp.asarray(rng.normal(0, s, (300,)).astype("f").astype(dtype)) for s in (1, 8))

    def chains(x: Any, y: Any) -> list[Any]:
        total = x + y
        results = [total - y, x * y / y, dnp.exp(x) / y - y, dnp.tanh(dnp.tanh(dnp.tanh(x)))]
        results += [-total - y, dnp.maximum(total, x) - y, dnp.where(total > y, total, x) - y]
        results += [total.astype(np.float32), x / y.astype(np.float64).astype(dtype) + y, y**3 / y]
        results += [lax.fori_loop(0, 4, lambda _, c: c / y + x, x), dnp.sum(total / y - x)]
        return [*results, (y.astype(np.int32).astype(dtype) + x).reshape(20, 15).T - 1]

    for compiled, eager in zip(dt.jit(chains)(x, y), chains(x, y), strict=True):
        np.testing.assert_array_equal(
            np.asarray(compiled).astype(float), np.asarray(eager).astype(float)
        )


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_products_and_sums_round(dtype: np.dtype) -> None:
    """Twice, or once where the processor has an instruction for both."""
    rng = np.random.default_rng(0)
    x, y, z = (rng.normal(0, s, (300,)).astype("f").astype(dtype) for s in (1, 8, 8))
    compiled = np.asarray(dt.jit(lambda x, y, z: x * y + z)(x, y, z))
    twice = x * y + z
    # All digits of the product fit into a float64.
    once = (x.astype(float) * y.astype(float) + z.astype(float)).astype(dtype)
    assert (twice != once).any()
    assert ((compiled == twice) | (compiled == once)).all()
