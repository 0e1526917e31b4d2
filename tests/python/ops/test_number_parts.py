"""Quotients, signs, exponents and lengths of floats: special values and higher derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

pytestmark = pytest.mark.usefixtures("in_64_bits")

SPECIAL = np.array([0.0, 1.0, 0.3, 2.5, 7.0, 100.25, 1e30, np.inf, np.nan])
FLOATS = (np.float32, np.float64, np.float16)


def pairs(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(over="ignore"):
        values = np.concatenate([SPECIAL, -SPECIAL[:-1]]).astype(dtype)
    return np.repeat(values, values.size), np.tile(values, values.size)


def same(ours: Any, expected: np.ndarray) -> None:
    """Equal, with the signs of zeros."""
    ours = np.asarray(ours)
    assert ours.dtype == expected.dtype
    np.testing.assert_array_equal(ours, expected)
    zeros = expected == 0
    np.testing.assert_array_equal(np.signbit(ours[zeros]), np.signbit(expected[zeros]))


@pytest.mark.parametrize("dtype", FLOATS)
def test_floor_division_of_special_values(dtype: Any) -> None:
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        quotient, rest = np.divmod(x, y)
        quotient = np.where(y == 0, x / y, quotient)
        # Zeros have the sign of the divisor, and remainders that of the dividend.
        quotient = np.where(quotient == 0, np.copysign(quotient, y), quotient)
        rest = np.where(rest == 0, np.copysign(rest, x), rest)
    for function in (dnp.divmod, dt.jit(dnp.divmod)):
        ours = function(x, y)
        same(ours[0], quotient)
        same(ours[1], rest)


@pytest.mark.parametrize("dtype", FLOATS)
def test_signs_of_special_values(dtype: Any) -> None:
    x, y = pairs(dtype)
    for ours, numpys in [(dnp.copysign, np.copysign), (dnp.heaviside, np.heaviside)]:
        same(ours(x, y), numpys(x, y))
        same(dt.jit(ours)(x, y), numpys(x, y))


@pytest.mark.parametrize("dtype", FLOATS)
def test_powers_of_two_of_any_exponent(dtype: Any) -> None:
    exponents = np.array([0, 1, -1, 20, -20, 140, -150, 300, 2100, -2200, 2**31 - 1, -(2**31)])
    x, k = (a.ravel() for a in np.meshgrid(pairs(dtype)[0], exponents.astype(np.int32)))
    with np.errstate(all="ignore"):
        scaled, (fractions, powers) = np.ldexp(x, k), np.frexp(x)
    normal = (scaled == 0) | (abs(scaled) >= np.finfo(dtype).tiny) | np.isnan(scaled)
    powers = np.where(np.isfinite(x), powers, 0).astype(np.int32)
    for convert in (lambda f: f, dt.jit):
        # Processors may treat subnormal numbers as zero.
        same(convert(dnp.ldexp)(x, k)[normal], scaled[normal])
        same(convert(dnp.frexp)(x)[0], fractions)
        same(convert(dnp.frexp)(x)[1], powers)
        same(convert(dnp.modf)(x)[0], np.modf(x)[0])
        same(convert(dnp.modf)(x)[1], np.modf(x)[1])


def test_integers_divided_by_zero() -> None:
    x, zero = np.array([5, 0, -5], np.int32), np.zeros(3, np.int32)
    for convert in (lambda f: f, dt.jit):
        same(convert(dnp.floor_divide)(x, zero), np.array([-2, -1, -2], np.int32))
        same(convert(dnp.remainder)(x, zero), zero)
        unsigned = convert(dnp.floor_divide)(x[:2].astype(np.uint8), np.zeros(2, np.uint8))
        same(unsigned, np.array([255, 255], np.uint8))


def test_second_derivatives_do_not_cancel() -> None:
    def second(f: Any, x: float, y: float) -> Any:
        return dt.grad(dt.grad(f))(x, y)

    np.testing.assert_allclose(second(dnp.hypot, 1e5, 0.5), 0.25 / np.hypot(1e5, 0.5) ** 3, 1e-12)
    np.testing.assert_allclose(second(dnp.logaddexp, 60.0, 1.0), np.exp(-59.0), 1e-12)
    np.testing.assert_allclose(second(dnp.logaddexp, 1.0, 60.0), np.exp(-59.0), 1e-12)
    np.testing.assert_allclose(second(dnp.logaddexp, 1.0, 1.0), 0.25)
    exact = 0.25 * np.log(2)
    np.testing.assert_allclose(second(dnp.logaddexp2, 1.0, 1.0), exact)


def test_derivatives_at_special_values() -> None:
    assert dt.grad(dnp.hypot)(0.0, 0.0) == 0.5
    assert dt.grad(dnp.hypot)(np.inf, 1.0) == 0
    assert dt.grad(dnp.logaddexp)(np.inf, 1.0) == 1
    assert dt.grad(dnp.logaddexp)(-np.inf, 1.0) == 0
    assert dt.grad(dnp.copysign)(0.0, -1.0) == -1
    assert dt.grad(dnp.copysign)(-2.0, 1.0) == -1
    assert dt.grad(dnp.floor_divide)(2.0, 0.0) == 0
    # The quotient is -1, though x / y is -0.
    assert dt.grad(dnp.remainder, 1)(0.75, -np.inf) == 1
    assert dt.grad(lambda x: dnp.modf(x)[0])(3.0) == 1
    assert dt.grad(lambda x: dnp.frexp(x)[0])(12.0) == 1 / 16
