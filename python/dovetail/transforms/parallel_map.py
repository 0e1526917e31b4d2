"""pmap: a function of one element, run for each element on its own device."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.ops.operands import canonical_axis
from dovetail.ops.shapes import move_dim
from dovetail.placement.devices import process_count, process_index
from dovetail.placement.meshes import Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P
from dovetail.placement.platforms import devices as devices_of
from dovetail.programs.assembly import local_part, make_array_from_process_local_data
from dovetail.programs.jit import jit
from dovetail.programs.transfers import device_put
from dovetail.tracing.arguments import LeafNames, as_operand, described, name_of, results_of
from dovetail.tracing.bind import has_tracers
from dovetail.transforms.batching import UNBATCHED, batch_dim, batch_size, check_axes, with_objects
from dovetail.transforms.manual import Manual
from dovetail.transforms.shard_mapping import on_parts
from dovetail.trees.pytree import broadcast_prefix, count_leaves, flatten, unflatten

# The axis of a function that does not name one.
_UNNAMED = "pmap_axis"


def pmap(
    fun: Callable[..., Any],
    axis_name: Hashable | None = None,
    *,
    in_axes: Any = 0,
    out_axes: Any = 0,
    static_broadcasted_argnums: int | Iterable[int] = (),
    devices: Sequence[Any] | None = None,
    backend: str | None = None,
    axis_size: int | None = None,
    donate_argnums: int | Iterable[int] = (),
) -> Callable[..., Any]:
    """A compiled function that applies `fun` to the elements of a batch, each on its own device.

    Args:
      fun: the function of one element.
      axis_name: the name of the devices' axis in the collectives of `dovetail.lax` in `fun`.
      in_axes: the dimension of the arguments that has one element for each device, None for an
        argument that all devices get; an int, or a tuple with a prefix of the tree of each. For
        keyword arguments it is the first.
      out_axes: the dimension of the results, likewise; None for a result that is the same on all.
      static_broadcasted_argnums: numbers of arguments that are passed unchanged.
      devices: the devices; by default the first ones. Over devices of several processes, which
        must be all, arguments and results have the elements of the calling process.
      backend: their platform.
      axis_size: the number of elements, checked against the arguments.
      donate_argnums: numbers of arguments whose memory results may use.

    Returns:
      The function over a batch.

    Raises:
      TypeError: in_axes or out_axes are no trees of ints.
      ValueError: there are fewer devices than elements, sizes differ, or no argument has elements.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.pmap(lambda x: x + 1)(dnp.arange(3.0).reshape(1, 3))
      Array([[1., 2., 3.]], dtype=float32)
    """
    check_axes("pmap", in_axes, out_axes)
    if devices is not None and not len(devices):
        raise value_error("'devices' argument to pmap must be non-empty, or None. got: none")
    static = _as_tuple(static_broadcasted_argnums)
    axis = _UNNAMED if axis_name is None else axis_name
    name = name_of(fun)

    @described(fun, f"Applies {name} to the elements of a batch, each on its own device.")
    def whole(*args: Any, **kwargs: Any) -> Any:
        fixed = {number % len(args) for number in static} if args else set()
        kept = {i: args[i] for i in fixed}
        given = tuple(arg for i, arg in enumerate(args) if i not in fixed)
        leaves, spec = flatten((given, kwargs))
        axes = _axes_of(in_axes, args, fixed) + [0] * count_leaves(kwargs)
        names = LeafNames(fun, given, kwargs)
        operands = [as_operand(leaf, names.at(i)) for i, leaf in enumerate(leaves)]
        dims = [
            batch_dim("pmap", operand, at, names, i)
            for i, (operand, at) in enumerate(zip(operands, axes, strict=True))
        ]
        size = batch_size("pmap", operands, dims, names, axis_size, name)
        over = Manual.of(_mesh(axis, size, devices, backend), {axis}, name, False)
        first = [
            x if dim == UNBATCHED else move_dim(x, dim, 0)
            for x, dim in zip(operands, dims, strict=True)
        ]
        out_spec: Any = None
        positions: list[Any] = []

        def part(*parts: Any) -> list[Any]:
            nonlocal out_spec, positions
            elements = [
                x if dim == UNBATCHED else ops.reshape(x, x.shape[1:])
                for x, dim in zip(parts, dims, strict=True)
            ]
            values, keywords = unflatten(spec, elements)
            result = fun(*with_objects(values, kept), **keywords)
            outs, out_spec = flatten(result)
            positions = broadcast_prefix(out_axes, result, "pmap out_axes")
            arrays = results_of(fun, outs, out_spec)
            return [
                x if at is None else ops.reshape(x, (1, *x.shape))
                for x, at in zip(arrays, positions, strict=True)
            ]

        in_specs = [P() if dim == UNBATCHED else P(axis) for dim in dims]
        outs = on_parts(
            part,
            over,
            tuple(first),
            in_specs,
            lambda result: [P() if at is None else P(axis) for at in positions],
        )
        return unflatten(
            out_spec,
            [
                x if at is None else move_dim(x, 0, canonical_axis(at, x.ndim))
                for x, at in zip(outs, positions, strict=True)
            ],
        )

    mapped = jit(whole, static_argnums=static, donate_argnums=_as_tuple(donate_argnums))

    @described(fun, mapped.__doc__)
    def of_this_process(*args: Any, **kwargs: Any) -> Any:
        # Functions may be mapped before `distributed.initialize` is called.
        if not _is_elsewhere(devices):
            return mapped(*args, **kwargs)
        fixed = {number % len(args) for number in static} if args else set()
        axes = iter(_axes_of(in_axes, args, fixed) + [0] * count_leaves(kwargs))
        mesh = _mesh(axis, None, devices, backend)

        def spread(tree: Any) -> Any:
            leaves, spec = flatten(tree)
            if has_tracers(leaves):
                raise NotImplementedError(
                    "pmap: a function over devices of several processes must be called with arrays "
                    f"of each process, got: tracers; call {name} outside of other transforms"
                )
            return unflatten(spec, [_spread(leaf, next(axes), mesh, axis) for leaf in leaves])

        given = [arg if i in fixed else spread(arg) for i, arg in enumerate(args)]
        outs, out_spec = flatten(mapped(*given, **spread(kwargs)))
        positions = broadcast_prefix(out_axes, unflatten(out_spec, outs), "pmap out_axes")
        # All results are on devices of all processes; the caller gets the elements of this one's.
        return unflatten(
            out_spec, [_own(x, at, mesh, axis) for x, at in zip(outs, positions, strict=True)]
        )

    of_this_process.__wrapped__ = fun
    for stage in ("lower", "trace", "eval_shape", "clear_cache"):
        setattr(of_this_process, stage, getattr(mapped, stage))
    return of_this_process


def _is_elsewhere(devices: Sequence[Any] | None) -> bool:
    """Whether a function runs on devices of other processes, too."""
    return process_count() > 1 and (
        devices is None or any(d.process_index != process_index() for d in devices)
    )


def _spread(leaf: Any, at: int | None, mesh: Mesh, axis: Hashable) -> Array:
    """The elements of all processes, given those of this one; None for one value of all."""
    if isinstance(leaf, Array) and not leaf.is_fully_addressable:
        return leaf
    array = np.asarray(leaf)
    if at is None:
        return device_put(array, NamedSharding(mesh, P()))
    at = canonical_axis(at, array.ndim)
    own = len(mesh.local_devices)
    if array.shape[at] != own:
        raise value_error(
            "pmap: the mapped axis must have one element for each of the devices of this process, "
            f"{own}, got: {array.shape[at]}"
        )
    sharding = NamedSharding(mesh, P(*[None] * at, axis))
    return make_array_from_process_local_data(sharding, array)


def _own(array: Array, at: int | None, mesh: Mesh, axis: Hashable) -> Array:
    """What devices of this process have of a result along its mapped dimension."""
    dims = () if at is None else (*[None] * canonical_axis(at, array.ndim), axis)
    return local_part(array, NamedSharding(mesh.local_mesh, P(*dims)))


def _as_tuple(numbers: int | Iterable[int]) -> tuple[int, ...]:
    return (numbers,) if isinstance(numbers, int) else tuple(numbers)


def _axes_of(in_axes: Any, args: Sequence[Any], fixed: Container[int]) -> list[Any]:
    """The dimension of the elements of each leaf of the arguments that are not fixed."""
    if isinstance(in_axes, (tuple, list)):
        if len(in_axes) != len(args):
            raise value_error(
                f"pmap in_axes must have one entry for each positional argument, {len(args)}; "
                f"each argument passed by keyword is mapped over its leading axis, got: {in_axes!r}"
            )
        in_axes = tuple(axis for i, axis in enumerate(in_axes) if i not in fixed)
    given = tuple(arg for i, arg in enumerate(args) if i not in fixed)
    return broadcast_prefix(in_axes, given, "pmap in_axes")


def _mesh(
    axis: Hashable, size: int | None, devices: Sequence[Any] | None, backend: str | None
) -> Mesh:
    """The first devices along an axis; all if there is no size."""
    available = devices_of(backend) if devices is None else devices
    if size is not None and size > len(available):
        raise value_error(
            "pmap: the mapped axis must have at most as many elements as there are devices, "
            f"{len(available)}, got: {size}; set DOVETAIL_NUM_CPU_DEVICES, or use vmap"
        )
    return Mesh(np.array(available[:size]), (axis,))
