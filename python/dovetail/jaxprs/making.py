"""`make_jaxpr`: functions as programs that are data."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from dovetail import _core
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.arrays.keys import is_keys
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base.trace_stack import derivative_order
from dovetail.jaxprs.evaluation import TracedJaxpr
from dovetail.jaxprs.references import has_references
from dovetail.jaxprs.structure import ClosedJaxpr, Literal
from dovetail.jaxprs.view import View
from dovetail.tracing.arguments import (
    LeafNames,
    as_numbers,
    as_operand_or_ref,
    name_of,
    results_of,
    wraps,
)
from dovetail.tracing.axes import Axis
from dovetail.tracing.functions import TracedFunction, trace
from dovetail.tracing.origins import Later
from dovetail.tracing.references import AbstractRef
from dovetail.tracing.trace import Operand, Tracer
from dovetail.trees.float0 import is_float0
from dovetail.trees.pytree import flatten, unflatten


def make_jaxpr(
    fun: Callable[..., Any],
    static_argnums: int | Sequence[int] = (),
    axis_env: Sequence[tuple[Hashable, int]] | None = None,
    return_shape: bool = False,
    abstracted_axes: None = None,
) -> Callable[..., Any]:
    """A function that returns the program of `fun` traced on the given arguments, as data.

    The program is a view of the compiler's IR, made when it is looked at, and prints as that;
    `str(closed.jaxpr)` is in JAX's form.

    Args:
      fun: the function.
      static_argnums: arguments that are not arrays.
      axis_env: named axes that `fun` may use, as (name, size).
      return_shape: whether to return (program, tree of the results' descriptions) instead.
      abstracted_axes: must be None.

    Returns:
      A function of the arguments of `fun`, or of their descriptions, that returns a
      `jax.extend.core.ClosedJaxpr`. It closes over what `fun` does.

    Raises:
      TypeError: an argument is not an array.

    Example:
      >>> import dovetail as dt
      >>> closed = dt.make_jaxpr(lambda x: dnp.sum(3 * x))(dnp.ones(2))
      >>> print(closed.jaxpr)
      { lambda ; a:f32[2]. let
          b:f32[2] = mul 3.0:f32[] a
          c:f32[] = reduce_sum[axes=(0,) out_sharding=None] b
        in (c,) }
    """
    statics = as_numbers(static_argnums, "make_jaxpr: static_argnums")
    axes = {name: Axis(str(name), size) for name, size in axis_env or ()}

    @wraps(fun)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        fixed = {number % len(args) for number in statics if -len(args) <= number < len(args)}
        dynamic = [i for i in range(len(args)) if i not in fixed]
        values, spec = flatten(([args[i] for i in dynamic], kwargs))
        names = LeafNames(fun, args, kwargs, dynamic)
        kinds = _kinds(flatten(([args[i] for i in dynamic], kwargs), is_leaf=is_keys)[0])
        avals = [
            _described(value)
            if isinstance(value, ShapeDtypeStruct)
            else as_operand_or_ref(value, names.at(i)).aval
            for i, value in enumerate(values)
        ]

        def python(*tracers: Tracer) -> tuple[list[Operand], Any]:
            given, keywords = unflatten(spec, tracers)
            full = list(args)
            for i, value in zip(dynamic, given, strict=True):
                full[i] = value
            leaves, out_spec = flatten(fun(*full, **keywords), is_leaf=is_keys)
            # Tangents of results that have none hold no data.
            empty = {i: leaf for i, leaf in enumerate(leaves) if is_float0(leaf)}
            parts = [flatten([] if is_float0(leaf) else leaf) for leaf in leaves]
            operands = [each for part, _ in parts for each in part]
            return results_of(fun, operands), (
                out_spec,
                [part for _, part in parts],
                _kinds([leaf for leaf in leaves if not is_float0(leaf)]),
                empty,
            )

        order = derivative_order() + 1
        name, origins = name_of(fun), [Later.VALUE] * len(avals)
        traced = trace(
            python,
            avals,
            names,
            "make_jaxpr",
            name,
            axes=axes,
            order=order,
            origins=origins,
            refs="kept",
        )
        closed = _Made(traced, avals, kinds)
        if not return_shape:
            return closed
        out_spec, parts, _, empty = traced.extra
        rest = iter(traced.avals)
        shapes = [
            _description(_literal(empty[i]).aval)
            if i in empty
            else unflatten(part, [_description(next(rest)) for _ in range(part.num_leaves)])
            for i, part in enumerate(parts)
        ]
        return closed, unflatten(out_spec, shapes)

    return wrapper


def _described(description: ShapeDtypeStruct) -> Any:
    """The type that a description means."""
    return AbstractRef(description.aval) if description.is_ref else description.aval


def _description(aval: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)


def _literal(value: Any) -> Literal:
    """An array without data as a part of a program."""
    return Literal(value, ShapedArray(value.shape, value.dtype))


def _kinds(leaves: Sequence[Any]) -> list[Any]:
    """The element types of those that are keys; None for others."""
    return [leaf.dtype if is_keys(leaf) else None for leaf in leaves]


class _Made(ClosedJaxpr):
    """A function that was just traced; its equations are read when they are asked for.

    Args:
      traced: the function.
      avals: the types of its explicit arguments.
      kinds: the element types of those that are keys; None for others.
    """

    def __init__(self, traced: TracedFunction, avals: Sequence[Any], kinds: Sequence[Any]) -> None:
        # In a module of its own: passes on that of a trace drop functions that nothing calls.
        own = _core.adopt(_core.module(), traced.function)
        self._kinds = kinds
        self._traced, self._avals = traced._replace(function=own), avals
        self._closed: ClosedJaxpr | None = None
        self._text = self._ir

    def _viewed(self) -> ClosedJaxpr:
        if self._closed is None:
            traced, avals = self._traced, self._avals
            function = traced.function
            module = function.module.clone()
            module.expand_requests(function.name)
            count, evaluated = len(traced.captured), None
            empty = traced.extra[3]
            if not empty and not has_references(avals, traced.captured):
                function.discharge()
                evaluated = TracedJaxpr(function, count, avals, traced.avals, traced.extra[1])
            self._closed = View(module).body(
                module.program(function.name),
                traced=evaluated,
                is_closed=True,
                num_captured=count,
                captured=traced.captured,
                in_avals=avals,
                in_keys=self._kinds,
                out_keys=traced.extra[2],
            )
            for var, aval in zip(self._closed.jaxpr.outvars, traced.avals, strict=True):
                if aval.weak_type and not var.aval.weak_type:
                    var.aval = aval
            for i, value in empty.items():
                self._closed.jaxpr.outvars.insert(i, _literal(value))
        return self._closed

    @property
    def jaxpr(self) -> Any:  # type: ignore[override]
        """The program."""
        return self._viewed().jaxpr

    @property
    def consts(self) -> list[Any]:  # type: ignore[override]
        """The values of its constants."""
        return self._viewed().consts

    def _ir(self) -> str:
        """The IR, as text."""
        module = self._traced.function.module.clone()
        module.keep_as_main(self._traced.function.name)
        return module.text().rstrip()


def with_constants_as_arguments(closed: ClosedJaxpr) -> ClosedJaxpr:
    """A program that takes its constants as its first arguments.

    Args:
      closed: the program.
    """
    jaxpr = closed.jaxpr
    return ClosedJaxpr(jaxpr.replace(constvars=[], invars=[*jaxpr.constvars, *jaxpr.invars]), [])
