"""vmap: a function of one element applied to each element of a batch at once."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import ArrayMethods, ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.arrays.keys import is_keys
from dovetail.base import errors
from dovetail.base.locations import here
from dovetail.base.trace_stack import current
from dovetail.placement.partition_spec import axes_of
from dovetail.placement.type_shardings import with_dim, without_dim
from dovetail.symbolic.size import is_symbolic_dim
from dovetail.tracing.arguments import (
    Function,
    LeafNames,
    ResultName,
    as_operand_or_ref,
    described,
    name_of,
    results_of,
)
from dovetail.tracing.axes import Axis, mesh_axis_text, new_axis
from dovetail.tracing.bind import zeros
from dovetail.tracing.functions import TracedFunction, apply, trace
from dovetail.tracing.held import Held
from dovetail.tracing.key_references import KeyRef
from dovetail.tracing.references import AbstractRef, Ref, check_references
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms.batched_nodes import batches, elements
from dovetail.trees.float0 import is_float0, set_float0_aside
from dovetail.trees.pytree import broadcast_prefix, count_leaves, flatten, unflatten

# The position of the batch in a value that has none, in the dialect.
UNBATCHED = -1


def vmap(
    fun: Function,
    in_axes: Any = 0,
    out_axes: Any = 0,
    axis_name: Any = None,
    axis_size: int | None = None,
    spmd_axis_name: Hashable | tuple[Hashable, ...] | None = None,
    sum_match: bool = False,
) -> Function:
    """A function that applies `fun` to each element of a batch at once.

    Args:
      fun: the function of one element.
      in_axes: the positions of the batch: an int for all arguments, None for an argument without a
        batch, or a tuple with one entry per argument, each a prefix of that argument's tree.
      out_axes: the positions of the batch in the results, likewise; None for a result that does not
        depend on the batch.
      axis_name: the name of the batch's axis for the collectives of `dovetail.lax` in `fun`.
      axis_size: the size of the batch, checked against the arguments.
      spmd_axis_name: the axis of a mesh over which the batch is divided, or a tuple of them.
        `with_sharding_constraint` in `fun` states that its argument is sharded over it along the
        batch, too, and `shard_map` in `fun` gets a part of the batch on each device.
      sum_match: whether a result that depends on the batch and has None in out_axes is summed over
        the batch.

    Returns:
      The function over a batch; keyword arguments have their batch first.

    Raises:
      ValueError: axes that do not exist, sizes that differ, no batch at all, or a result that
        depends on the batch and has None in out_axes, without sum_match. When `fun` is
        expanded: a spec in it names an axis of spmd_axis_name, or its mesh has no such axis.
      TypeError: in_axes or spmd_axis_name has another form.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.vmap(dnp.dot, in_axes=(None, 0))(dnp.arange(3.0), dnp.ones((2, 3))).shape
      (2,)
    """
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if not (in_axes is None or isinstance(in_axes, (int, tuple))):
        raise TypeError(f"{_IN_AXES}, but got {in_axes!r}.")
    check_axes("vmap", in_axes, out_axes)
    mesh_axes = _mesh_axes(spmd_axis_name)
    name = name_of(fun)

    @described(
        fun,
        f"Vectorized version of {name}: takes its arguments with one dimension more, and applies "
        "it to each element along that.",
    )
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            raise ValueError(
                f"{_IN_AXES}, but got len(in_axes)={len(in_axes)}, len(args)={len(args)} for "
                f"`{name}` {here()}"
            )
        values, spec = flatten((args, kwargs))
        if not values and axis_size is None:
            raise ValueError(
                "vmap wrapped function must be passed at least one argument containing an array or "
                f"axis_size must be specified, got empty *args={args} and **kwargs={kwargs} for "
                f"`{name}` {here()}"
            )
        if Ref in map(type, values):
            _check_whole(name, (args, kwargs))
        axes = broadcast_prefix(in_axes, args, "vmap in_axes", _hint(in_axes, args))
        axes += [0] * count_leaves(kwargs)
        values, spec, axes = _without_float0(values, spec, axes, _shape_without)
        positions_of_batch = axes
        names = LeafNames(fun, args, kwargs)
        # Arguments without a batch are passed unchanged, numbers and arrays of NumPy, too; but
        # arrays, which the function of the dialect takes.
        objects = {
            i: value
            for i, (value, axis) in enumerate(zip(values, axes, strict=True))
            if axis is None and not isinstance(value, ArrayMethods) and type(value) is not Ref
        }
        wanted = axis_size
        # Descriptions of arrays stay what they are, of one element of the batch.
        for i, (value, axis) in enumerate(zip(values, axes, strict=True)):
            if axis is not None and isinstance(value, ShapeDtypeStruct):
                dim = batch_dim("vmap", value, axis, names, i)
                wanted = value.shape[dim] if wanted is None else wanted
                shape = (*value.shape[:dim], *value.shape[dim + 1 :])
                objects[i] = ShapeDtypeStruct(shape, value.dtype, weak_type=value.weak_type)
        if objects:
            places = [i for i in range(len(values)) if i not in objects]
            names.drop(objects)
            values, axes = [values[i] for i in places], [axes[i] for i in places]
        leaves = [as_operand_or_ref(value, names.at(i)) for i, value in enumerate(values)]
        dims = [
            batch_dim("vmap", leaf, axis, names, i)
            for i, (leaf, axis) in enumerate(zip(leaves, axes, strict=True))
        ]
        size = batch_size("vmap", leaves, dims, names, wanted, name)
        taken = len(leaves)
        if is_symbolic_dim(size) and all(dim == UNBATCHED for dim in dims):
            # An additional argument carries it.
            leaves.append(zeros(ShapedArray((size,), np.dtype(np.bool_))))
            dims.append(0)

        def call(values: Sequence[Any]) -> Any:
            inner = unflatten(spec, with_objects(values[:taken], objects))
            inner_args, inner_kwargs = elements(inner, positions_of_batch)
            return fun(*inner_args, **inner_kwargs)

        # Without a batch, what the function computes has known values, which it may keep.
        is_known = (
            axis_name is None
            and current() is None
            and all(dim == UNBATCHED for dim in dims)
            and Ref not in map(type, leaves)
        )
        known = call(leaves) if is_known else None

        def python(*tracers: Tracer) -> tuple[list[Operand], Any]:
            result = known if is_known else call(tracers)
            positions = broadcast_prefix(out_axes, result, "vmap out_axes")
            outs, out_spec = flatten(batches(result, positions, size))
            outs, out_spec, positions = _without_float0(
                outs, out_spec, positions, functools.partial(_shape_with, size)
            )
            return results_of(fun, outs, out_spec), (out_spec, positions)

        entry = _batch_entry(leaves, dims)
        divided = _divided(mesh_axes, entry)
        avals = [_without_dim(leaf.aval, dim) for leaf, dim in zip(leaves, dims, strict=True)]
        outside = [
            leaf if dim == UNBATCHED else None for leaf, dim in zip(leaves, dims, strict=True)
        ]
        axis = None if axis_name is None else new_axis(axis_name, size)
        bound: dict[Hashable, Axis] = {} if axis is None else {axis_name: axis}
        traced = trace(
            python, avals, names, "vmap", name, outside, bound, origins=leaves, refs="held"
        )
        check_references("vmap", name, leaves, names, traced.captured)
        out_spec, positions = traced.extra
        in_dims = dims + [UNBATCHED] * len(traced.captured)
        in_dims += [in_dims[echo.position] for echo in traced.echoed]
        text = "" if axis is None else axis.text
        positions, summed = _matched(traced, positions, in_dims, size, text, fun, sum_match)
        out_dims, types = _batched_results(traced, positions, size, fun, entry)
        attributes: dict[str, Any] = {"in_dims": tuple(in_dims), "out_dims": out_dims}
        if axis is not None:
            attributes["axis"] = text
        if divided:
            attributes["mesh_axes"] = tuple(map(mesh_axis_text, divided))
        if all(dim == UNBATCHED for dim in in_dims):
            attributes["size"] = size
        operands = [*leaves, *traced.captured]
        outs = apply("vmap", traced, traced.held(operands), types, **attributes)
        outs = traced.store(operands, outs)
        if traced.uses is not None:
            traced.uses.batched(in_dims, out_dims, size).apply(leaves, outs)
        return _with_sums(unflatten(out_spec, outs), summed)

    return wrapper


def _with_sums(results: Any, which: list[int]) -> Any:
    """The results, some of them summed over the batch, their first dimension."""
    if not which:
        return results
    # Keys have no sums.
    leaves, spec = flatten(results, is_leaf=is_keys)
    return unflatten(spec, [x.sum(0) if i in which else x for i, x in enumerate(leaves)])


def _check_whole(name: str, arguments: Any) -> None:
    """Reject windows of references: their indices may be those of a batch."""

    def is_held(x: Any) -> bool:
        # That of keys is made of the one of words.
        return isinstance(x, Held) and not isinstance(x, KeyRef)

    for leaf in flatten(arguments, is_leaf=is_held)[0]:
        if isinstance(leaf, Held) and type(leaf) is not Ref:
            raise TypeError(
                "TransformedRefs are not allowed as arguments of vmap, got: a window of a "
                f"reference for `{name}` {here()}; pass the reference, and index it in the function"
            )


_IN_AXES = (
    "vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional "
    "arguments passed to the function"
)


def check_axes(transform: str, in_axes: Any, out_axes: Any) -> None:
    """Reject axes that no argument and no result could have.

    Raises:
      TypeError: they are no trees of ints.
    """
    for axes, what in ((in_axes, "in_axes"), (out_axes, "out_axes")):
        if not all(map(_is_axis, flatten(axes)[0])):
            raise TypeError(
                f"{transform} {what} must be an int, None, or (nested) container with those types "
                f"as leaves, but got {axes!r}."
            )


def _hint(in_axes: Any, args: tuple[Any, ...]) -> str:
    """A hint at the likely mistake behind mismatched axes."""
    if isinstance(in_axes, tuple) and len(args) == 1 and isinstance(args[0], tuple):
        return "; in_axes of one argument that is a tuple is a tuple within a tuple"
    return ""


def _is_axis(leaf: Any) -> bool:
    return isinstance(leaf, (int, np.integer)) and not isinstance(leaf, bool)


def with_objects(tracers: Sequence[Any], objects: dict[int, Any]) -> Sequence[Any]:
    """All leaves of the arguments: those that were traced, and the others by position."""
    if not objects:
        return tracers
    left = iter(tracers)
    count = len(tracers) + len(objects)
    return [objects[i] if i in objects else next(left) for i in range(count)]


def _without_float0(
    leaves: list[Any], spec: Any, axes: list[Any], reshape: Callable[..., tuple[int, ...]]
) -> tuple[list[Any], Any, list[Any]]:
    """Leaves, structure and axes without the arrays without data, whose shapes `reshape`
    returns.
    """
    if not any(map(is_float0, leaves)):
        return leaves, spec, axes
    shapes = [reshape(np.shape(leaf), axis) for leaf, axis in zip(leaves, axes, strict=True)]
    kept = [axis for leaf, axis in zip(leaves, axes, strict=True) if not is_float0(leaf)]
    return *set_float0_aside(leaves, spec, shapes), kept


def _shape_without(shape: tuple[int, ...], axis: int | None) -> tuple[int, ...]:
    if axis is None or not shape:
        return shape
    axis %= len(shape)
    return shape[:axis] + shape[axis + 1 :]


def _shape_with(size: int, shape: tuple[int, ...], axis: int | None) -> tuple[int, ...]:
    if axis is None:
        return shape
    axis %= len(shape) + 1
    return (*shape[:axis], size, *shape[axis:])


def _without_dim(aval: Any, dim: int) -> Any:
    if dim == UNBATCHED:
        return aval
    if type(aval) is AbstractRef:
        return AbstractRef(_without_dim(aval.inner_aval, dim))
    shape = _shape_without(aval.shape, dim)
    return aval.update(shape=shape, sharding=without_dim(aval.explicit, dim))


def _batch_entry(leaves: Sequence[Operand], dims: Sequence[int]) -> Any:
    """The explicit axes over which the batch is sharded, as the entry of a partition spec.

    Raises:
      ValueError: they differ, or an argument without a batch is sharded over one of them.
    """
    avals = [leaf.aval for leaf in leaves]
    pairs = [(aval, dim) for aval, dim in zip(avals, dims, strict=True) if aval.explicit]
    entries = [aval.sharding.spec.partitions[dim] for aval, dim in pairs if dim != UNBATCHED]
    for entry in entries[1:]:
        if entry != entries[0]:
            raise ValueError(
                "Mapped away dimension of inputs passed to vmap should be sharded the same. Got "
                f"inconsistent axis specs: {entries[0]} vs {entry}, got: "
                f"{', '.join(map(str, avals))} {here()}; use dovetail.sharding.reshard"
            )
    entry = entries[0] if entries else None
    for aval, dim in pairs:
        if dim == UNBATCHED and {*axes_of(entry)} & {*aval.sharding.spec.axes}:
            raise ValueError(
                "Unmapped values passed to vmap cannot be sharded along the mesh axis you are "
                f"vmapping over. Got type: {aval}, in_axes: None and vmapped mesh axis: "
                f"{axes_of(entry)} {here()}"
            )
    return entry


def _mesh_axes(names: Hashable | tuple[Hashable, ...] | None) -> tuple[Hashable, ...]:
    """The axes of a mesh that an argument names.

    Raises:
      TypeError: it is no name, and no tuple of names.
      ValueError: it has a name twice.
    """
    axes = names if isinstance(names, tuple) else () if names is None else (names,)
    if not all(isinstance(axis, Hashable) and axis is not None for axis in axes):
        raise TypeError(
            "vmap spmd_axis_name must be the name of an axis of a mesh or a tuple of such names, "
            f"got: {names!r} {here()}"
        )
    if len({*axes}) < len(axes):
        raise ValueError(f"vmap spmd_axis_name must name each axis once, got: {names!r} {here()}")
    return axes


def _divided(axes: tuple[Hashable, ...], entry: Any) -> tuple[Hashable, ...]:
    """The axes over which a batch is divided, unless that is stated by types, as the entry of a
    partition spec.

    Raises:
      ValueError: types state other axes.
    """
    if not axes or not axes_of(entry):
        return axes
    if axes != axes_of(entry):
        raise ValueError(
            "Only one of spmd_axis_name or arrays sharded on `Explicit` mesh axis type is allowed. "
            f"Got spmd_axis_name={axes!r} and arrays sharded on {axes_of(entry)!r} {here()}"
        )
    return ()


def batch_dim(transform: str, leaf: Operand, axis: Any, names: LeafNames, i: int) -> int:
    """The batch's dimension in a leaf."""
    if axis is None:
        return UNBATCHED
    rank = leaf.ndim
    try:
        number = operator.index(axis)
    except TypeError:
        number = rank
    if not -rank <= number < rank:
        least = number + 1 if number >= 0 else -number
        raise ValueError(
            f"{transform} was requested to map its argument along axis {axis!r}, which implies "
            f"that its rank should be at least {least}, but is only {rank} (its shape is "
            f"{leaf.shape}): it is {names.at(i)} {here()}; give it another axis in in_axes, or None"
        )
    return number % rank


