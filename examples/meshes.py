"""Shared parts of the examples on several devices: meshes, pictures of shardings, times."""

from __future__ import annotations

import math
import os
import timeit
from typing import Any

import common
import numpy as np

import dovetail as dt
from dovetail.experimental import multihost_utils
from dovetail.sharding import AxisType

# Before the first use of a device. Processes under a launcher share the devices of a mesh.
PROCESSES = int(common.launched("SIZE") or 1)
if "DOVETAIL_NUM_CPU_DEVICES" not in os.environ:
    dt.config.update("num_cpu_devices", 8 // PROCESSES)
if PROCESSES > 1:
    dt.distributed.initialize()


def mesh(**axes: int) -> Any:
    """A mesh with these axes, whose arrays the compiler shards: `mesh(rows=4, columns=2)`."""
    types = (AxisType.Auto,) * len(axes)
    return dt.make_mesh(tuple(axes.values()), tuple(axes), axis_types=types)


def put(mesh: Any, x: Any, *spec: Any) -> Any:
    """The array on the devices of a mesh, each dimension divided as its entry of `spec` says."""
    return dt.device_put(x, dt.NamedSharding(mesh, dt.P(*spec)))


def gathered(x: Any) -> np.ndarray:
    """The elements of an array, of which each process may have a part."""
    if not x.is_fully_addressable:
        x = multihost_utils.process_allgather(x, tiled=True)
    return np.asarray(x)


def milliseconds(function: Any, *arguments: Any) -> float:
    """The best time of a call of a jitted function, once it is compiled."""
    compiled = function.lower(*arguments).compile()
    times = timeit.repeat(lambda: dt.block_until_ready(compiled(*arguments)), number=1, repeat=20)
    return round(1e3 * min(times), 3)


def draw_sharding(axes: Any, array: Any, title: str) -> None:
    """Draws which devices have which part of a matrix, or of a vector as one row."""
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    height, width = array.shape if array.ndim == 2 else (1, array.size)
    devices: dict[tuple[int, ...], list[int]] = {}
    for shard in array.addressable_shards:
        rows, columns = shard.index if array.ndim == 2 else (slice(None), *shard.index)
        key = (*rows.indices(height)[:2], *columns.indices(width)[:2])
        devices.setdefault(key, []).append(shard.device.id)
    for (top, bottom, left, right), ids in devices.items():
        # A part has the color of the first of its devices.
        color = colormaps["tab10"](min(ids))
        box = Rectangle((left, top), right - left, bottom - top, fc=color, ec="white", alpha=0.6)
        axes.add_patch(box)
        label = ", ".join(map(str, sorted(ids)))
        if len(ids) == math.prod(array.sharding.mesh.devices.shape):
            label = "all"
        axes.text((left + right) / 2, (top + bottom) / 2, label, ha="center", va="center")
    axes.set(xlim=(0, width), ylim=(height, 0), xticks=[0, width], yticks=[0, height])
    axes.set_title(title, fontsize=9)
