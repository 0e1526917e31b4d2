"""Programs as data: views of functions, and their evaluation."""

from __future__ import annotations

import gc
from collections import Counter
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.jaxprs.evaluation import eval_jaxpr, interpret, jaxpr_as_fun
from dovetail.jaxprs.structure import ClosedJaxpr, DropVar, Jaxpr, Literal, Var
from dovetail.jaxprs.traversal import check_jaxpr, jaxprs_in_params, new_jaxpr_eqn, subjaxprs

X, Y = np.array([1, 2, 3], np.float32), np.array([3, 2, 1], np.float32)
BIG = dnp.arange(20.0)


@dt.custom_jvp
def tripled(x):
    return 2 * x


tripled.defjvp(lambda primals, tangents: (tripled(*primals), 3 * tangents[0]))


@dt.custom_vjp
def quadrupled(x):
    return 2 * x


quadrupled.defvjp(lambda x: (2 * x, None), lambda _, ct: (4 * ct,))

PROGRAMS = {
    "select": lambda x, y: dnp.where(x < y, x @ y, x + 1 + BIG[:3]),
    "shapes": lambda x, y: dnp.pad(x[::2], (1, 2))[None].T.reshape(-1)[::-1][:3] * y[0],
    "running": lambda x, y: dnp.cumsum(x) + dnp.sort(y) + dnp.argmax(x) + dnp.arange(3.0),
    "constants": lambda x, y: x * np.array([1, 5, 2], np.float32) + y.astype(int) % 2,
    "jit": lambda x, y: dt.jit(lambda z: dnp.sin(z) * x)(y),
    "scan": lambda x, y: lax.scan(lambda c, z: (c * z + y[0], c), x[0], y)[1],
    "while": lambda x, y: lax.while_loop(lambda c: c.sum() < 50, lambda c: c * y + x, x),
    "cond": lambda x, y: lax.cond(x[0] > 0, lambda a: a * y, lambda a: a - y, x),
    "custom_jvp": lambda x, y: tripled(x) * y,
    "custom_vjp": lambda x, y: quadrupled(x) * y,
    "checkpoint": lambda x, y: dt.checkpoint(lambda z: dnp.sin(z) * y)(x),
    "grad": lambda x, y: dt.grad(lambda z: dnp.sum(dnp.exp(z) * y))(x),
    "vmap": lambda x, y: dt.vmap(lambda z: z * y[0])(x),
    "linalg": lambda x, y: dnp.linalg.qr(dnp.outer(x, y) + dnp.eye(3))[1][0],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_evaluation(name: str) -> None:
    function = PROGRAMS[name]
    closed = dt.make_jaxpr(function)(X, Y)
    check_jaxpr(closed.jaxpr)
    assert [aval.shape for aval in closed.in_avals] == [(3,), (3,)]
    wanted = function(dnp.asarray(X), dnp.asarray(Y))
    assert closed.out_avals[0].shape == wanted.shape
    for evaluate in (
        jaxpr_as_fun(closed),
        lambda *args: interpret(closed.jaxpr, closed.consts, args),
        dt.jit(jaxpr_as_fun(closed)),
    ):
        (result,) = evaluate(X, Y)
        np.testing.assert_allclose(result, wanted, rtol=1e-5)
        assert result.dtype == wanted.dtype


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - {"while", "linalg"}))
def test_derivatives_and_batches(name: str) -> None:
    function = PROGRAMS[name]
    closed = dt.make_jaxpr(function)(X, Y)
    wanted = dt.grad(lambda x, y: function(x, y).sum())(X, Y)
    batch = np.stack([X, Y])
    for evaluate in (
        jaxpr_as_fun(closed),
        lambda *args: interpret(closed.jaxpr, closed.consts, args),
    ):
        result = dt.grad(lambda x, y, run=evaluate: run(x, y)[0].sum())(X, Y)
        np.testing.assert_allclose(result, wanted, rtol=1e-5)
        result = dt.vmap(lambda x, run=evaluate: run(x, Y)[0])(batch)
        np.testing.assert_allclose(result, [function(X, Y), function(Y, Y)], rtol=1e-5)


