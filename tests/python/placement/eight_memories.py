"""Memories of arrays over a mesh of eight devices, and of what is computed of them; run by
`test_devices`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import P, lax
from dovetail.memory import Space
from dovetail.sharding import AxisType, NamedSharding

HOST, DEVICE = "pinned_host", "device"
X = np.arange(32, dtype=np.float32).reshape(8, 4)


def _sharding(kind: AxisType, memory: str = DEVICE) -> NamedSharding:
    mesh = dt.make_mesh((4, 2), ("x", "y"), axis_types=(kind,) * 2)
    return NamedSharding(mesh, P("x"), memory)


# Functions of an array in the memory of the host and one in that of devices, and the memories of
# their results in JAX.
CALLS: list[tuple[Callable[[Any, Any], Any], list[str]]] = [
    (lambda h, d: (h * 2, d * 2), [HOST, DEVICE]),
    (lambda h, d: (dnp.sin(h), dnp.sum(h), h.T, dnp.sort(h)), [HOST] * 4),
    (lambda h, d: (h + h, d), [HOST, DEVICE]),
    (lambda h, d: lax.cond(True, lambda a: a + 1, lambda a: a, h), [HOST]),
    (lambda h, d: lax.fori_loop(0, 3, lambda i, a: a * 2, h), [HOST]),
    (lambda h, d: dt.jit(lambda a, b: (b * 2, a * 2))(h, d), [DEVICE, HOST]),
    (lambda h, d: dt.device_put(h, Space.Device) + d, [DEVICE]),
    (lambda h, d: dt.device_put(d, Space.Host) + h, [HOST]),
    (lambda h, d: (dt.device_put(d, Space.Any), dt.device_put(h, Space.Any)), [DEVICE, HOST]),
]


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
@pytest.mark.parametrize("is_jitted", [False, True])
@pytest.mark.parametrize("i", range(len(CALLS)))
def test_results_are_in_the_memory_of_operands(kind: AxisType, is_jitted: bool, i: int) -> None:
    f, memories = CALLS[i]
    host, device = dt.device_put((X, X), (_sharding(kind, HOST), _sharding(kind)))
    results = dt.tree.leaves((dt.jit(f) if is_jitted else f)(host, device))
    assert [r.sharding.memory_kind for r in results] == memories
    for got, want in zip(results, dt.tree.leaves(f(dnp.array(X), dnp.array(X))), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
def test_transfers_in_programs(kind: AxisType) -> None:
    on_host, on_devices = _sharding(kind, HOST), _sharding(kind)
    host, device = dt.device_put((X, X), (on_host, on_devices))

    @dt.jit
    def there_and_back(a: Any) -> Any:
        there = dt.device_put(a, on_host)
        return a, there, there * 2, dt.device_put(there, on_devices) * 2

    kinds = [result.sharding.memory_kind for result in there_and_back(device)]
    assert kinds == [DEVICE, HOST, HOST, DEVICE]
    assert [result.sharding.memory_kind for result in there_and_back(host)] == [HOST] * 3 + [DEVICE]
    np.testing.assert_array_equal(there_and_back(host)[3], 2 * X)


@pytest.mark.parametrize("first", [HOST, DEVICE])
@pytest.mark.parametrize("second", [HOST, DEVICE])
def test_out_shardings_state_the_memory(first: str, second: str) -> None:
    x = dt.device_put(X, _sharding(AxisType.Auto, first))
    f = dt.jit(lambda a: (a * 2, a), out_shardings=(_sharding(AxisType.Auto, second), None))
    assert [result.sharding.memory_kind for result in f(x)] == [second, first]
    assert f(x)[0].sharding.spec == P("x")


def test_loops_tell_values_apart() -> None:
    """A value that is carried around a loop is in the memory of what it is computed of there."""
    host = dt.device_put(X, NamedSharding(_sharding(AxisType.Auto).mesh, P(None, "x"), HOST))
    carried, stacked = dt.jit(lambda a: lax.scan(lambda c, r: (c + 1, r * 2), 0.0, a))(host)
    assert (carried.sharding.memory_kind, stacked.sharding.memory_kind) == (DEVICE, HOST)

    def swap(i: Any, pair: Any) -> Any:
        return pair[1], pair[0]

    device = dt.device_put(host, Space.Device)
    both = dt.jit(lambda a, b: lax.fori_loop(0, 3, swap, (a, b)))(host, device)
    assert [result.sharding.memory_kind for result in both] == [DEVICE] * 2


def test_different_memories_meet() -> None:
    host, device = dt.device_put((X, X), (_sharding(AxisType.Auto, HOST), _sharding(AxisType.Auto)))
    for f in (dnp.add, dt.jit(dnp.add)):
        assert f(host, device).sharding.memory_kind == DEVICE


def test_constraints_leave_the_memory() -> None:
    host, device = _sharding(AxisType.Auto, HOST), _sharding(AxisType.Auto)
    f = dt.jit(lambda a: lax.with_sharding_constraint(a, host))
    assert f(dt.device_put(X, device)).sharding.memory_kind == DEVICE
    assert f(dt.device_put(X, host)).sharding.memory_kind == HOST
