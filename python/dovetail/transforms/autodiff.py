"""Derivatives at a point: grad, value_and_grad and jvp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import dtypes, locations
from dovetail.base.locations import here
from dovetail.base.trace_stack import derivative_order
from dovetail.tracing.arguments import (
    Function,
    Selected,
    as_numbers,
    name_of,
    results_of,
    select,
    wraps,
)
from dovetail.tracing.axes import axes_in_scope
from dovetail.tracing.bind import constant
from dovetail.tracing.functions import TracedFunction, apply, held_by, trace
from dovetail.tracing.references import check_references
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms.directions import (
    held_type,
    lost_tangents,
    refuse_lost,
    tangent_operands,
)
from dovetail.trees.float0 import set_float0_aside
from dovetail.trees.pytree import flatten, is_leaf_spec, unflatten
from dovetail.trees.treedef import public


def refuse_axes(name: str, reduce_axes: Sequence[Any]) -> None:
    """Raise a NotImplementedError if a function of derivatives was given `reduce_axes`."""
    if reduce_axes:
        raise NotImplementedError(
            f"reduce_axes argument to {name} is deprecated, and must be empty, got: {reduce_axes}; "
            "sum over the axes with lax.psum in the function"
        )


def value_and_grad(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Any] = (),
) -> Function:
    """A function that returns `fun`'s value and its gradient.

    Args:
      fun: returns a real scalar, or (scalar, auxiliary data) with `has_aux`.
      argnums: the positional arguments to differentiate with respect to; a tuple gives a tuple of
        gradients.
      has_aux: whether `fun` returns auxiliary data that is passed through.
      holomorphic: whether `fun` is holomorphic from complex numbers to complex numbers.
      allow_int: whether integer arguments are allowed; their gradient is zero.
      reduce_axes: deprecated; must be empty.

    Returns:
      A function of the same arguments that returns (value, gradient), or ((value, aux), gradient).

    Raises:
      NotImplementedError: `reduce_axes` is not empty.
      TypeError: an argument is not of float or complex type, or the result is not a real scalar.

    Example:
      >>> import dovetail as dt
      >>> value, gradient = dt.value_and_grad(lambda x: x * x)(3.0)
      >>> float(value), float(gradient)
      (9.0, 6.0)
    """
    refuse_axes("value_and_grad", reduce_axes)
    numbers = as_numbers(argnums, "argnums")
    name = name_of(fun)

    @wraps(fun)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        selected = select(fun, numbers, args, kwargs)
        for i, leaf in enumerate(selected.leaves):
            check_differentiable(leaf, selected, i, "grad", holomorphic, allow_int)
        results = trace_selected("grad", name, selected, has_aux)
        traced = results.traced
        _check_scalar(results, name, holomorphic)
        operands = [*selected.leaves, *traced.captured]
        value = traced.avals[0]
        one = constant(np.ones((), value.dtype), value.weak_type)

        def returned(outs: Sequence[Operand], tree: Any) -> Any:
            gradient = tree if isinstance(argnums, (tuple, list)) else tree[0]
            result = results.result(outs)
            return ((result, results.aux(outs)) if has_aux else result), gradient

        if traced.echoed:
            from dovetail.transforms.linearization import pulled_back  # lazy: uses this module

            return returned(*pulled_back(selected, results, one, name))
        primals = held_by(operands)
        wrt = inexact(selected.leaves)
        types = [*traced.avals, *(cotangent_type(primals[i], value.weak_type) for i in wrt)]
        outs = apply(
            "vjp",
            traced,
            [*primals, one],
            types,
            wrt=wrt,
            of=(0,),
            operandSegmentSizes=(len(primals), 1),
        )
        traced.store(operands, outs)
        found = dict(zip(wrt, outs[len(traced.avals) :], strict=True))
        gradients: list[Any] = [
            found[i] if i in found else float0_zeros(leaf) for i, leaf in enumerate(selected.leaves)
        ]
        return returned(outs, unflatten(selected.spec, gradients))

    return wrapper


def grad(
    fun: Function,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Any] = (),
) -> Function:
    """A function that returns `fun`'s gradient.

    Args:
      fun: returns a real scalar, or (scalar, auxiliary data) with `has_aux`.
      argnums: the positional arguments to differentiate with respect to; a tuple gives a tuple of
        gradients.
      has_aux: whether `fun` returns auxiliary data that is passed through.
      holomorphic: whether `fun` is holomorphic from complex numbers to complex numbers.
      allow_int: whether integer arguments are allowed; their gradient is zero, of dtype float0.
      reduce_axes: deprecated; must be empty.

    Returns:
      A function of the same arguments that returns the gradient, of the shapes and dtypes of the
      arguments, or (gradient, aux) with `has_aux`.

    Raises:
      NotImplementedError: `reduce_axes` is not empty.
      TypeError: an argument is not of float or complex type, or the result is not a real scalar.

    Example:
      >>> import dovetail as dt
      >>> float(dt.grad(dt.grad(lambda x: x**3))(2.0))
      12.0
    """
    refuse_axes("grad", reduce_axes)
    both = value_and_grad(fun, argnums, has_aux, holomorphic, allow_int)

    @wraps(fun)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapper


def jvp(
    fun: Function, primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False
) -> Any:
    """The value of `fun` and its derivative in a direction (forward mode).

    Args:
      fun: the function.
      primals: a tuple of its arguments.
      tangents: a tuple of the same structure, shapes and dtypes: the direction. The tangent of an
        integer has dtype float0. That of a reference is another reference: of what the first one
        holds before, and behind the call.
      has_aux: whether `fun` returns a pair (result, auxiliary data).

    Returns:
      (result, tangent of the result), or (result, tangent, auxiliary data).

    Raises:
      TypeError: primals and tangents differ in structure, shape or dtype.
      ValueError: the function writes what has a tangent to a reference that it closes over.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> value, tangent = dt.jvp(dnp.exp, (0.0,), (2.0,))
      >>> float(value), float(tangent)
      (1.0, 2.0)
    """
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError(
            "primal and tangent arguments to dovetail.jvp must be tuples or lists; found "
            f"{type(primals).__name__} and {type(tangents).__name__}"
        )
    name = name_of(fun)
    selected = select(fun, range(len(primals)), primals, {}, "primals", refs=True)
    directions, refs = tangent_operands(selected, tuple(tangents), "jvp")
    results = trace_selected("jvp", name, selected, has_aux)
    traced = results.traced
    operands = [*selected.leaves, *traced.captured]
    if lost := lost_tangents(traced, len(selected.leaves)):
        parts = traced.function.linearize(inexact(selected.leaves), False, derivatives_are_later())
        refuse_lost("jvp", name, lost, parts.active)
    differentiable = [i for i, aval in enumerate(traced.avals) if dtypes.is_inexact(aval.dtype)]
    weak = all(direction.weak_type for direction in directions)
    tangent_types = [traced.avals[i].update(weak_type=weak) for i in differentiable]
    primals = traced.held(operands)
    outs = apply(
        "jvp",
        traced,
        [*primals, *directions],
        [*traced.avals, *tangent_types],
        wrt=inexact(selected.leaves),
        operandSegmentSizes=(len(primals), len(directions)),
    )
    traced.store(operands, outs)
    found = dict(zip(differentiable, outs[len(traced.avals) :], strict=True))
    for result, leaf in written_leaves(traced, len(selected.leaves)).items():
        if leaf in refs:
            refs[leaf]._write(found[result])
    out_tangents: list[Any] = [
        found[i] if i in found else float0_zeros(aval) for i, aval in enumerate(traced.avals)
    ]
    pair = results.result(outs), results.result(out_tangents)
    return (*pair, results.aux(outs)) if has_aux else pair


class Results:
    """Results of a traced function, and its auxiliary data.

    Attributes:
      traced: the function; its results are those of the Python function, then the auxiliary data's
        tracers.
      spec: the structure of the result.
      count: the number of results that belong to it.
      made_at: the locations of the ops that computed them, None for results that are not tracers.
    """

    def __init__(self, traced: TracedFunction) -> None:
        self.traced = traced
        self.spec, self.count, self.made_at, self._aux_leaves, self._aux_spec = traced.extra

    @property
    def avals(self) -> list[ShapedArray]:
        """The types of the result's leaves."""
        return self.traced.avals[: self.count]

    def result(self, values: Sequence[Any]) -> Any:
        """The result's tree, of values of the traced function's results."""
        return unflatten(self.spec, values[: self.count])

    def aux(self, values: Sequence[Any]) -> Any:
        """The auxiliary data, of values of the traced function's results."""
        leaves = [
            values[leaf.position] if type(leaf) is _Position else leaf for leaf in self._aux_leaves
        ]
        return unflatten(self._aux_spec, leaves)


