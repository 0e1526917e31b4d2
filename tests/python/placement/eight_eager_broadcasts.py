"""Eager functions of matrices, rows and columns that are divided over the same axes have results
sharded as those of JAX 0.10.2 are; run by `test_devices`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as jnp
from dovetail.scipy import special as sp
from dovetail.sharding import NamedSharding
from dovetail.sharding import PartitionSpec as P
from support.divided import MESH, values

Entry = str | tuple[str, ...] | None

MATRICES: list[tuple[Entry, Entry]] = [
    *(("x", "y"), ("x", None), (None, "x"), ("y", "x"), (None, "y"), (None, None)),
    *((("x", "y"), None), (None, ("x", "y"))),
]
VECTORS: list[Entry] = ["x", "y", None, ("x", "y"), ("y", "x")]
SHARDINGS = list(itertools.product(MATRICES, VECTORS))


def axes_of(entry: Entry) -> tuple[str, ...]:
    return () if entry is None else (entry,) if isinstance(entry, str) else entry


def extended(spec: Sequence[Entry], *others: tuple[int, Entry]) -> P:
    """A spec whose dimensions are divided further as others say, as far as axes are left: the rule
    that all results of JAX's follow.
    """
    dims = [axes_of(entry) for entry in spec]
    for dim, other in others:
        axes = axes_of(other)
        if axes[: len(dims[dim])] != dims[dim]:
            continue
        for axis in axes[len(dims[dim]) :]:
            if any(axis in each for each in dims):
                break
            dims[dim] += (axis,)
    return P(*dims)


def check(result: dt.Array, spec: P, expected: Any) -> None:
    wanted = NamedSharding(MESH, spec)
    assert result.sharding.is_equivalent_to(wanted, result.ndim), (result.sharding, spec)
    np.testing.assert_array_equal(np.asarray(result), np.asarray(expected))


def whole(x: dt.Array) -> dt.Array:
    return jnp.asarray(np.asarray(x))


def whole_number(x: Any) -> Any:
    return jnp.abs(x * 7).astype(np.int32)


# Functions of a matrix and a vector that broadcasts to it.
PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda m, v: m + v,
    "reversed -": lambda m, v: v - m,
    "*": lambda m, v: m * v,
    "/": lambda m, v: v / (m + 5),
    "//": lambda m, v: v // (m + 5),
    "**": lambda m, v: abs(v) ** m,
    "<": lambda m, v: m < v,
    "==": lambda m, v: m == v,
    "&": lambda m, v: (v > 0) & (m > 0),
    "<<": lambda m, v: whole_number(m) << whole_number(v),
    "maximum": lambda m, v: jnp.maximum(v, m),
    "fmin": lambda m, v: jnp.fmin(m, v),
    "arctan2": jnp.arctan2,
    "hypot": lambda m, v: jnp.hypot(v, m),
    "logaddexp": jnp.logaddexp,
    "float_power": lambda m, v: jnp.float_power(abs(v), m),
    "fmod": lambda m, v: jnp.fmod(v, m + 5),
    "remainder": lambda m, v: jnp.remainder(m, v + 5),
    "divmod": lambda m, v: jnp.divmod(v, m + 5)[1],
    "gcd": lambda m, v: jnp.gcd(whole_number(v), whole_number(m)),
    "ldexp": lambda m, v: jnp.ldexp(v, whole_number(m)),
    "heaviside": jnp.heaviside,
    "nextafter": jnp.nextafter,
    "copysign": lambda m, v: jnp.copysign(v, m),
    "isclose": lambda m, v: jnp.isclose(v, m),
    "logical_xor": jnp.logical_xor,
    "clip below": lambda m, v: jnp.clip(m, v),
    "where matrix": lambda m, v: jnp.where(m > 0, m, v),
    "where vector": lambda m, v: jnp.where(v > 0, m, m),
    "where vectors": lambda m, v: jnp.where(v > 0, v, m),
    "xlogy": lambda m, v: sp.xlogy(v, abs(m)),
    "operands of two types": lambda m, v: whole_number(m) + v,
}


def matrix_row_and_column(spec: Any, entry: Any) -> tuple[Any, Any, Any]:
    return values((8, 8), *spec), values((8,), entry), values((8, 1), entry)


@pytest.mark.parametrize("name", PAIRS)
@dt.config.compile("never")
def test_matrix_decides_before_row_and_column(name: str) -> None:
    function = PAIRS[name]
    for spec, entry in SHARDINGS:
        m, row, column = matrix_row_and_column(spec, entry)
        check(function(m, row), extended(spec, (1, entry)), function(whole(m), whole(row)))
        check(function(m, column), extended(spec, (0, entry)), function(whole(m), whole(column)))


# Functions of a matrix, a row and a column.
TRIPLES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "where": lambda m, row, column: jnp.where(column > 0, row, m),
    "clip": jnp.clip,
    "clip row": lambda m, row, column: jnp.clip(row, m, column),
}


@pytest.mark.parametrize("name", TRIPLES)
@dt.config.compile("never")
def test_matrix_decides_before_row_and_column_together(name: str) -> None:
    function = TRIPLES[name]
    for spec, entry in SHARDINGS:
        m, row, column = matrix_row_and_column(spec, entry)
        others = [(1, entry), (0, entry)]
        if spec == (None, None):
            # All are of the same size once they are broadcast: the condition, or the bound that
            # is applied last, comes first.
            others.reverse()
        expected = function(whole(m), whole(row), whole(column))
        check(function(m, row, column), extended(spec, *others), expected)


@dt.config.compile("never")
def test_of_equal_arrays_the_first_decides() -> None:
    for entry in VECTORS:
        row, column = values((8,), entry), values((8, 1), entry)
        check(row + column, P(None, entry), whole(row) + whole(column))
        check(column + row, P(entry, None), whole(column) + whole(row))
    for spec in ((None, "x"), ("x", None), (None, ("x", "y")), (("y", "x"), None)):
        m = values((8, 8), *spec)
        check(m + m.T, P(*spec), whole(m) + whole(m).T)
        check(m.T - m, P(*spec[::-1]), whole(m).T - whole(m))


@dt.config.compile("never")
def test_of_equal_arrays_that_which_most_devices_have_decides() -> None:
    few, many = values((8,), "x"), values((8,), ("x", "y"))
    check(jnp.outer(few, many), P(None, ("x", "y")), np.outer(few, many))
    check(jnp.outer(many, few), P(("x", "y"), None), np.outer(many, few))


@dt.config.compile("never")
def test_broadcast_arrays_decide_like_others() -> None:
    m, row = values((8, 8), "x", "y"), values((8,), "x")
    repeated, _ = jnp.broadcast_arrays(row, m)
    check(repeated, P(None, "x"), np.broadcast_to(row, (8, 8)))
    # In its last dimension, both are divided otherwise.
    check(m + repeated, P("x", None), whole(m) + whole(row))


# Choices of an index that is a matrix or a row.
CHOICES: dict[str, Callable[[Any, Any, Any], Sequence[Any]]] = {
    "matrices": lambda m, row, column: [m, m.T],
    "row and matrix": lambda m, row, column: [row, m, m],
    "column and row": lambda m, row, column: [column, row],
}


@pytest.mark.parametrize("name", CHOICES)
@dt.config.compile("never")
def test_the_index_decides_on_choices(name: str) -> None:
    for spec, entry in SHARDINGS:
        m, row, column = matrix_row_and_column(spec, entry)
        choices = CHOICES[name](m, row, column)
        wholes = CHOICES[name](whole(m), whole(row), whole(column))
        for index, wanted in ((m, P(*spec)), (row, P(None, entry))):
            numbers = (index > 0).astype(np.int32)
            for mode in ("raise", "clip", "wrap"):
                expected = jnp.choose(whole(numbers), wholes, mode=mode)
                check(jnp.choose(numbers, choices, mode=mode), wanted, expected)
