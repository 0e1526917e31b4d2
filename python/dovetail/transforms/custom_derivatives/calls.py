"""Calls of functions with rules: arguments, and checks of the rules' results."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.base import dtypes
from dovetail.base.errors import LeakedTracerError, type_error
from dovetail.base.locations import here
from dovetail.base.mlir_types import Type, dtype_name
from dovetail.tracing import evaluation
from dovetail.tracing.arguments import (
    Function,
    LeafNames,
    as_operand,
    as_operand_or_ref,
    name_of,
    results_of,
)
from dovetail.tracing.functions import TracedFunction, held_by, trace
from dovetail.tracing.functions import call as apply_function
from dovetail.tracing.perturbed import is_perturbed
from dovetail.tracing.references import Ref, check_references, refuse_returned
from dovetail.tracing.trace import Operand, Tracer
from dovetail.tracing.tracer import AnyTracer
from dovetail.trees.differences import where_unlike
from dovetail.trees.pytree import flatten, leaf_names, unflatten


class WithRule:
    """A function with a derivative rule.

    Args:
      fun: the function.
      nondiff_argnums, nondiff_argnames: arguments that rules take unchanged, before others.
    """

    def __init__(
        self,
        fun: Function,
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ) -> None:
        functools.update_wrapper(self, fun)
        self.fun = fun
        numbers = set(nondiff_argnums)
        if nondiff_argnames:
            parameters = list(inspect.signature(fun).parameters)
            for name in nondiff_argnames:
                if name not in parameters:
                    raise ValueError(
                        f"nondiff_argnames must name parameters of `{name_of(fun)}`, "
                        f"{', '.join(parameters)}, got: {name!r}"
                    )
                numbers.add(parameters.index(name))
        self.nondiff_argnums = tuple(sorted(numbers))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, with the rule's derivative."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        # Attributes that `update_wrapper` does not copy.
        if name == "fun":
            raise AttributeError(name)
        return getattr(self.fun, name)

    def _plain(self, args: tuple[Any, ...]) -> Any:
        """The function's results where nothing is differentiated.

        Raises:
          ValueError: a reference is passed twice, or returned.
        """
        if not any(type(arg) is Ref for arg in args):
            return self.fun(*args)
        kind, name = type(self).__name__, name_of(self.fun)
        leaves = flatten(args)[0]
        check_references(kind, name, leaves, LeafNames(self.fun, args), ())
        result = self.fun(*args)
        if returned := [leaf for leaf in flatten(result)[0] if type(leaf) is Ref]:
            refuse_returned(kind, name, returned[0])
        return result

    def _resolved(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments by position, with defaults.

        Raises:
          TypeError: they do not fit the function, or one cannot be given by position.
        """
        name = name_of(self.fun)
        try:
            bound = inspect.signature(self.fun).bind(*args, **kwargs)
        except TypeError as error:
            raise type_error(f"{self._inputs()} must fit its parameters:\n{error}") from None
        except ValueError:
            bound = None
        if bound is None:
            if kwargs:
                raise type_error(f"`{name}` has no signature, so its arguments go by position")
            return args
        bound.apply_defaults()
        by_name = [key for key in bound.kwargs if key in kwargs]
        if by_name:
            raise type_error(
                f"{self._inputs()} must be by position.\nThe following keyword arguments could not "
                f"be resolved to positions: {', '.join(by_name)}"
            )
        return bound.args

    def _inputs(self) -> str:
        """The names of the arguments in messages."""
        kind = type(self).__name__
        return f"The input arguments to the {kind}-decorated function {name_of(self.fun)}"


