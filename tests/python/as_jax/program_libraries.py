"""What libraries rely on, each by a test of its own."""

# pyright: reportMissingImports=false

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree


def test_iscomplexobj_of_element_types():
    assert jnp.iscomplexobj(np.dtype("complex64"))
    assert not jnp.iscomplexobj(np.dtype("float32"))


def test_ravel_pytree():
    flat, back = ravel_pytree({"a": jnp.ones((2, 2)), "b": 3.0})
    assert flat.shape == (5,)
    assert back(flat)["b"] == 3


def test_primitives():
    (eqn,) = jax.make_jaxpr(jnp.sin)(1.0).jaxpr.eqns
    assert eqn.primitive is jax.lax.sin_p


def test_descriptions_of_types():
    aval = jax.typeof(1.0)
    assert aval.weak_type
    assert not aval.strip_weak_type().weak_type
    assert aval.update(shape=(3,)).shape == (3,)
    assert aval.sharding is not None


def test_disable_jit_by_name():
    with jax.disable_jit(disable=True):
        assert jax.jit(lambda x: 1 if x > 0 else 2)(3.0) == 1


def test_vmap_of_what_is_no_array():
    out = jax.vmap(lambda x, f: f(x), in_axes=(0, None))(jnp.arange(3.0), jnp.negative)
    np.testing.assert_array_equal(out, [0, -1, -2])


def test_primals_of_rules_are_leaves():
    seen = []

    f = jax.custom_vjp(lambda x: x)

    def forward(x):
        seen.extend(jax.tree.leaves(x))
        return x.value, None

    f.defvjp(forward, lambda _, ct: (ct,), symbolic_zeros=True)
    assert jax.grad(f)(1.0) == 1
    assert [type(each).__name__ for each in seen] == ["CustomVJPPrimal"]


def test_element_types_are_classes():
    for kind in (jax.dtypes.bfloat16, jnp.bool_, jnp.bfloat16):
        assert jnp.zeros(2, kind).dtype == jnp.dtype(kind)
    assert isinstance(jax.dtypes.bfloat16, type)


def test_keys_are_arrays():
    key = jax.random.key(0)
    assert isinstance(key, jax.Array)
    assert isinstance(key, jnp.ndarray)
    assert jnp.issubdtype(jax.typeof(key).dtype, jax.dtypes.prng_key)


def test_known_values_beside_tracers():
    @jax.jit
    def f(x):
        with jax.ensure_compile_time_eval():
            y = jnp.arange(3).sum()
        return x + int(y)

    assert f(1) == 4


def test_strict_promotion_of_internals():
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        x = jnp.arange(4.0)
        assert jnp.linalg.norm(x) == jnp.sqrt(14.0)
        assert jax.nn.softmax(x).sum() == pytest.approx(1)
        assert jnp.var(x) == 1.25


class _Axes(Sequence):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return (0, 1)[index]


def test_sequences_as_axes_and_shapes():
    assert jnp.ones((2, 3)).sum(range(2)) == 6
    assert jnp.sum(jnp.ones((2, 3)), axis=_Axes()) == 6
    assert jnp.zeros(range(1, 3)).shape == (1, 2)


def test_callables_without_a_name():
    f = partial(jnp.multiply, 2.0)
    assert jax.grad(f)(1.0) == 2

    class Named:
        __name__ = 3

        def __call__(self, x):
            return 2 * x

    assert jax.grad(Named())(1.0) == 2
    np.testing.assert_array_equal(jax.vmap(Named())(jnp.ones(2)), [2, 2])


def test_version():
    assert jax.__version__ == ".".join(map(str, jax.__version_info__))


def test_texts_of_errors():
    with pytest.raises(ValueError, match="Incompatible shapes for broadcasting"):
        jnp.broadcast_shapes((2,), (3,))
    with pytest.raises(ValueError, match="Dict key mismatch"):
        jax.tree.map(lambda x, y: x, {"a": 1}, {"b": 1})


def test_weak_references():
    seen = []
    jax.jit(lambda x: seen.append(weakref.ref(x)() is x) or x)(1.0)
    assert weakref.ref(x := jnp.ones(2))() is x
    assert seen == [True]


def test_tables_of_types():
    class Mine:
        def __array__(self, dtype=None, copy=None):
            return np.ones(2, dtype)

    for table in (jax.core.pytype_aval_mappings, jax.interpreters.xla.canonicalize_dtype_handlers):
        table[Mine] = table[np.ndarray]
    assert jnp.asarray(Mine()).shape == (2,)


def test_internal_modules():
    from jax._src.flatten_util import ravel_pytree as internal

    assert internal is ravel_pytree
