"""Functions of leaves, and which of their results are known."""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any

import jax
import jax.api_util
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend import linear_util as lu
from jax.interpreters import partial_eval as pe

HUGE = jax.core.ShapedArray((2**40, 8), "float32")


def results_of(f: Any, *pvals: Any) -> list[Any]:
    info = jax.api_util.debug_info("test", f, pvals, {})
    tree = jax.tree.structure((0,) * len(pvals))
    flat, out_tree = jax.api_util.flatten_fun_nokwargs(lu.wrap_init(f, debug_info=info), tree)
    _, results, _ = pe.trace_to_jaxpr_nounits(flat, pvals)
    assert out_tree().num_leaves == len(results)
    return results


def test_results_that_depend_on_unknown_arguments():
    aval = jax.core.ShapedArray((3,), "float32")
    results = results_of(
        lambda x, y: {"a": x, "b": x + y, "c": 2 * y, "d": jnp.ones(2), "e": "text"},
        pe.PartialVal.unknown(aval),
        pe.PartialVal.known(jnp.float32(1)),
    )
    assert [result.is_known() for result in results] == [False, False, True, True, True]
    assert results[0].get_aval() == results[1][0] == aval
    assert results[2].get_known() == 2
    assert isinstance(results[3][1], jax.Array)
    assert results[4] == (None, "text")


def test_unknown_arguments_are_not_computed_with():
    key = jax.random.key(0)

    def f(x):
        y = x @ jnp.ones((8, 8))
        return y, jax.random.normal(key, y.shape[1:]), jax.random.split(key)

    unknown, normal, keys = results_of(f, pe.PartialVal.unknown(HUGE))
    assert unknown.get_aval() == HUGE
    np.testing.assert_allclose(normal[1], jax.random.normal(key, (8,)), rtol=1e-5)
    np.testing.assert_array_equal(
        jax.random.key_data(keys[1]), jax.random.key_data(jax.random.split(key))
    )


def test_known_values_of_a_trace_around():
    @jax.jit
    def outer(x):
        unknown, known = results_of(lambda y: (x * y, x + 1), pe.PartialVal.unknown(HUGE))
        assert not unknown.is_known()
        return known.get_known()

    assert outer(2.0) == 3


def test_keys_are_unknown_arguments():
    aval = jax.typeof(jax.random.key(0))
    (bits,) = results_of(lambda key: [jax.random.bits(key, (2,))], pe.PartialVal.unknown(aval))
    assert bits.get_aval().shape == (2,)


def test_structure_is_known_after_the_call():
    _, out_tree = jax.api_util.flatten_fun(lu.wrap_init(len), jax.tree.structure((((),), {})))
    with pytest.raises(RuntimeError, match="no call so far"):
        out_tree()


def test_jaxprs_of_functions_of_leaves():
    """As NumPyro finds which arguments a result depends on."""
    table = np.asarray([1, 2], np.float32)
    tree = {"a": np.asarray([3, 4], np.float32), "b": np.float32(2)}
    leaves, structure = jax.tree.flatten(((tree,), {}))
    flat, out_tree = jax.api_util.flatten_fun(
        lu.wrap_init(lambda t: {"y": t["a"] * table}), structure
    )
    types = [jax.typeof(jnp.asarray(leaf)) for leaf in leaves]
    jaxpr, results, consts = pe.trace_to_jaxpr_dynamic(flat, types)
    assert [aval.shape for aval in results] == [(2,)]
    assert len(jaxpr.invars) == 2
    (used,) = (v for v in jaxpr.eqns[-1].invars if v in jaxpr.invars)
    assert used is jaxpr.invars[0]
    (y,) = jax.core.eval_jaxpr(jaxpr, consts, *leaves)
    np.testing.assert_array_equal(jax.tree.unflatten(out_tree(), [y])["y"], [3, 8])
