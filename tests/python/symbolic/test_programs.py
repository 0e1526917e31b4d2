"""Functions of the library with a symbolic size: at each size the same as with that known size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.errors import InconclusiveDimensionOperation
from support.symbolic_programs import PROGRAMS, Function, key

# Where the size 1 has another meaning.
CONSTRAINTS = {
    "reductions: cov": ["b >= 2"],
    "reductions: cov of rows": ["b >= 2"],
    "reductions: corrcoef": ["b >= 2"],
}

# Functions that inherently need a known size, or have other results for some sizes.
UNDECIDED: dict[str, Function] = {
    "Fourier transform along a dimension": lambda x: dnp.fft.fft(x, axis=0),
    "a list of rows": lambda x: dnp.unstack(x),
    "as many columns as rows": lambda x: dnp.vander(x[0], x.shape[0]),
    "an index that may be out of bounds": lambda x: dnp.delete(x, 2, 0),
    "sections that may differ": lambda x: dnp.split(x, x.shape[0]),
    "the middle of sums": lambda x: dnp.convolve(x[:, 0], dnp.ones(3), "same"),
    "elements that are not many enough": lambda x: dt.random.choice(key, x, (2,), replace=False),
    "all steps at once": lambda x: lax.scan(lambda c, r: (c + r, c), x[0], x, unroll=True),
    "a permutation of elements": lambda x: dt.vmap(
        lambda r: lax.ppermute(r, "i", [(0, 1)]), axis_name="i"
    )(x),
    "elements chosen by a mask": lambda x: dnp.extract(x > 0, x, size=int(x.shape[0])),
    "a step of a size": lambda x: x[:: x.shape[0]],
}

# Together in one program each.
COMPILED: dict[str, list[str]] = {
    "shapes": [
        *("shapes: pad edge", "shapes: pad within", "shapes: roll", "shapes: roll by size"),
        *("shapes: repeat by size", "shapes: diag", "shapes: diag of square", "shapes: linspace"),
        "shapes: insert of rows",
    ],
    "elements": [
        *("indexing: at slice", "indexing: dynamic update of rows", "shapes: repeat of total"),
    ],
    "sums": [
        *("ordered: cumulative", "shapes: convolve", "contractions: mean pooling of rows"),
        *("control: grad of prod", "control: axis_index", "control: all_gather"),
    ],
    "loops": [
        *("control: scan of unrolled steps", "control: associative_scan of rows"),
        *("control: linear transpose", "control: jacrev", "control: vmap without batch"),
    ],
}


def array(b: int) -> np.ndarray:
    """Numbers that differ, of order 1."""
    return (np.sin(np.arange(6 * b) * 1.7 + 0.3) + 0.01).astype(np.float32).reshape(b, 6)


def check(
    f: Any, sizes: tuple[int, ...], constraints: list[str], compile: str, bound: float
) -> None:
    program: Any = dt.jit(
        f, dynamic_shapes=("b, 6",), dynamic_constraints=constraints, compile=compile
    )
    for b in sizes:
        actual, expected = dt.tree.leaves(program(array(b))), dt.tree.leaves(f(dnp.array(array(b))))
        for x, y in zip(actual, expected, strict=True):
            assert (x.shape, x.dtype) == (y.shape, y.dtype)
            np.testing.assert_allclose(x, y, rtol=bound, atol=bound)
    assert len(program._executions) == 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_evaluated(name: str) -> None:
    constraints = CONSTRAINTS.get(name, [])
    check(PROGRAMS[name], (4, 7) if constraints else (1, 4, 7), constraints, "never", 3e-5)


@pytest.mark.parametrize("group", COMPILED)
def test_compiled(group: str) -> None:
    functions = [PROGRAMS[name] for name in COMPILED[group]]
    check(lambda x: [f(x) for f in functions], (1, 2, 5, 8, 33), ["b <= 4096"], "now", 1e-4)


@pytest.mark.parametrize("name", UNDECIDED)
def test_undecided_sizes_are_reported(name: str) -> None:
    program: Any = dt.jit(UNDECIDED[name], dynamic_shapes=("b, 6",))
    with pytest.raises((NotImplementedError, InconclusiveDimensionOperation)) as error:
        program.lower(array(4))
    assert "test_programs.py" in str(error.value)
