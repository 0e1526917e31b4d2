"""Settings of JAX that change nothing, and names that only have other places in JAX."""

from __future__ import annotations

import numpy as np
import pytest

import dovetail as dt

_KNOBS = (
    "auto_pcast",
    "enable_checks",
    "jax2tf_associative_scan_reductions",
    "remove_size_one_mesh_axis_from_type",
    "softmax_custom_jvp",
)


@pytest.mark.parametrize("name", _KNOBS)
def test_knobs_are_context_managers(name):
    option = getattr(dt, name)
    before = option.value
    with option(not before):
        assert option.value is not before
        assert dt.jit(lambda x: x + 1)(1) == 2
    assert getattr(dt.config, name).value is before
    dt.config.update(f"jax_{name}", not before)
    dt.config.update(f"jax_{name}", before)


def test_levels_of_the_garbage_collection_guard():
    with dt.array_garbage_collection_guard("log"):
        assert dt.array_garbage_collection_guard.value == "log"
    with pytest.raises(ValueError, match="must be one of 'allow', 'log', 'fatal', got: 'no'"):
        dt.array_garbage_collection_guard("no")


def test_thread_guard_can_only_be_false():
    with dt.thread_guard(False):
        pass
    with pytest.raises(NotImplementedError, match="must be False, got: True"):
        dt.thread_guard(True)


def test_hosts_are_processes():
    assert (dt.host_id(), dt.host_count(), dt.host_ids()) == (0, 1, [0])


def test_meshes():
    mesh = dt.make_mesh((1,), ("x",))
    with dt.set_mesh(mesh):
        assert dt.get_mesh() == mesh
        assert dt.get_abstract_mesh().axis_names == ("x",)
    with dt.use_abstract_mesh(mesh.abstract_mesh):
        assert dt.get_abstract_mesh() == mesh.abstract_mesh


def test_memories():
    x = dt.numpy.arange(3)
    for space in dt.memory.Space:
        np.testing.assert_array_equal(dt.device_put(x, space), x)
        doubled = dt.jit(lambda x, space=space: 2 * dt.device_put(x, space))
        np.testing.assert_array_equal(doubled(x), [0, 2, 4])


@pytest.mark.parametrize("inline", [*dt.Inline, True, False])
def test_inline(inline):
    inner = dt.jit(lambda x: 2 * x, inline=inline)
    assert dt.jit(lambda x: inner(x) + 1)(3) == 7


def test_effort_levels():
    assert dt.CompilerEffortLevel("O2") is dt.CompilerEffortLevel.O2
    with pytest.raises(ValueError, match="not a valid CompilerEffortLevel"):
        dt.CompilerEffortLevel("O9")


def test_functions_of_leaves():
    from dovetail import api_util
    from dovetail.trees.wrapped import wrap_init

    tree = dt.tree_util.tree_structure(((1,), {"y": 2}))
    flat, out_tree = api_util.flatten_fun(wrap_init(lambda x, y: {"sum": x + y}), tree)
    assert flat.call_wrapped(1, 2) == [3]
    assert out_tree().num_leaves == 1
