"""Arrays assembled from shards: computed one by one, or given as arrays on one device each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import Array, ShapedArray
from dovetail.arrays.shards import joined, moved
from dovetail.base import dtypes
from dovetail.base.errors import LeakedTracerError, type_error, value_error
from dovetail.base.locations import here
from dovetail.ops.operands import as_operand
from dovetail.placement import platforms
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import (
    Block,
    Index,
    Sharding,
    SingleDeviceSharding,
    addressable_blocks,
    blocks,
    place_of,
)
from dovetail.placement.transfer_guards import explicit
from dovetail.programs.transfers import device_put
from dovetail.tracing.tracer import AnyTracer
from dovetail.trees.pytree import broadcast_prefix, flatten, unflatten


def make_array_from_callback(
    shape: Sequence[int],
    sharding: Sharding,
    data_callback: Callable[[tuple[slice, ...]], Any],
    dtype: Any = None,
) -> Array:
    """An array whose shards are computed one by one by a function.

    Args:
      shape: the shape of the array.
      sharding: the sharding of the array.
      data_callback: takes a slice for each dimension, returns these elements of the array, as an
        array or a number. It is called once for each distinct part held by devices of this process.
      dtype: the element type; by default that of the first part.

    Returns:
      An array, committed to the sharding.

    Raises:
      TypeError: `sharding` is not a sharding.
      ValueError: a part does not have the shape or the element type of its shard, there is no shard
        in this process and no `dtype`, or the sharding is for arrays of a higher rank.
      UnexpectedTracerError: the function returns a value of a function that is being traced.

    Example:
      >>> import dovetail as dt
      >>> sharding = dt.NamedSharding(dt.make_mesh((1,), ("data",)), dt.P("data"))
      >>> data = np.arange(4)
      >>> make_array_from_callback((4,), sharding, lambda index: data[index])
      Array([0, 1, 2, 3], dtype=int32)
    """
    name = "make_array_from_callback"
    shape, wanted = tuple(shape), _checked_sharding(sharding, name)
    wanted.check_compatible_aval(shape)
    blocks = addressable_blocks(wanted, shape)
    computed: dict[Any, Array] = {}
    arrays = []
    with explicit():
        for block in blocks:
            key = tuple(part.indices(size) for part, size in zip(block.index, shape, strict=True))
            if key not in computed:
                computed[key] = _as_part(name, data_callback(block.index))
            arrays.append(computed[key])
        return _assembled(name, shape, wanted, blocks, arrays, dtype)


def make_array_from_single_device_arrays(
    shape: Sequence[int], sharding: Sharding, arrays: Sequence[Array], *, dtype: Any = None
) -> Array:
    """An array assembled from its shards: arrays on one device each.

    Args:
      shape: the shape of the array.
      sharding: the sharding of the array.
      arrays: one array for each device of this process, in any order. They may be padded at the
        ends of dimensions that do not divide.
      dtype: the element type; by default that of the first one.

    Returns:
      An array, committed to the sharding. It shares the memory of its shards.

    Raises:
      TypeError: `sharding` is not a sharding, or `arrays` is not a list or tuple of arrays.
      ValueError: the arrays are not on the sharding's devices, one on each, or do not have the
        shapes and the element type of its shards.

    Example:
      >>> import dovetail as dt
      >>> sharding = dt.NamedSharding(dt.make_mesh((1,), ("data",)), dt.P("data"))
      >>> make_array_from_single_device_arrays((2,), sharding, [dnp.zeros(2)])
      Array([0., 0.], dtype=float32)
    """
    name = "make_array_from_single_device_arrays"
    shape, wanted = tuple(shape), _checked_sharding(sharding, name)
    wanted.check_compatible_aval(shape)
    by_device = _by_device(name, arrays)
    blocks = addressable_blocks(wanted, shape)
    devices = [block.device for block in blocks]
    if len(arrays) != len(devices):
        raise value_error(
            f"Expected {len(devices)} per-device arrays (this is how many devices are addressable "
            f"by the sharding), but got {len(arrays)}"
        )
    if {*devices} != {*by_device}:
        raise value_error(
            "Addressable devices and per-device arrays devices do not match, got: arrays on "
            f"{', '.join(map(str, by_device))} and a sharding over {', '.join(map(str, devices))}"
        )
    parts = [by_device[device] for device in devices]
    return _assembled(name, shape, wanted, blocks, parts, dtype)


def make_array_from_process_local_data(
    sharding: Any, local_data: Any, global_shape: Any = None
) -> Any:
    """Arrays from the data of each process; with a single process, from all data.

    Args:
      sharding: the shardings: one for all arrays, a `PartitionSpec` over the mesh of `set_mesh`, or
        a tree of these that is a prefix of `local_data`.
      local_data: a tree of arrays. Along each dimension they have all elements, or those of this
        process's devices.
      global_shape: the shape of the arrays, or a tree of shapes that is a prefix of `local_data`;
        None to multiply each size of `local_data` by the number of processes among which the
        dimension is divided.

    Returns:
      The same tree of arrays, committed to the shardings.

    Raises:
      ValueError: a shape does not fit the data, a sharding is for arrays of a higher rank, or
        processes have different shares of a dimension, and no `global_shape` is given.

    Example:
      >>> import dovetail as dt
      >>> sharding = dt.NamedSharding(dt.make_mesh((1,), ("data",)), dt.P("data"))
      >>> make_array_from_process_local_data(sharding, np.arange(4))
      Array([0, 1, 2, 3], dtype=int32)
    """
    is_one = isinstance(global_shape, tuple) and all(isinstance(n, int) for n in global_shape)
    leaves = flatten(local_data)[0]
    shapes = [global_shape] * len(leaves)
    if global_shape is not None and not is_one:
        wrapped = flatten(global_shape, lambda node: isinstance(node, tuple) or node is None)
        boxes = [None if shape is None else _Shape(shape) for shape in wrapped[0]]
        prefix = wrapped[1].unflatten(boxes)
        found = broadcast_prefix(prefix, local_data, "make_array_from_process_local_data")
        shapes = [None if box is None else box.shape for box in found]
    name = "make_array_from_process_local_data"
    wanted = [
        platforms.sharding_meant(one, name)
        for one in _for_each(sharding, local_data, f"{name} sharding")
    ]
    return unflatten(
        flatten(local_data)[1],
        [_of_process(*each) for each in zip(leaves, wanted, shapes, strict=True)],
    )


def _of_process(data: Any, sharding: Sharding, shape: tuple[int, ...] | None) -> Any:
    """The array of which each process has a part."""
    if sharding.is_fully_addressable:
        if shape is not None and shape != np.shape(data):
            raise value_error(
                "When calling `make_array_from_process_local_data` on a single process, "
                "global_shape should be None or equal to local_data.shape, got: "
                f"global_shape={shape} and local_data.shape={np.shape(data)}"
            )
        return device_put(data, sharding)
    own = np.shape(data)
    if shape is None:
        shape = tuple(size * _num_shares(sharding, dim, len(own)) for dim, size in enumerate(own))
    if len(shape) != len(own):
        raise value_error(
            "make_array_from_process_local_data: local_data must have the rank of global_shape, "
            f"{len(shape)}, got: {len(own)}"
        )
    # The bounds of this process's parts along each dimension, in the order of its data.
    found = addressable_blocks(sharding, shape)
    bounds = [
        sorted({block.index[dim].indices(size)[:2] for block in found})
        for dim, size in enumerate(shape)
    ]
    for dim, (has, size) in enumerate(zip(own, shape, strict=True)):
        share = sum(stop - start for start, stop in bounds[dim])
        if has not in (size, share):
            raise value_error(
                "Invalid host data, each dimension should match either global or process shape. "
                f"In dimension {dim} the process data has {has} elements. Process addresses "
                f"{share} elements and global_shape is {shape}, got: local_data of shape {own}"
            )

    def elements(index: Index) -> Any:
        within = []
        for dim, part in enumerate(index):
            start, stop, _ = part.indices(shape[dim])
            if own[dim] != shape[dim]:
                before = sum(last - first for first, last in bounds[dim] if first < start)
                start, stop = before, before + stop - start
            within.append(slice(start, stop))
        return data[tuple(within)]

    data = np.asarray(data) if not isinstance(data, Array) else data._value()
    return make_array_from_callback(shape, sharding, elements)


def _num_shares(sharding: Sharding, dim: int, rank: int) -> int:
    """The number of processes among which a dimension is divided."""
    shares: dict[int, set[Any]] = {}
    for block in blocks(sharding, (sharding.num_devices,) * rank):
        part = block.index[dim]
        shares.setdefault(block.device.process_index, set()).add((part.start, part.stop))
    distinct = {frozenset(parts) for parts in shares.values()}
    if sum(map(len, distinct)) != len(frozenset().union(*distinct)):
        raise value_error(
            "make_array_from_process_local_data: processes must have the same or disjoint parts of "
            f"dimension {dim}, got: {sharding}; pass global_shape, and all elements along it"
        )
    return len(distinct)


def _for_each(given: Any, tree: Any, what: str) -> list[Any]:
    if isinstance(given, (Sharding, P)):
        return [given] * len(flatten(tree)[0])
    return broadcast_prefix(given, tree, what)


class _Shape:
    """A shape as one leaf of a tree."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


