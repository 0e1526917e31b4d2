"""Primitives of users: every rule, where each transform asks for it."""

# pyright: reportMissingImports=false, reportArgumentType=false, reportIndexIssue=false

from __future__ import annotations

import importlib
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

asked: list[str] = []

# x y + z, with rules as in JAX's documentation of primitives.
multiply_add_p = Primitive("multiply_add")


def multiply_add(x, y, z):
    return multiply_add_p.bind(x, y, z)


def _impl(x, y, z):
    asked.append("impl")
    return jnp.asarray(np.add(np.multiply(x, y), z))


def _jvp(primals, tangents):
    asked.append("jvp")
    x, y, z = primals
    xt, yt, zt = (ad.instantiate_zeros(t) for t in tangents)
    return multiply_add(x, y, z), multiply_add(xt, y, multiply_add(x, yt, zt))


def _transpose(ct, x, y, z):
    asked.append("transpose")
    zero = jnp.zeros_like(ct)
    ct_x = multiply_add(ct, y, zero) if ad.is_undefined_primal(x) else None
    ct_y = multiply_add(x, ct, zero) if ad.is_undefined_primal(y) else None
    return ct_x, ct_y, ct if ad.is_undefined_primal(z) else None


def _batch(args, dims):
    asked.append("batch")
    args = [batching.bdim_at_front(x, d, 3) for x, d in zip(args, dims, strict=True)]
    return multiply_add(*args), 0


multiply_add_p.def_impl(_impl)
multiply_add_p.def_abstract_eval(lambda x, y, z: jax.core.ShapedArray(x.shape, x.dtype))
ad.primitive_jvps[multiply_add_p] = _jvp
ad.primitive_transposes[multiply_add_p] = _transpose
batching.primitive_batchers[multiply_add_p] = _batch
mlir.register_lowering(
    multiply_add_p, mlir.lower_fun(lambda x, y, z: x * y + z, multiple_results=False)
)

X, Y = np.float32([1.0, 2.0, 3.0]), np.float32([4.0, 5.0, 6.0])


def square_add(a, b):
    return multiply_add(a, a, b)


def rules_of(function):
    asked.clear()
    result = function()
    return result, sorted(set(asked))


def test_values():
    result, rules = rules_of(lambda: square_add(2.0, 10.0))
    assert result == 14.0
    assert rules == ["impl"]
    result, rules = rules_of(lambda: jax.jit(square_add)(2.0, 10.0))
    assert result == 14.0
    assert rules == []


def test_forward_mode():
    (y, t), rules = rules_of(lambda: jax.jvp(square_add, (2.0, 10.0), (1.0, 1.0)))
    assert (y, t) == (14.0, 5.0)
    assert "jvp" in rules
    y, t = jax.jit(lambda a, b: jax.jvp(square_add, (a, b), (1.0, 1.0)))(2.0, 10.0)
    assert (y, t) == (14.0, 5.0)


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit])
def test_reverse_mode(wrap):
    result, rules = rules_of(lambda: wrap(jax.grad(square_add))(2.0, 10.0))
    assert result == 4.0
    assert {"jvp", "transpose"} <= set(rules)
    assert wrap(jax.grad(jax.grad(square_add)))(2.0, 10.0) == 2.0
    assert wrap(jax.grad(jax.jit(square_add), 1))(2.0, 10.0) == 1.0
    value, pull = jax.vjp(square_add, 2.0, 10.0)
    assert value == 14.0
    assert pull(1.0) == (4.0, 1.0)
    _, push = jax.linearize(square_add, 2.0, 10.0)
    assert push(1.0, 1.0) == 5.0


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit])
def test_batches(wrap):
    result, rules = rules_of(lambda: wrap(jax.vmap(square_add))(X, Y))
    np.testing.assert_array_equal(result, X * X + Y)
    assert "batch" in rules
    result = wrap(jax.vmap(square_add, in_axes=(0, None)))(X, np.float32(1))
    np.testing.assert_array_equal(result, X * X + 1)
    np.testing.assert_array_equal(wrap(jax.vmap(jax.grad(square_add)))(X, Y), 2 * X)
    summed = wrap(jax.grad(lambda a: jax.vmap(square_add)(a, Y).sum()))
    np.testing.assert_array_equal(summed(X), 2 * X)


