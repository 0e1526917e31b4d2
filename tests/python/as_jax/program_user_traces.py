"""Traces that programs define: they process the equations of functions that run under them."""

# pyright: reportMissingImports=false, reportArgumentType=false, reportIndexIssue=false
# pyright: reportFunctionMemberAccess=false, reportAttributeAccessIssue=false, reportCallIssue=false

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax._src import literals
from jax._src.random import threefry2x32
from jax.extend import core
from jax.extend import linear_util as lu
from jax.extend.core import Primitive


class Value(jax.core.Tracer):
    __slots__ = ("value",)

    def __init__(self, trace, value):
        self._trace, self.value = trace, value

    @property
    def aval(self):
        return jax.typeof(self.value)


class Watching(jax.core.Trace):
    """Computes what the program does, and notes the primitives."""

    def __init__(self, parent):
        super().__init__()
        self.parent, self.seen = parent, []

    def value_of(self, x):
        return x.value if isinstance(x, Value) and x._trace is self else x

    def process_primitive(self, primitive, tracers, params):
        self.seen.append((primitive, params))
        with core.set_current_trace(self.parent):
            out = primitive.bind(*map(self.value_of, tracers), **params)
        if primitive.multiple_results:
            return [Value(self, x) for x in out]
        return Value(self, out)

    def process_custom_jvp_call(self, primitive, fun, jvp, tracers, *, symbolic_zeros):
        self.seen.append((primitive, {}))
        values = [self.value_of(x) for x in tracers]
        params = {"subfuns": (fun, jvp), "symbolic_zeros": symbolic_zeros}
        out = primitive.bind_with_trace(self.parent, values, map(jax.typeof, values), params)
        return [Value(self, x) for x in out]


def watched(f, *args, seen=None):
    with core.take_current_trace() as parent:
        trace = Watching(parent)
        with core.set_current_trace(trace):
            out = f(*(Value(trace, x) for x in args))
        assert all(isinstance(x, (Value, jax.Array)) for x in jax.tree.leaves(out))
        if seen is not None:
            seen += trace.seen
        return jax.tree.map(trace.value_of, out)


@jax.custom_jvp
def doubled(x):
    return jnp.sin(x)


doubled.defjvp(lambda primals, tangents: (jnp.sin(primals[0]), 2 * tangents[0]))


@jax.custom_vjp
def tripled(x):
    return jnp.cos(x)


tripled.defvjp(lambda x: (jnp.cos(x), None), lambda _, ct: (3 * ct,))

X = jnp.array([0.5, -1.0, 2.0])
FUNCTIONS = {
    "number": lambda x: x + 1,
    "comparison": lambda x: jnp.where(x < x[0], x, -x),
    "matrix product": lambda x: jnp.outer(x, x) @ x,
    "gradient": jax.grad(lambda x: jnp.sum(x**2 * jnp.tanh(x))),
    "hessian": jax.hessian(lambda x: jnp.sum(x**3)),
    "jvp": lambda x: jax.jvp(jnp.exp, (x,), (x,)),
    "vmap": jax.vmap(lambda v: v * v + 1),
    "jit": jax.jit(lambda x: jnp.sort(x) + 1),
    "scan": lambda x: lax.scan(lambda c, y: (c + y, c * y), 0.0, x),
    "while": lambda x: lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, 2 * c[1]), (jnp.int32(0), x)
    ),
    "fori": lambda x: lax.fori_loop(0, 3, lambda i, c: c + x[i], x),
    "cond": lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x),
    "switch": lambda x: lax.switch(jnp.argmax(x), [jnp.sin, jnp.cos, jnp.tan], x),
    "softmax": lambda x: jax.nn.relu(x) + jax.nn.softmax(x),
    "update": lambda x: x.at[1].set(5.0),
    "index": lambda x: x[jnp.argmin(x)],
    "nonzero": lambda x: jnp.nonzero(x > 0, size=2),
    "roll": lambda x: jnp.roll(x, jnp.argmax(x)),
    "delete": lambda x: jnp.insert(x, jnp.argmax(x), 0.0),
    "keys": lambda x: x + jax.random.normal(jax.random.key(0), (3,)),
    "solve": lambda x: jnp.linalg.solve(jnp.eye(3) + jnp.outer(x, x), x),
    "custom jvp": jax.grad(lambda x: jnp.sum(doubled(x))),
    "custom vjp": jax.grad(lambda x: jnp.sum(tripled(x))),
    "call of custom jvp": lambda x: doubled(x) * 2,
    "checkpoint": jax.grad(lambda x: jnp.sum(jax.checkpoint(jnp.sin)(x))),
    "jaxpr": lambda x: core.jaxpr_as_fun(jax.make_jaxpr(lambda y: jnp.sin(y) + 1)(x))(x)[0],
    "median": lambda x: jnp.median(x),
    "tree": lambda x: {"a": x[::-1], "b": (x.sum(), x.T.reshape(3, 1))},
}


