"""Programs as data by JAX's names, in a process in which `jax` is Dovetail."""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
# pyright: reportFunctionMemberAccess=false

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import core, lax
from jax._src import core as internal
from jax.custom_derivatives import custom_jvp_call_p
from jax.extend import core as extended
from jax.interpreters import ad, mlir


def test_names():
    closed = jax.make_jaxpr(lambda x: jnp.sin(x) * 2)(1.0)
    assert isinstance(closed, extended.ClosedJaxpr)
    assert isinstance(closed.jaxpr, extended.Jaxpr)
    assert all(isinstance(eqn, extended.JaxprEqn) for eqn in closed.eqns)
    assert closed.eqns[0].primitive is lax.sin_p is extended.primitives.sin_p
    assert isinstance(closed.eqns[1].invars[1], extended.Literal)
    assert isinstance(closed.jaxpr.invars[0], extended.Var)
    assert isinstance(closed.eqns[0].primitive, extended.Primitive)
    (result,) = core.eval_jaxpr(closed.jaxpr, closed.consts, 2.0)
    np.testing.assert_allclose(result, 2 * np.sin(2.0), rtol=1e-6)
    assert extended.jaxpr_as_fun(closed)(2.0) == [result]


def test_questions():
    assert internal.trace_state_clean()
    assert not jax.jit(lambda x: x if internal.trace_state_clean() else -x)(1.0) > 0
    assert internal.get_aval(1.0).shape == ()
    assert internal.Tracer is core.Tracer


def test_primitives_of_users():
    twice_p = extended.Primitive("twice")
    twice_p.def_impl(lambda x, *, times: x * 2**times)
    twice_p.def_abstract_eval(lambda x, *, times: x)
    ad.deflinear(twice_p, lambda ct, *, times: [twice_p.bind(ct, times=times)])
    mlir.register_lowering(twice_p, mlir.lower_fun(twice_p.impl, multiple_results=False))

    def f(x):
        return jnp.sum(twice_p.bind(x, times=2))

    (eqn, _) = jax.make_jaxpr(f)(jnp.ones(3)).eqns
    assert eqn.primitive is twice_p
    assert eqn.params == {"times": 2}
    closed = jax.make_jaxpr(jax.grad(f))(jnp.ones(3))
    assert twice_p in [eqn.primitive for eqn in closed.eqns]
    assert extended.jaxpr_as_fun(closed)(jnp.ones(3))[0].tolist() == [4, 4, 4]
    assert jax.grad(lambda x: core.eval_jaxpr(closed.jaxpr, [], x)[0].sum())(jnp.ones(3)).sum() == 0


def test_rules_of_functions():
    @jax.custom_jvp
    def f(x):
        return 2 * x

    f.defjvp(lambda primals, tangents: (f(*primals), 3 * tangents[0]))
    closed = jax.make_jaxpr(lambda x: f(x))(1.0)
    (eqn,) = closed.eqns
    assert eqn.primitive is custom_jvp_call_p
    assert isinstance(eqn.params["call_jaxpr"], extended.ClosedJaxpr)
    function = extended.jaxpr_as_fun(closed)
    assert jax.grad(lambda x: function(x)[0])(1.0) == 3.0
    assert jax.jit(jax.grad(lambda x: function(x)[0]))(1.0) == 3.0
