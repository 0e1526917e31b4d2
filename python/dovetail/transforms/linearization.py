"""Derivatives as linear functions: vjp, linearize and linear_transpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base import dtypes, errors, locations
from dovetail.base.errors import TransformError
from dovetail.base.locations import here
from dovetail.base.mlir_types import dtype_named
from dovetail.base.trace_stack import current
from dovetail.programs.jit import jit
from dovetail.tracing import evaluation
from dovetail.tracing.arguments import Function, Selected, as_numbers, name_of, select
from dovetail.tracing.bind import constant, zeros
from dovetail.tracing.functions import call, held_by
from dovetail.tracing.trace import Operand
from dovetail.transforms.autodiff import (
    Results,
    derivatives_are_later,
    refuse_axes,
    trace_selected,
    written_leaves,
)
from dovetail.transforms.directions import held_type, lost_tangents, refuse_lost
from dovetail.transforms.pullback import Pullback, Pushed, Pushforward, Side, Transposed
from dovetail.trees.pytree import flatten, map_leaves, unflatten


def vjp(
    fun: Function, *primals: Any, has_aux: bool = False, reduce_axes: Sequence[Any] = ()
) -> Any:
    """The value of `fun` and the function that pulls cotangents back (reverse mode).

    Args:
      fun: the function.
      primals: its arguments, arrays or references.
      has_aux: whether `fun` returns a pair (result, auxiliary data).
      reduce_axes: deprecated; must be empty.

    Returns:
      (result, pull) or (result, pull, auxiliary data); `pull` takes a cotangent of the result's
      structure and returns a tuple of cotangents, one per primal. That of a reference is an array,
      the cotangent of what it held before the call, where what it holds behind it has none;
      `pull.with_refs` takes a reference that holds both, one after the other.

    Raises:
      NotImplementedError: `reduce_axes` is not empty.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> value, pull = dt.vjp(dnp.sin, 0.0)
      >>> [float(ct) for ct in pull(2.0)]
      [2.0]
    """
    refuse_axes("vjp", reduce_axes)
    selected = select(fun, range(len(primals)), primals, {}, "primals", refs=True)
    return _vjp(selected, name_of(fun), has_aux)


def _vjp(selected: Selected, name: str, has_aux: bool) -> Any:
    results = trace_selected("vjp", name, selected, has_aux)
    at = _Linearized(selected, results, transposed=True)
    values = at.values(selected.leaves)
    pull = at.pull(selected, results, values[at.count :], name)
    result = results.result(values)
    return (result, pull, results.aux(values)) if has_aux else (result, pull)


def pulled_back(
    selected: Selected, results: Results, cotangent: Operand, name: str
) -> tuple[list[Operand], tuple[Any, ...]]:
    """The results of a function at a point, and the cotangents of its arguments for one of its only
    result, computed one after the other.
    """
    at = _Linearized(selected, results, transposed=True)
    values = at.values(selected.leaves)
    pull = at.pull(selected, results, values[at.count :], name)
    return values, pull(unflatten(results.spec, [cotangent]))


def linearize(fun: Function, *primals: Any, has_aux: bool = False) -> Any:
    """The value of `fun` and its derivative at that point as a linear function.

    Args:
      fun: the function.
      primals: its arguments, arrays or references.
      has_aux: whether `fun` returns a pair (result, auxiliary data).

    Returns:
      (result, push) or (result, push, auxiliary data); `push` takes tangents of the primals, as
      `jvp` does, and returns the tangent of the result. What does not depend on the tangents is
      computed once.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> value, push = dt.linearize(dnp.sin, 0.0)
      >>> float(push(2.0))
      2.0
    """
    name = name_of(fun)
    selected = select(fun, range(len(primals)), primals, {}, "primals", refs=True)
    results = trace_selected("linearize", name, selected, has_aux)
    at = _Linearized(selected, results, transposed=False)
    at.refuse_lost(len(selected.leaves), name)
    values = at.values(selected.leaves)
    push = at.push(selected, results, values[at.count :], name)
    result = results.result(values)
    return (result, push, results.aux(values)) if has_aux else (result, push)


def linear_transpose(
    fun: Function, *primals: Any, reduce_axes: Sequence[Any] = ()
) -> Callable[[Any], tuple[Any, ...]]:
    """The transpose of a function that is linear in all its arguments.

    Args:
      fun: the function.
      primals: arrays, or `ShapeDtypeStruct`s, of the arguments' types; their values do not matter.
      reduce_axes: deprecated; must be empty.

    Returns:
      A function from a cotangent of the result to a tuple of cotangents, one per primal.

    Raises:
      NotImplementedError: `reduce_axes` is not empty.
      TypeError: `fun` is not linear, or does not map floats and complex numbers to such, or
        integers to integers.

    Example:
      >>> import dovetail as dt
      >>> transposed = dt.linear_transpose(lambda x: 3 * x, dt.ShapeDtypeStruct((), "float32"))
      >>> float(transposed(2.0)[0])
      6.0
    """
    refuse_axes("linear_transpose", reduce_axes)
    name = name_of(fun)
    if derivatives_are_later():
        raise NotImplementedError(
            "linear_transpose must not be inside of shard_map with check_vma=True, got: "
            f"`{name}` {here()}; use vjp, or check_vma=False"
        )
    point = map_leaves(_zeros_like, primals)
    selected = select(fun, range(len(primals)), point, {}, "primals")
    results = trace_selected("linear_transpose", name, selected, has_aux=False, concrete=False)
    if _is_of_integers(selected, results, name):
        try:
            at = _Linearized(selected, results, transposed=True, varies=dtypes.is_integer)
        except TransformError as error:
            raise _not_linear(name, f": {error}") from None
    else:
        at = _Linearized(selected, results, transposed=True)
        if at.depends_on(len(selected.leaves)):
            raise _not_linear(
                name, f", whose derivative depends on them, {here()}; use vjp at a point"
            )
    return at.pull(selected, results, at.residuals(selected.leaves), name)


def _not_linear(name: str, why: str) -> TypeError:
    return TypeError(
        f"linear_transpose needs a function that is linear in its arguments, got: `{name}`{why}"
    )


def _is_of_integers(selected: Selected, results: Results, name: str) -> bool:
    """True if a function maps integers to integers; False for floats and complex numbers.

    Raises:
      TypeError: it does neither.
    """
    inputs = [leaf.dtype for leaf in selected.leaves]
    outputs = [aval.dtype for aval in results.avals]
    if all(map(dtypes.is_inexact, inputs + outputs)):
        return False
    if all(map(dtypes.is_integer, inputs + outputs)):
        return True
    given, made = (", ".join(dtype.name for dtype in side) for side in (inputs, outputs))
    raise TypeError(
        "linear_transpose only supports [float or complex] -> [float or complex], and integer -> "
        f"integer functions, but got [{given}] -> [{made}] for `{name}`, {here()}; convert "
        "arguments or results with astype"
    )


def fwd_and_bwd(
    fun: Function, argnums: int | Sequence[int], has_aux: bool = False, jitted: bool = True
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The two halves of reverse mode, each compiled once for all points.

    Args:
      fun: the function.
      argnums: the positional arguments to differentiate with respect to.
      has_aux: whether `fun` returns a pair (result, auxiliary data).
      jitted: whether both are jitted functions.

    Returns:
      `fwd`, which takes the arguments of `fun` and returns (result, residuals) or (result,
      residuals, auxiliary data), and `bwd`, which takes these residuals and a cotangent of the
      result and returns the cotangent of the argument, or a tuple of those of several.

    Example:
      >>> import dovetail as dt
      >>> fwd, bwd = dt.fwd_and_bwd(lambda x, w: x * w, argnums=(0, 1))
      >>> value, residuals = fwd(2.0, 3.0)
      >>> [float(ct) for ct in bwd(residuals, 1.0)]
      [3.0, 2.0]
    """
    numbers = as_numbers(argnums, "argnums")

    def fwd(*args: Any, **kwargs: Any) -> Any:
        return _vjp(select(fun, numbers, args, kwargs, "arguments"), name_of(fun), has_aux)

    def bwd(residuals: Pullback, cotangent: Any) -> Any:
        cotangents = residuals(cotangent)
        return cotangents[0] if isinstance(argnums, int) else cotangents

    fwd.__name__ = f"{name_of(fun)}_fwd"
    bwd.__name__ = f"{name_of(fun)}_bwd"
    return (jit(fwd), jit(bwd)) if jitted else (fwd, bwd)