def _same(got, want):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), got, want)
    assert jax.tree.map(jax.typeof, got) == jax.tree.map(jax.typeof, want)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name):
    f = FUNCTIONS[name]
    _same(watched(f, X), f(X))
    _same(jax.jit(lambda x: watched(f, x))(X), f(X))
    # A trace within another one.
    _same(watched(lambda x: watched(f, x), X), f(X))


@pytest.mark.parametrize(
    "name", ["number", "scan", "softmax", "matrix product", "call of custom jvp"]
)
def test_transforms_of_what_runs_under_a_trace(name):
    f = FUNCTIONS[name]

    def loss(x, of):
        return sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(of(x)))

    _same(jax.grad(loss)(X, lambda x: watched(f, x)), jax.grad(loss)(X, f))
    _same(
        jax.vmap(lambda x: watched(f, x))(X + jnp.ones((2, 1))), jax.vmap(f)(X + jnp.ones((2, 1)))
    )


@pytest.mark.parametrize("name", ["update", "index", "cond", "jit", "scan", "while"])
def test_equations_are_those_of_the_jaxpr(name):
    """Where the function requests no transform, and has no keys, the equations are those of its
    jaxpr, but that numbers are made arrays before."""
    seen = []
    watched(FUNCTIONS[name], X, seen=seen)
    wanted = [eqn.primitive for eqn in jax.make_jaxpr(FUNCTIONS[name])(X).eqns]
    wanted = [each for each in wanted if each is not lax.broadcast_in_dim_p]
    assert [each for each, _ in seen if each is not lax.broadcast_in_dim_p] == wanted


def test_bind_passes_parameters_as_they_are():
    seen = []
    watched(lambda x: lax.mul_p.bind(x, x, out_dtype=jnp.float16), X, seen=seen)
    ((primitive, params),) = seen
    assert primitive is lax.mul_p
    assert params == {"out_dtype": jnp.float16}


def test_primitives_of_programs():
    mine_p = Primitive("mine")
    mine_p.def_impl(lambda x, *, factor: x * factor)
    mine_p.def_abstract_eval(lambda x, *, factor: x)
    seen = []
    assert watched(lambda x: mine_p.bind(x, factor=3), 2.0, seen=seen) == 6.0
    assert seen == [(mine_p, {"factor": 3})]


def test_rules_of_reverse_mode_must_be_processed():
    with pytest.raises(NotImplementedError, match="must override process_custom_vjp_call"):
        watched(tripled, X)


def test_comparisons_keep_their_operands():
    """A class of Python's that derives from another one's is asked first."""
    seen = []
    watched(lambda x: jax.jit(lambda y: y[0] < x[1])(X), X, seen=seen)
    ((_, params),) = [(p, params) for p, params in seen if p.name == "jit"]
    names = [eqn.primitive for eqn in params["jaxpr"].eqns]
    assert lax.lt_p in names
    assert lax.gt_p not in names


