"""Functions with custom rules for vmap."""

import gc
import weakref

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.custom_batching import custom_vmap, sequential_vmap

X = np.array([0.5, -1.0, 2.0], np.float32)
Y = np.array([3.0, 4.0, -5.0], np.float32)


def scaled():
    """x y, whose rule returns 10 x y and records its arguments."""
    asked = []

    @custom_vmap
    def f(x, y):
        return x * y

    @f.def_vmap
    def rule(axis_size, in_batched, x, y):
        asked.append((axis_size, in_batched, x.shape, y.shape))
        return 10 * x * y, any(in_batched)

    return f, asked


def test_the_rule_is_called_if_the_function_is_batched():
    f, asked = scaled()
    assert float(f(2.0, 3.0)) == 6.0
    assert float(dt.jit(f)(2.0, 3.0)) == 6.0
    assert not asked
    np.testing.assert_allclose(dt.vmap(f)(X, Y), 10 * X * Y)
    assert asked == [(3, [True, True], (3,), (3,))]
    np.testing.assert_allclose(dt.vmap(f, (0, None))(X, 2.0), 20 * X)
    assert asked[1] == (3, [True, False], (3,), ())


def test_the_batch_is_in_front():
    f, asked = scaled()
    x = np.arange(6.0, dtype="float32").reshape(2, 3)
    np.testing.assert_allclose(dt.vmap(f, (1, None), 1)(x, X[:2]), 10 * x * X[:2, None])
    assert asked == [(3, [True, False], (3, 2), (2,))]


@pytest.mark.parametrize("jit", [False, True])
def test_within_other_transforms(jit):
    f, _ = scaled()
    wrap = dt.jit if jit else lambda g: g
    through_jit = wrap(dt.vmap(lambda x, y: dt.jit(f)(x, y) + 1))
    np.testing.assert_allclose(through_jit(X, Y), 10 * X * Y + 1)
    in_scan = wrap(dt.vmap(lambda x, y: lax.fori_loop(0, 2, lambda _, c: f(c, y), x)))
    np.testing.assert_allclose(in_scan(X, Y), 100 * X * Y * Y)
    in_branch = wrap(dt.vmap(lambda x, y: lax.cond(x > 0, f, lambda x, y: y, x, y)))
    np.testing.assert_allclose(in_branch(X, Y), np.where(X > 0, 10 * X * Y, Y))
    # The rule of the inner vmap is batched like any function.
    nested = wrap(dt.vmap(dt.vmap(f, (None, 0)), (0, None)))
    np.testing.assert_allclose(nested(X, Y), 10 * np.outer(X, Y))
    twice = wrap(dt.vmap(lambda x: dt.vmap(lambda y: f(x, 1.0) + y)(Y)))
    np.testing.assert_allclose(twice(X), 10 * X[:, None] + Y)


@pytest.mark.parametrize("jit", [False, True])
def test_derivatives(jit):
    f, asked = scaled()
    wrap = dt.jit if jit else lambda g: g
    # The derivative of the function where it is not batched, of the rule where it is.
    np.testing.assert_allclose(wrap(dt.grad(f, (0, 1)))(2.0, 3.0), (3.0, 2.0))
    assert not asked
    pushed = wrap(dt.vmap(lambda x, y, t: dt.jvp(f, (x, y), (t, 0.0))))
    value, tangent = pushed(X, Y, Y)
    np.testing.assert_allclose(value, 10 * X * Y)
    np.testing.assert_allclose(tangent, 10 * Y * Y)
    one_batched = wrap(dt.vmap(lambda t: dt.jvp(f, (2.0, 3.0), (t, 1.0))[1]))
    np.testing.assert_allclose(one_batched(X), 10 * (3 * X + 2))
    second = dt.vmap(lambda x, y: dt.jvp(lambda x: dt.jvp(f, (x, y), (x, x))[1], (x,), (1.0,))[1])
    np.testing.assert_allclose(wrap(second)(X, Y), 10 * (Y + 2 * X))
    # Batched first: the rule is what is differentiated.
    summed = wrap(dt.grad(lambda x: dt.vmap(f)(x, Y).sum()))
    np.testing.assert_allclose(summed(X), 10 * Y)