class _Position:
    """Stands for a result of the traced function among auxiliary data."""

    __slots__ = ("position",)

    def __init__(self, position: int) -> None:
        self.position = position


def trace_selected(
    kind: str, name: str, selected: Selected, has_aux: bool, concrete: bool = True
) -> Results:
    """Trace a function of its selected arguments; with `concrete`, their values are available to
    Python.
    """

    def python(*tracers: Tracer) -> tuple[list[Operand], Any]:
        result, aux = selected.call(tracers), None
        if has_aux:
            result, aux = _pair(result, name)
        leaves, spec = set_float0_aside(*flatten(result))
        outs = results_of(selected.names.function, leaves, spec)
        count = len(outs)
        aux_leaves, aux_spec = flatten(aux)
        for i, leaf in enumerate(aux_leaves):
            # Other values are passed through unchanged.
            if type(leaf) is Tracer:
                aux_leaves[i] = _Position(len(outs))
                outs.append(leaf)
        made_at = [out.location if type(out) is Tracer else None for out in outs]
        return outs, (spec, count, made_at, aux_leaves, aux_spec)

    outside = selected.leaves if concrete else None
    order = derivative_order() + 1
    traced = trace(
        python, selected.avals, selected.names, kind, name, outside, order=order, refs="held"
    )
    check_references(kind, name, selected.leaves, selected.names, traced.captured)
    if traced.uses is not None:
        # It counts as one call, whatever is derived from it.
        traced.uses.apply(selected.leaves)
    return Results(traced)


