"""The rules of every op of the table where no size is known, against the same rules with all sizes.

What the rules compute at known sizes, `test_ops.py` compares with finite differences and loops.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from dovetail import _core, dtypes
from support.op_calls import Call, calls_of, types_of
from support.op_requests import (
    Request,
    batch,
    batches,
    pullback,
    results_of,
    shapes_of_results,
    sources_of_sizes,
)
from support.op_row import Row, assert_close
from support.op_table import OPS

pytestmark = pytest.mark.usefixtures("in_64_bits")

# Ops with rules that need a size, and how their errors name it.
NEED_SIZES = {
    "conv": "with a kernel of unknown size",
    "qr": "with full matrices of unknown sizes",
    "svd": "with full matrices of unknown sizes",
}


def needs_size(call: Call, error: _core.CompilerError) -> bool:
    """Whether an error says that the op must know a size."""
    return call.row.name in NEED_SIZES and NEED_SIZES[call.row.name] in str(error)


def check(
    call: Call, operands: tuple[np.ndarray, ...], request: Callable[[bool], Request], what: str
) -> None:
    """Compares the results of a request, which is made for static or dynamic shapes."""
    expected = results_of(call, operands, request(False), dynamic=False)
    try:
        actual = results_of(call, operands, request(True), dynamic=True)
    except _core.CompilerError as error:
        if not needs_size(call, error):
            raise AssertionError(f"{what}: {error}") from None
        return
    for got, wanted in zip(actual, expected, strict=True):
        # Unknown sizes keep some ops from being folded, and zeros from being left out.
        assert_close(got, wanted, 64, normwise=True, zeros=False, what=what)


@pytest.mark.parametrize(
    ("row", "dtype"),
    [
        pytest.param(row, dtype, id=f"{row.name}-{dtype.name}")
        for row in OPS
        if not row.no_derivative
        for dtype in (dtypes.float64, dtypes.complex128)
        if dtype in types_of(row)
    ],
)
def test_cotangents_of_any_size(row: Row, dtype: np.dtype) -> None:
    """Through the tangent, the residuals and the transpose."""
    for call in calls_of(row, dtype):
        operands = call.ordinary(seed=1)
        shapes = shapes_of_results(call, operands)
        check(call, operands, partial(pullback, call, shapes), str(call))


PREFERRED = (dtypes.float64, dtypes.int32, dtypes.complex128, dtypes.uint32)


@pytest.mark.parametrize("row", [row for row in OPS if not row.no_batch], ids=str)
def test_batches_of_any_size(row: Row) -> None:
    """Over every subset of the operands."""
    dtype = next(t for t in PREFERRED if t in row.types)
    for call in calls_of(row, dtype):
        operands = call.ordinary()
        for dims in batches(operands):
            check(call, operands, partial(batch, call, dims), f"{call} over {dims}")


@pytest.mark.parametrize("row", OPS, ids=str)
def test_sources_of_sizes(row: Row) -> None:
    """A size of a result is that of the operand's dimension which factor maps say that it is."""
    dtype = next(t for t in (*PREFERRED, *types_of(row)) if t in types_of(row))
    for call in calls_of(row, dtype):
        operands = call.ordinary()
        shapes = shapes_of_results(call, operands)
        try:
            sources = list(sources_of_sizes(call, operands, shapes))
        except _core.CompilerError as error:
            if not needs_size(call, error):
                raise
            continue
        for (array, dimension), size in sources:
            assert array.shape[dimension] == size, f"{call}: {array.shape}, {dimension}"