def test_equations() -> None:
    def f(x):
        return dnp.sum(dnp.exp(x) * 2.0 + BIG[:3])

    closed = dt.make_jaxpr(f)(X)
    assert [str(eqn.primitive) for eqn in closed.eqns] == [
        "exp",
        "mul",
        "slice",
        "add",
        "reduce_sum",
    ]
    exp, mul, cut, add, total = closed.eqns
    assert exp.primitive is lax.exp_p
    assert exp.invars == closed.jaxpr.invars
    assert exp.outvars[0] is mul.invars[0]
    assert isinstance(mul.invars[1], Literal)
    np.testing.assert_array_equal(mul.invars[1].val, 2.0)
    assert cut.params == {"start_indices": (0,), "limit_indices": (3,), "strides": None}
    assert cut.invars == closed.jaxpr.constvars
    np.testing.assert_array_equal(closed.consts[0], BIG)
    assert total.params["axes"] == (0,)
    assert closed.jaxpr.outvars == total.outvars
    assert isinstance(total.outvars[0], Var)
    assert "test_make_jaxpr.py" in str(total.source_info)
    assert add.outvars[0].aval.shape == (3,)


def test_text() -> None:
    closed = dt.make_jaxpr(lambda x: (3 * x, x[:1]))(X)
    assert str(closed) == dt.make_ir(lambda x: (3 * x, x[:1]))(X)
    assert str(closed.jaxpr).splitlines() == [
        "{ lambda ; a:f32[3]. let",
        "    b:f32[3] = mul 3.0:f32[] a",
        "    c:f32[1] = slice[limit_indices=(1,) start_indices=(0,) strides=None] a",
        "  in (b, c) }",
    ]
    assert "jit[" in str(dt.make_jaxpr(PROGRAMS["jit"])(X, Y).jaxpr)
    short = dt.make_jaxpr(lambda x: dnp.exp(-x))(X).jaxpr
    assert str(short) == "{ lambda ; a:f32[3]. let b:f32[3] = neg a; c:f32[3] = exp b in (c,) }"
    assert str(dt.make_jaxpr(lambda x: x)(X).jaxpr) == "{ lambda ; a:f32[3]. let  in (a,) }"
    many = dt.make_jaxpr(lambda *xs: xs)(*[1.0] * 28).jaxpr
    assert "y:f32[] z:f32[] ba:f32[] bb:f32[]. let" in str(many)


def test_results_that_nothing_uses() -> None:
    closed = dt.make_jaxpr(lambda x: dnp.linalg.eigh(x)[0])(np.eye(2, dtype=np.float32))
    (eqn,) = [eqn for eqn in closed.eqns if eqn.primitive is lax.linalg.eigh_p]
    # The vectors come first.
    assert [type(var) for var in eqn.outvars] == [DropVar, Var]


def test_closures() -> None:
    def outer(a):
        closed = dt.make_jaxpr(lambda x: a * x)(2.0)
        assert closed.consts == [a] or closed.consts[0] is a
        return jaxpr_as_fun(closed)(3.0)[0]

    assert dt.grad(outer)(5.0) == 3.0
    assert dt.jit(outer)(5.0) == 15.0
    np.testing.assert_array_equal(dt.vmap(outer)(X), 3 * X)


def test_static_arguments_and_shapes() -> None:
    closed, shapes = dt.make_jaxpr(lambda x, n: {"a": x * n}, static_argnums=1, return_shape=True)(
        dt.ShapeDtypeStruct((2,), "float32"), 3
    )
    assert shapes == {"a": dt.ShapeDtypeStruct((2,), "float32")}
    assert jaxpr_as_fun(closed)(dnp.ones(2))[0].tolist() == [3, 3]
    closed = dt.make_jaxpr(lambda x: lax.psum(x, "i"), axis_env=[("i", 4)])(1.0)
    assert [str(eqn.primitive) for eqn in closed.eqns] == ["psum"]


def test_keys() -> None:
    def f(key):
        return dt.random.split(key)[0], dt.random.normal(key)

    key = dt.random.key(0)
    closed = dt.make_jaxpr(f)(key)
    split, normal = jaxpr_as_fun(closed)(key)
    np.testing.assert_array_equal(dt.random.key_data(split), dt.random.key_data(f(key)[0]))
    assert normal == f(key)[1]