def batch_size(
    transform: str,
    leaves: Sequence[Operand],
    dims: Sequence[int],
    names: LeafNames,
    axis_size: int | None,
    name: str,
) -> int:
    """The size of the batch that the leaves carry; `axis_size` is what the caller says of it."""
    # The leaves of each size.
    sizes: dict[int, list[int]] = {} if axis_size is None else {axis_size: []}
    for i, (leaf, dim) in enumerate(zip(leaves, dims, strict=True)):
        if dim != UNBATCHED:
            sizes.setdefault(leaf.shape[dim], []).append(i)
    if not sizes:
        raise ValueError(
            f"{transform} must have at least one non-None value in in_axes or axis_size must be "
            f"specified, got: neither for `{name}` {here()}"
        )
    if len(sizes) > 1:
        lines = _listed_sizes(sizes, leaves, dims, names, axis_size)
        raise ValueError(
            f"{transform} got inconsistent sizes for array axes to be mapped:\n{lines}\nin the "
            f"arguments of `{name}` {here()}; check in_axes"
        )
    return next(iter(sizes))


def _listed_sizes(
    sizes: dict[int, list[int]],
    leaves: Sequence[Operand],
    dims: Sequence[int],
    names: LeafNames,
    axis_size: int | None,
) -> str:
    """The sizes of batches, the most frequent first, with a leaf of each."""
    lines = [] if axis_size is None else [f"  * the `axis_size` argument was {axis_size};"]
    several = "most"
    for size, which in sorted(sizes.items(), key=lambda item: -len(item[1])):
        if not which:
            continue
        i = which[0]
        example = f"axis {dims[i]} of {names.argument(i)} of type {leaves[i].aval}"
        if len(which) == 1:
            lines.append(f"  * one axis had size {size}: {example};")
        else:
            lines.append(
                f"  * {several} axes ({len(which)} of them) had size {size}, e.g. {example};"
            )
        several = "some"
    return "\n".join(lines)


