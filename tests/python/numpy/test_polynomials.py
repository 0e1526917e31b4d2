"""Roots of polynomials, fits of polynomials, and shifts known only at run time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.errors import ConcretizationTypeError
from dovetail.test_util import check_grads

X = np.linspace(0, 3, 12)
Y = np.stack([np.sin(X), np.exp(-X)], 1)
WEIGHTS = np.linspace(1, 2, 12)


@pytest.fixture(autouse=True)
def x64() -> Any:
    with dt.enable_x64(True):
        yield


def in_order(values: Any) -> np.ndarray:
    return np.sort_complex(np.asarray(values))


@pytest.mark.parametrize(
    "p", [[2.0, -3, 1, 5], [0.0, 0, 1, -3, 2, 0], [1.0], [0.0, 0.0], [1j, 2, 3], [3, 2, 1]]
)
def test_roots(p: list[Any]) -> None:
    expected = np.roots(p)
    found = dnp.roots(np.array(p))
    assert found.dtype == np.complex128
    np.testing.assert_allclose(in_order(found), in_order(expected), rtol=1e-10)
    # As many as possible, with NaN for those lost to leading zeros.
    padded = np.asarray(dt.jit(lambda p: dnp.roots(p, strip_zeros=False))(np.array(p)))
    assert padded.shape == (len(p) - 1,)
    kept = padded[: len(expected)]
    np.testing.assert_allclose(in_order(kept), in_order(expected), rtol=1e-10)
    assert np.isnan(padded[len(expected) :]).all()


def test_roots_have_derivatives() -> None:
    check_grads(lambda p: dnp.sum(dnp.abs(dnp.roots(p)) ** 2), (np.array([2.0, -3, 1, 5]),), 2)


def test_roots_of_traced_polynomials() -> None:
    with pytest.raises(ConcretizationTypeError, match="roots"):
        dt.jit(dnp.roots)(X)
    with pytest.raises(ValueError, match=r"must be a vector, got: shape \(2, 2\)"):
        dnp.roots(np.ones((2, 2)))


def test_polynomials_of_matrices() -> None:
    matrix = np.array([[1.0, 2], [3, 4]])
    np.testing.assert_allclose(dnp.poly(matrix), np.poly(matrix))
    with pytest.raises(ValueError, match=r"a vector or a square matrix, got: shape \(2, 3\)"):
        dnp.poly(np.ones((2, 3)))


@pytest.mark.parametrize(
    "options", [{}, {"w": WEIGHTS}, {"full": True}, {"cov": True}, {"cov": "unscaled"}]
)
@pytest.mark.parametrize("y", [Y, Y[:, 0]], ids=["two", "one"])
def test_polyfit(y: np.ndarray, options: dict[str, Any]) -> None:
    found, expected = (
        result if isinstance(result, tuple) else (result,)
        for result in (dnp.polyfit(X, y, 3, **options), np.polyfit(X, y, 3, **options))
    )
    for ours, numpys in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.squeeze(ours), np.squeeze(numpys), rtol=1e-8)


def test_fits_are_differentiable() -> None:
    check_grads(lambda y: dnp.polyfit(X, y, 2), (Y[:, 0],), 2)


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((X, Y, -1), ValueError, "deg must be at least 0, got: -1"),
        ((Y, Y, 1), TypeError, r"x must be a vector with elements, got: shape \(12, 2\)"),
        ((X, Y[:3], 1), TypeError, r"y must have shape \(12,\) or \(12, k\).*got: \(3, 2\)"),
        ((X[:2], Y[:2], 1, None, False, None, True), ValueError, "more data than coefficients"),
        ((X, Y, 1, None, False, X[:2]), TypeError, r"the shape of x, \(12,\), got: \(2,\)"),
    ],
)
def test_fits_of_mismatched_data(args: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        dnp.polyfit(*args)


@pytest.mark.parametrize("shift", [-5, 0, 1, 7])
def test_rolls_by_traced_shifts(shift: int) -> None:
    x = np.arange(12).reshape(3, 4)
    for axis in (None, 0, 1):
        rolled = dt.jit(lambda s, axis=axis: dnp.roll(x, s, axis))(shift)
        np.testing.assert_array_equal(rolled, np.roll(x, shift, axis))
    both = dt.jit(lambda s: dnp.roll(x, s, (0, 1)))(np.array([shift, 1]))
    np.testing.assert_array_equal(both, np.roll(x, (shift, 1), (0, 1)))
    np.testing.assert_array_equal(dnp.roll(x, dnp.array([shift, 1]), (0, 1)), both)
    shifts = np.array([shift, 2])
    rows = dt.vmap(lambda s: dnp.roll(X, s))(shifts)
    np.testing.assert_array_equal(rows, [np.roll(X, s) for s in shifts])


def test_arrays_of_coefficients() -> None:
    x, y = np.array([[2, 3, 1]]), np.array([[5, 7, 3], [8, 2, 6]])
    np.testing.assert_array_equal(dnp.polyadd(x, y), [[5, 7, 3], [10, 5, 7]])
    np.testing.assert_array_equal(dnp.polysub(y, x), [[5, 7, 3], [6, -1, 5]])
    np.testing.assert_array_equal(dnp.polyadd(y, np.array([2])), [[5, 7, 3], [10, 4, 8]])
    with pytest.raises(ValueError, match="broadcast"):
        dnp.polyadd(np.array([1, 3, 5]), y)