def test_control_flow():
    def loop(x):
        return jax.lax.scan(lambda c, y: (multiply_add(c, y, c), c), x, jnp.array([1.0, 2.0, 3.0]))

    assert jax.jit(loop)(1.0)[0] == 24.0
    assert jax.grad(lambda x: loop(x)[0])(1.0) == 24.0
    np.testing.assert_array_equal(jax.vmap(lambda x: loop(x)[0])(jnp.arange(3.0)), [0, 24, 48])
    branch = jax.jit(lambda p, x: jax.lax.cond(p, lambda: square_add(x, x), lambda: x))
    assert branch(True, 3.0) == 12.0
    assert jax.grad(branch, 1)(True, 3.0) == 7.0


def test_several_results_and_parameters():
    both_p = Primitive("both")
    both_p.multiple_results = True
    both_p.def_impl(lambda x, *, factor: [x * factor, x + 1])
    both_p.def_abstract_eval(lambda x, *, factor: [x, x])

    def jvp(primals, tangents, *, factor):
        (x,), (t,) = primals, tangents
        return both_p.bind(x, factor=factor), [t * factor, ad.Zero(jax.typeof(x))]

    ad.primitive_jvps[both_p] = jvp
    mlir.register_lowering(both_p, mlir.lower_fun(both_p.impl, multiple_results=True))
    assert [float(x) for x in both_p.bind(2.0, factor=3)] == [6.0, 3.0]
    assert [float(x) for x in jax.jit(lambda x: both_p.bind(x, factor=3))(2.0)] == [6.0, 3.0]
    assert jax.grad(lambda x: sum(both_p.bind(x, factor=3)))(2.0) == 3.0


