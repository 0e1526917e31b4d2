"""Functions over the processes that share a program."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.placement.meshes import Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P
from dovetail.programs.assembly import local_part, make_array_from_process_local_data
from dovetail.programs.transfers import device_put
from dovetail.runtime import processes
from dovetail.trees.pytree import broadcast_prefix, flatten, map_leaves, unflatten


def broadcast_one_to_all(in_tree: Any, is_source: bool | None = None) -> Any:
    """The data of one process, in all of them.

    Args:
      in_tree: a tree of arrays, of the same shapes in each process.
      is_source: whether this process has the data; by default the first one does.

    Returns:
      The same tree of NumPy arrays.

    Example:
      >>> broadcast_one_to_all({"step": 3})
      {'step': array(3)}
    """
    group = processes.current()
    if group is None:
        return map_leaves(np.asarray, in_tree)
    if is_source is None:
        is_source = group.index == 0

    def broadcast(leaf: Any) -> np.ndarray:
        data = np.asarray(leaf)
        what = f"broadcast_one_to_all of {data.dtype}{list(data.shape)}"
        found = group.gathered(data.tobytes() if is_source else b"", what)
        sent = [part for part in found if part] or ([b""] if data.size == 0 else [])
        if len(sent) != 1:
            raise value_error(
                "broadcast_one_to_all: is_source must be True in one process, got: "
                f"{len(sent)} of {group.count}"
            )
        return np.frombuffer(sent[0], data.dtype).reshape(data.shape)

    return map_leaves(broadcast, in_tree)


def process_allgather(in_tree: Any, tiled: bool = False) -> Any:
    """The data of all processes, in each of them.

    Args:
      in_tree: a tree of arrays, of the same shapes in each process.
      tiled: whether to concatenate the arrays of the processes instead of stacking them. Arrays
        that are not fully addressable must be `tiled`.

    Returns:
      The same tree of NumPy arrays. Unless `tiled`, they have an additional first dimension, over
      the processes. Of arrays that are not fully addressable, all elements.

    Raises:
      ValueError: `tiled` is False for an array that is not fully addressable.

    Example:
      >>> process_allgather(np.arange(2)), process_allgather(np.arange(2), tiled=True)
      (array([[0, 1]]), array([0, 1]))
    """
    return map_leaves(lambda leaf: _gathered(leaf, tiled), in_tree)


def _gathered(leaf: Any, tiled: bool) -> np.ndarray:
    if isinstance(leaf, Array) and not leaf.is_fully_addressable:
        if not tiled:
            raise value_error(
                "Gathering global non-fully-addressable arrays only supports tiled=True, got: "
                f"tiled=False for an array with {leaf.sharding}"
            )
        return np.asarray(device_put(leaf, leaf.sharding.replicated()))
    data, group = np.asarray(leaf), processes.current()
    parts = [data]
    if group is not None:
        what = f"process_allgather of {data.dtype}{list(data.shape)}"
        found = group.gathered(data.tobytes(), what)
        parts = [np.frombuffer(part, data.dtype).reshape(data.shape) for part in found]
    if tiled and (data.ndim or group is None):
        return data if group is None else np.concatenate(parts)
    return np.stack(parts)


def sync_global_devices(name: str) -> None:
    """Wait until all processes have reached this point.

    Args:
      name: the same text in all processes.

    Raises:
      CollectiveError: another process does something else, or has ended.

    Example:
      >>> sync_global_devices("before the checkpoint")
    """
    if (group := processes.current()) is not None:
        group.barrier(f"sync_global_devices({name!r})")


def assert_equal(in_tree: Any, fail_message: str = "") -> None:
    """Check that all processes have the same tree of values.

    Args:
      in_tree: the tree of arrays.
      fail_message: the beginning of the message if they do not.

    Raises:
      AssertionError: they do not.

    Example:
      >>> assert_equal({"seed": 0})
    """
    leaves = [
        np.asarray(leaf.addressable_data(0) if isinstance(leaf, Array) else leaf)
        for leaf in flatten(in_tree)[0]
    ]
    if (group := processes.current()) is None:
        return
    hashed = hashlib.sha256()
    for leaf in leaves:
        hashed.update(f"{leaf.dtype}{leaf.shape}".encode() + leaf.tobytes())
    found = group.gathered(hashed.digest(), "assert_equal")
    others = [i for i, digest in enumerate(found) if digest != hashed.digest()]
    if others:
        raise AssertionError(
            f"{fail_message}. All processes must have the same values, got: others in process "
            f"{', '.join(map(str, others))} than in process {group.index}, which has {in_tree}"
        )


def reached_preemption_sync_point(step_id: int) -> bool:
    """True if all processes should save a checkpoint because one is about to be stopped.

    Args:
      step_id: the number of the step.

    Returns:
      False: nothing announces it.

    Example:
      >>> reached_preemption_sync_point(10)
      False
    """
    return False


def host_local_array_to_global_array(local_inputs: Any, global_mesh: Mesh, pspecs: Any) -> Any:
    """Arrays over all devices of a mesh, from the data of each process.

    Args:
      local_inputs: a tree of arrays, with the part of this process.
      global_mesh: the mesh.
      pspecs: a `PartitionSpec`, or a tree of them that is a prefix of `local_inputs`.

    Returns:
      The same tree of arrays, committed to the shardings of the specs.

    Raises:
      ValueError: a spec is None, names an axis that the mesh does not have, or is for arrays of a
        higher rank.

    Example:
      >>> import dovetail as dt
      >>> mesh = dt.make_mesh((1,), ("data",))
      >>> host_local_array_to_global_array(np.arange(2), mesh, dt.P("data")).sharding.spec
      P('data',)
    """
    leaves, spec = flatten(local_inputs)
    wanted = _shardings(local_inputs, global_mesh, pspecs, "input pspecs")
    moved = [
        leaf
        if isinstance(leaf, Array) and not leaf.is_fully_addressable
        else make_array_from_process_local_data(to, leaf)
        for leaf, to in zip(leaves, wanted, strict=True)
    ]
    return unflatten(spec, moved)


def global_array_to_host_local_array(global_inputs: Any, global_mesh: Mesh, pspecs: Any) -> Any:
    """The part of arrays over all devices of a mesh that is on devices of this process.

    Args:
      global_inputs: a tree of arrays.
      global_mesh: the mesh.
      pspecs: a `PartitionSpec`, or a tree of them that is a prefix of `global_inputs`.

    Returns:
      The same tree of arrays, on the devices of the mesh that belong to this process. Arrays that
      are fully addressable are returned unchanged.

    Raises:
      ValueError: a spec is None, names an axis that the mesh does not have, or is for arrays of a
        higher rank.

    Example:
      >>> import dovetail as dt
      >>> mesh = dt.make_mesh((1,), ("data",))
      >>> global_array_to_host_local_array(dnp.arange(2), mesh, dt.P("data"))
      Array([0, 1], dtype=int32)
    """
    leaves, spec = flatten(global_inputs)
    wanted = _shardings(global_inputs, global_mesh.local_mesh, pspecs, "output pspecs")
    moved = [
        (local_part(leaf, to) if isinstance(leaf, Array) else device_put(leaf, to))
        for leaf, to in zip(leaves, wanted, strict=True)
    ]
    return unflatten(spec, moved)


def _shardings(tree: Any, mesh: Mesh, specs: Any, what: str) -> list[NamedSharding]:
    """The sharding of each leaf of a tree."""
    found = broadcast_prefix(specs, tree, what)
    for spec in found:
        if not isinstance(spec, P):
            raise value_error(
                f"`{spec}` is not a valid input to the pspecs argument, which takes PartitionSpecs,"
                f" got: {spec!r}; use dovetail.P() to have all elements on every device"
            )
    return [NamedSharding(mesh, spec) for spec in found]
