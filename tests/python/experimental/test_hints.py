"""Modules of JAX that say how a program is to be compiled: its values are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.experimental import topologies
from dovetail.experimental.colocated_python import (
    colocated_cpu_devices,
    colocated_python,
    colocated_python_class,
)
from dovetail.experimental.compute_on import compute_on
from dovetail.experimental.control_deps import control_dep, schedule
from dovetail.experimental.custom_partitioning import (
    ArrayMapping,
    CompoundFactor,
    SdyShardingRule,
    custom_partitioning,
    str_to_sdy_sharding_rule,
)
from dovetail.experimental.fused import fused
from dovetail.experimental.layout import Format, Layout, with_layout_constraint
from dovetail.experimental.scheduling_groups import scheduling_group, xla_metadata_call
from dovetail.experimental.shard_alike import shard_alike
from dovetail.experimental.xla_metadata import set_xla_metadata
from dovetail.sharding import Mesh, SingleDeviceSharding

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def partitioned(x: Any, power: int) -> Any:
    return dnp.sin(x) ** power


def hinted(x: Any) -> Any:
    function = custom_partitioning(partitioned, static_argnums=(1,))
    function.def_partition(lambda *_: None, sharding_rule="i j -> i j")
    x = scheduling_group("first")(lambda x: function(x, 2))(x)
    with compute_on("device_host"), set_xla_metadata(kind="second"):
        x = set_xla_metadata(x * 3, kind="third")
    x, _ = shard_alike(x, x + 1)
    return with_layout_constraint(xla_metadata_call(dnp.cos, kind="fourth")(x), Layout((0, 1)))


WAYS = {
    "eager": hinted,
    "jit": dt.jit(hinted),
    "vmap": dt.vmap(hinted),
    "jit of vmap": dt.jit(dt.vmap(hinted)),
}


@pytest.mark.parametrize("way", WAYS)
def test_values(way: str) -> None:
    # A batch has no layout of its own.
    x = X[None] if "vmap" in way else X
    found = np.reshape(WAYS[way](x), X.shape)
    np.testing.assert_allclose(found, np.cos(np.sin(X) ** 2 * 3), rtol=1e-5)


def test_derivatives() -> None:
    found = dt.jit(dt.grad(lambda x: hinted(x).sum()))(X)
    expected = -np.sin(np.sin(X) ** 2 * 3) * 6 * np.sin(X) * np.cos(X)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_layouts() -> None:
    place = SingleDeviceSharding(dt.devices("cpu")[0])
    rows = Format(Layout((0, 1)), place)
    assert rows == Format(Layout((0, 1)), place)
    assert len({rows, Format(Layout((0, 1)), place), Format()}) == 2
    assert Layout((0, 1), tiling=((8, 128),)).update(tiling=None) == Layout((0, 1))
    assert Format(Layout.AUTO).sharding is None
    with pytest.raises(ValueError, match="Sharding has to be concrete"):
        Format(Layout((0,)))
    with pytest.raises(TypeError, match="Invalid value received for the layout"):
        Format("rows")
    with pytest.raises(TypeError, match="Invalid value received for the sharding"):
        Format(None, "cpu")  # pyright: ignore[reportArgumentType]
    with pytest.raises(NotImplementedError, match="must be row-major"):
        with_layout_constraint(X, Layout((1, 0)))
    with pytest.raises(ValueError, match="rank of the value should match"):
        with_layout_constraint(X, Layout((0,)))
    with pytest.raises(ValueError, match="must be of type `Layout`"):
        with_layout_constraint(X, "rows")


@pytest.mark.parametrize("put", [dt.device_put, dt.lax.with_sharding_constraint])
def test_arrays_are_put_in_a_format(put: Any) -> None:
    place = SingleDeviceSharding(dt.devices("cpu")[0])
    for layout in (None, Layout.AUTO, Layout((0, 1))):
        assert put(X, Format(layout, place)).sharding == place
    trees = put({"x": X, "y": X[0]}, {"x": Format(None, place), "y": Format(Layout((0,)), place)})
    np.testing.assert_array_equal(trees["y"], X[0])
    with pytest.raises(NotImplementedError, match="must be row-major"):
        put(X, Format(Layout((1, 0)), place))


def test_errors() -> None:
    with pytest.raises(ValueError, match="at least two factors"):
        CompoundFactor("i")
    rule = SdyShardingRule(
        (ArrayMapping("i", CompoundFactor("j", "k")),), (ArrayMapping("i"),), j=2, k=3
    )
    assert rule.factor_sizes == {"j": 2, "k": 3}
    with pytest.raises(ValueError, match="Trees should be equal"):
        shard_alike((X,), X)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="leaves shapes"):
        shard_alike(X, X[0])
    with pytest.raises(ValueError, match="Invalid compute type"), compute_on("elsewhere"):
        pass
    with pytest.raises(TypeError, match="must be a string"), compute_on(3):  # pyright: ignore
        pass


def test_topologies() -> None:
    topology = topologies.get_attached_topology("cpu")
    assert topology.devices == dt.devices("cpu")
    mesh = topologies.make_mesh(topology, (len(topology.devices),), ("data",))
    assert mesh.axis_names == ("data",)
    with pytest.raises(NotImplementedError, match="must be of attached devices"):
        topologies.get_topology_desc("v5e:2x2", "tpu")


@pytest.mark.parametrize(
    ("rule", "options", "message"),
    [
        ("i j", {}, "There is no -> in rule"),
        ("i … -> i", {}, "Unknown character"),
        ("i ... -> i", {}, "only at the beginning of a dimension"),
        ("(i -> i", {}, "pairs of brackets"),
        ("1 -> i", {}, "start with a letter"),
        ("(i j) -> (i j)", {"i": 2}, "Factor j is only used in compound factors"),
        ("i -> i", {"i": 2}, "Factor i represents a whole dimension"),
        ("i -> i", {"j": 2}, "Factor j is not used in the rule"),
        ("i -> i", {"reduction_factors": ("k",)}, "Factor k in reduction_factors is not used"),
        ("i -> i", {"reduction_factors": "i"}, "must be a tuple of factors"),
        (
            "i -> i",
            {"reduction_factors": ("i",), "permutation_factors": ("i",)},
            "Factor i can only be in one",
        ),
    ],
)
def test_rules_that_are_none(rule: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        str_to_sdy_sharding_rule(rule, **options)


def test_rules() -> None:
    rule = str_to_sdy_sharding_rule("... (i j) k,k->...  (i j),", i=2, j=3)
    compound = CompoundFactor("i", "j")
    assert rule.operand_mappings == (ArrayMapping("…", compound, "k"), ArrayMapping("k"))
    assert rule.result_mappings == (ArrayMapping("…", compound), ArrayMapping())
    assert rule.factor_sizes == {"i": 2, "j": 3}


def test_schedules_and_kernels() -> None:
    @fused(out_spaces=(dt.memory.Space.Host, dt.memory.Space.Device))
    def both(x: Any, y: Any) -> Any:
        return x + y, x * y

    def function(x: Any) -> Any:
        total, product = both(x, 2 * x)
        schedule([product, total])
        assert control_dep(total, product) == ()
        return dnp.sum(total * product)

    for way in (function, dt.jit(function)):
        np.testing.assert_allclose(way(X), (6 * X**3).sum(), rtol=1e-6)
    np.testing.assert_allclose(dt.grad(function)(X), 18 * X**2, rtol=1e-6)
    with pytest.raises(ValueError, match="one entry for each of 1 results"):
        fused(out_spaces=())(dnp.sin)(X)


def test_functions_of_python() -> None:
    @colocated_python
    def largest(x: Any, *, times: Any) -> Any:
        return {"largest": max(x.ravel().tolist()) * times}

    assert largest(dnp.asarray(X), times=dnp.int32(2)) == {"largest": 10}
    specs = (dt.ShapeDtypeStruct((2,), np.float32),), {}
    double = colocated_python(lambda x: 2 * x).specialize(in_specs=specs, out_specs_fn=lambda x: x)
    np.testing.assert_array_equal(double(X[0, :2]), 2 * X[0, :2])
    with pytest.raises(ValueError, match="arguments must have the types"):
        double(X)
    with pytest.raises(ValueError, match="results must have the types"):
        colocated_python(lambda x: x[0]).specialize(out_specs_fn=lambda x: x)(X)
    with pytest.raises(TypeError, match="not in a traced function"):
        dt.jit(double)(X[0, :2])
    with pytest.raises(ValueError, match="No devices found"):
        colocated_python(lambda: 1)()
    (device,) = colocated_cpu_devices(dt.devices()[:1])
    one: Any = colocated_python(lambda: 1).specialize(devices=[device])()
    assert isinstance(one, dt.Array)
    assert one == 1
    assert one.devices() == {device}
    mesh = Mesh(dt.devices()[:1], "i")
    assert colocated_cpu_devices(mesh) == mesh


def test_objects_of_python() -> None:
    made: list[int] = []

    @colocated_python_class
    class Total:
        """A sum."""

        def __init__(self, start: int) -> None:
            made.append(start)
            self.total = start

        def add(self, x: Any) -> Any:
            self.total = self.total + x
            return self.total

        def value(self) -> Any:
            return self.total

    total = Total(5)
    assert made == []
    assert total.add(dnp.int32(1)) == 6
    assert total.add(dnp.int32(2)) == 8
    assert total.value.specialize(devices=dt.devices()[:1])() == 8
    assert made == [5]
    assert Total.__name__ == "Total"