class Call:
    """A call of a function with a rule, with its arguments partitioned into leaves and static
    values.

    Args:
      function: the function.
      args: all arguments by position.
      statics: the indices of those that rules take unchanged.
    """

    def __init__(self, function: Function, args: Sequence[Any], statics: Sequence[int]) -> None:
        self.name = name_of(function)
        self._function, self._args = function, args
        self._dynamic = [i for i in range(len(args)) if i not in statics]
        self.statics = [args[i] for i in statics if i < len(args)]
        self.count = len(self._dynamic)
        self.names = LeafNames(function, args, positions=self._dynamic)
        values, self.spec = flatten(tuple(args[i] for i in self._dynamic))
        self.leaves = [as_operand_or_ref(value, self.names.at(i)) for i, value in enumerate(values)]

    @property
    def avals(self) -> list[ShapedArray]:
        """The types of the arguments' leaves."""
        return [leaf.aval for leaf in self.leaves]

    def tree(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments that rules differentiate, with those leaves."""
        return unflatten(self.spec, leaves)

    def apply(self, function: Function, leaves: Sequence[Any]) -> Any:
        """The function on those leaves."""
        return self.apply_to(function, self.tree(leaves))

    def apply_to(self, function: Function, values: Sequence[Any]) -> Any:
        """Call the function with the given dynamic arguments and the static ones."""
        args = list(self._args)
        for i, value in zip(self._dynamic, values, strict=True):
            args[i] = value
        return function(*args)

    def primal(self, *tracers: Tracer) -> tuple[list[Operand], Any]:
        """Trace the function itself; returns its results and their structure."""
        leaves, spec = flatten(self.apply(self._function, tracers))
        return results_of(self._function, leaves, spec), spec

    def traced_primal(self, kind: str) -> TracedFunction:
        """The function itself, traced; `kind` is "custom_jvp" or "custom_vjp"."""
        traced = trace(
            self.primal,
            self.avals,
            self.names,
            kind,
            self.name,
            self.leaves,
            order=0,
            refs="held",
        )
        check_references(kind, self.name, self.leaves, self.names, traced.captured)
        return traced


def results_of_call(
    call: Call,
    primal: TracedFunction,
    with_rule: Callable[[], list[Operand]],
    symbolic_zeros: bool,
) -> Any:
    """The results of a function that has a rule.

    Args:
      call: the call.
      primal: the function, traced.
      with_rule: traces the rule; returns the results of the op that has it.
      symbolic_zeros: whether the rule depends on which arguments are perturbed.
    """
    operands = [*call.leaves, *primal.captured]

    def plain() -> Any:
        callee = evaluation.Callee(primal.function, primal.place)
        outs = apply_function(callee, held_by(operands), primal.avals)
        return unflatten(primal.extra, primal.store(operands, outs))

    has_derivative = any(dtypes.is_inexact(aval.dtype) for aval in primal.avals)
    if not has_derivative or not any(
        isinstance(x, (AnyTracer, Ref)) and dtypes.is_inexact(x.dtype) for x in operands
    ):
        return plain()
    if symbolic_zeros and not any(map(is_perturbed, operands)):
        return plain()
    try:
        outs = with_rule()
    except Exception:
        # A rule may be an error where a derivative is taken, which is not so here. This is asked
        # now only, since traces that depend on it are not shared.
        if any(is_perturbed(x, later=False) for x in operands):
            raise
        return plain()
    if primal.uses is not None:
        primal.uses.apply(call.leaves, outs)
    return unflatten(primal.extra, outs)


def refuse_tracers(values: Iterable[Any], name: str) -> None:
    """Reject tracers where rules take known values.

    Raises:
      LeakedTracerError: there is one.
    """
    for leaf in flatten(list(values))[0]:
        if isinstance(leaf, AnyTracer):
            raise LeakedTracerError(
                f"arguments of the custom_vjp function `{name}` that nondiff_argnums names must be "
                f"known values or functions, got: {leaf.description()}, a tracer ({leaf.aval}), "
                f"{here()}; let the rule differentiate it, and return None for its cotangent"
            )


def pair_of(result: Any, rule: str, what: str) -> tuple[Any, Any]:
    """The two things that a rule returns.

    Raises:
      TypeError: it returned something else.
    """
    if isinstance(result, (tuple, list)) and len(result) == 2:
        return result[0], result[1]
    got = f"{len(result)} values" if isinstance(result, (tuple, list)) else type(result).__name__
    raise type_error(
        f"{rule} must produce a pair (list or tuple of length two) representing {what}, but got "
        f"{got}"
    )


def primal_results(
    result: Any, rule: str, mode: str, name: str, spec: Any, avals: Sequence[ShapedArray]
) -> list[Operand]:
    """The results that a rule returned, checked against those of the function.

    Args:
      result: the rule's result.
      rule, mode: their names in messages, in full and abbreviated.
      name: the name of the function.
      spec, avals: the structure and the types of the function's results.

    Raises:
      TypeError: structure, shape or element type differ.
    """
    must = (
        f"{rule} must produce a pair (list or tuple of length two) where the first element "
        "represents the primal output, as "
    )
    values, own = flatten(result)
    if own != spec:
        owners = f"`{name}`", "the rule"
        raise type_error(
            f"{must}`{name}` returns it, got: {where_unlike(spec, own, 'result', owners)}"
        )
    operands = []
    for value, aval, path in zip(values, avals, paths_of(spec, "result"), strict=True):
        operand = as_operand(value, f"`{path}` of {rule}")
        if operand.shape != aval.shape or operand.dtype != aval.dtype:
            raise type_error(
                f"{must}`{name}` returns it, got {mode} output type {operand.aval} which doesn't "
                f"match {aval} for `{path}`"
            )
        operands.append(operand)
    return operands


def paths_of(spec: Any, root: str) -> list[str]:
    """Names of a tree's leaves, for messages."""
    return leaf_names(unflatten(spec, range(spec.num_leaves)), root)


def share_captured(
    parts: Sequence[tuple[TracedFunction, int, int]],
) -> list[Operand]:
    """Make functions take everything that any of them closes over; returns these values.

    Args:
      parts: functions, with the numbers of their arguments before and after the captured values.
    """
    captured = {id(operand): operand for traced, *_ in parts for operand in traced.captured}
    order = {key: i for i, key in enumerate(captured)}
    shared: list[Type] = [(o.shape, dtype_name(o.dtype)) for o in captured.values()]
    for traced, before, after in parts:
        types: list[Type] = list(traced.function.inputs)
        positions = [
            *range(before),
            *(before + len(shared) + i for i in range(after)),
            *(before + order[id(operand)] for operand in traced.captured),
        ]
        traced.function.rearrange(
            positions, [*types[:before], *shared, *types[before : before + after]]
        )
    return list(captured.values())


def missing_rule(kind: str, define: str, function: Callable[..., Any]) -> AttributeError:
    """The error for a call before the rule is defined."""
    return AttributeError(
        f"No {kind} function {name_of(function)} using {define}. It is needed {here()}"
    )
