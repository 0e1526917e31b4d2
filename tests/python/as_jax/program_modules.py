"""Modules and names of `jax`, in a process in which `dovetail.as_jax` was imported first."""

# pyright: reportMissingImports=false

from __future__ import annotations

import importlib
import inspect
import sys
import textwrap
from typing import Any

import jax
import jax.experimental.sparse
import jax.extend.core
import jax.numpy as jnp
import jax.scipy.stats.norm
import numpy as np
import pytest
from jax.custom_derivatives import remat_opt_p
from jax.experimental import jax2tf

import dovetail as dt
import dovetail.numpy
from dovetail import as_jax
from dovetail.as_jax import finder


@pytest.mark.parametrize(
    "name",
    ["numpy", "numpy.linalg", "lax", "random", "scipy.stats.norm", "experimental.sparse.linalg"],
)
def test_modules_are_the_same(name):
    module = importlib.import_module(f"jax.{name}")
    assert module is importlib.import_module(f"dovetail.{name}")
    assert module.__name__ == f"dovetail.{name}"
    assert module.__spec__ is not None
    assert module.__spec__.name == module.__name__


def test_functions_are_the_same():
    assert jax.jit is dt.jit
    assert jax.grad(jnp.sin)(0.0) == 1
    assert "jit" in dir(jax)


def test_version():
    assert jax.__version__ == jax.version.__version__ == "0.10.2"
    assert jax.__version_info__ == (0, 10, 2)
    assert importlib.import_module("jaxlib").__version__ == "0.10.2"


def test_names_that_jax_lacks():
    assert not hasattr(jax, "no_such_name")
    with pytest.raises(ImportError, match="no_such_name"):
        exec("from jax.numpy import no_such_name")
    with pytest.raises(ModuleNotFoundError, match=r"jax\.no_such_module"):
        exec("import jax.no_such_module")


# Of each kind: a module that is here, one with a name for each primitive, an internal one, and
# those that are missing, of which one is in a folder of modules.
@pytest.mark.parametrize(
    "module",
    [
        "numpy",
        "extend.core.primitives",
        "interpreters.mlir",
        "_src.core",
        "_src.lax.lax",
        "_src.cudnn",
        "experimental.hijax",
        "experimental.pallas",
        "experimental.pallas.ops.tpu.flash_attention",
    ],
)
def test_modules_have_no_other_names_than_in_jax(module):
    with pytest.raises(ImportError, match="no_such_name"):
        exec(f"from jax.{module} import no_such_name")
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = importlib.import_module(f"jax.{module}").no_such_name
    with pytest.raises(ModuleNotFoundError, match="no_such_name"):
        importlib.import_module(f"jax.{module}.no_such_name")


def test_alternatives_for_names_of_other_versions():
    # As libraries that know several versions of JAX write it.
    try:
        from jax.extend.core.primitives import xla_pmap_p
    except ImportError:
        xla_pmap_p = None
    assert xla_pmap_p is None
    assert "jax.extend.core.primitives.xla_pmap_p" in {each.name for each in as_jax.report()}


def test_missing_names_are_imported_but_not_there():
    assert not hasattr(jax.custom_derivatives, "remat_opt_p")
    assert getattr(jax.profiler, "ProfileData", None) is None
    assert not hasattr(jax.experimental.sparse, "SparseTracer")
    assert not isinstance(1, remat_opt_p)


def use_attribute():
    return jax.profiler.ProfileData


def use_placeholder():
    return remat_opt_p.bind(1)


def use_module():
    return jax2tf.convert(jnp.sin)


def use_class():
    return jax.extend.core.Token()


@pytest.mark.parametrize(
    ("use", "name"),
    [
        (use_attribute, "jax.profiler.ProfileData"),
        (use_placeholder, "jax.custom_derivatives.remat_opt_p"),
        (use_module, "jax.experimental.jax2tf.convert"),
        (use_class, "jax.extend.core.Token"),
    ],
)
def test_use_of_a_missing_name(use, name):
    with pytest.raises(as_jax.MissingNameError, match=name) as error:
        use()
    assert f"({use.__name__})" in str(error.value)
    request = next(request for request in as_jax.report() if request.name == name)
    assert request.is_used
    assert request.where.startswith(__file__)


def test_bodies_of_modules_use_placeholders():
    body = """
        import jax
        from jax.custom_derivatives import remat_opt_p
        rules = {jax.profiler.ProfileData: 1, remat_opt_p: 2}
        remat_opt_p.def_impl(len)
        class Sparse(jax.experimental.sparse.SparseTracer): pass
        @jax.experimental.jax2tf.convert
        def f(x: jax.experimental.sparse.SparseTracer | None): return x
        shapes = [jax.experimental.sparse.SparseTracer for _ in range(2)]
    """
    names: dict[str, Any] = {"__name__": "library"}
    exec(textwrap.dedent(body), names)
    assert len(names["rules"]) == 2
    with pytest.raises(as_jax.MissingNameError, match="SparseTracer"):
        names["Sparse"]()
    with pytest.raises(as_jax.MissingNameError, match="jax2tf"):
        names["f"](1)


