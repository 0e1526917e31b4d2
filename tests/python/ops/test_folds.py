"""Pointwise ops of constants fold to what the ops compute."""

from __future__ import annotations

import numpy as np
import pytest

import dovetail as dt
from dovetail.tracing.bind import constant
from support import breadth
from support.op_calls import Call, all_calls
from support.op_row import BOOL, FLOAT, INT, Array
from support.op_table import OPS

POINTWISE = [row for row in OPS if row.pointwise]
# Elements of each call, in ordinary and in special places, in rotation.
ELEMENTS = 8 if breadth.IS_NIGHTLY else 3


def constants(call: Call) -> list[tuple[Array, ...]]:
    """Scalar operands."""
    operands = call.values(subnormal=False)
    size = min(operand.size for operand in operands)
    start = sum(map(ord, str(call)))
    places = (start + np.arange(ELEMENTS) * (size // ELEMENTS + 1)) % size
    return [tuple(operand.reshape(-1)[i] for operand in operands) for i in places]


@pytest.mark.parametrize("dtype", [*BOOL, *INT, *FLOAT], ids=str)
def test_ops_fold_to_what_they_compute(dtype: np.dtype) -> None:
    calls = [call for call in all_calls(dtype, POINTWISE) if call.row.samples]
    operands = [constants(call) for call in calls]

    def program() -> list[object]:
        return [
            call.apply(*(constant(np.asarray(x)) for x in each))
            for call, elements in zip(calls, operands, strict=True)
            for each in elements
        ]

    results = iter(dt.jit(program)())
    failures = []
    for call, elements in zip(calls, operands, strict=True):
        for each in elements:
            arrays = tuple(np.asarray(x).reshape(1) for x in each)
            try:
                bound = call.row.bound(dtype) + call.row.eager_ulps
                actual = np.asarray(next(results)).reshape(1)
                # x + 0 folds to x, also where that is -0.
                zeros = call.row.name not in ("add", "sub")
                expected = call.eager(arrays).reshape(1)
                call.check(actual, expected, bound, flush=True, zeros=zeros)
            except AssertionError as error:
                failures.append(f"{each}: {error}")
    assert not failures, f"{len(failures)}:\n" + "\n".join(failures[:20])


def test_folded_ops_are_gone() -> None:
    def program() -> list[object]:
        x = dt.numpy.full((3, 4), 0.5)
        return [dt.numpy.exp(x), dt.lax.erf(x) + dt.numpy.tanh(x), dt.numpy.floor(7 * x) > 2]

    text = dt.jit(program).lower().as_text("simplify")
    ops = [line for line in text.splitlines() if " = dovetail." in line]
    assert ops
    assert all("dovetail.constant" in line for line in ops), text
