"""An op's elements do not depend on how its operands are stored: as arrays, as rows that a loop
takes from arrays, as one number for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import lax
from dovetail.base import dtypes
from dovetail.reference import Evaluator
from support.op_calls import IN_EVERY_WAY, Call, all_calls

# Loops of so many steps are specialized.
LONG = 70


def _repeated(call: Call) -> list[np.ndarray]:
    operands = call.values(subnormal=True)
    times = -(-LONG // max(len(operands[0]), 1))
    return [np.concatenate([operand] * times) for operand in operands]


@pytest.mark.parametrize("dtype", sorted(IN_EVERY_WAY, key=str), ids=str)
def test_rows_of_rank_0(dtype: np.dtype) -> None:
    for call in all_calls(dtype):
        if not call.row.pointwise or not call.values(subnormal=True):
            continue
        rows = _repeated(call)

        def loop(*xs: Any, call: Call = call) -> Any:
            return lax.scan(lambda c, x: (c, call.apply(*x)), 0, xs)[1]

        program = dt.jit(loop).lower(*rows)._program.instructions
        (got,) = Evaluator(program)(rows)
        want = call.eager(rows)
        assert (got.dtype, got.shape) == (want.dtype, want.shape), str(call)
        _assert_same(got, want, str(call))


def _assert_same(got: np.ndarray, want: np.ndarray, what: str) -> None:
    wide = np.complex128 if dtypes.KINDS[want.dtype] == "c" else np.float64
    got, want = got.astype(wide), want.astype(wide)
    np.testing.assert_array_equal(got, want, err_msg=what)
    if wide is np.float64:
        is_number = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got)[is_number], np.signbit(want)[is_number], what)


BASES = [0.0, -0.0, 1.0, -1.0, 2.25, -2.25, np.inf, -np.inf, np.nan]
EXPONENTS = [0.5, -0.5, 0.0, -0.0, 1.0, -1.0, 2.0, 3.0, 1.5, np.inf, -np.inf, np.nan]


def _ways(x: np.ndarray, y: float) -> Iterator[Any]:
    power = dt.numpy.asarray(y).astype(x.dtype)
    yield lax.pow(x, np.full_like(x, y))
    yield lax.pow(x, power)
    yield dt.numpy.stack([lax.pow(each, power) for each in x])
    grid = lax.pow(np.stack([x, x]), dt.numpy.asarray([[y], [3.0]]).astype(x.dtype))
    yield grid[0]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_powers_by_one_exponent(dtype: str) -> None:
    """As C's pow says: NumPy takes the square root by 0.5 if that is one number."""
    with dt.enable_x64(dtype == "float64"):
        x = np.asarray(BASES).astype(dtypes.as_dtype(dtype))
        for y in EXPONENTS:
            with np.errstate(all="ignore"):
                want = np.power(np.asarray(BASES), np.full(len(BASES), y)).astype(x.dtype)
            for got in _ways(x, y):
                _assert_same(np.asarray(got), want, f"x ** {y}")