def test_interpreter_that_inverts() -> None:
    inverses = {lax.exp_p: dnp.log, lax.tanh_p: dnp.arctanh}

    def inverse(fun):
        def wrapped(*args):
            jaxpr = dt.make_jaxpr(fun)(*args).jaxpr
            env: dict[Any, Any] = dict(zip(jaxpr.outvars, args, strict=True))
            for eqn in jaxpr.eqns[::-1]:
                (out,) = (env[var] for var in eqn.outvars)
                env[eqn.invars[0]] = inverses[eqn.primitive](out)
            return env[jaxpr.invars[0]]

        return wrapped

    f = lambda x: dnp.exp(dnp.tanh(x))  # noqa: E731
    assert inverse(f)(f(1.0)) == pytest.approx(1.0, rel=1e-5)
    assert dt.jit(dt.vmap(dt.grad(inverse(f))))((dnp.arange(3.0) + 5) / 5).shape == (3,)


def test_interpreter_that_counts() -> None:
    def count(jaxpr, counts):
        for eqn in jaxpr.eqns:
            counts[str(eqn.primitive)] += 1
            for inner in jaxprs_in_params(eqn.params):
                count(inner, counts)
        return counts

    closed = dt.make_jaxpr(PROGRAMS["scan"])(X, Y)
    counts = count(closed.jaxpr, Counter())
    assert counts["scan"] == 1
    assert counts["mul"] == counts["add"] == 1
    assert len(list(subjaxprs(closed.jaxpr))) == 1


def test_programs_that_users_make() -> None:
    a, b, c = (Var(dt.typeof(dnp.float32(0))) for _ in range(3))
    eqns = [
        new_jaxpr_eqn([a, Literal(2.0, a.aval)], [b], lax.mul_p, {}),
        new_jaxpr_eqn([b, a], [c], lax.add_p, {}),
    ]
    jaxpr = Jaxpr([], [a], [c], eqns)
    check_jaxpr(jaxpr)
    assert eval_jaxpr(jaxpr, [], 3.0) == [9.0]
    assert dt.grad(lambda x: jaxpr_as_fun(ClosedJaxpr(jaxpr, []))(x)[0])(3.0) == 3.0
    with pytest.raises(dt.errors.JaxprTypeError, match="must be defined before its use"):
        check_jaxpr(jaxpr.replace(eqns=eqns[1:]))
    with pytest.raises(TypeError, match="a program of 1 arguments must get as many, got: 2"):
        eval_jaxpr(jaxpr, [], 1.0, 2.0)


def test_changed_programs() -> None:
    closed = dt.make_jaxpr(lambda x: dnp.sin(x) * 2)(X)
    eqns = [
        eqn.replace(primitive=lax.cos_p) if eqn.primitive is lax.sin_p else eqn
        for eqn in closed.eqns
    ]
    changed = closed.map_jaxpr(lambda jaxpr: jaxpr.replace(eqns=eqns))
    np.testing.assert_allclose(jaxpr_as_fun(changed)(X)[0], np.cos(X) * 2, rtol=1e-6)


def test_bind() -> None:
    assert lax.add_p.bind(1.0, X).tolist() == [2, 3, 4]
    assert lax.reduce_sum_p.bind(X, axes=(0,)) == 6
    assert lax.convert_element_type_p.bind(X, new_dtype=np.dtype("int32")).dtype == "int32"
    assert lax.lt_p.bind(X, Y).tolist() == [True, False, False]
    assert lax.select_n_p.bind(X < Y, X, Y).tolist() == [3, 2, 3]
    with pytest.raises(AttributeError, match="no_such_p"):
        lax.no_such_p  # noqa: B018


def test_a_program_outlives_the_trace_in_which_it_was_made() -> None:
    made: list[ClosedJaxpr] = []
    helper = dt.jit(lambda x: dnp.sin(x) * 2)

    @dt.jit
    def f(x: Any) -> Any:
        made.append(dt.make_jaxpr(lambda y: helper(y) + lax.cond(y > 0, helper, dnp.cos, y))(x))
        return x

    dt.grad(f)(1.0)
    f(1.0)
    expected = 4 * np.sin(0.5)
    for closed in made:
        run = jaxpr_as_fun(closed)
        for call in (run, dt.jit(run), lambda x, run=run: [dt.vmap(run)(x[None])[0][0]]):
            np.testing.assert_allclose(call(dnp.asarray(0.5))[0], expected, rtol=1e-6)
        slope = dt.jit(dt.grad(lambda x, run=run: run(x)[0]))(0.5)
        np.testing.assert_allclose(slope, 4 * np.cos(0.5), rtol=1e-6)