@pytest.mark.parametrize("jit", [False, True])
def test_a_batch_of_values_or_tangents_alone_stays_alone(jit):
    f, asked = scaled()
    pushed = lambda x, y, t: dt.jvp(f, (x, y), (t, 2 * t))  # noqa: E731
    run = lambda *axes: dt.jit(dt.vmap(pushed, *axes)) if jit else dt.vmap(pushed, *axes)  # noqa: E731
    value, tangent = run((None, None, 0), (None, 0))(2.0, 3.0, X)
    assert float(value) == 60.0
    np.testing.assert_allclose(tangent, 10 * (3 * X + 4 * X))
    value, tangent = run((0, 0, None))(X, Y, 2.0)
    np.testing.assert_allclose(value, 10 * X * Y)
    np.testing.assert_allclose(tangent, 10 * (2 * Y + 4 * X))
    assert {tuple(batched) for _, batched, *_ in asked} == {(False, False)}
    np.testing.assert_allclose(dt.jacfwd(f)(2.0, 3.0), 30.0)
    third = dt.vmap(lambda t: dt.jvp(lambda x: pushed(x, 3.0, x)[1], (2.0,), (t,))[1])
    np.testing.assert_allclose(dt.jit(third)(X) if jit else third(X), 10 * (3 * X + 8 * X))
    # An argument without a tangent is passed unchanged.
    asked.clear()
    slopes = dt.vmap(lambda y: dt.jvp(lambda x: f(x, y), (2.0,), (1.0,))[1])
    np.testing.assert_allclose(slopes(X), 10 * X)
    assert {tuple(batched) for _, batched, *_ in asked} == {(False, True)}


def test_trees_keywords_and_unbatched_results():
    @custom_vmap
    def f(p, *, x):
        return {"sum": p["a"] + x, "b": p["b"]}

    @f.def_vmap
    def rule(axis_size, in_batched, p, x):
        assert in_batched == [{"a": False, "b": False}, True]
        return {"sum": p["a"] - x, "b": p["b"]}, {"sum": True, "b": False}

    with pytest.raises(TypeError, match="could not be resolved to positions: x"):
        f({"a": 1.0, "b": 2.0}, x=1.0)

    @custom_vmap
    def g(p, x):
        return {"sum": p["a"] + x, "b": p["b"]}

    g.def_vmap(rule)
    out = dt.vmap(lambda x: g({"a": 1.0, "b": 2.0}, x=x), out_axes={"sum": 0, "b": None})(X)
    np.testing.assert_allclose(out["sum"], 1 - X)
    assert float(out["b"]) == 2.0


def test_rules_may_use_anything():
    weights = np.linspace(0, 1, 40, dtype="float32")

    @custom_vmap
    def f(x):
        return dnp.sum(x * weights)

    @f.def_vmap
    def rule(axis_size, in_batched, x):
        # Another vmap, a derivative, a loop, an array that is closed over.
        slope = dt.vmap(dt.grad(lambda v: dnp.sum(dnp.sin(v) * weights)))(x)
        return lax.map(lambda row: row.sum(), slope), True

    x = np.ones((3, 40), np.float32)
    expected = np.full(3, np.sum(np.cos(1.0) * weights))
    np.testing.assert_allclose(dt.vmap(f)(x), expected, rtol=1e-6)
    np.testing.assert_allclose(dt.jit(dt.vmap(f))(x), expected, rtol=1e-6)


def test_custom_derivatives_within_rules_survive():
    @dt.custom_jvp
    def square(x):
        return x * x

    square.defjvps(lambda t, ans, x: 100 * t)

    @custom_vmap
    def f(x):
        return square(x)

    f.def_vmap(lambda size, in_batched, x: (square(x), True))
    np.testing.assert_allclose(dt.grad(lambda x: dt.vmap(f)(x).sum())(X), np.full(3, 100.0))
    np.testing.assert_allclose(dt.jvp(dt.vmap(f), (X,), (X,))[1], 100 * X)


def test_custom_vjp_around_custom_vmap():
    @dt.custom_vjp
    @custom_vmap
    def f(x, y):
        return dnp.sin(x) * y

    f.def_vmap(lambda size, in_batched, x, y: (dnp.cos(x) * y, True))
    f.defvjp(
        lambda x, y: (f(x, y), (dnp.cos(x), dnp.sin(x), y)),
        lambda kept, g: (kept[0] * g * kept[2], kept[1] * g),
    )
    np.testing.assert_allclose(dt.vmap(f)(dnp.zeros(3), dnp.ones(3)), np.ones(3))
    assert float(dt.grad(f)(0.0, 1.0)) == 1.0