def _checked_sharding(sharding: Any, name: str) -> Sharding:
    if not isinstance(sharding, Sharding):
        raise type_error(
            f"{name}: sharding should be an instance of `dovetail.sharding.Sharding`, got: "
            f"{sharding!r}"
        )
    return platforms.sharding_meant(sharding, name)


def _as_part(name: str, value: Any) -> Array:
    if isinstance(value, AnyTracer):
        raise LeakedTracerError(
            f"{name} cannot be called within a traced context, got: a value of "
            f"`{value._trace.name}`, which is being traced, {here()}"
        )
    return as_operand(name, value)


def _by_device(name: str, arrays: Any) -> dict[Any, Array]:
    """The arrays by the device that each is on."""
    if not isinstance(arrays, (list, tuple)):
        raise type_error(
            f"{name} `arrays` argument must be a list or tuple, but got {type(arrays)}"
        )
    found = {}
    for array in arrays:
        if isinstance(array, AnyTracer):
            raise value_error(
                f"{name} requires a list of concrete arrays as input, but got types "
                f"{ {*map(type, arrays)} }"
            )
        if type(array) is not Array:
            raise type_error(
                f"{name}: Unsupported type for elements in `arrays`, got: {type(array)}"
            )
        if len(array.devices()) != 1:
            raise value_error(
                "When making an array from single-device arrays the input arrays must have one "
                f"shard each. An argument array had {len(array.devices())} shard(s)"
            )
        found[array.device] = array
    if len(found) != len(arrays):
        raise value_error(
            "When making an array from single-device arrays, the input arrays must be from distinct"
            f" devices, but got device IDs {[array.device.id for array in arrays]}"
        )
    return found


