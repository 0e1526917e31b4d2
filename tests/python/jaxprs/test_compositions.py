"""Primitives that are several ops here: their equations, and `bind`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import sparse
from dovetail.jaxprs.evaluation import eval_jaxpr, interpret
from dovetail.jaxprs.primitives import find

X = np.arange(12, dtype=np.float32).reshape(3, 4) + 1

# Functions of an array and an index, and the primitives of their equations, with parameters.
EQUATIONS: dict[str, Any] = {
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i, 1), (2, 2)), {"slice_sizes": (2, 2)}),
    "dynamic_update_slice": (lambda x, i: lax.dynamic_update_slice(x, -x, (i, i)), {}),
    "mulhi": (lambda x, i: lax.mulhi(i, i), {}),
    "split": (lambda x, i: lax.split(x, (1, 3), 1), {"sizes": (1, 3), "axis": 1}),
    "square": (lambda x, i: lax.square(x), {}),
    "stack": (lambda x, i: lax.stack([x, x], 1), {"axis": 1}),
    "tile": (lambda x, i: lax.tile(x, (2, 1)), {"reps": (2, 1)}),
    "top_k": (lambda x, i: lax.top_k(x, 2), {"k": 2, "axis": 1}),
    "unstack": (lambda x, i: lax.unstack(x, 1), {"axis": 1}),
}


@pytest.mark.parametrize("name", EQUATIONS)
def test_equations(name: str) -> None:
    function, params = EQUATIONS[name]
    closed = dt.make_jaxpr(function)(X, 1)
    (eqn,) = (eqn for eqn in closed.eqns if eqn.primitive.name == name)
    assert eqn.primitive is find("lax", f"{name}_p")
    assert eqn.params == params
    expected = dt.tree.leaves(function(X, 1))
    for made in (
        eval_jaxpr(closed.jaxpr, closed.consts, X, 1),
        interpret(closed.jaxpr, closed.consts, [X, 1]),
        dt.tree.leaves(dt.jit(function)(X, 1)),
    ):
        for got, wanted in zip(made, expected, strict=True):
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("name", ["dynamic_slice", "square", "split", "tile", "stack"])
def test_derivatives_and_batches(name: str) -> None:
    function, _ = EQUATIONS[name]

    def total(x: Any) -> Any:
        return sum(dnp.sum(y * y) for y in dt.tree.leaves(function(x, 1)))

    def closed_total(x: Any) -> Any:
        closed = dt.make_jaxpr(total)(x)
        return eval_jaxpr(closed.jaxpr, closed.consts, x)[0]

    np.testing.assert_allclose(dt.grad(closed_total)(X), dt.grad(total)(X), rtol=1e-6)
    batch = np.stack([X, 2 * X])
    np.testing.assert_allclose(dt.vmap(closed_total)(batch), dt.vmap(total)(batch), rtol=1e-6)
    for transformed in (dt.grad(total), dt.jit(total), lambda x: dt.vmap(total)(x[None])):
        closed = dt.make_jaxpr(transformed)(X)
        made = interpret(closed.jaxpr, closed.consts, [X])[0]
        np.testing.assert_allclose(made, transformed(X), rtol=1e-6)


def test_equations_of_dimensions_of_size_1() -> None:
    (eqn,) = dt.make_jaxpr(lambda x: lax.squeeze(x, (0, -1)))(X[None, ..., None]).eqns
    assert (eqn.primitive.name, eqn.params) == ("squeeze", {"dimensions": (0, 3)})


def test_total_order() -> None:
    values = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)
    rows = np.arange(len(values))
    xs, ys = (np.broadcast_to(v, (len(values),) * 2) for v in (values[:, None], values))
    np.testing.assert_array_equal(lax.lt_to_p.bind(xs, ys), rows[:, None] < rows)
    np.testing.assert_array_equal(lax.le_to_p.bind(xs, ys), rows[:, None] <= rows)
    np.testing.assert_array_equal(lax.eq_to_p.bind(xs, ys), rows[:, None] == rows)


def test_windows() -> None:
    window = {"window_dimensions": (2, 2), "window_strides": (1, 1), "padding": ((0, 0), (0, 0))}
    dilation = {"base_dilation": (1, 1), "window_dilation": (1, 1)}
    add = dt.make_jaxpr(lambda x, y: x + y)(1.0, 1.0)
    zero = np.float32(0)
    (total,) = lax.reduce_window_p.bind(X, zero, jaxpr=add.jaxpr, consts=(), **window, **dilation)
    np.testing.assert_array_equal(total, X[1:, 1:] + X[:-1, 1:] + X[1:, :-1] + X[:-1, :-1])
    (total,) = lax.reduce_p.bind(X, zero, computation=None, jaxpr=add, dimensions=(0,))
    np.testing.assert_array_equal(total, X.sum(0))
    ones = np.ones((2, 3), np.float32)
    scattered = lax.select_and_scatter_add_p.bind(ones, X, select_prim=lax.ge_p, **window)
    np.testing.assert_array_equal(scattered, np.pad(ones, ((1, 0), (1, 0))))
    gathered = lax.select_and_gather_add_p.bind(
        2 * X, X, select_prim=lax.le_p, **window, **dilation
    )
    np.testing.assert_array_equal(gathered, 2 * X[:-1, :-1])


def test_sorting_primitives_keep_their_parameters() -> None:
    closed = dt.make_jaxpr(dt.vmap(lambda x: lax.top_k(x, 2)))(X)
    made = interpret(closed.jaxpr, closed.consts, [X])
    np.testing.assert_array_equal(made[0], X[:, :1:-1])


def test_sparse() -> None:
    mat = sparse.BCOO.fromdense(X)
    dense = sparse.bcoo_todense_p.bind(mat.data, mat.indices, spinfo=mat._info)
    np.testing.assert_array_equal(dense, X)
    product = sparse.bcoo_dot_general_p.bind(
        mat.data,
        mat.indices,
        X.T,
        dimension_numbers=(((1,), (0,)), ((), ())),
        preferred_element_type=None,
        lhs_spinfo=mat._info,
    )
    np.testing.assert_allclose(product, X @ X.T, rtol=1e-5)
    rows = sparse.CSR.fromdense(X)
    params = {"shape": rows.shape, "transpose": False}
    bufs = rows.data, rows.indices, rows.indptr
    np.testing.assert_allclose(sparse.csr_matvec_p.bind(*bufs, X[0], **params), X @ X[0], rtol=1e-5)
    with pytest.raises(AttributeError, match="no_such_p"):
        sparse.no_such_p  # noqa: B018
