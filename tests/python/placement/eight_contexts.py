"""The mesh of the context: for specs, `shard_map` and compiled programs; run by `test_devices`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AxisType, NamedSharding, get_abstract_mesh
from dovetail.sharding import PartitionSpec as P

AUTO = AxisType.Auto
MESH = dt.make_mesh((4, 2), ("a", "b"))
AUTO_MESH = dt.make_mesh((4, 2), ("a", "b"), axis_types=(AUTO, AUTO))
VALUES = np.arange(64, dtype=np.float32).reshape(8, 8)


# Shardings that are stated ------------------------------------------------------------------------


def test_constraints_refer_to_an_entered_mesh() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with AUTO_MESH:
            result = dt.jit(lambda x: lax.with_sharding_constraint(x + 1, P("b")))(VALUES)
            assert result.sharding == NamedSharding(AUTO_MESH, P("b"))
            np.testing.assert_array_equal(result, VALUES + 1)


def test_shardings_of_jit_are_checked_at_once() -> None:
    free = NamedSharding(AUTO_MESH, P(P.UNCONSTRAINED))
    wrong: list[dict[str, Any]] = [{"in_shardings": free}, {"out_shardings": (None, free)}]
    for options in wrong:
        with pytest.raises(ValueError, match="Unconstrained dims are not allowed when passed to"):
            dt.jit(lambda x: x, **options)
    with pytest.raises(ValueError, match="got an empty NamedSharding"):
        dt.jit(lambda x: x, in_shardings=NamedSharding(dt.sharding.get_mesh(), P()))
    with (
        pytest.warns(DeprecationWarning, match="device and backend|backend and device|backend"),
        pytest.raises(ValueError, match="out_shardings should not be specified"),
    ):
        dt.jit(lambda x: x, out_shardings=NamedSharding(MESH, P()), backend="cpu")


def test_ranks_of_arguments_and_results() -> None:
    deep = NamedSharding(AUTO_MESH, P("a", None, "b"))
    message = "One of pjit {}.* is only valid for values of rank at least 3, but was applied to a"
    with pytest.raises(ValueError, match=message.format("arguments with pytree key path x is")):
        dt.jit(lambda x: x, in_shardings=deep)(VALUES)
    with pytest.raises(ValueError, match=message.format("outputs is")):
        dt.jit(lambda x: x, out_shardings=deep)(VALUES)
    with pytest.raises(ValueError, match="rank at least 3, but was applied to a value of rank 2"):
        dt.ShapeDtypeStruct((8, 8), "float32", sharding=P("a", None, "b"))


def test_specs_need_a_mesh() -> None:
    needed = "{} requires a non-empty mesh in context if you are passing `PartitionSpec`s to {}"
    message = needed.format("with_sharding_constraint", "shardings")
    with pytest.raises(RuntimeError, match=message):
        dt.jit(lambda x: dt.lax.with_sharding_constraint(x, P("a")))(VALUES)
    with pytest.raises(RuntimeError, match=needed.format("jit", "in_shardings")):
        dt.jit(lambda x: x, in_shardings=P("a"))(VALUES)
    with pytest.raises(ValueError, match="Please set a mesh via"):
        dt.device_put(VALUES, P("a"))
    deep = NamedSharding(AUTO_MESH, P("a", None, "b"))
    with pytest.raises(ValueError, match="One of device_put args is incompatible with its shard"):
        dt.device_put(VALUES, deep)


def test_results_without_data_need_no_sharding() -> None:
    where = NamedSharding(AUTO_MESH, P())
    gradient = dt.grad(lambda x, n: dnp.sum(x * n), argnums=(0, 1), allow_int=True)
    f = dt.jit(gradient, in_shardings=(where, where), out_shardings=where)
    dx, dn = f(VALUES, np.ones((8, 8), np.int32))
    np.testing.assert_array_equal(dx, np.ones((8, 8)))
    assert dx.sharding == where
    assert dn.dtype == dt.float0


def test_descriptions_with_specs() -> None:
    described = dt.ShapeDtypeStruct((8, 8), "float32", sharding=P("a"))
    assert repr(described).endswith("sharding=P('a',))")
    with pytest.raises(TypeError, match="the context mesh cannot be empty"):
        _ = described.sharding
    with dt.set_mesh(AUTO_MESH):
        assert described.sharding == NamedSharding(AUTO_MESH, P("a"))
        compiled = dt.jit(lambda x: x.T).lower(described).compile()
        assert compiled.input_shardings == ((described.sharding,), {})
        assert compiled.output_shardings == NamedSharding(AUTO_MESH, P(None, "a"))


def test_compiled_programs_know_their_shardings() -> None:
    rows, columns = NamedSharding(AUTO_MESH, P("a")), NamedSharding(AUTO_MESH, P(None, "b"))
    f = dt.jit(
        lambda x, y: {"sum": x + y, "x": x}, in_shardings=(rows, None), out_shardings=columns
    )
    shape = dt.ShapeDtypeStruct((8, 8), "float32")
    compiled = f.lower(shape, shape).compile()
    (first, _), keywords = compiled.input_shardings
    assert (first, keywords) == (rows, {})
    assert compiled.output_shardings == {"sum": columns, "x": columns}
    assert compiled.out_info["x"] == shape.update(sharding=columns)
    result = compiled(dt.device_put(VALUES, rows), VALUES)
    assert result["sum"].sharding == columns
    np.testing.assert_array_equal(result["sum"], 2 * VALUES)
    single = dt.jit(lambda x: x + 1).lower(VALUES).compile()
    device = dt.sharding.SingleDeviceSharding(dt.devices()[0])
    assert single.input_shardings == ((device,), {})
    assert single.output_shardings == device


# Functions of parts -------------------------------------------------------------------------------


def test_arguments_with_the_spec_none_are_passed_as_they_are() -> None:
    kinds = object(), {"size": (2, 8)}

    def part(kind: Any, options: Any, x: Any) -> Any:
        assert kind is kinds[0]
        return x + dnp.ones(options["size"])

    f = dt.shard_map(part, mesh=MESH, in_specs=(None, None, P("a")), out_specs=P("a"))
    np.testing.assert_array_equal(f(*kinds, VALUES), VALUES + 1)
    np.testing.assert_array_equal(dt.jit(lambda x: f(*kinds, x))(VALUES), VALUES + 1)
    whole = dt.shard_map(
        lambda x, y: x[:2] + y, mesh=MESH, in_specs=(None, P("a")), out_specs=P("a")
    )
    expected = np.tile(VALUES[:2], (4, 1)) + VALUES
    np.testing.assert_array_equal(dt.jit(whole)(VALUES, VALUES), expected)


def test_inner_functions_take_parts_over_the_other_axes() -> None:
    def inner(x: Any) -> Any:
        assert get_abstract_mesh().manual_axes == ("a", "b")
        assert dt.typeof(x).mat.varying == {"a", "b"}
        return lax.psum(x, "b")

    def outer(x: Any) -> Any:
        assert dt.typeof(x).mat.varying == {"a"}
        total = dt.shard_map(inner, in_specs=P(None, "b"), out_specs=P())(x)
        assert dt.typeof(total).mat.varying == {"a"}
        return total

    f = dt.shard_map(outer, mesh=AUTO_MESH, in_specs=P("a"), out_specs=P("a"), axis_names={"a"})
    expected = VALUES.reshape(8, 2, 4).sum(1)
    np.testing.assert_array_equal(dt.jit(f)(VALUES), expected)
    again = dt.shard_map(inner, in_specs=P(), out_specs=P(), axis_names={"a"})
    with pytest.raises(ValueError, match="must not be axes that are manual already"):
        dt.shard_map(again, mesh=MESH, in_specs=P("a"), out_specs=P("a"), axis_names={"a"})(VALUES)


def test_constraints_on_parts() -> None:
    def part(x: Any) -> Any:
        return lax.with_sharding_constraint(x * 2, P(None, "b"))

    options: dict[str, Any] = {
        "mesh": AUTO_MESH,
        "in_specs": P("a"),
        "out_specs": P("a"),
        "axis_names": {"a"},
    }
    np.testing.assert_array_equal(dt.jit(dt.shard_map(part, **options))(VALUES), 2 * VALUES)
    for constrain in (lax.with_sharding_constraint, dt.reshard):
        wrong = dt.shard_map(
            lambda x, constrain=constrain: constrain(x, NamedSharding(AUTO_MESH, P("a", "b"))),
            **options,
        )
        with pytest.raises(ValueError, match="contains a manual axes of mesh"):
            dt.jit(wrong)(VALUES)


def test_results_are_on_the_mesh_of_the_context() -> None:
    with dt.set_mesh(MESH):
        result = dt.shard_map(lambda x: x + 1, in_specs=P("a"), out_specs=P("a"))(VALUES)
        assert result.sharding == NamedSharding(MESH, P("a"))
        same = dt.smap(lambda x: x + 1, in_axes=None, out_axes=None, axis_name="a")(VALUES)
        assert same.sharding == NamedSharding(MESH, P())
        assert (
            len(dt.jit(dt.smap(dnp.sin, in_axes=0, out_axes=0, axis_name="a"))(VALUES).devices())
            == 8
        )


def test_out_sharding_within_functions_of_parts() -> None:
    def part(x: Any) -> Any:
        return dnp.repeat(x, 2, axis=1, out_sharding=P(None, "b"))

    with dt.set_mesh(MESH):
        f = dt.jit(dt.shard_map(part, in_specs=P("a"), out_specs=P("a"), axis_names={"a"}))
        x = dt.device_put(VALUES, P("a", "b"))
        result = f(x)
    assert result.sharding == NamedSharding(MESH, P("a", "b"))
    np.testing.assert_array_equal(result, np.repeat(VALUES, 2, axis=1))


def test_descriptions_give_results_like_them_their_sharding() -> None:
    rows = NamedSharding(AUTO_MESH, P("a"))
    described = dt.ShapeDtypeStruct((8, 8), "float32", sharding=rows)
    assert dnp.zeros_like(described).sharding == rows
    # As in JAX: one of another shape has that of no array.
    assert dnp.ones_like(described, shape=(3,)).sharding == dt.sharding.SingleDeviceSharding(
        dt.devices()[0]
    )


KEY = dt.random.key(0)
SEGMENTS = np.array([0, 3, 3, 1, 7, 2, 0, 0])
# Functions that take `out_sharding`, and the shape of the result.
FUNCTIONS: list[tuple[Any, tuple[int, ...]]] = [
    (lambda **out: dnp.array(VALUES, **out), (8, 8)),
    (lambda **out: dnp.asarray(VALUES, **out), (8, 8)),
    (lambda **out: dnp.percentile(VALUES, 30.0, axis=0, **out), (8,)),
    (lambda **out: dt.ops.segment_sum(VALUES, SEGMENTS, 8, **out), (8, 8)),
    (lambda **out: dt.ops.segment_max(VALUES, SEGMENTS, 8, **out), (8, 8)),
    (lambda **out: dt.nn.initializers.zeros(KEY, (8,), **out), (8,)),
    (lambda **out: dt.nn.initializers.constant(3.0)(KEY, (8,), **out), (8,)),
    (lambda **out: dt.nn.initializers.uniform()(KEY, (8, 2), **out), (8, 2)),
    (lambda **out: dt.nn.initializers.he_normal()(KEY, (8, 2), **out), (8, 2)),
    (lambda **out: dt.nn.initializers.orthogonal()(KEY, (8, 2), "float32", P("a")), (8, 2)),
]


@pytest.mark.parametrize(("function", "shape"), FUNCTIONS)
def test_out_shardings(function: Any, shape: tuple[int, ...]) -> None:
    with dt.set_mesh(MESH):
        plain = function()
        for result in (
            function(out_sharding=P("a")),
            dt.jit(lambda: function(out_sharding=P("a")))(),
        ):
            assert result.sharding.is_equivalent_to(NamedSharding(MESH, P("a")), len(shape))
            assert result.shape == shape
            np.testing.assert_allclose(result, plain, rtol=1e-5, atol=1e-6)


def test_explicit_axes_beside_those_of_parts() -> None:
    with dt.set_mesh(MESH):
        f = dt.shard_map(lambda x: x * 2, out_specs=P("a"), axis_names={"a"})
        x = dt.device_put(VALUES, P("a", "b"))
        for g in (f, dt.jit(f)):
            assert g(x).sharding == NamedSharding(MESH, P("a", "b"))
            np.testing.assert_array_equal(g(x), 2 * VALUES)
