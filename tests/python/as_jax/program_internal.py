"""Names of JAX's internal and deprecated modules that libraries import."""

# pyright: reportMissingImports=false

from __future__ import annotations

import numpy as np
import pytest


def test_promotion():
    from jax._src.numpy import util

    i, f = util.promote_dtypes_inexact(np.arange(3), np.float32(2))
    assert i.dtype == f.dtype == np.float32
    (c,) = util.promote_dtypes_complex(1.0)
    assert c.dtype == np.complex64
    a, b, c = util.promote_args("f", np.ones((2, 3), np.float32), np.ones(3, np.int32), 2)
    assert (a.shape, b.shape, c.shape) == ((2, 3), (1, 3), ())
    assert a.dtype == b.dtype == c.dtype == np.float32
    assert util.promote_args_numeric("f", True)[0].dtype == np.int32
    with pytest.raises(TypeError):
        util.promote_args_inexact("f", [1, 2])
    with pytest.raises(ValueError, match="shapes"):
        util.promote_shapes("f", np.ones(2), np.ones((4, 3)))
    assert util.ensure_arraylike("f", 1).shape == ()


def test_annotations():
    import jax.numpy as jnp
    from jax._src.typing import Array, ArrayLike, DType, DTypeLike, Shape

    assert isinstance(jnp.ones(2), Array)
    assert isinstance(1.0, ArrayLike)
    assert DType is np.dtype
    assert DTypeLike is not None
    assert Shape is not None


def test_shard_map():
    import jax
    from jax.experimental.shard_map import shard_map

    mesh, spec = jax.make_mesh((1,), ("x",)), jax.P("x")
    mapped = shard_map(lambda x: jax.lax.psum(x, "x"), mesh, (spec,), spec, check_rep=False)
    np.testing.assert_array_equal(jax.jit(mapped)(np.arange(3)), np.arange(3))


def test_pjit():
    import jax
    from jax.experimental import pjit
    from jax.experimental.pjit import pjit as function

    assert pjit.pjit is function
    mesh = jax.make_mesh((1,), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.P("x"))
    double = function(lambda x, k: x * k, (sharding,), sharding, static_argnums=1)
    np.testing.assert_array_equal(double(np.arange(3), 2), [0, 2, 4])


def test_axes_of_leaves():
    import jax

    tree = jax.tree.structure((1, {"a": 2, "b": 3}))
    assert jax.api_util.flatten_axes("in_axes", tree, (0, None)) == [0, None, None]
    assert jax.api_util.flatten_axes("in_axes", tree, 1) == [1, 1, 1]
    with pytest.raises(ValueError, match="in_axes specification must be a tree prefix"):
        jax.api_util.flatten_axes("in_axes", tree, (0, {"c": 1}))


def test_complex_samples():
    import jax
    from jax._src.nn.initializers import _complex_truncated_normal, _complex_uniform

    key = jax.random.key(0)
    uniform = np.asarray(_complex_uniform(key, (2000,), np.complex64))
    assert uniform.dtype == np.complex64
    np.testing.assert_allclose(np.var(uniform), 1, rtol=0.05)
    assert np.abs(uniform).max() <= np.sqrt(2) + 1e-5
    assert np.abs(np.asarray(_complex_truncated_normal(key, 0.5, (2000,), np.float32))).max() <= 0.5


def test_other_names():
    import jax
    from jax._src import dtypes, pretty_printer
    from jax._src.ad_checkpoint import checkpoint, remat_p
    from jax._src.public_test_util import check_close, check_grads

    assert dtypes.supports_inf("float16")
    assert not dtypes.supports_inf("float8_e4m3fn")
    assert str(remat_p) == "remat2"
    assert callable(checkpoint)
    assert callable(check_grads)
    check_close({"a": 1.0}, {"a": 1.0 + 1e-8})
    with pytest.raises(AssertionError):
        check_close(1.0, 1.1)
    by_type = {"float32": 1e-2, "float64": 1e-9}
    x = np.asarray([1, 2], np.float32)
    check_close(x, x + np.float32(0.015), atol=by_type, rtol=0.0)  # times the number of elements
    check_close(np.float64(1), np.float32(1.005), rtol=by_type)
    check_close(jax.numpy.bfloat16(1), jax.numpy.bfloat16(1.005))
    check_close(np.asarray([1], np.int8), jax.numpy.int4([1]))
    for a, b in ((x, x + 0.5), (x, x + 1e-3 * x), (np.int8(1), np.int8(2)), (x, x[:1])):
        with pytest.raises(AssertionError):
            check_close(a, b, atol={"float64": 1e-9})
    check_grads(lambda y: y**2, (1.5,), order=2, atol={"float32": 1e-1}, rtol=by_type)
    with pytest.raises(AssertionError):
        check_grads(jax.numpy.sin, (1.5,), order=1, atol={"float32": 0.0}, rtol={"float32": 0.0})
    with pytest.raises(AttributeError, match="pretty_printer"):
        pretty_printer.text("x")