def _pair(result: Any, name: str) -> tuple[Any, Any]:
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise TypeError(
            "has_aux: expected function with aux output to be a two-element tuple (result, "
            f"auxiliary data), but got: {_count_of(result)} from `{name}` {here()}"
        )
    return result[0], result[1]


def _count_of(result: Any) -> str:
    """A description of what a function returned instead of a pair."""
    kind = type(result).__name__
    return f"a {kind} of {len(result)}" if isinstance(result, (tuple, list)) else f"a {kind}"


def derivatives_are_later() -> bool:
    """Whether derivatives depend on which values vary along axes in scope: not known yet."""
    return any(axis.is_checked for axis in axes_in_scope().values())


def written_leaves(traced: TracedFunction, count: int) -> dict[int, int]:
    """The results of a function that are what references among its first `count` arguments hold at
    its end, with the positions of these.
    """
    first = len(traced.avals) - len(traced.echoed) - len(traced.written)
    return {first + i: leaf for i, leaf in enumerate(traced.written) if leaf < count}


def inexact(leaves: Sequence[Operand]) -> tuple[int, ...]:
    """The indices of the leaves that have derivatives."""
    return tuple(i for i, leaf in enumerate(leaves) if dtypes.is_inexact(leaf.dtype))


def cotangent_type(leaf: Operand, weak: bool = False) -> ShapedArray:
    """The type of a leaf's cotangent; weak if both the leaf and the value pulled back are."""
    aval = leaf if isinstance(leaf, ShapedArray) else held_type(leaf)
    # `linear_transpose` pulls integers back, too.
    return aval.to_ct_aval().update(dtype=aval.dtype, weak_type=weak and leaf.weak_type)


def float0_zeros(leaf: Operand | ShapedArray) -> np.ndarray:
    """The derivative with respect to an integer: zeros of a type that holds no data."""
    return np.zeros(leaf.shape, dtypes.float0)


def check_differentiable(
    leaf: Operand,
    selected: Selected,
    position: int,
    transform: str,
    holomorphic: bool,
    allow_int: bool,
) -> None:
    """Reject arguments that have no derivative.

    Raises:
      TypeError: the leaf is not a float or complex array.
    """
    kind = dtypes.kind(leaf.dtype)
    what = selected.names.at(position)
    if holomorphic and kind != "c":
        raise TypeError(
            f"{transform} with holomorphic=True requires inputs with complex dtype, but got "
            f"{leaf.dtype.name} for {what}, {here()}; convert it with astype(complex)"
        )
    real = "requires real-valued inputs (input dtype that is a sub-dtype of np.floating)"
    if kind not in "fc" and not allow_int:
        if transform != "jacfwd":
            real = (
                "requires real- or complex-valued inputs (input dtype that is a sub-dtype of "
                "np.inexact)"
            )
        raise TypeError(
            f"{transform} {real}, but got {leaf.dtype.name} for {what}, {here()}; convert it "
            "with astype(float), or choose other arguments with argnums"
        )
    if kind == "c" and not holomorphic and transform == "jacfwd":
        raise TypeError(
            f"jacfwd {real}, but got {leaf.dtype.name} for {what}, {here()}; use "
            "holomorphic=True for a holomorphic function, jvp, or the real and imaginary parts"
        )


def _check_scalar(results: Results, name: str, holomorphic: bool) -> None:
    if not is_leaf_spec(results.spec):
        arrays = "1 array" if results.count == 1 else f"{results.count} arrays"
        raise TypeError(
            f"Gradient only defined for scalar-output functions. Output was {arrays} in "
            f"{public(results.spec)}, from `{name}` {here()}; return (scalar, other results) "
            "and pass has_aux=True"
        )
    aval = results.avals[0]
    kind = dtypes.kind(aval.dtype)
    wanted = "c" if holomorphic else "f"
    if aval.shape == () and kind == wanted:
        return
    got = f"as {aval} from `{name}`"
    if results.made_at[0] is not None:
        got += f", computed at {locations.describe(results.made_at[0])}"
    if aval.shape != ():
        raise TypeError(
            "Gradient only defined for scalar-output functions. Output had shape: "
            f"{aval.shape}, {got}; reduce it, with sum or mean for example, or use vjp or jacrev"
        )
    hint = "convert it with astype(float)" if kind in "biu" else ""
    if kind == "c":
        hint = "use holomorphic=True, or take the real part"
    needed = needed_outputs("grad", holomorphic)
    raise TypeError(f"{needed}, but got {aval.dtype.name}, {got}" + (f"; {hint}" if hint else ""))


def needed_outputs(transform: str, holomorphic: bool) -> str:
    """The requirement of a transform on the element types of results, as text."""
    if holomorphic:
        return f"{transform} with holomorphic=True requires outputs with complex dtype"
    kind = "(output dtype that is a sub-dtype of np.floating)"
    return f"{transform} requires real-valued outputs {kind}"