def test_rules_by_functions_of_arguments():
    product_p = Primitive("product")
    product_p.def_impl(lambda x, y: x * y)
    product_p.def_abstract_eval(lambda x, y: x)
    mlir.register_lowering(product_p, mlir.lower_fun(lambda x, y: x * y, multiple_results=False))
    ad.defbilinear(
        product_p, lambda ct, x, y: product_p.bind(ct, y), lambda ct, x, y: product_p.bind(x, ct)
    )
    batching.defbroadcasting(product_p)
    assert jax.grad(product_p.bind, (0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert jax.grad(jax.grad(product_p.bind), 1)(2.0, 3.0) == 1.0
    np.testing.assert_array_equal(jax.vmap(product_p.bind, (0, None))(X, np.float32(2)), 2 * X)

    twice_p = Primitive("twice")
    twice_p.def_impl(lambda x: x * 2)
    twice_p.def_abstract_eval(lambda x: x)
    ad.deflinear(twice_p, lambda ct: [twice_p.bind(ct)])
    batching.defvectorized(twice_p)
    assert jax.grad(twice_p.bind)(1.0) == 2.0
    assert jax.linear_transpose(twice_p.bind, 1.0)(5.0) == (10.0,)
    np.testing.assert_array_equal(jax.vmap(twice_p.bind)(X), 2 * X)

    sine_p = Primitive("sine")
    sine_p.def_impl(jnp.sin)
    sine_p.def_abstract_eval(lambda x: x)
    ad.defjvp(sine_p, lambda t, x: t * jnp.cos(x))
    np.testing.assert_allclose(jax.grad(sine_p.bind)(1.0), np.cos(1.0), rtol=1e-6)

    total_p = Primitive("total")
    total_p.def_impl(lambda x, *, axes: jnp.sum(x, axes))
    total_p.def_abstract_eval(
        lambda x, *, axes: x.update(shape=np.sum(np.zeros(x.shape), axes).shape)
    )
    batching.defreducer(total_p)
    batch = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(
        jax.vmap(lambda x: total_p.bind(x, axes=(0,)), 1)(batch), batch.sum(0)
    )


def test_names_of_axes():
    seen = []
    index_p = Primitive("index")
    index_p.def_impl(lambda x: x)
    index_p.def_abstract_eval(lambda x: x)

    def batch(size, name, trace_type, args, dims):
        seen.append((size, name, dims))
        return jax.vmap(lambda x: x + jax.lax.axis_index(name), axis_name=name)(*args), 0

    batching.axis_primitive_batchers[index_p] = batch
    result = jax.vmap(index_p.bind, axis_name="i")(X)
    np.testing.assert_array_equal(result, X + np.arange(3))
    assert seen == [(3, "i", (0,))]


def test_implementation_on_the_host():
    def impl(x):
        assert not isinstance(x, jax.core.Tracer)
        return np.sort(x)

    sort_p = Primitive("host_sort")
    sort_p.def_impl(impl)
    sort_p.def_abstract_eval(lambda x: x)
    ad.primitive_jvps[sort_p] = lambda primals, tangents: (
        sort_p.bind(*primals),
        tangents[0][jnp.argsort(primals[0])],
    )
    assert jax.grad(lambda x: sort_p.bind(x)[0])(jnp.array([3.0, 1.0])).tolist() == [0.0, 1.0]
    with pytest.raises(
        NotImplementedError, match="MLIR translation rule for primitive 'host_sort'"
    ):
        jax.jit(sort_p.bind)(X)


def test_lowering_by_a_callback():
    def lowering(ctx, x):
        assert [aval.shape for aval in ctx.avals_in] == [(3,)]
        values, _, keepalive = mlir.emit_python_callback(
            ctx,
            lambda v: (np.flip(v),),
            None,
            [x],
            ctx.avals_in,
            ctx.avals_out,
            has_side_effect=False,
        )
        ctx.module_context.add_keepalive(keepalive)
        return values

    flip_p = Primitive("host_flip")
    flip_p.def_abstract_eval(lambda x: x)
    mlir.register_lowering(flip_p, lowering)
    np.testing.assert_array_equal(jax.jit(flip_p.bind)(X), X[::-1])


def test_missing_rules():
    bare_p = Primitive("bare")
    with pytest.raises(NotImplementedError, match="Evaluation rule for 'bare' not implemented"):
        bare_p.bind(1.0)
    with pytest.raises(NotImplementedError, match="Abstract evaluation for 'bare' not implemented"):
        jax.jit(bare_p.bind)(1.0)
    bare_p.def_abstract_eval(lambda x: x)
    bare_p.def_impl(lambda x: x)
    with pytest.raises(
        NotImplementedError, match="Differentiation rule for 'bare' not implemented"
    ):
        jax.grad(bare_p.bind)(1.0)
    with pytest.raises(NotImplementedError, match="Batching rule for 'bare' not implemented"):
        jax.vmap(bare_p.bind)(X)
    ad.primitive_jvps[bare_p] = lambda p, t: (bare_p.bind(*p), bare_p.bind(*t))
    with pytest.raises(NotImplementedError, match=r"Transpose rule .* for 'bare' not implemented"):
        jax.grad(bare_p.bind)(1.0)


def test_errors_of_rules():
    def refuse(primals, tangents):
        raise RuntimeError("no derivative of this")

    bad_p = Primitive("bad")
    bad_p.def_impl(lambda x: x)
    bad_p.def_abstract_eval(lambda x: x)
    ad.primitive_jvps[bad_p] = refuse
    with pytest.raises(RuntimeError, match="no derivative of this"):
        jax.grad(bad_p.bind)(1.0)
    ad.primitive_jvps[bad_p] = lambda primals, tangents: primals[0]
    with pytest.raises(TypeError, match="must return the results and their tangents"):
        jax.grad(bad_p.bind)(1.0)
    batching.primitive_batchers[bad_p] = lambda args, dims: (args[0][:2], 0)
    with pytest.raises(TypeError, match=r"batched result 0 .* must be float32\[3\], got: "):
        jax.vmap(bad_p.bind)(X)


def test_keys():
    draw_p = Primitive("draw")
    draw_p.def_impl(lambda key, x: x + jax.random.normal(key, x.shape))
    draw_p.def_abstract_eval(lambda key, x: x)
    mlir.register_lowering(draw_p, mlir.lower_fun(draw_p.impl, multiple_results=False))
    key = jax.random.key(0)
    np.testing.assert_allclose(jax.jit(draw_p.bind)(key, X), draw_p.bind(key, X), rtol=1e-6)


def test_platforms_of_lowerings():
    there_p, elsewhere_p = Primitive("there"), Primitive("elsewhere")
    for primitive, platform in ((there_p, "cpu"), (elsewhere_p, "tpu")):
        primitive.def_abstract_eval(lambda x: x)
        rule = mlir.lower_fun(lambda x: x + 1, multiple_results=False)
        mlir.register_lowering(primitive, rule, platform=platform)
    assert jax.jit(there_p.bind)(1.0) == 2.0
    with pytest.raises(
        NotImplementedError, match="MLIR translation rule for primitive 'elsewhere'"
    ):
        jax.jit(elsewhere_p.bind)(1.0)
    with pytest.raises(NotImplementedError, match="for an unknown platform mainframe"):
        mlir.register_lowering(there_p, rule, platform="mainframe")


def test_rules_are_asked_for_in_pullbacks_that_are_batched():
    # Whether any element of a whole batch is above 10: its rule is not that of its implementation.
    any_above_p = Primitive("any_above")
    any_above_p.def_impl(lambda x: jnp.any(x > 10))
    any_above_p.def_abstract_eval(lambda x: jax.core.ShapedArray((), jnp.bool_.dtype))
    batching.primitive_batchers[any_above_p] = lambda args, _: (any_above_p.bind(*args), None)
    mlir.register_lowering(any_above_p, mlir.lower_fun(any_above_p.impl, multiple_results=False))

    f = jax.custom_vjp(lambda x: x)
    f.defvjp(
        lambda x: (x, None),
        lambda _, ct: (jax.lax.cond(any_above_p.bind(ct), lambda: -ct, lambda: ct),),
    )
    _, pull = jax.vjp(f, jnp.ones(2))
    cotangents = jnp.array([[1.0, 2.0], [3.0, 11.0]])
    for call in (jax.vmap(pull), jax.jit(jax.vmap(pull))):
        np.testing.assert_array_equal(call(cotangents)[0], -cotangents)
    np.testing.assert_array_equal(jax.jit(pull)(cotangents[0])[0], cotangents[0])
    _, push = jax.linearize(lambda x: jax.lax.cond(any_above_p.bind(x), jnp.sin, jnp.cos, x), 11.0)
    np.testing.assert_allclose(jax.jit(jax.vmap(push))(jnp.ones(2)), np.full(2, np.cos(11.0)), 1e-6)


@pytest.mark.parametrize("module", ["jax._src.dispatch", "jax.interpreters.xla"])
def test_implementation_by_the_lowering(module):
    # As libraries write it whose lowerings are foreign functions.
    apply_primitive = importlib.import_module(module).apply_primitive
    cube_p = Primitive("cube")
    cube_p.multiple_results = True
    cube_p.def_impl(partial(apply_primitive, cube_p))
    cube_p.def_abstract_eval(lambda x, *, scale: (x, x))
    with pytest.raises(NotImplementedError, match="translation rule for primitive 'cube' not"):
        cube_p.bind(2.0, scale=3)
    lowering = mlir.lower_fun(lambda x, scale: (scale * x**3, x**2), multiple_results=True)
    mlir.register_lowering(cube_p, lowering, platform="cpu")

    def jvp(primals, tangents, scale):
        outs = cube_p.bind(*primals, scale=scale)
        # Nothing differentiates the second result, which is for the derivative.
        return outs, [3 * scale * outs[1] * tangents[0], None]

    ad.primitive_jvps[cube_p] = jvp
    assert cube_p.bind(2.0, scale=3) == [24, 4]
    for wrap in (lambda f: f, jax.jit):
        f = wrap(lambda x: cube_p.bind(x, scale=3)[0])
        assert f(2.0) == 24
        assert jax.grad(f)(2.0) == 36
        assert wrap(jax.grad(lambda x: sum(cube_p.bind(x, scale=3))))(2.0) == 36
        value, tangent = jax.jvp(f, (2.0,), (1.0,))
        assert (value, tangent) == (24, 36)


def test_zeros_of_rules_cross_mapped_functions():
    zero = ad.Zero(jax.core.ShapedArray((), np.float32))
    x, tangent = jax.vmap(lambda x: (x, zero))(jnp.ones(3))
    assert type(tangent) is ad.Zero
    assert x.shape == (3,)