def _matched(
    traced: TracedFunction,
    positions: Sequence[Any],
    in_dims: list[int],
    size: int,
    axis: str,
    fun: Function,
    sums: bool,
) -> tuple[list[Any], list[int]]:
    """The positions of the batch in all results, of references, too, and the results to be summed.

    Raises:
      ValueError: a result depends on the batch, and its position is None.
    """
    summed = []
    spec, returned = traced.extra[0], len(positions)
    echoed = (echo.position for echo in traced.echoed)
    written = [in_dims[position] for position in (*traced.written, *echoed)]
    positions = [*positions, *(None if dim == UNBATCHED else dim for dim in written)]
    if None in positions:
        try:
            known = -1 if is_symbolic_dim(size) else size
            depends = traced.function.batched_results(in_dims, known, axis)
        except _core.CompilerError as error:
            raise errors.explained(error) from None
        for i, (position, is_batched) in enumerate(zip(positions, depends, strict=True)):
            if position is None and is_batched and i >= returned:
                raise ValueError(
                    "vmap: a batched value must not be written to an unbatched array reference, "
                    f"got: one of type {traced.avals[i]} in `{name_of(fun)}` {here()}; pass the "
                    "reference as an argument that carries the batch"
                )
            if position is None and is_batched and sums:
                positions[i] = 0
                summed.append(i)
            elif position is None and is_batched:
                result = ResultName(fun, spec, i)
                named = f"vmap has mapped output (axis_name={axis}) but out_axes is None: "
                raise ValueError(
                    f"{named if axis else ''}at vmap out_axes{result.path}, got: axis spec None "
                    "but "
                    f"output was batched, as {result} depends on the batch, {here()}; say where "
                    "it goes in out_axes"
                )
    return positions, summed


def _batched_results(
    traced: TracedFunction, positions: Sequence[Any], size: int, fun: Function, entry: Any
) -> tuple[tuple[int, ...], list[ShapedArray]]:
    """The batch's dimension in each result, and the results' types."""
    spec = traced.extra[0]
    dims, types = [], []
    for i, (aval, position) in enumerate(zip(traced.avals, positions, strict=True)):
        if position is None:
            dims.append(UNBATCHED)
            types.append(aval)
            continue
        rank = len(aval.shape) + 1
        if not isinstance(position, int) or not -rank <= position < rank:
            raise ValueError(
                f"vmap out_axes: axis {position!r} is out of bounds for "
                f"{ResultName(fun, spec, i)}, which has rank {rank} with the batch, {here()}"
            )
        dim = position % rank
        dims.append(dim)
        shape = _shape_with(size, aval.shape, dim)
        types.append(aval.update(shape=shape, sharding=with_dim(aval.explicit, dim, entry)))
    return tuple(dims), types