def _assembled(
    name: str,
    shape: tuple[int, ...],
    sharding: Sharding,
    blocks: Sequence[Block],
    arrays: Sequence[Array],
    dtype: Any,
) -> Array:
    """The array with the given parts, one for each device."""
    if not arrays and dtype is None:
        raise value_error(
            "If the Array has no addressable shards, `dtype` must be provided via the `dtype` "
            f"argument to `{name}`, got: None"
        )
    element = arrays[0].dtype if dtype is None else dtypes.requested(dtype, name)
    largest = sharding.shard_shape(shape)
    for block, array in zip(blocks, arrays, strict=True):
        if array.dtype != element and dtype is not None:
            raise value_error(
                f"If `dtype` is provided to `{name}`, it must match the dtype of the addressable "
                f"shards, got: dtype={element.name} and shard dtype={array.dtype.name}"
            )
        if array.dtype != element:
            raise value_error(
                "Input buffers to `Array` must have matching dtypes, got: "
                f"{array.dtype.name} and {element.name}"
            )
        expected = block.shape_in(shape)
        if array.shape not in (expected, largest):
            raise value_error(
                f"Expected shard shape {expected} doesn't match the single device array shape "
                f"{array.shape}. Shape of Array is {ShapedArray(shape, element)} with sharding "
                f"{sharding}"
            )
    parts = [
        moved(array._data, SingleDeviceSharding(block.device))
        for block, array in zip(blocks, arrays, strict=True)
    ]
    return Array(joined(sharding, shape, element, parts), False, place_of(sharding))


def local_part(array: Array, sharding: NamedSharding) -> Array:
    """The part of an array on devices of this process, as an array over them."""
    if array.is_fully_addressable:
        return array
    shards = array.addressable_shards
    shape = tuple(
        sum(stop - start for start, stop in {s.index[dim].indices(size)[:2] for s in shards})
        for dim, size in enumerate(array.shape)
    )
    return make_array_from_single_device_arrays(shape, sharding, [s.data for s in shards])