def saved_residuals(fun: Function, *args: Any, **kwargs: Any) -> list[tuple[ShapedArray, str]]:
    """The residuals that `vjp` saves for a function at a point: their types, and the origin of
    each.

    Args:
      fun: the function.
      args, kwargs: its arguments, or `ShapeDtypeStruct`s.

    Returns:
      A list of (type, description).
    """
    name = name_of(fun)
    concrete = not any(isinstance(leaf, ShapeDtypeStruct) for leaf in flatten((args, kwargs))[0])
    args, kwargs = map_leaves(_made_up, (args, kwargs))
    selected = select(fun, range(len(args)), args, kwargs, "arguments")
    results = trace_selected("vjp", name, selected, has_aux=False, concrete=concrete)
    return _Linearized(selected, results, transposed=True).sources(selected)


def _made_up(argument: Any) -> Any:
    """Zeros of the type that an argument describes."""
    return zeros(argument.aval) if isinstance(argument, ShapeDtypeStruct) else argument


def _zeros_like(primal: Any) -> Operand:
    if isinstance(primal, ShapeDtypeStruct) or (
        hasattr(primal, "shape") and hasattr(primal, "dtype")
    ):
        return zeros(ShapedArray(tuple(primal.shape), dtypes.dtype(primal)))
    dtype, weak = dtypes.dtype_and_weakness(primal)
    return constant(np.zeros((), dtype), weak)


