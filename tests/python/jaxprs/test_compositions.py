"""Primitives that are several ops here: their equations, and `bind`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import sparse
from dovetail.jaxprs import primitives
from dovetail.jaxprs.evaluation import eval_jaxpr, interpret
from dovetail.jaxprs.primitives import find
from dovetail.transforms.primitives import Primitive, jvps
from dovetail.trees.wrapped import flatten_fun_nokwargs, wrap_init

X = np.arange(12, dtype=np.float32).reshape(3, 4) + 1

WINDOWS: dict[str, Any] = {
    "window_dimensions": (2, 2),
    "window_strides": (1, 1),
    "padding": ((0, 0), (0, 0)),
}
DILATIONS = {"base_dilation": (1, 1), "window_dilation": (1, 1)}

# Functions of an array and an index, and the primitives of their equations, with parameters.
EQUATIONS: dict[str, Any] = {
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i, 1), (2, 2)), {"slice_sizes": (2, 2)}),
    "dynamic_update_slice": (lambda x, i: lax.dynamic_update_slice(x, -x, (i, i)), {}),
    "mulhi": (lambda x, i: lax.mulhi(i, i), {}),
    "split": (lambda x, i: lax.split(x, (1, 3), 1), {"sizes": (1, 3), "axis": 1}),
    "reduce_window_sum": (
        lambda x, i: lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), "SAME"),
        WINDOWS | {"padding": ((0, 1), (0, 1))} | DILATIONS,
    ),
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


@pytest.mark.parametrize(
    "name", ["dynamic_slice", "reduce_window_sum", "square", "split", "tile", "stack"]
)
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


EYE = np.eye(3, dtype=np.float32)
OF_COORDINATES = sparse.BCOO.fromdense(EYE)


def bits(x: Any) -> Any:
    return lax.rng_bit_generator(np.arange(4, dtype=np.uint32), (3,))[1] + 0 * x.astype(np.uint32)


def solution(x: Any) -> Any:
    mat = np.tril(X[:, :3])
    return lax.custom_linear_solve(
        lambda y: mat @ y,
        x,
        lambda _, y: dnp.linalg.solve(mat, y),
        lambda _, y: dnp.linalg.solve(mat.T, y),
    )


# Functions of a vector, and the equations that have programs as parameters.
PROGRAMS: dict[str, Any] = {
    "reduce": lambda x: lax.reduce(x, np.float32(1), lambda y, z: y * z, (0,)),
    "reduce_window": lambda x: lax.reduce_window(x, np.float32(1), lambda y, z: y * z, (2,)),
    "rng_bit_generator": bits,
    "custom_linear_solve": solution,
    "bcoo_dot_general": lambda x: OF_COORDINATES @ x,
    "bcoo_todense": lambda x: (OF_COORDINATES * x).todense(),
    "bcoo_fromdense": lambda x: sparse.BCOO.fromdense(x, nse=2).data,
    "bcoo_transpose": lambda x: sparse.BCOO.fromdense(dnp.outer(x, x), nse=9).T.data,
    "bcoo_sort_indices": lambda x: sparse.BCOO.fromdense(x, nse=3).sort_indices().data,
    "bcoo_sum_duplicates": lambda x: (
        sparse.bcoo_sum_duplicates(sparse.BCOO.fromdense(x, nse=3), nse=3).data
    ),
    "bcoo_extract": lambda x: sparse.bcoo_extract(sparse.BCOO.fromdense(EYE[0], nse=1), x).data,
    "bcoo_spdot_general": lambda x: (OF_COORDINATES @ sparse.BCOO.fromdense(x, nse=3)).data,
    "bcsr_dot_general": lambda x: sparse.BCSR.fromdense(EYE, nse=3) @ x,
    "bcsr_todense": lambda x: sparse.BCSR.fromdense(dnp.outer(x, x), nse=9).todense(),
    "csr_matvec": lambda x: sparse.CSR.fromdense(EYE, nse=3) @ x,
    "csr_matmat": lambda x: sparse.CSR.fromdense(EYE, nse=3) @ x[:, None],
    "coo_matvec": lambda x: sparse.COO.fromdense(EYE, nse=3) @ x,
    "coo_todense": lambda x: sparse.COO.fromdense(dnp.outer(x, x), nse=9).todense(),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_equations_of_functions(name: str) -> None:
    function, x = PROGRAMS[name], X[0, :3]
    closed = dt.make_jaxpr(function)(x)
    assert [eqn.primitive.name for eqn in closed.eqns].count(name) == 1
    (made,) = interpret(closed.jaxpr, closed.consts, [x])
    np.testing.assert_allclose(made, function(x), rtol=1e-6)
    np.testing.assert_allclose(dt.jit(function)(x), function(x), rtol=1e-5)


def test_derivatives_of_a_linear_equation() -> None:
    x = X[0, :3]
    closed = dt.make_jaxpr(lambda x: dnp.sum(solution(x) ** 2))(x)
    expected = dt.grad(lambda x: dnp.sum(solution(x) ** 2))(x)
    for made in (
        dt.grad(lambda x: eval_jaxpr(closed.jaxpr, closed.consts, x)[0]),
        dt.grad(lambda x: interpret(closed.jaxpr, closed.consts, [x])[0]),
    ):
        np.testing.assert_allclose(made(x), expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["call", "closed_call"])
def test_calls(name: str) -> None:
    primitive = find("lax", f"{name}_p")
    program = dt.make_jaxpr(lambda x: dnp.sin(x) * 2)(1.0)
    for bound in (
        lambda x: primitive.bind(x, call_jaxpr=program)[0],
        lambda x: primitive.bind(x, **primitive.get_bind_params({"call_jaxpr": program}))[0],
    ):
        closed = dt.make_jaxpr(bound)(1.0)
        (eqn,) = closed.eqns
        assert eqn.primitive is primitive
        for function in (
            bound,
            dt.jit(bound),
            lambda x, of=closed: interpret(of.jaxpr, of.consts, [x])[0],
        ):
            np.testing.assert_allclose(function(3.0), 2 * np.sin(3), rtol=1e-6)
            np.testing.assert_allclose(dt.grad(function)(3.0), 2 * np.cos(3), rtol=1e-6)


@pytest.mark.parametrize("name", ["call", "closed_call"])
def test_calls_of_wrapped_functions(name: str) -> None:
    # As `jax.api_util` makes them of functions of trees.
    primitive = find("lax", f"{name}_p")

    def function(x: Any) -> Any:
        leaves, tree = dt.tree.flatten(({"v": x},))
        wrapped, out_tree = flatten_fun_nokwargs(
            wrap_init(lambda x: {"u": dnp.sin(x["v"]) * 2}), tree
        )
        outs = primitive.bind(*leaves, subfuns=(wrapped,))
        return dt.tree.unflatten(out_tree(), outs)["u"]

    (eqn,) = dt.make_jaxpr(function)(1.0).eqns
    assert eqn.primitive is primitive
    # JAX's `call` has a `Jaxpr`, and `closed_call` a `ClosedJaxpr`.
    assert hasattr(eqn.params["call_jaxpr"], "consts") == (name == "closed_call")
    for each in (function, dt.jit(function)):
        np.testing.assert_allclose(each(3.0), 2 * np.sin(3), rtol=1e-6)
        np.testing.assert_allclose(dt.grad(each)(3.0), 2 * np.cos(3), rtol=1e-6)
        np.testing.assert_allclose(dt.vmap(each)(X[0]), 2 * np.sin(X[0]), rtol=1e-5)


def test_references() -> None:
    ref, (leaves, tree) = dt.new_ref(X), dt.tree.flatten(((2, slice(1, 3)), 1))
    assert find("ref", "get_p").bind(ref, *leaves, tree=tree) == X[2, 2]
    assert find("ref", "swap_p").bind(ref, 7.0, *leaves, tree=tree) == X[2, 2]
    whole = find("ref", "get_p").bind(ref, tree=dt.tree.structure(()))
    np.testing.assert_array_equal(whole, np.where(X[2, 2] == X, 7, X))


class _Backward:
    @staticmethod
    def call_wrapped(residual: Any, cotangent: Any) -> list[Any]:
        return [10 * residual * cotangent]


def test_rules_of_derivatives() -> None:
    square = Primitive("square_by_rule")
    square.def_impl(lambda x: x * x)
    square.def_abstract_eval(lambda x: x)

    def derivative(primals: Any, tangents: Any) -> Any:
        (x,), (t,) = primals, tangents
        params = {"num_res": 1, "bwd": _Backward, "symbolic_zeros": False, "in_zeros": [False]}
        made = find("lax", "custom_lin_p").bind(x, t, out_avals=[dt.typeof(x)], **params)
        return square.bind(x), made[0]

    jvps[square] = derivative
    assert dt.grad(square.bind)(3.0) == 30
    with pytest.raises(TypeError, match="can't apply forward-mode autodiff"):
        dt.jvp(square.bind, (3.0,), (1.0,))


@pytest.mark.parametrize("scatter", [lambda x, y: x + y, lambda x, y: 2 * x - y])
def test_selection_and_scatter(scatter: Any) -> None:
    rng = np.random.default_rng(0)
    x, source = (rng.normal(size=shape).astype(np.float32) for shape in ((5, 6), (3, 3)))
    window, strides, padding = (2, 3), (2, 2), ((0, 1), (1, 0))
    program = dt.make_jaxpr(scatter)(0.0, 0.0).jaxpr
    selects = dt.make_jaxpr(lambda x, y: x >= y)(0.0, 0.0).jaxpr

    def function(x: Any) -> Any:
        return lax.select_and_scatter_p.bind(
            *(x, source, np.float32(0.5)),
            select_jaxpr=selects,
            select_consts=(),
            scatter_jaxpr=program,
            scatter_consts=(),
            window_dimensions=window,
            window_strides=strides,
            padding=padding,
        )

    expected = np.full(x.shape, np.float32(0.5))
    for i, j in np.ndindex(*source.shape):
        rows, cols = slice(2 * i, 2 * i + 2), slice(max(2 * j - 1, 0), 2 * j + 2)
        part = x[rows, cols]
        place = np.unravel_index(part.argmax(), part.shape)
        at = place[0] + rows.start, place[1] + cols.start
        expected[at] = scatter(expected[at], source[i, j])
    for way in (function, dt.jit(function)):
        np.testing.assert_allclose(way(x), expected, rtol=1e-6)


def test_total_order() -> None:
    values = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)
    rows = np.arange(len(values))
    xs, ys = (np.broadcast_to(v, (len(values),) * 2) for v in (values[:, None], values))
    np.testing.assert_array_equal(lax.lt_to_p.bind(xs, ys), rows[:, None] < rows)
    np.testing.assert_array_equal(lax.le_to_p.bind(xs, ys), rows[:, None] <= rows)
    np.testing.assert_array_equal(lax.eq_to_p.bind(xs, ys), rows[:, None] == rows)


def test_windows() -> None:
    window, dilation = WINDOWS, DILATIONS
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


def test_names_of_primitives_do_not_depend_on_programs() -> None:
    before = primitives.names()
    closed = dt.make_jaxpr(lambda key: dt.random.uniform(dt.random.split(key)[0]))(dt.random.key(0))
    assert "random_split" in str(closed.jaxpr)
    assert primitives.names() == before
