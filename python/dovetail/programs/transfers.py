"""Transfers of arrays to devices and back to the host."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.arrays.array import Array, ArrayMethods
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base.errors import value_error
from dovetail.base.trace_stack import current
from dovetail.ops.operands import as_operand
from dovetail.placement import platforms
from dovetail.placement.devices import MEMORY_KINDS, Device
from dovetail.placement.layouts import Format
from dovetail.placement.memories import Space
from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import Sharding
from dovetail.placement.transfer_guards import explicit
from dovetail.tracing.composed import as_equation, makes_equations
from dovetail.tracing.tracer import AnyTracer, Tracer
from dovetail.trees.pytree import (
    ARRAY_NODES,
    broadcast_prefix,
    flatten,
    map_leaves,
    unflatten,
)


def put(x: Any, device: Any, copy: bool = False, name: str = "device_put") -> Any:
    """An array, committed to devices; a tracer with a constraint if that is a sharding over a mesh.

    Args:
      x: the array.
      device: a device, a sharding, a partition spec, or a text such as "cpu".
      copy: whether the result must have memory of its own.
      name: of the function that was given `device`, for messages.
    """
    sharding = platforms.sharding_meant(device, name)
    if type(x) is Array and not sharding.is_fully_addressable and x.is_fully_addressable:
        _check_same(x, sharding, name)
    return x._committed_to(sharding, copy)


def _check_same(x: Array, sharding: Sharding, name: str) -> None:
    """Check that all processes put the same values on their devices."""
    from dovetail.runtime import processes  # lazy

    group = processes.current()
    members = sorted({device.process_index for device in sharding._device_assignment})
    if group is None or group.index not in members:
        return
    digest = hashlib.sha256(x._value().tobytes()).digest()
    found = group.gathered(digest, f"{name} of {x.aval} to {sharding}", members)
    others = [process for process, other in zip(members, found, strict=True) if other != digest]
    if others:
        raise value_error(
            f"{name}: an array on devices of several processes must have the same values in each, "
            f"got: {x.aval} with others in process {', '.join(map(str, others))} than in process "
            f"{group.index}; make_array_from_process_local_data takes those of each process"
        )


def beside(x: Any, other: Any) -> Any:
    """An array, committed as another array, or a description, is if that one is committed: of the
    same shape, or as a whole on each device.
    """
    if isinstance(other, ArrayMethods) and other.aval.explicit and x.shape == other.shape:
        trace = current()
        if trace is not None:
            sharding = other.aval.explicit
            return trace.reshard(x, sharding, bool(sharding.mesh.auto_axes))
    is_committed = type(other) is Array and other.committed
    sharding = other.sharding if is_committed or isinstance(other, ShapeDtypeStruct) else None
    if sharding is None:
        return x
    if x.shape == other.shape:
        return put(x, sharding)
    return put(x, sharding.replicated()) if sharding.is_fully_replicated else x


def device_put(
    x: Any, device: Any = None, *, src: Any = None, donate: Any = False, may_alias: Any = None
) -> Any:
    """The tree with its leaves as arrays on devices, committed to them: what is computed of them is
    computed there.

    Args:
      x: a tree of arrays, NumPy arrays and numbers.
      device: a device, a sharding, a `PartitionSpec` over the mesh of `set_mesh`, a text such as
        "cpu:1", a `memory.Space`, or a tree of these that is a prefix of `x`; None leaves arrays
        where they are, and puts what is none on the default device, uncommitted. Memory spaces
        leave the device as it is. The memories of a CPU, such as "pinned_host", are names of one;
        what is computed of an array in "pinned_host" is in it, too.
      src: accepted for JAX's sake.
      donate: whether the arrays given are of no more use, or a tree of this; nothing follows.
      may_alias: False to have the results in memory of their own, or a tree of this. NumPy arrays
        are copied in any case.

    Returns:
      The same tree of arrays. In a traced program, a sharding over a mesh is a constraint, as by
      `lax.with_sharding_constraint`, and arrays are not moved to another device.

    Raises:
      ValueError: there is no such device, a sharding is for arrays of a higher rank, there is no
        mesh for a `PartitionSpec`, or `donate` and `may_alias` are both true.
      NotImplementedError: `memory.Space.Host` for an array on a device with memory of its own.

    Example:
      >>> import dovetail as dt
      >>> x = dt.device_put({"x": 1.5}, dt.devices()[0])["x"]
      >>> x, x.device, x.committed
      (Array(1.5, dtype=float32, weak_type=True), CpuDevice(id=0), True)
      >>> mesh = dt.make_mesh((1,), ("data",))
      >>> dt.device_put([1.0, 2.0], dt.NamedSharding(mesh, dt.P()))[1].sharding.spec
      P()
    """
    leaves, spec = flatten(x)
    wanted = _for_each(device, x, "device")
    aliases = _for_each(may_alias, x, "may_alias")
    for given, alias in zip(_for_each(donate, x, "donate"), aliases, strict=True):
        if given and alias:
            raise value_error(
                "device_put: may_alias and donate cannot be True at the same time. got: both; "
                "donate lets go of the array, which an alias would keep"
            )
    nodes = flatten(x, lambda node: type(node) in ARRAY_NODES)[0]

    def moved(*leaves: Any, **_: Any) -> list[Any]:
        results = []
        for leaf, node, where, alias in zip(leaves, nodes, wanted, aliases, strict=True):
            array, copy = as_operand("device_put", leaf), alias is False
            if isinstance(where, Space):
                _check_memory(array, where)
                array, where = _in_memory(array, _KINDS[where]), None
            if isinstance(where, Format):
                where = where.for_shape(array.shape, "device_put")
            if where is not None:
                where = platforms.sharding_meant(_checked(where), "device_put")
                # Not over the words of random keys.
                rank = array.ndim - getattr(node, "hidden_ndim", 0)
                check_rank(where, array.shape[:rank], "device_put args")
                array = put(array, where, copy)
            elif type(array) is Array and type(leaf) is not Array:
                # Uncommitted, also where the mesh of the context has what ops compute.
                place = array._place
                if place is not None and place.is_committed:
                    array = Array(array._value(), array.weak_type)
            elif copy and type(array) is Array:
                array = array.copy()
            results.append(array)
        return results

    with explicit():
        if not makes_equations() or not leaves or any(hasattr(x, "hidden_ndim") for x in nodes):
            return unflatten(spec, moved(*leaves))
        params = {
            "devices": tuple(_device_meant(where) for where in wanted),
            "srcs": tuple(_for_each(src, x, "src")),
            "copy_semantics": tuple(
                map(ArrayCopySemantics.of, _for_each(donate, x, "donate"), aliases)
            ),
        }
        operands = [as_operand("device_put", leaf) for leaf in leaves]
        return unflatten(spec, as_equation("device_put", moved, operands, params))


class ArrayCopySemantics(enum.IntEnum):
    """What an equation of `device_put` does with the memory of its operand."""

    REUSE_INPUT = 0
    DONATE_INPUT = 1
    ALWAYS_COPY = 2

    @staticmethod
    def of(donate: Any, may_alias: Any) -> ArrayCopySemantics:
        """What the arguments of `device_put` mean."""
        kinds = ArrayCopySemantics
        if donate:
            return kinds.DONATE_INPUT
        return kinds.ALWAYS_COPY if may_alias is False else kinds.REUSE_INPUT

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"


def check_rank(sharding: Sharding, shape: tuple[int, ...], what: str | Callable[[], str]) -> None:
    """Check that a sharding is for arrays of no more dimensions than a shape has.

    Args:
      what: whose shape it is, for messages, or what returns that.

    Raises:
      ValueError: it is not.
    """
    try:
        sharding.check_compatible_aval(shape)
    except ValueError as error:
        whose = what if isinstance(what, str) else what()
        raise ValueError(
            f"One of {whose} is incompatible with its sharding annotation {sharding}: {error}"
        ) from None


def _device_meant(where: Any) -> Any:
    """A device or a sharding, for one that a text or a spec names."""
    if isinstance(where, (str, P)):
        return platforms.sharding_meant(where, "device_put")
    return where


def _for_each(given: Any, tree: Any, what: str) -> list[Any]:
    """One entry for each leaf of a tree, of one value or of a prefix of the tree."""
    if isinstance(given, (bool, str, Device, Sharding, P, Space, Format)) or given is None:
        return [given] * len(flatten(tree)[0])
    return broadcast_prefix(given, tree, f"device_put {what}")


def _check_memory(array: Any, space: Space) -> None:
    """Check that an array is in a memory, of its own devices."""
    if space is Space.Host and type(array) is Array:
        others = [device for device in array.devices() if device.platform != "cpu"]
        if others:
            raise NotImplementedError(
                f"device_put: arrays of {others[0]} can only be in its own memory, got: {space}; "
                'device_put(x, "cpu") moves them to the host'
            )


# The kinds of memory that spaces mean.
_KINDS = {Space.Device: MEMORY_KINDS[0], Space.Host: "pinned_host", Space.Any: None}


def _in_memory(array: Any, kind: str | None) -> Any:
    """An array in another memory of its devices."""
    if kind is None:
        return array
    in_progress = current()
    if type(array) is Tracer:
        return array if in_progress is None else in_progress.in_memory(array, kind)
    if kind not in array.sharding._device_assignment[0].memory_kinds:
        return array
    return array._committed_to(array.sharding.with_memory_kind(kind))


def _checked(device: Any) -> Any:
    if isinstance(device, (Device, Sharding, P, str)):
        return device
    raise value_error(
        "device_put: device must be a device, a sharding, a PartitionSpec, a text such as 'cpu:1', "
        f"None, or a tree of these, got: {device!r}"
    )


def device_get(x: Any) -> Any:
    """The tree with its arrays as NumPy arrays.

    Args:
      x: a tree of arrays; other leaves are unchanged, and values of functions that are traced.

    Returns:
      The same tree of NumPy arrays, of the leaves' shapes and dtypes.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.device_get({"x": dnp.arange(3)})
      {'x': array([0, 1, 2], dtype=int32)}
    """

    def fetched(leaf: Any) -> Any:
        is_array = hasattr(leaf, "__array__") and not isinstance(leaf, AnyTracer)
        return np.asarray(leaf) if is_array else leaf

    with explicit():
        return map_leaves(fetched, x)


def copy_to_host_async(x: Any) -> Any:
    """Start copying the arrays of a tree to the host, for a later `device_get`.

    Args:
      x: a tree; leaves without a method of this name are ignored.

    Returns:
      The tree itself.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.copy_to_host_async({"x": dnp.arange(3)})
      {'x': Array([0, 1, 2], dtype=int32)}
    """
    for leaf in flatten(x)[0]:
        if hasattr(leaf, "copy_to_host_async"):
            leaf.copy_to_host_async()
    return x
