"""pmap: a function of one element, run for each element on its own device."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.placement.meshes import Mesh
from dovetail.placement.partition_spec import P
from dovetail.placement.platforms import devices as devices_of
from dovetail.programs.jit import jit
from dovetail.tracing.arguments import LeafNames, as_operand, described, name_of
from dovetail.transforms.shard_mapping import Manual, on_parts
from dovetail.trees.pytree import broadcast_prefix, flatten, unflatten

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
      devices: the devices; by default the first ones.
      backend: their platform.
      axis_size: the number of elements, checked against the arguments.
      donate_argnums: numbers of arguments whose memory results may use.

    Returns:
      The function over a batch.

    Raises:
      ValueError: there are fewer devices than elements, sizes differ, or no argument has elements.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.pmap(lambda x: x + 1)(dnp.arange(3.0).reshape(1, 3))
      Array([[1., 2., 3.]], dtype=float32)
    """
    static = (
        (static_broadcasted_argnums,)
        if isinstance(static_broadcasted_argnums, int)
        else tuple(static_broadcasted_argnums)
    )
    donated = donate_argnums if isinstance(donate_argnums, int) else tuple(donate_argnums)
    axis = _UNNAMED if axis_name is None else axis_name

    @described(fun, f"Applies {name_of(fun)} to the elements of a batch, each on its own device.")
    def whole(*args: Any, **kwargs: Any) -> Any:
        dynamic = tuple(i for i in range(len(args)) if i not in {n % len(args) for n in static})
        kept = {i: args[i] for i in range(len(args)) if i not in dynamic}
        given = [args[i] for i in dynamic]
        leaves, spec = flatten((given, kwargs))
        axes = [*_axes_of(in_axes, args, dynamic), *[0] * (len(leaves) - len(flatten(given)[0]))]
        names = LeafNames(fun, tuple(given), kwargs)
        operands = [as_operand(leaf, names.at(i)) for i, leaf in enumerate(leaves)]
        size = _size_of(operands, axes, names, axis_size, fun)
        available = devices_of(backend) if devices is None else devices
        if size > len(available):
            raise value_error(
                f"pmap: the mapped axis must have at most as many elements as there are devices, "
                f"{len(available)}, got: {size}; set DOVETAIL_NUM_CPU_DEVICES, or use vmap"
            )
        mesh = Mesh(np.array(available[:size]), (axis,))
        first = [_moved(x, at, 0) for x, at in zip(operands, axes, strict=True)]
        positions: list[Any] = []

        def specs_of(axes: Sequence[Any]) -> list[P]:
            return [P() if at is None else P(axis) for at in axes]

        out_spec: list[Any] = []

        def part(*parts: Any) -> Any:
            own = [
                x if at is None else _without_first(x) for x, at in zip(parts, axes, strict=True)
            ]
            values, keywords = unflatten(spec, own)
            result = fun(*_merged(values, kept, len(args)), **keywords)
            outs, tree = flatten(result)
            positions[:] = broadcast_prefix(out_axes, result, "pmap out_axes")
            out_spec[:] = [tree]
            arrays = [as_operand(out, f"a result of `{name_of(fun)}`") for out in outs]
            return [
                x if at is None else ops.reshape(x, (1, *x.shape))
                for x, at in zip(arrays, positions, strict=True)
            ]

        over = Manual.of(mesh, frozenset(), name_of(fun), False)
        outs = on_parts(
            part, over, tuple(first), specs_of(axes), lambda result: specs_of(positions)
        )
        return unflatten(
            out_spec[0], [_moved(x, 0, at) for x, at in zip(outs, positions, strict=True)]
        )

    return jit(whole, static_argnums=static, donate_argnums=donated)


def _axes_of(in_axes: Any, args: Sequence[Any], dynamic: Sequence[int]) -> list[Any]:
    """The dimension of the elements of each leaf."""
    if isinstance(in_axes, (tuple, list)):
        if len(in_axes) != len(args):
            raise value_error(
                "pmap in_axes must have one entry for each positional argument, "
                f"{len(args)}, got: {in_axes!r}"
            )
        in_axes = tuple(in_axes[i] for i in dynamic)
    return broadcast_prefix(in_axes, tuple(args[i] for i in dynamic), "pmap in_axes")


def _size_of(
    operands: Sequence[Any], axes: Sequence[Any], names: LeafNames, size: int | None, fun: Any
) -> int:
    """The number of elements."""
    for i, (operand, axis) in enumerate(zip(operands, axes, strict=True)):
        if axis is None:
            continue
        if not -operand.ndim <= axis < operand.ndim:
            raise value_error(
                f"pmap in_axes must be a dimension of the argument, got: {axis} for {names.at(i)} "
                f"of type {operand.aval}"
            )
        own = operand.shape[axis]
        if size is not None and own != size:
            raise value_error(
                f"pmap got inconsistent sizes for array axes to be mapped: {size} and {own}, got: "
                f"{operand.aval} for {names.at(i)}"
            )
        size = own
    if size is None:
        raise value_error(
            "pmap must be passed at least one argument with a mapped axis, or axis_size, got: "
            f"neither for `{name_of(fun)}`"
        )
    return size


def _moved(x: Any, source: int | None, target: int | None) -> Any:
    """An array with a dimension moved to another place."""
    if source is None or target is None or not x.ndim or source % x.ndim == target % x.ndim:
        return x
    order = [dim for dim in range(x.ndim) if dim != source % x.ndim]
    order.insert(target % x.ndim, source % x.ndim)
    return ops.transpose(x, tuple(order))


def _without_first(x: Any) -> Array:
    return ops.reshape(x, x.shape[1:])


def _merged(values: Sequence[Any], kept: dict[int, Any], count: int) -> list[Any]:
    """All positional arguments."""
    dynamic = iter(values)
    return [kept[i] if i in kept else next(dynamic) for i in range(count)]
