"""Functions that call NumPy's for known arrays: the same as the programs that they are
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import config
from dovetail import numpy as dnp

pytestmark = pytest.mark.usefixtures("in_64_bits")


X = np.array([1.5, -2.0, 0.0, 4.0, 7.0])
AT = np.array([-1.0, 0.5, 1.0, 1.0, 2.0, 9.0, np.nan])
PLACES = np.array([0.0, 1.0, 1.0, 2.0, 5.0])
NUMBERS = np.array([2, 0, 1, 2, 5])
BITS = np.array([[0, 3, 0, 1, 1, 0, 0, 9, 1], [1, 1, 0, 0, 0, 0, 2, 0, 0]])

FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "convolve": (lambda x: [dnp.convolve(x, x[:3], m) for m in ("full", "same", "valid")], (X,)),
    "convolve shorter": (lambda x: [dnp.convolve(x[:2], x, m) for m in ("full", "same")], (X,)),
    "correlate": (lambda x: [dnp.correlate(x[:2], x, m) for m in ("full", "same")], (X,)),
    "correlate complex": (lambda x: [dnp.correlate(x * 1j, x + 2j, "full")], (X,)),
    "convolve float32": (lambda x: [dnp.convolve(x, x)], (X.astype(np.float32),)),
    "interp": (lambda x, p, v: [dnp.interp(x, p, v)], (AT, PLACES, X)),
    "interp of two types": (
        lambda x, p, v: [dnp.interp(x, p, v)],
        (AT, PLACES, X.astype(np.float32)),
    ),
    "bincount": (lambda i, x: [dnp.bincount(i, x, length=6)], (NUMBERS, X)),
    "packbits": (
        lambda b: [dnp.packbits(b, a, o) for a in (None, 0, 1) for o in ("big", "little")],
        (BITS,),
    ),
    "unpackbits": (
        lambda b: [dnp.unpackbits(b, a, c) for a in (None, 0, -1) for c in (None, 5, 99, -3)],
        (BITS.astype(np.uint8),),
    ),
    "count_nonzero": (lambda x: [dnp.count_nonzero(x), dnp.count_nonzero(x, 0)], (AT,)),
    "choose": (
        lambda i, x: [dnp.choose(i, [x, 2, -x], mode=m) for m in ("clip", "wrap")],
        (NUMBERS - 2, X),
    ),
    "choose unsigned": (
        lambda i, x: [dnp.choose(i, [x, -x], mode="clip")],
        (NUMBERS.astype(np.uint64), X),
    ),
    "choose among many": (
        lambda i, x: [dnp.choose(i, [x * k for k in range(40)], mode="clip")],
        (NUMBERS, X),
    ),
}


def test_known_arrays_and_programs() -> None:
    arguments = [args for _, args in FUNCTIONS.values()]

    @dt.jit
    def together(arguments: Any) -> Any:
        functions = [function for function, _ in FUNCTIONS.values()]
        return [f(*args) for f, args in zip(functions, arguments, strict=True)]

    compiled = together(arguments)
    for (name, (function, args)), wanted in zip(FUNCTIONS.items(), compiled, strict=True):
        for value, other in zip(function(*map(dnp.asarray, args)), wanted, strict=True):
            assert (value.dtype, value.weak_type) == (other.dtype, other.weak_type), name
            np.testing.assert_allclose(value, other, rtol=1e-6, atol=1e-12, err_msg=name)


def test_bincount_of_weights() -> None:
    for weights in (X, X.astype(np.float32), NUMBERS):
        counts = dnp.bincount(dnp.asarray(NUMBERS), dnp.asarray(weights))
        assert counts.dtype == weights.dtype
        np.testing.assert_allclose(counts, np.bincount(NUMBERS, weights))
    with pytest.raises(ValueError, match="weights must have the shape of x"):
        dnp.bincount(dnp.asarray(NUMBERS), dnp.asarray(X[:2]))


def test_choose_rejects_indices_out_of_bounds() -> None:
    x = dnp.asarray(X)
    np.testing.assert_array_equal(
        dnp.choose(dnp.asarray(NUMBERS) % 2, [x, -x]), np.choose(NUMBERS % 2, [X, -X])
    )
    for index in (NUMBERS, NUMBERS - 3):
        with pytest.raises(ValueError, match="must be at least 0 and less than 2"):
            dnp.choose(dnp.asarray(index), [x, -x])


def test_nan_is_found_in_calls_of_numpy() -> None:
    x = dnp.asarray([1.0, np.inf])
    with config.debug_nans(True), pytest.raises(FloatingPointError, match="NaN"):
        dnp.convolve(x, dnp.asarray([1.0, -1.0]) * 0)
