"""Equations of `shard_map`, and of the collectives over the axes of its mesh."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dovetail import lax
from dovetail.jaxprs.evaluation import interpret
from dovetail.jaxprs.op_views import OpView
from dovetail.jaxprs.references import RefEffect
from dovetail.jaxprs.structure import Atom, Jaxpr
from dovetail.jaxprs.traversal import jaxprs_in_params
from dovetail.placement.attributes import named_sharding_of
from dovetail.placement.meshes import AbstractMesh
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.composed import Equation
from dovetail.transforms.primitives import Primitive
from dovetail.transforms.shard_mapping import shard_map

Params = dict[str, Any]


class NamedAxisEffect(NamedTuple):
    """An equation computes over a named axis.

    Attributes:
      name: the axis.
    """

    name: Any

    def __repr__(self) -> str:
        return f"NamedAxisEffect(name={self.name!r})"


class CollectivePrimitive(Primitive):
    """A function over named axes.

    Args:
      name: JAX's name of it.
      function: takes arrays and the parameters.
      names: the parameter that has the axes, for its effects; None if it has no effects.
    """

    def __init__(
        self, name: str, function: Callable[..., Any], names: str | None = "axis_name"
    ) -> None:
        super().__init__(name)
        self._function, self._names = function, names

    def _bound(self, *args: Any, **params: Any) -> Any:
        """Apply it, where the axes are bound."""
        operands = [as_operand(arg, f"operand {i} of {self}") for i, arg in enumerate(args)]
        return self._function(*operands, **params)

    def effects_of(self, params: Params) -> frozenset[object]:
        """The effects of an equation."""
        if self._names is None:
            return frozenset()
        of = params[self._names]
        return frozenset(map(NamedAxisEffect, of if isinstance(of, tuple) else (of,)))

    impl = _bound


def effects_within(primitive: Primitive, params: Params) -> frozenset[object]:
    """The effects of an equation that calls programs: those of the programs, except on references,
    and over the axes that it binds.

    Args:
      primitive: the equation's.
      params: its parameters.
    """
    bound = NamedAxisEffect if primitive.name == "shard_map" else ()
    return frozenset(
        effect
        for program in jaxprs_in_params(params)
        for effect in program.effects
        if not isinstance(effect, RefEffect) and not isinstance(effect, bound)
    )


def _psum(x: Any, *, axes: Any, axis_index_groups: Any = None) -> Any:
    return lax.psum(x, axes, axis_index_groups=axis_index_groups)


def _pmax(x: Any, *, axes: Any, axis_index_groups: Any = None) -> Any:
    return lax.pmax(x, axes, axis_index_groups=axis_index_groups)


def _pmin(x: Any, *, axes: Any, axis_index_groups: Any = None) -> Any:
    return lax.pmin(x, axes, axis_index_groups=axis_index_groups)


def _all_gather(
    x: Any,
    *,
    all_gather_dimension: int,
    axis_name: Any,
    axis_size: int,
    tiled: bool,
    axis_index_groups: Any = None,
) -> Any:
    return lax.all_gather(
        x, axis_name, axis=all_gather_dimension, tiled=tiled, axis_index_groups=axis_index_groups
    )


def _reduce_scatter(
    x: Any,
    *,
    scatter_dimension: int,
    axis_name: Any,
    axis_size: int,
    tiled: bool,
    axis_index_groups: Any = None,
) -> Any:
    return lax.psum_scatter(
        x,
        axis_name,
        scatter_dimension=scatter_dimension,
        tiled=tiled,
        axis_index_groups=axis_index_groups,
    )


def _all_to_all(
    x: Any,
    *,
    split_axis: int,
    concat_axis: int,
    axis_name: Any,
    axis_index_groups: Any = None,
    tiled: bool = False,
) -> Any:
    # Without `tiled`, operand and result have both dimensions, one of them of size 1.
    return lax.all_to_all(
        x, axis_name, split_axis, concat_axis, tiled=True, axis_index_groups=axis_index_groups
    )


def _varying(x: Any, *, axes: Any) -> Any:
    return lax.pcast(x, axes, to="varying")


def _permuted(x: Any, *, axis_name: Any, perm: Any) -> Any:
    return lax.ppermute(x, axis_name, perm)


def _on_parts(
    *args: Any,
    jaxpr: Jaxpr,
    mesh: Any,
    in_specs: Sequence[Any],
    out_specs: Sequence[Any],
    check_vma: bool,
    newly_manual_axes: Any,
) -> list[Any]:
    def body(*parts: Any) -> list[Any]:
        return interpret(jaxpr, (), parts)

    return shard_map(
        body,
        mesh=mesh,
        in_specs=tuple(in_specs),
        out_specs=list(out_specs),
        axis_names=set(newly_manual_axes),
        check_vma=check_vma,
    )(*args)


shard_map_p = CollectivePrimitive("shard_map", _on_parts, None)
shard_map_p.multiple_results = True


def on_parts(equation: Equation, jaxpr: Jaxpr, atoms: list[Atom]) -> tuple[Params, list[Atom]]:
    """The parameters and the operands of a `shard_map`: values that it closes over are first."""
    count = equation.num_operands
    specs = equation.params["in_specs"]
    params = equation.params | {
        "in_specs": (*specs[count:], *specs[:count]),
        "jaxpr": jaxpr.replace(invars=[*jaxpr.invars[count:], *jaxpr.invars[:count]]),
    }
    return params, [*atoms[count:], *atoms[:count]]


def params_of_parts(attributes: Params, jaxpr: Jaxpr) -> Params:
    """The parameters of a `shard_map` that a transform made, from the attributes of the op."""
    shardings = [named_sharding_of(x) for x in (*attributes["in"], *attributes["out"])]
    axis_names, sizes = attributes["mesh"].axes
    specs, count = [each.spec for each in shardings], len(attributes["in"])
    return {
        "jaxpr": jaxpr,
        "mesh": AbstractMesh(tuple(sizes), tuple(axis_names)),
        "in_specs": tuple(specs[:count]),
        "out_specs": tuple(specs[count:]),
        "check_vma": "checked" in attributes,
        "newly_manual_axes": frozenset(attributes["axes"]),
    }


PRIMITIVES = {
    each.name: each
    for each in (
        shard_map_p,
        CollectivePrimitive("all_gather", _all_gather),
        CollectivePrimitive("all_to_all", _all_to_all),
        CollectivePrimitive("axis_index", lambda *, axis_name: lax.axis_index(axis_name)),
        CollectivePrimitive("pbroadcast", lambda x, **params: lax.pbroadcast(x, **params), None),
        CollectivePrimitive("pmax", _pmax, "axes"),
        CollectivePrimitive("pmin", _pmin, "axes"),
        CollectivePrimitive("ppermute", _permuted, None),
        CollectivePrimitive("psum", _psum, "axes"),
        CollectivePrimitive("psum_invariant", _psum, "axes"),
        CollectivePrimitive("pvary", _varying, None),
        CollectivePrimitive("reduce_scatter", _reduce_scatter),
    )
}


# Ops ----------------------------------------------------------------------------------------------


def _name_of_sum(keywords: Params) -> str:
    return "psum_invariant" if "invariant" in keywords else "psum"


def _axes(keywords: Params, ins: Sequence[Any]) -> Params:
    return {"axes": tuple(keywords["axes"])}


def _axes_in_groups(keywords: Params, ins: Sequence[Any]) -> Params:
    return {"axes": tuple(keywords["axes"]), "axis_index_groups": None}


def _of_sum(keywords: Params, ins: Sequence[Any]) -> Params:
    return (_axes if "invariant" in keywords else _axes_in_groups)(keywords, ins)


def _index(keywords: Params, ins: Sequence[Any]) -> Params:
    axes = tuple(keywords["axes"])
    return {"axis_name": axes[0] if len(axes) == 1 else axes}


def _over_axes(keywords: Params) -> Params:
    """The parameters of a collective that exchanges whole arrays."""
    return {
        "axis_name": tuple(keywords["axes"]),
        "axis_index_groups": None,
        "tiled": False,
    }


def _sized(keywords: Params) -> Params:
    return {**_over_axes(keywords), "axis_size": math.prod(keywords["sizes"])}


def _gathered(keywords: Params, ins: Sequence[Any]) -> Params:
    return {"all_gather_dimension": keywords["dimension"], **_sized(keywords)}


def _scattered(keywords: Params, ins: Sequence[Any]) -> Params:
    return {"scatter_dimension": keywords["dimension"], **_sized(keywords)}


def _exchanged(keywords: Params, ins: Sequence[Any]) -> Params:
    axes = _over_axes(keywords)
    return {"split_axis": keywords["from"], "concat_axis": keywords["to"], **axes}


def _permutation(keywords: Params, ins: Sequence[Any]) -> Params:
    pairs = zip(keywords["sources"], keywords["targets"], strict=True)
    return {"axis_name": tuple(keywords["axes"]), "perm": tuple(pairs)}


VIEWS = {
    "all_gather": OpView("all_gather", _gathered),
    "all_to_all": OpView("all_to_all", _exchanged),
    "reduce_scatter": OpView("reduce_scatter", _scattered),
    "all_reduce_sum": OpView(_name_of_sum, _of_sum),
    "all_reduce_max": OpView("pmax", _axes_in_groups),
    "all_reduce_min": OpView("pmin", _axes_in_groups),
    "axis_index": OpView("axis_index", _index),
    "permute": OpView("ppermute", _permutation),
    "vary": OpView("pvary", _axes),
}
