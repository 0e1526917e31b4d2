"""Arrays that are divided among eight devices, for eager functions of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import dovetail as dt
from dovetail.sharding import AxisType, NamedSharding
from dovetail.sharding import PartitionSpec as P

MESH = dt.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


# The same devices in a line.
LINE = dt.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


def sharding(*spec: Any) -> NamedSharding:
    return NamedSharding(MESH, P(*spec))


def values(shape: tuple[int, ...], *spec: Any, mesh: Any = MESH) -> dt.Array:
    """An array of numbers of both signs, some of them equal."""
    numbers = (np.arange(np.prod(shape), dtype=np.float32) % 23 / 7 - 1).reshape(shape)
    return dt.device_put(numbers, NamedSharding(mesh, P(*spec)))


def positive(*spec: Any) -> dt.Array:
    """Eight times the same positive definite matrix."""
    return dt.device_put(np.stack([_DEFINITE] * 8), NamedSharding(MESH, P(*spec)))


def put(shape: tuple[int, ...], *spec: Any) -> dt.Array:
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    return dt.device_put(values, NamedSharding(MESH, P(*spec)))


a, b, f, g, w = (
    put((8, 4), "x", "y"),
    put((8,), "x"),
    put((16, 4), "x", None),
    put((16, 8), "x", "y"),
    put((16,), "x"),
)
c, sq, u = put((8, 4, 2), "x", "y"), put((8, 8), "x", "y"), put((24,), ("x", "y"))
i1, bi = np.array([1, 3]), put((8,), "x").astype(np.int32)
_MATRIX = np.random.default_rng(0).normal(size=(8, 8)).astype(np.float32)
_DEFINITE = _MATRIX @ _MATRIX.T + 8 * np.eye(8, dtype=np.float32)
spd = dt.device_put(_DEFINITE, NamedSharding(MESH, P("x", "y")))
bat = dt.device_put(np.stack([_DEFINITE] * 8), NamedSharding(MESH, P("x", None, None)))