def test_missing_errors_can_be_caught():
    from jax.errors import JaxprTypeError

    with pytest.raises(JaxprTypeError):
        raise JaxprTypeError("raised by the program")


def test_settings():
    assert jax.config.jax_traceback_filtering == "auto"
    jax.config.update("jax_traceback_filtering", "off")
    assert jax.config.read("jax_traceback_filtering") == "off"
    assert jax.config.values["jax_traceback_filtering"] == "off"
    assert jax.config.values["jax_enable_x64"] is False
    assert jax.config.enable_x64.value is False
    with jax.config.enable_x64(True):
        assert jax.config.jax_enable_x64
    jax.config.parse_flags_with_absl()
    with pytest.raises(AttributeError, match="no_such_setting"):
        jax.config.update("jax_no_such_setting", 1)
    with pytest.raises(AttributeError, match=r"config\.update"):
        jax.config.jax_enable_x64 = True


def test_settings_of_the_environment():
    # The driver has set JAX_DEBUG_INFS and, against it, DOVETAIL_DEBUG_NANS.
    assert jax.config.jax_debug_infs
    assert not jax.config.jax_debug_nans


def test_traces():
    state = jax.core.get_opaque_trace_state()
    assert state == jax.core.get_opaque_trace_state()
    seen = []

    @jax.jit
    def f(x):
        seen.append(jax.core.get_opaque_trace_state() == state)
        seen.append(jax.core.unsafe_am_i_under_a_jit_DO_NOT_USE())
        seen.append(jax.core.is_concrete(x))
        return x

    f(1.0)
    assert seen == [False, True, False]
    assert not jax.core.unsafe_am_i_under_a_jit_DO_NOT_USE()
    assert jax.core.is_concrete(1.0)
    jax.vmap(
        lambda x: seen.append(jax.core.unsafe_get_axis_names_DO_NOT_USE()) or x, axis_name="i"
    )(np.zeros(2))
    assert seen[-1] == ["i"]


def test_types():
    aval = jax.core.ShapedArray([2, 3], "float32")
    assert aval == jax.typeof(jnp.zeros((2, 3)))
    assert isinstance(aval, jax.core.AbstractValue)
    assert jax.extend.core.mapped_aval(3, 1, aval).shape == (2,)
    assert jax.extend.core.unmapped_aval(4, 1, aval).shape == (2, 4, 3)
    assert jax.core.primal_dtype_to_tangent_dtype(jnp.int32) == jax.float0
    assert jax.core.valid_jaxtype(1)
    assert not jax.core.valid_jaxtype("1")
    with pytest.raises(jax.errors.ConcretizationTypeError, match="the size"):
        jax.jit(lambda n: jax.core.concrete_or_error(int, n, "the size"))(1)


def test_install_again():
    before = list(sys.meta_path)
    finder.install()
    assert sys.meta_path == before


def test_modules_that_no_program_imports():
    # Their names, too, are JAX's: none of these was imported by its name in JAX.
    from jax.interpreters import partial_eval

    assert jax._src.xla_bridge.get_backend().platform == "cpu"
    assert jax.interpreters.partial_eval is partial_eval
    for name in ("jax.interpreters.partial_eval.dce_jaxpr", "jax.interpreters.ad.linearize"):
        body: dict[str, Any] = {}
        exec(f"import jax\nvalue = {name}", body)
        assert repr(body["value"]) == f"<missing {name}>"


def test_union_with_a_missing_class():
    from jax.experimental.sparse import SparseTracer

    assert isinstance(jnp.zeros(2), jax.Array | SparseTracer)
    assert not isinstance("x", jax.Array | SparseTracer)


def test_devices_of_xla_flags():
    # The driver has set XLA_FLAGS.
    assert jax.device_count() == 3
    assert list(jax._src.xla_bridge._backends) == ["cpu"]


def test_references():
    # Libraries tell versions of JAX apart by these names.
    assert isinstance(jax.new_ref(1), jax.Ref)
    assert isinstance(jax.typeof(jax.new_ref(1)), jax.ref.AbstractRef)


def test_internal_names_of_operations():
    from jax._src import api
    from jax._src.lax import lax
    from jax._src.numpy import lax_numpy, reductions, scalar_types, sorting
    from jax._src.numpy.ufuncs import ufunc
    from jax._src.util import merge_lists, partition_list, safe_map, safe_zip, split_list, unzip2

    assert api.grad(lax.sin)(0.0) == 1.0
    assert lax_numpy.add is jnp.add
    assert isinstance(lax_numpy.add, ufunc)
    assert (reductions.sum, sorting.sort) == (jnp.sum, jnp.sort)
    assert scalar_types.int8 is jnp.int8
    assert safe_map(max, [1, 5], [4, 2]) == [4, 5]
    with pytest.raises(AssertionError, match=r"same length, got: \[1, 2\]"):
        safe_zip([1], [2, 3])
    assert unzip2({"a": 1, "b": 2}.items()) == (("a", "b"), (1, 2))
    assert split_list([1, 2, 3, 4], [1, 2]) == [[1], [2, 3], [4]]
    second = [True, False, True]
    assert partition_list(second, "abc") == (["b"], ["a", "c"])
    assert merge_lists(second, ["b"], ["a", "c"]) == ["a", "b", "c"]


