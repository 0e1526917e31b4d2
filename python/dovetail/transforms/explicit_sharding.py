"""Shardings in types: moves to another one, and functions in which axes have another type."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any

from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base.errors import type_error, value_error
from dovetail.base.trace_stack import current
from dovetail.ops.operands import as_operand
from dovetail.placement import platforms
from dovetail.placement.mesh_contexts import get_abstract_mesh, use_abstract_mesh
from dovetail.placement.meshes import EMPTY_ABSTRACT, AbstractMesh, AxisType
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import Sharding
from dovetail.placement.type_shardings import (
    check_not_manual,
    named_by_context,
    on_context,
    spec_over,
)
from dovetail.programs.transfers import put
from dovetail.tracing.arguments import wraps
from dovetail.tracing.result_places import reshard_place
from dovetail.trees.pytree import broadcast_prefix, flatten, map_leaves, unflatten


def reshard(xs: Any, out_shardings: Any) -> Any:
    """The arrays of a tree, moved to other shardings, which become parts of their types.

    Args:
      xs: a tree of arrays.
      out_shardings: a `NamedSharding`, a `PartitionSpec` over the mesh of the context, or a tree of
        them that is a prefix of `xs`.

    Returns:
      The same tree.

    Raises:
      ValueError: there is no sharding, no mesh for a `PartitionSpec`, or a spec is over an axis
        that is not `Explicit`.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> mesh = dt.make_mesh((1,), ("x",))
      >>> str(dt.typeof(reshard(dnp.zeros((4, 2)), dt.NamedSharding(mesh, dt.P("x")))))
      'float32[4@x,2]'
    """
    leaves, spec = flatten(xs)
    if isinstance(out_shardings, (Sharding, P)) or out_shardings is None:
        wanted = [out_shardings] * len(leaves)
    else:
        wanted = broadcast_prefix(out_shardings, xs, "reshard out_shardings")
    return unflatten(spec, [_resharded(x, to) for x, to in zip(leaves, wanted, strict=True)])


def _resharded(x: Any, sharding: Any) -> Any:
    if isinstance(sharding, P):
        sharding = named_by_context(sharding, "reshard")
    if not isinstance(sharding, NamedSharding) or sharding.mesh.empty:
        raise value_error(
            "Reshard should only be used with out_shardings which are non-None and have a "
            f"non-empty mesh. Got sharding {sharding}."
        )
    check_not_manual(sharding, "reshard")
    for axis in (*sharding.spec.axes, *sharding.spec.unreduced, *sharding.spec.reduced):
        if axis not in sharding.mesh.explicit_axes:
            raise value_error(
                "PartitionSpec passed to reshard cannot contain axis names that are of type Auto "
                f"or Manual. Got PartitionSpec: {sharding.spec} with axis name: {axis} of type: "
                f"{sharding.mesh.type_of[axis]}; use device_put or with_sharding_constraint"
            )
    array = as_operand("reshard", x)
    sharding.check_compatible_aval(array.shape)
    sharding = sharding.padded(array.ndim)
    trace = current()
    if trace is not None:
        return trace.reshard(array, sharding, bool(sharding.mesh.auto_axes))
    to = platforms.sharding_meant(on_context(sharding, array.sharding), "reshard")
    if type(array) is Array and isinstance(to, NamedSharding) and to.mesh.auto_axes:
        to = reshard_place(array, to).sharding
    return put(array, to)


def auto_axes(
    f: Callable[..., Any] | None = None,
    /,
    *,
    axes: Hashable | tuple[Hashable, ...] | None = None,
    out_sharding: Any = None,
) -> Any:
    """A function within which axes are `Auto`: the compiler decides about shardings over them.

    Args:
      f: the function; without it, a decorator is returned.
      axes: the axes, by default all of the mesh.
      out_sharding: the shardings of the results, a prefix of their tree; or a keyword argument of
        the function that is returned.

    Returns:
      The function.

    Raises:
      TypeError: there is no `out_sharding`.
      ValueError: `out_sharding` is over another mesh than that of the context.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> with dt.set_mesh(dt.make_mesh((1,), ("x",))):
      ...     auto_axes(lambda x: x @ x.T, out_sharding=dt.P())(dnp.eye(2))
      Array([[1., 0.],
             [0., 1.]], dtype=float32)
    """
    if f is None:
        return functools.partial(auto_axes, axes=axes, out_sharding=out_sharding)
    fun: Callable[..., Any] = f

    @wraps(fun)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        wanted = _stated(out_sharding, kwargs, "out_sharding")
        outer = _mesh_for("auto_axes", wanted)
        if outer.empty:
            return fun(*args, **kwargs)
        names = _names(outer, axes)
        if {*outer.auto_axes} == {*names}:
            return fun(*args, **kwargs)
        with use_abstract_mesh(_with_types(outer, names, AxisType.Auto)):
            result = fun(*map_leaves(_kept, args), **kwargs)
        return reshard(result, wanted)

    return wrapper


def explicit_axes(
    f: Callable[..., Any] | None = None,
    /,
    *,
    axes: Hashable | tuple[Hashable, ...] | None = None,
    in_sharding: Any = None,
) -> Any:
    """A function within which axes are `Explicit`: shardings over them are parts of types.

    Args:
      f: the function; without it, a decorator is returned.
      axes: the axes, by default all of the mesh of the context.
      in_sharding: the shardings of the arguments, a prefix of their tree; or a keyword argument of
        the function that is returned.

    Returns:
      The function.

    Raises:
      TypeError: there is no `in_sharding`.
      ValueError: there is no mesh.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> mesh = dt.make_mesh((1,), ("x",), axis_types=(dt.sharding.AxisType.Auto,))
      >>> with dt.set_mesh(mesh):
      ...     f = explicit_axes(lambda x: print(dt.typeof(x)), in_sharding=dt.P("x"))
      ...     f(dnp.zeros(4))
      float32[4@x]
    """
    if f is None:
        return functools.partial(explicit_axes, axes=axes, in_sharding=in_sharding)
    fun: Callable[..., Any] = f

    @wraps(fun)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        wanted = _stated(in_sharding, kwargs, "in_sharding")
        outer = _mesh_for("explicit_axes", None)
        if outer.empty:
            raise value_error(
                "Context mesh cannot be empty. Please use `dovetail.set_mesh` API to enter into a "
                "mesh context when using `explicit_axes` API."
            )
        with use_abstract_mesh(_with_types(outer, _names(outer, axes), AxisType.Explicit)):
            result = fun(*reshard(args, wanted), **kwargs)
        with use_abstract_mesh(outer):
            return map_leaves(_kept, result)

    return wrapper


def _stated(sharding: Any, kwargs: dict[str, Any], name: str) -> Any:
    """The sharding that was stated, or else the keyword argument of that name, which is removed."""
    if sharding is not None:
        return sharding
    if name not in kwargs:
        raise type_error(f"Missing required keyword argument: {name!r}")
    return kwargs.pop(name)


def _mesh_for(name: str, shardings: Any) -> AbstractMesh:
    """The mesh of the context, which is that of all shardings given; an empty one if there is
    none.
    """
    stated = EMPTY_ABSTRACT
    for sharding in flatten(shardings)[0]:
        if isinstance(sharding, NamedSharding):
            mesh = sharding.mesh.abstract_mesh
            if not stated.empty and stated != mesh:
                raise value_error(
                    f"Shardings passed to {name} should have the same mesh. Got one mesh {stated} "
                    f"and another {mesh}"
                )
            stated = mesh
    context = get_abstract_mesh()
    if not stated.empty and not context.empty and stated != context:
        raise value_error(
            f"Context mesh {context} must match the mesh passed to shardings {stated}. Recommended "
            "approach is to use `dovetail.set_mesh` context manager."
        )
    return stated if context.empty else context


def _names(
    mesh: AbstractMesh, axes: Hashable | tuple[Hashable, ...] | None
) -> tuple[Hashable, ...]:
    if axes is None:
        return mesh.axis_names
    return axes if isinstance(axes, tuple) else (axes,)


def _with_types(mesh: AbstractMesh, names: tuple[Hashable, ...], kind: AxisType) -> AbstractMesh:
    for name in names:
        if mesh.type_of[name] is AxisType.Manual:
            raise NotImplementedError(
                "Going from `Manual` AxisType to `Auto` or `Explicit` AxisType is not allowed, "
                f"got: {name!r}"
            )
    return mesh.update_axis_types(dict.fromkeys(names, kind))


def _kept(x: Any) -> Any:
    """A value with the part of its sharding that is explicit in the context."""
    if not isinstance(x, ArrayMethods):
        return x
    mesh, sharding = get_abstract_mesh(), x.sharding
    if current() is None:
        if not isinstance(sharding, NamedSharding):
            return x
        # The elements stay where they are.
        return put(x, on_context(NamedSharding(mesh, sharding.spec), sharding))
    spec = spec_over(x.aval.sharding.spec, {*mesh.explicit_axes}, x.ndim)
    return _resharded(x, NamedSharding(mesh, spec))
