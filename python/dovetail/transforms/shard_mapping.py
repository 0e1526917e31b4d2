"""shard_map: a function of the parts of arrays held by the devices of a mesh."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence, Set
from typing import Any

from dovetail.base.trace_stack import current
from dovetail.placement.mesh_contexts import use_abstract_mesh
from dovetail.placement.meshes import AbstractMesh, Mesh
from dovetail.placement.partition_spec import P
from dovetail.tracing.arguments import (
    Function,
    LeafNames,
    ResultName,
    as_operand,
    described,
    name_of,
    results_of,
)
from dovetail.tracing.composed import kept_equation, makes_equations
from dovetail.tracing.functions import apply, trace
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms.batching import with_objects
from dovetail.transforms.held_arguments import HeldArguments
from dovetail.transforms.manual import Manual
from dovetail.trees.pytree import broadcast_prefix, flatten, unflatten


class _Infer:
    """Marks specs that follow from the arguments."""

    def __repr__(self) -> str:
        return "Infer"


_INFER = _Infer()


def shard_map(
    f: Function | None = None,
    /,
    *,
    out_specs: Any,
    in_specs: Any = _INFER,
    mesh: Mesh | AbstractMesh | None = None,
    axis_names: Set[Hashable] = frozenset(),
    check_vma: bool = True,
) -> Any:
    """A function of whole arrays that applies `f` to the part of them on each device.

    Collectives of `dovetail.lax` in `f` compute over the axes of the mesh. References among the
    arguments, and windows of them, are partitioned like the arrays that they hold.

    Args:
      f: the function of the parts; without it, a decorator is returned.
      out_specs: how the results are partitioned, a `PartitionSpec` or a prefix of the results' tree
        with one for each leaf. Along axes that a spec does not name, all devices hold the same.
      in_specs: how the arguments are partitioned: a spec for all of them, or a tuple with a prefix
        of the tree of each. Sizes must be multiples of the sizes of the axes. What None stands for
        is passed to `f` as it is. Over explicit axes it may be left out: then arguments are
        partitioned as they are sharded over the mesh.
      mesh: the mesh; by default that of the context, see `set_mesh`.
      axis_names: the axes over which `f` takes parts; by default all of the mesh's over which no
        outer function does. Along the others, arrays are whole to `f`, and divided as is best.
      check_vma: check that results are the same along the axes along which `out_specs` requires it.

    Returns:
      The function of whole arrays.

    Raises:
      ValueError: a spec names an axis that is not in `axis_names`, or has more entries than an
        array has dimensions; a size is not a multiple of the axes' sizes; a result that must be the
        same along an axis may vary; there is no mesh.
      TypeError: a spec is not a `PartitionSpec`, or in_specs is missing.
      NotImplementedError: an argument has symbolic sizes.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> from dovetail import lax
      >>> from dovetail.sharding import PartitionSpec as P
      >>> mesh = dt.make_mesh((1,), ("i",))
      >>> def total(x):
      ...     return lax.psum(dnp.sum(x), "i")
      >>> dt.shard_map(total, mesh=mesh, in_specs=P("i"), out_specs=P())(dnp.arange(4.0))
      Array(6., dtype=float32)
    """
    if f is None:
        return functools.partial(
            shard_map,
            out_specs=out_specs,
            in_specs=in_specs,
            mesh=mesh,
            axis_names=axis_names,
            check_vma=check_vma,
        )
    fun: Function = f
    name = name_of(fun)

    def specs_of_results(result: Any) -> Sequence[P | None]:
        return broadcast_prefix(out_specs, result, "shard_map out_specs")

    @described(fun, f"{name} of the parts of arrays that the devices of a mesh hold.")
    def wrapper(*args: Any) -> Any:
        over = Manual.of(mesh, axis_names, name, check_vma)
        over.check_specs(out_specs, "out_specs")
        held = HeldArguments.of(fun, args)
        args = args if held is None else held.values
        if in_specs is _INFER:
            specs: Sequence[P | None] = over.inferred_specs(args)
        else:
            over.check_specs(in_specs, "in_specs")
            specs = broadcast_prefix(in_specs, args, "shard_map in_specs")
        if held is None:
            return on_parts(fun, over, args, specs, specs_of_results)
        specs = held.specs(specs)

        def specs_of_all(result: Any) -> Sequence[P | None]:
            return [*specs_of_results(result[0]), *held.of_references(specs)]

        return held.written(on_parts(held.function, over, args, specs, specs_of_all))

    return wrapper


def on_parts(
    fun: Function,
    over: Manual,
    args: tuple[Any, ...],
    in_specs: Sequence[P | None],
    out_specs: Callable[[Any], Sequence[P | None]],
) -> Any:
    """The results of a function of parts.

    Args:
      fun: the function.
      over: the axes over which it takes parts.
      args: whole arguments.
      in_specs: how each leaf of them is partitioned; None for one that `fun` gets as it is.
      out_specs: the same for the leaves of the result of `fun`.
    """
    leaves, spec = flatten(args)
    names = LeafNames(fun, args, {})
    kept = {i: leaves[i] for i, each in enumerate(in_specs) if each is None}
    names.drop(kept)
    parted = [leaf for i, leaf in enumerate(leaves) if i not in kept]
    operands = [as_operand(leaf, names.at(i)) for i, leaf in enumerate(parted)]
    given = [each for each in in_specs if each is not None]
    avals = [
        over.part(operand.aval, each, names, i)
        for i, (operand, each) in enumerate(zip(operands, given, strict=True))
    ]

    def python(*tracers: Tracer) -> tuple[list[Operand], Any]:
        over.note_varying(current(), given, operands)
        with use_abstract_mesh(over.inner_mesh):
            result = fun(*unflatten(spec, with_objects(tracers, kept)))
        outs, out_spec = flatten(result)
        specs = [P() if each is None else each for each in out_specs(result)]
        return results_of(fun, outs, out_spec), (out_spec, specs)

    over.commit()
    traced = trace(python, avals, names, "shard_map", over.name, None, over.bound)
    out_spec, out = traced.extra
    operands += traced.captured
    given += [P()] * len(traced.captured)
    results = [ResultName(fun, out_spec, i) for i in range(len(out))]
    types = [
        over.whole(aval, each, result)
        for aval, each, result in zip(traced.avals, out, results, strict=True)
    ]
    function = traced.function
    if over.is_checked:
        function = over.varying(function, given, out, results)
    attributes = {
        "mesh": over.attribute,
        "axes": tuple(axis.text for axis in over.bound.values()),
        "in": [over.sharding(each, x.ndim) for each, x in zip(given, operands, strict=True)],
        "out": [over.sharding(each, x.ndim) for each, x in zip(out, types, strict=True)],
    }
    if over.is_checked:
        attributes["checked"] = None
    if makes_equations():
        params = {
            "mesh": over.mesh,
            "in_specs": tuple(given),
            "out_specs": tuple(out),
            "check_vma": over.is_checked,
            "newly_manual_axes": frozenset(over.bound),
        }
        attributes["label"] = kept_equation("shard_map", params, len(parted)).name
    if any(spec.unreduced for spec in (*given, *out)):
        operands = [*over.placed(operands, given)]
    outs = apply("shard_map", function, operands, types, **attributes)
    # The axes over which `fun` takes no parts may be explicit, too.
    is_partial = len(over.bound) < len(over.mesh.axis_names)
    joined = [
        typed if is_partial and typed.axes and {*each.axes} <= {*typed.axes} else each
        for each, typed in zip(out, [aval.sharding.spec for aval in types], strict=True)
    ]
    return unflatten(out_spec, over.placed(outs, joined))


def smap(
    f: Function | None = None, /, *, in_axes: Any = _INFER, out_axes: Any, axis_name: Hashable
) -> Any:
    """`shard_map` over one axis of the mesh of the context, with dimensions instead of specs.

    Args:
      f: the function of the parts; without it, a decorator is returned.
      in_axes: the dimension of the arguments that is partitioned, None for none, or a tuple with a
        prefix of the tree of each argument; over an explicit axis it may be left out, as for
        `shard_map`.
      out_axes: the dimension of the results, likewise.
      axis_name: the axis.

    Returns:
      The function of whole arrays.

    Raises:
      ValueError: as for `shard_map`.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> with dt.set_mesh(dt.make_mesh((1,), ("i",))):
      ...     dt.smap(dnp.cumsum, in_axes=0, out_axes=0, axis_name="i")(dnp.arange(3))
      Array([0, 1, 3], dtype=int32)
    """
    if f is None:
        return functools.partial(smap, in_axes=in_axes, out_axes=out_axes, axis_name=axis_name)

    def spec_of(axis: int | None) -> P:
        return P() if axis is None else P(*[None] * axis, axis_name)

    def specs_of(axes: Any) -> Any:
        leaves, spec = flatten(axes, lambda node: node is None)
        return unflatten(spec, [spec_of(axis) for axis in leaves])

    in_specs = in_axes if in_axes is _INFER else specs_of(in_axes)
    return shard_map(f, in_specs=in_specs, out_specs=specs_of(out_axes), axis_names={axis_name})