def test_kernels_of_other_devices_can_be_imported():
    from jax.experimental.pallas import mosaic_gpu, tpu, triton

    with pytest.raises(NotImplementedError, match="Dovetail lacks"):
        mosaic_gpu.CompilerParams()
    assert triton.CompilerParams(num_warps=4).num_warps == 4
    params = tpu.CompilerParams(dimension_semantics=("parallel",), vmem_limit_bytes=2**20)
    assert params.dimension_semantics == ("parallel",)
    with pytest.raises(NotImplementedError, match="Dovetail lacks"):
        tpu.make_async_remote_copy()


def test_internal_names_of_trees():
    from jax._src.tree_util import _registry, prefix_errors

    assert dict in _registry
    assert int not in _registry
    assert prefix_errors((1, 2), (1, [2])) == []
    (error,) = prefix_errors((1, 2), (1, 2, 3))
    assert "my tree" in str(error("my tree"))

    entry = _registry[dict]
    children, data = entry.to_iter({"a": 1, "b": [2]})
    assert entry.from_iter(data, [leaf * 3 for leaf in children]) == {"a": 3, "b": [2, 2, 2]}


def test_internal_names_that_libraries_import():
    from jax._src.api_util import infer_argnums_and_argnames as inferred
    from jax._src.effects import Effect, control_flow_allowed_effects
    from jax._src.literals import TypedInt
    from jax._src.pjit import jit_p
    from jax._src.sharding_impls import UNSPECIFIED, NamedSharding, UnspecifiedValue
    from jaxlib.xla_client import Device

    signature = inspect.signature(lambda x, y, *, z: x)
    assert inferred(signature, None, "y") == ((1,), ("y",))
    assert inferred(signature, (0, 1), None) == ((0, 1), ("x", "y"))
    assert inferred(signature, None, None) == ((), ())
    assert inferred(signature, 0, ["y"]) == ((0,), ("y",))
    control_flow_allowed_effects.add_type(Effect)
    assert Effect() in control_flow_allowed_effects
    assert not isinstance(1, TypedInt)
    assert jax.make_jaxpr(jax.jit(lambda x: x + 1))(1).eqns[0].primitive is jit_p
    assert isinstance(UNSPECIFIED, UnspecifiedValue)
    assert NamedSharding is jax.sharding.NamedSharding
    assert isinstance(jax.devices()[0], Device)
    assert jax.api_util.safe_map(max, [1, 5], [4, 2]) == [4, 5]
    assert jax.typeof(jnp.ones(2)).at_least_vspace() == jax.typeof(jnp.ones(2))
    assert jax.core.DebugInfo("jit", "f", ("x",), None).arg_names == ("x",)
    assert jax.api_util.debug_info("jit", max).func_src_info == "max"


def test_modules_in_a_module_that_is_here():
    # A package of JAX, a module of Dovetail: what is in it can be imported.
    from jax.experimental.colocated_python import func, serialization

    assert getattr(func, "_make_prng_wrapped_fun", None) is None
    with pytest.raises(NotImplementedError, match="Dovetail lacks"):
        serialization.DeviceList()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_small_modules():
    from jax.experimental.key_reuse import KeyReuseError
    from jax.extend import backend, source_info_util
    from jax.extend.random import rbg_prng_impl, seed_with_impl, threefry_prng_impl
    from jax.interpreters import pxla
    from jax.lib import __version__
    from jax.typing import ArrayLike, DTypeLike

    assert isinstance(jnp.ones(2), ArrayLike)
    assert DTypeLike is jax.typing.DTypeLike
    assert __version__ == jax.__version__
    key = seed_with_impl(threefry_prng_impl, 3)
    np.testing.assert_array_equal(
        jax.random.key_data(key), jax.random.key_data(jax.random.key(3, impl="threefry2x32"))
    )
    assert jax.random.key_impl(seed_with_impl(rbg_prng_impl, 0)) == jax.random.key_impl(
        jax.random.key(0, impl="rbg")
    )
    assert backend.get_backend().platform == "cpu"
    assert "cpu" in backend.backends()
    assert "program_modules.py" in str(source_info_util.summarize(source_info_util.current()))
    assert pxla.thread_resources.env.physical_mesh.empty
    with jax.sharding.Mesh(np.array(jax.devices()[:1]), "x") as mesh:
        assert pxla.thread_resources.env.physical_mesh == mesh
    with jax.debug_key_reuse(True), pytest.raises(KeyReuseError):
        jax.random.normal(key), jax.random.normal(key)