def test_values_are_tracers_without_elements():
    def f(x):
        assert isinstance(x, jax.core.Tracer)
        assert isinstance(x, jax.Array)
        assert (x.shape, x.dtype, x.ndim, x.size) == ((3,), np.float32, 1, 3)
        with pytest.raises(jax.errors.TracerBoolConversionError, match="concrete value"):
            bool(x[0] > 0)
        with pytest.raises(jax.errors.TracerArrayConversionError):
            np.asarray(x)
        return x

    assert watched(f, X) is X
    assert isinstance(jax.make_jaxpr(lambda x: x)(X).eqns, list)
    jax.jit(lambda x: isinstance(x, jax.core.Tracer) or pytest.fail("no tracer"))(X)


def test_value_outside_of_its_trace():
    kept = []
    watched(lambda x: kept.append(x + 1), X)
    with pytest.raises(jax.errors.UnexpectedTracerError, match="in the trace that made it"):
        jnp.sin(kept[0])


def test_trace_that_was_taken():
    with core.take_current_trace() as outside, core.set_current_trace(outside):
        assert not isinstance(jnp.sin(1.0), jax.core.Tracer)

    @jax.jit
    def f(x):
        with core.take_current_trace() as trace:
            known = jnp.sin(1.0)
            assert not isinstance(known, jax.core.Tracer)
            with core.set_current_trace(trace):
                assert isinstance(jnp.sin(1.0), jax.core.Tracer)
        return x + known

    np.testing.assert_allclose(f(1.0), 1 + np.sin(1.0), rtol=1e-6)


def test_block_that_is_abandoned():
    """A generator that is dropped within a block leaves the traces alone when it is collected."""

    def steps():
        taken = core.take_current_trace()
        current = core.set_current_trace(Watching(taken.__enter__()))
        current.__enter__()
        yield
        current.__exit__(None, None, None)
        taken.__exit__(None, None, None)

    @jax.jit
    def f(x):
        with core.take_current_trace() as trace:
            generator = steps()
            next(generator)
            with core.set_current_trace(trace):
                del generator
                return x + 1

    assert f(1.0) == 2.0
    assert jax.core.trace_state_clean() if hasattr(jax.core, "trace_state_clean") else True


def test_transformations_of_wrapped_functions():
    @lu.transformation_with_aux
    def noted(tag, *args):
        out = yield [2 * x for x in args], {}
        yield out + 1, (tag, len(args))

    fun, aux = noted(lu.wrap_init(max), "two")
    other, unused = noted(lu.wrap_init(min), "none")
    with pytest.raises(lu.StoreException):
        aux()
    assert (fun.call_wrapped(1, 3), aux()) == (7, ("two", 2))
    assert lu.merge_linear_aux(aux, unused) == (True, ("two", 2))
    assert lu.merge_linear_aux(unused, aux) == (False, ("two", 2))
    with pytest.raises(lu.StoreException):
        lu.merge_linear_aux(unused, unused)
    assert other.call_wrapped(1, 3) == 3


def test_numbers_with_element_types():
    number = literals.TypedInt(3, np.dtype(np.int16))
    assert (number, number.dtype, isinstance(number, int)) == (3, np.int16, True)
    assert jnp.asarray(number, dtype=number.dtype).dtype == np.int16
    assert literals.TypedFloat(0.5, np.float32).aval.weak_type
    assert literals.TypedComplex(1j, np.complex64) == 1j


def test_words_of_the_default_generator():
    words = threefry2x32.threefry_seed(7)
    np.testing.assert_array_equal(words, jax.random.key_data(jax.random.key(7)))
    split = jax.random.key_data(jax.random.split(jax.random.key(7), 3))
    np.testing.assert_array_equal(threefry2x32.threefry_split(words, (3,)), split)
    bits = jax.random.bits(jax.random.key(7), (4,), np.uint16)
    np.testing.assert_array_equal(threefry2x32.threefry_random_bits(words, 16, (4,)), bits)