def _named(shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A shape with sizes unknown to the compiler, which a trace with symbolic sizes must name."""
    in_progress = current()
    if in_progress is None or not in_progress.root.is_symbolic:
        return shape
    return in_progress.root.sizes.named(shape)


class _Linearized:
    """A linearized function, partitioned into the part computed at the point and the linear part.

    Args:
      selected: the arguments.
      results: its results.
      transposed: whether the linear part maps cotangents to cotangents.
      varies: the types of the values in which it is linear. Integers have no derivatives: the
        function itself is linear in them.
    """

    def __init__(
        self,
        selected: Selected,
        results: Results,
        transposed: bool,
        varies: Callable[[np.dtype], bool] = dtypes.is_inexact,
    ) -> None:
        traced = results.traced
        self.count = len(traced.avals)
        self._traced = traced
        self._varies = varies
        self._wrt = [i for i, leaf in enumerate(selected.leaves) if varies(leaf.dtype)]
        function = traced.function
        first = len(selected.leaves) + len(traced.captured)
        echoes = range(first, first + len(traced.echoed)) if transposed else ()
        wrt = [*self._wrt, *echoes]
        try:
            parts = (
                function.linearize(wrt, transposed, derivatives_are_later())
                if varies is dtypes.is_inexact
                else function.transpose(wrt)
            )
        except _core.CompilerError as error:
            raise errors.explained(error) from None
        self._known = evaluation.Callee(parts.known, traced.place)
        self._linear = evaluation.Callee(parts.linear, traced.place)
        self._active, self._nonzero = parts.active, parts.nonzero
        self._types = [
            *traced.avals,
            *(
                ShapedArray(_named(shape), dtype_named(element))
                for shape, element in parts.known.outputs[self.count :]
            ),
        ]

    def refuse_lost(self, count: int, name: str) -> None:
        """Raise a ValueError if references that the function closes over, behind its `count`
        arguments, hold what depends on these.
        """
        refuse_lost("linearize", name, lost_tangents(self._traced, count), self._active)

    def values(self, leaves: Sequence[Operand]) -> list[Operand]:
        """The function's results, then the residuals."""
        operands = [*leaves, *self._traced.captured]
        values = call(self._known, self._traced.held(operands), self._types)
        self._traced.store(operands, values)
        in_progress = current()
        if in_progress is not None and in_progress.root.is_symbolic:
            for value in values[self.count :]:
                in_progress.sizes.add_argument(value)
        return values

    def residuals(self, leaves: Sequence[Operand]) -> list[Operand]:
        """The residuals alone, which depend on nothing of the leaves but their types."""
        in_progress = current()
        # Sizes that nothing names are found by the results that have them.
        if (
            self._traced.written
            or self._traced.echoed
            or (in_progress is not None and in_progress.root.is_symbolic)
        ):
            return self.values(leaves)[self.count :]
        types = self._types[self.count :]
        function = self._known.function
        module = _core.wrap("call", {"callee": function}, function.inputs, function.outputs)
        module.inline_calls()
        alone = module.function("main")
        alone.keep_residuals(len(leaves), self.count)
        operands = held_by([*leaves, *self._traced.captured])
        return call(evaluation.Callee(alone, self._traced.place), operands, types)

    def sources(self, selected: Selected) -> list[tuple[ShapedArray, str]]:
        """The types of the residuals, and their origins."""
        program = self._known.flat.module.program("main")
        sources = dict.fromkeys(program.inputs, "from a constant")
        for number, argument in zip(program.inputs, selected.names, strict=False):
            sources[number] = f"from the argument {argument}"
        for instruction in program.instructions:
            where = f"output of {instruction.op} from {locations.describe(instruction.place)}"
            sources.update(dict.fromkeys(instruction.results, where))
        names = self._names_of_results()
        kept = [
            (number, aval, names.get(i) or sources[number])
            for i, (aval, number) in enumerate(zip(self._types, program.outputs, strict=True))
            if i >= self.count
        ]
        # Arguments come first, in order.
        order = {number: i for i, number in enumerate(program.inputs)}
        kept.sort(key=lambda entry: order.get(entry[0], len(order)))
        return [(aval, source) for _, aval, source in kept]

    def _names_of_results(self) -> dict[int, str]:
        """The named results at the point, whose names simplification drops."""
        function = self._known.function
        attributes = {"callee": function}
        module = _core.wrap("call", attributes, function.inputs, function.outputs)
        module.inline_calls()
        program = module.program("main")
        names = {}
        for instruction in program.instructions:
            if instruction.op == "name":
                label = instruction.attributes["label"]
                where = locations.describe(instruction.place)
                names[instruction.results[0]] = f"named '{label}' from {where}"
        return {i: names[number] for i, number in enumerate(program.outputs) if number in names}

    def depends_on(self, count: int) -> bool:
        """True if the linear part depends on the first `count` arguments."""
        program = self._known.flat.module.program("main")
        dependent = set(program.inputs[:count])
        for instruction in program.instructions:
            # A size does not depend on the values of the array.
            if instruction.op != "dim" and not dependent.isdisjoint(instruction.operands):
                dependent.update(instruction.results)
        return not dependent.isdisjoint(program.outputs[self.count :])

    def pull(
        self, selected: Selected, results: Results, residuals: Sequence[Operand], name: str
    ) -> Pullback:
        """The linear function from cotangents of the result to those of the primals."""
        count = len(self._wrt)
        nonzero = dict(zip(self._wrt, self._nonzero[:count], strict=True))
        traced = results.traced
        operands = [*selected.leaves, *traced.captured]
        positions = sorted({echo.position for echo in traced.echoed})
        nonzero_echoes = zip(traced.echoed, self._nonzero[count:], strict=True)
        echoes = [(positions.index(echo.position), echo.depth, has) for echo, has in nonzero_echoes]
        leaves = [held_type(leaf) for leaf in selected.leaves]
        primals = Side(leaves, selected.spec, [nonzero.get(i, False) for i in range(len(leaves))])
        returned = Side(results.traced.avals, results.spec, self._active)
        transposed = Transposed(
            name,
            self._linear,
            returned,
            results.count,
            primals,
            self._varies,
            echoes,
            written_leaves(traced, len(leaves)),
        )
        return Pullback(transposed, [*residuals, *(operands[i] for i in positions)])

    def push(
        self, selected: Selected, results: Results, residuals: Sequence[Operand], name: str
    ) -> Pushforward:
        """The linear function from tangents of the primals to that of the result."""
        traced = results.traced
        side = Side(traced.avals, results.spec, self._active)
        written = written_leaves(traced, len(selected.leaves))
        pushed = Pushed(name, self._linear, selected, side, results.count, written)
        return Pushforward(pushed, residuals)