def test_sequential_vmap():
    traced = []

    @sequential_vmap
    def f(x, y):
        traced.append(x.shape)
        return dnp.cumsum(x) * y, y

    x = np.arange(6.0, dtype="float32").reshape(3, 2)
    out, same = dt.vmap(f)(x, Y)
    np.testing.assert_allclose(out, np.cumsum(x, 1) * Y[:, None])
    np.testing.assert_allclose(same, Y)
    np.testing.assert_allclose(dt.jit(dt.vmap(f, (0, None)))(x, 2.0)[0], 2 * np.cumsum(x, 1))
    assert set(traced) == {(2,)}
    both = dt.vmap(dt.vmap(f, (None, 0)), (0, None))(x, Y)[0]
    np.testing.assert_allclose(both, np.cumsum(x, 1)[:, None] * Y[:, None])


def test_functions_made_where_they_are_used():
    def outer(x):
        @custom_vmap
        def f(x):
            return x

        f.def_vmap(lambda size, in_batched, x: (x + 1, True))
        return f(x)

    np.testing.assert_allclose(dt.vmap(outer)(X), X + 1)
    np.testing.assert_allclose(dt.jit(dt.vmap(outer))(X), X + 1)


def test_rules_do_not_outlive_their_programs():
    def outer(x):
        @custom_vmap
        def f(x):
            return x

        def rule(size, in_batched, x):
            return x + 1, True

        f.def_vmap(rule)
        alive.append(weakref.ref(rule))
        return f(x)

    alive = []
    dt.vmap(outer)(X)
    gc.collect()
    assert [ref() for ref in alive] == [None]


def f_with(rule):
    @custom_vmap
    def f(x):
        return {"a": x}

    f.def_vmap(rule)
    return f


@pytest.mark.parametrize("wrap", [lambda f: f, dt.jit])
@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        (lambda n, b, x: {"a": x}, TypeError, r"must produce a pair"),
        (lambda n, b, x: (x, True), ValueError, "does not match that of original"),
        (lambda n, b, x: ({"a": x}, True), ValueError, "output batching specification"),
        (lambda n, b, x: ({"a": x}, {"a": 1}), TypeError, "by bools which results .* got: 1"),
        (
            lambda n, b, x: ({"a": x}, {"a": False}),
            TypeError,
            r"must be float32\[\].* rule says that it has no batch of 3, got: float32\[3\]",
        ),
        (
            lambda n, b, x: ({"a": x[0]}, {"a": True}),
            TypeError,
            r"must be float32\[3\].* rule says that it has the batch of 3, got: float32\[\]",
        ),
        (lambda n, b, x: {}["nothing"], KeyError, "nothing"),
    ],
)
def test_unfit_rules(wrap, rule, error, message):
    with pytest.raises(error, match=message):
        wrap(dt.vmap(f_with(rule)))(X)


def test_missing_rule_and_batched_closures():
    with pytest.raises(AttributeError, match=r"No batching rule defined for .*def_vmap"):
        custom_vmap(lambda x: x)(1.0)

    def outer(x):
        f = custom_vmap(lambda y: x * y)
        f.def_vmap(lambda size, in_batched, y: (y, True))
        return f(1.0)

    with pytest.raises(ValueError, match="must not close over a value that depends on the batch"):
        dt.vmap(outer)(X)


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("is_argument", [False, True])
def test_references(jitted, is_argument):
    ref = dt.new_ref(2.0)

    @custom_vmap
    def f(own, x):
        (own if is_argument else ref)[...] += 1
        return x * (own if is_argument else ref)[...]

    @f.def_vmap
    def _(size, batched, own, x):
        (own if is_argument else ref)[...] += size
        return 10 * x * (own if is_argument else ref)[...], True

    def run(x):
        return f(ref if is_argument else 0.0, x)

    wrap = dt.jit if jitted else lambda f: f
    assert wrap(run)(1.0) == 3
    assert wrap(dt.vmap(run))(dnp.arange(3.0)).tolist() == [0, 60, 120]
    assert wrap(dt.vmap(dt.vmap(run)))(dnp.ones((2, 3))).tolist() == [[90] * 3] * 2
    assert ref[...] == 9
    push = wrap(lambda x, t: dt.jvp(dt.vmap(run), (x,), (t,))[1])
    assert push(dnp.ones(2), dnp.ones(2)).tolist() == [110, 110]
    assert ref[...] == 11
    state = dt.new_ref(dnp.zeros(3))
    if is_argument:
        assert wrap(dt.vmap(f))(state, dnp.ones(3)).tolist() == [30, 30, 30]
        assert state[...].tolist() == [3, 3, 3]
    made = dt.vmap(lambda x: f(dt.new_ref(1.0), x) if is_argument else run(x))
    assert wrap(made)(dnp.ones(2)).tolist() == [30 if is_argument else 130] * 2