def test_what_nested_programs_keep_is_kept_once():
    """Programs made of programs, each of which asks for rules, do not get ever larger."""
    identity = dt.custom_batching.custom_vmap(lambda x: x)
    identity.def_vmap(lambda size, batched, x: (x, batched[0]))
    f, count = identity, 0
    for _ in range(9):
        first, second = (dt.make_jaxpr(f)(1.0) for _ in range(2))

        def f(x, first=first, second=second):
            (y,) = eval_jaxpr(first.jaxpr, first.consts, x)
            (z,) = eval_jaxpr(second.jaxpr, second.consts, x)
            return (y + z) / 2

        kept = gc.get_referents(first.jaxpr.function.function.module)
        count = len(kept)
        assert count == len({id(each) for each in kept})
        assert count
    assert f(3.0) == 3


def test_arrays_are_constants_and_numbers_are_literals():
    scalar, small, host = dnp.float32(2.0), dnp.ones(3), np.ones(3, np.float32)
    number = dnp.array(2.0)

    def within(f):
        return lambda x: lax.scan(lambda carry, _: (carry * f(x), None), x, None, length=2)[0]

    for f, sizes in [
        (lambda x: x * 2.0 + np.float32(3), []),
        (lambda x: x * number, [()]),
        (lambda x: x * number * number, [()]),
        (lambda x: x * small, [(3,)]),
        (lambda x: x * host, [(3,)]),
        (lambda x: small, [(3,)]),
        (lambda x: x + dnp.ones(3), []),
        (dt.grad(lambda x: dnp.sum(x * small)), [(3,)]),
        (dt.jit(lambda x: x * small), [(3,)]),
        (within(lambda x: number * 2.0), [()]),
        (lambda x: lax.cond(x > 0, lambda: number, lambda: x), [()]),
        (lambda x: x * scalar, [()]),
    ]:
        closed = dt.make_jaxpr(f)(1.0)
        assert [np.shape(const) for const in closed.consts] == sizes
        np.testing.assert_allclose(jaxpr_as_fun(closed)(3.0)[0], f(3.0), rtol=1e-6)
        values = eval_jaxpr(closed.jaxpr.replace(), [2 * x for x in closed.consts], 3.0)
        assert values[0].shape == f(3.0).shape


def _nested(jaxpr: Any) -> list[Any]:
    """The names of the primitives, with those of the programs in parameters."""
    found: list[Any] = []
    for eqn in jaxpr.eqns:
        found.append(eqn.primitive.name)
        found.extend(_nested(each) for each in jaxprs_in_params(eqn.params))
    return found


def test_transformed_calls_of_jitted_functions_are_equations() -> None:
    double = dt.jit(lambda x: dnp.sin(x) * 2)
    known, rest = ["sin", "cos", "mul"], ["mul", "mul"]

    def of(function: Any, x: Any) -> list[Any]:
        closed = dt.make_jaxpr(function)(x)
        (found,) = eval_jaxpr(closed.jaxpr, closed.consts, x)
        np.testing.assert_allclose(found, function(x), rtol=1e-6)
        return _nested(closed.jaxpr)

    one, several = np.float32(1), np.arange(3, dtype=np.float32)
    assert of(dt.grad(double), one) == ["jit", known, "jit", rest]
    assert of(dt.vmap(double), several) == ["jit", ["sin", "mul"]]
    nested = dt.jit(lambda x: double(double(x)) * 3)
    assert of(dt.grad(nested), one) == [
        *("jit", ["jit", known, "jit", known, "mul"]),
        *("jit", ["mul", "jit", rest, "jit", rest]),
    ]
    inline = dt.jit(dnp.sin, inline=True)
    assert of(dt.grad(inline), one) == ["sin", "cos", "mul"]
    names = [eqn.params["name"] for eqn in dt.make_jaxpr(dt.grad(double))(one).eqns if eqn.params]
    assert names == ["<lambda>", "<lambda>"]
