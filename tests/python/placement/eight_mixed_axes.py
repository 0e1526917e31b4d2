"""Meshes with explicit and automatic axes: types state the one, and the compiler decides the other;
run by `test_devices`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.errors import ShardingTypeError
from dovetail.sharding import AxisType, Mesh, NamedSharding, reshard
from dovetail.sharding import PartitionSpec as P

DEVICES = np.array(dt.devices()).reshape(4, 2)
MIXED = {
    "x": Mesh(DEVICES, ("x", "y"), axis_types=(AxisType.Explicit, AxisType.Auto)),
    "y": Mesh(DEVICES, ("x", "y"), axis_types=(AxisType.Auto, AxisType.Explicit)),
}
X = np.arange(64, dtype=np.float32).reshape(8, 8)
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sin": dnp.sin,
    "transposed": lambda x: x.T,
    "sum": lambda x: x.sum(0),
    "product": lambda x: lax.dot(x, np.ones((8, 4), np.float32)),
    "broadcast": lambda x: dnp.broadcast_to(x[None], (2, 8, 8)),
    "running": lambda x: dnp.cumsum(x, 0),
    "sorted": lambda x: dnp.sort(x, 0),
    "reshaped": lambda x: x.reshape(8, 8, 1),
    "loop": lambda x: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2), (0, x))[1],
    "branch": lambda x: lax.cond(dnp.sum(x) >= 0, lambda x: x * 2, lambda x: x, x),
    "gradient": dt.grad(lambda x: dnp.sum(x**2)),
    "batch": dt.vmap(dnp.sum),
    "whole": lambda x: reshard(x, P()),
    "of_whole": lambda x: dnp.sin(reshard(x, P())) + 1,
    "cotangent": lambda x: dt.grad(lambda a: dnp.sum(reshard(a, dt.typeof(x).sharding.spec) * x))(
        reshard(x, P())
    ),
}
# Dimensions are divided over axes of both kinds, or of one.
SPECS = (P("x", "y"), P("y", "x"), P(("x", "y")), P(("y", "x")), P("x"), P(None, "y"), P())


def over(spec: P, axis: str) -> list[bool]:
    """Whether each dimension is divided over an axis."""
    return [axis in (entry if isinstance(entry, tuple) else (entry,)) for entry in spec]


@pytest.mark.parametrize("explicit", MIXED)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_over_the_explicit_axes_of_their_types(name: str, explicit: str) -> None:
    """And over the same automatic axes, whether the function is compiled or not."""
    mesh, function, stated = MIXED[explicit], FUNCTIONS[name], []

    def noted(x: Any) -> Any:
        result = function(x)
        stated.append(dt.typeof(result).sharding.spec)
        return result

    jitted = dt.jit(noted, compile="never")
    with dt.set_mesh(mesh):
        expected = np.asarray(function(X))
        for spec in SPECS:
            x = dt.device_put(X, NamedSharding(mesh, spec))
            try:
                compiled = jitted(x)
            except ShardingTypeError:
                with pytest.raises(ShardingTypeError):
                    function(x)
                continue
            eager = noted(x)
            for result in (eager, compiled):
                np.testing.assert_allclose(np.asarray(result), expected, 1e-5)
                assert dt.typeof(result).sharding.spec == stated[-1] == stated[-2]
            sharding = compiled.sharding
            assert eager.sharding == sharding, spec
            padded = sharding.padded(compiled.ndim).spec
            assert over(padded, explicit) == over(stated[-1], explicit)


def test_automatic_axes_stay() -> None:
    mesh = MIXED["y"]
    ways: list[Callable[..., Any]] = [lambda f: f, dt.jit]
    with dt.set_mesh(mesh):
        x = dt.device_put(X, NamedSharding(mesh, P("x", "y")))
        for way in ways:
            assert way(dnp.sin)(x).sharding.spec == P("x", "y")
            assert way(lambda x: x.T)(x).sharding.spec == P("y", "x")
            assert way(lambda x: x.sum(1))(x).sharding.spec == P("x")
            assert way(lambda x: reshard(x, P()))(x).sharding.spec == P("x")
            assert way(lambda x: reshard(x, P("y")))(x).sharding.spec == P("y", None)
        # Over the axes of the type alone, there is an entry for each dimension, as there.
        for spec in (P(None, "y"), P("y", None)):
            result = dnp.sin(dt.device_put(X, spec))
            assert result.sharding == NamedSharding(mesh, spec)


@pytest.mark.parametrize("mesh", MIXED.values(), ids=MIXED)
def test_reshard_takes_explicit_axes(mesh: Mesh) -> None:
    (axis,) = mesh.auto_axes
    with dt.set_mesh(mesh):
        ways: list[Callable[..., Any]] = [lambda f: f, dt.jit]
        for way in ways:
            with pytest.raises(ValueError, match=r"that are of type Auto or Manual. Got Part"):
                way(lambda x: reshard(x, P(axis)))(X)
