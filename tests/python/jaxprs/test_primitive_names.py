"""Equations are of primitives that JAX has, whatever op they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.arrays.array import Array
from dovetail.jaxprs.arranged_views import ARRANGED
from dovetail.jaxprs.evaluation import interpret
from dovetail.jaxprs.op_primitives import is_foreign, primitive_of
from dovetail.jaxprs.traversal import subjaxprs
from support.breadth import one_of
from support.jaxpr_functions import FUNCTIONS
from support.jaxpr_programs import PROGRAMS, arguments
from support.op_calls import Call, calls_of, types_of
from support.op_row import Row
from support.op_table import OPS

NAMES = frozenset(
    Path(dt.__file__).with_name("jaxprs").joinpath("jax_primitives.txt").read_text().split()
)


def names_of(jaxpr: Any) -> Iterator[str]:
    for eqn in jaxpr.eqns:
        yield eqn.primitive.name
    for inner in subjaxprs(jaxpr):
        yield from names_of(inner)


def jaxpr_of(function: Any, *args: Any) -> Any:
    closed = dt.make_jaxpr(function)(*args)
    assert set(names_of(closed.jaxpr)) <= NAMES
    return closed


def calls(row: Row) -> Iterator[Call]:
    """Calls of an op, of one type by day."""
    for dtype in one_of(types_of(row), row.name):
        yield from calls_of(row, dtype)


@pytest.mark.parametrize("row", OPS, ids=str)
def test_ops(row: Row) -> None:
    for call in calls(row):
        with dt.enable_x64(True):
            jaxpr_of(call.apply, *map(Array, call.ordinary()))


ARRANGED_OR_FOREIGN = [
    row
    for row in OPS
    if row.name in ARRANGED or is_foreign(primitive_of(row.name, {"direction": "eq"}))
]


@pytest.mark.parametrize("row", ARRANGED_OR_FOREIGN, ids=str)
def test_values(row: Row) -> None:
    for call in calls(row):
        check_values(call)


def check_values(call: Call) -> None:
    operands = call.values(subnormal=False)
    with dt.enable_x64(True):
        arrays = list(map(Array, operands))
        closed = jaxpr_of(call.apply, *arrays)
        interpreted = dt.jit(lambda *args: interpret(closed.jaxpr, closed.consts, args))
        (made,) = interpreted(*arrays)
    call.check(
        np.asarray(made), call.eager(operands), max(call.row.bound(call.dtype), 8), flush=True
    )


def words(x: Any) -> Any:
    """The words of keys."""
    return dt.random.key_data(x) if hasattr(x.dtype, "generator") else x


def is_float(x: Any) -> bool:
    return getattr(x, "dtype", None) == np.float32


def transformed(function: Any, how: str, args: Any) -> tuple[Any, Any]:
    """A function of the arguments, and these."""
    if how == "vmap":
        return dt.vmap(function), [dnp.stack([x, x]) for x in args]
    number = next(filter(lambda i: is_float(args[i]), range(len(args))))

    def one(x: Any, args: Any) -> Any:
        return function(*args[:number], x, *args[number + 1 :])

    def tangent(*args: Any) -> Any:
        return dt.jvp(lambda x: one(x, args), (args[number],), (args[number],))

    def cotangent(*args: Any) -> Any:
        outs, back = dt.vjp(lambda x: one(x, args), args[number])
        return back(dt.tree.map(dnp.ones_like, outs))

    return (tangent if how == "jvp" else cotangent), args


# In loops of unknown length, the number of iterations is no parameter. `betainc` has no derivative
# by its first argument.
WITHOUT = {
    *(("while_consts", "vjp"), ("while_shared", "vjp")),
    *(("betainc", "jvp"), ("betainc", "vjp")),
}
TRANSFORMED = {"elementary", "pooled_gradient", *(name for name, *_ in FUNCTIONS)}
CASES = {
    (name, how): (make, args)
    for name, make, args in (*PROGRAMS, *FUNCTIONS)
    if name in TRANSFORMED
    for how in ("jvp", "vjp", "vmap")
    if (name, how) not in WITHOUT and (args if how == "vmap" else any(map(is_float, args)))
}


@pytest.mark.parametrize(("name", "how"), CASES)
def test_transformed(name: str, how: str) -> None:
    make, args = CASES[name, how]
    function, given = transformed(make(dt), how, arguments(dt, args))
    closed = jaxpr_of(function, *given)
    made = dt.jit(lambda *args: interpret(closed.jaxpr, closed.consts, args))(*given)
    for got, wanted in zip(made, dt.tree.leaves(function(*given)), strict=True):
        got, wanted = map(words, (got, wanted))
        assert got.shape == wanted.shape
        if got.dtype != dt.dtypes.float0:
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


def test_convolutions_of_batches() -> None:
    def conv(x: Any, w: Any) -> Any:
        return dt.lax.conv_general_dilated(x, w, (1, 2), [(1, 0), (0, 2)], rhs_dilation=(2, 1))

    x = np.random.default_rng(0).normal(size=(3, 2, 4, 6, 7)).astype(np.float32)
    w = np.random.default_rng(1).normal(size=(3, 5, 4, 2, 3)).astype(np.float32)
    for dims in ((0, 0), (0, None), (None, 0)):
        args = [y if dim == 0 else y[0] for y, dim in zip((x, w), dims, strict=True)]
        batched = dt.vmap(conv, dims)
        closed = jaxpr_of(batched, *args)
        (made,) = interpret(closed.jaxpr, closed.consts, args)
        np.testing.assert_allclose(made, batched(*args), rtol=1e-4, atol=1e-4)
