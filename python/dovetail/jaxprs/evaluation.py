"""Evaluation of jaxprs: as the functions that they are views of, or equation by equation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail import _core
from dovetail.arrays.keys import is_keys
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base.trace_stack import current
from dovetail.jaxprs.structure import Atom, ClosedJaxpr, Jaxpr, Literal, Var
from dovetail.tracing import evaluation
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.functions import adopted, call
from dovetail.tracing.trace import Operand
from dovetail.trees.float0 import is_float0
from dovetail.trees.pytree import flatten, unflatten


class TracedJaxpr:
    """The function that a jaxpr is a view of.

    Args:
      function: the compiler's function, of the arguments and of what it closes over.
      num_captured: the number of values that it closes over, the first constants of the jaxpr.
      avals: the types of its arguments.
      out_avals: the types of its results.
      out_specs: how each result of the jaxpr is made of results of the function: keys are nodes.

    Attributes:
      attributes: those of the op that calls it, if that has rules.
    """

    def __init__(
        self,
        function: _core.Function,
        num_captured: int,
        avals: Sequence[ShapedArray],
        out_avals: Sequence[ShapedArray],
        out_specs: Sequence[Any],
    ) -> None:
        self.function, self.num_captured = function, num_captured
        self.avals, self.out_avals, self.out_specs = avals, out_avals, out_specs
        self.attributes: dict[str, Any] = {}

    def accepts(self, operands: Sequence[Operand]) -> bool:
        """Whether the arguments have the function's types."""
        return len(operands) == len(self.avals) and all(
            operand.shape == aval.shape and operand.dtype == aval.dtype
            for operand, aval in zip(operands, self.avals, strict=True)
        )

    def __call__(self, operands: Sequence[Operand], captured: Sequence[Any]) -> list[Any]:
        """The results, with the rules of what it calls."""
        leaves = flatten([*operands, *captured])[0]
        outs = call(evaluation.Callee(adopted(self.function)), leaves, self.out_avals)
        rest = iter(outs)
        return [
            unflatten(spec, [next(rest) for _ in range(spec.num_leaves)]) for spec in self.out_specs
        ]


def eval_jaxpr(
    jaxpr: Jaxpr, consts: Sequence[Any], *args: Any, propagate_source_info: bool = True
) -> list[Any]:
    """The results of a program.

    Args:
      jaxpr: the program.
      consts: values of its `constvars`.
      args: arrays of the types of its arguments; a program of simple equations takes others, if
        its primitives do.
      propagate_source_info: ignored.

    Returns:
      A list of arrays.

    Raises:
      TypeError: the number of constants or arguments is wrong.

    Example:
      >>> import dovetail as dt
      >>> from dovetail import jaxprs
      >>> closed = dt.make_jaxpr(lambda x: 2 * x)(1.0)
      >>> jaxprs.eval_jaxpr(closed.jaxpr, closed.consts, 3.0)
      [Array(6., dtype=float32, weak_type=True)]
    """
    for what, given, wanted in (
        ("constants", consts, jaxpr.constvars),
        ("arguments", args, jaxpr.invars),
    ):
        if len(given) != len(wanted):
            raise TypeError(
                f"eval_jaxpr: a program of {len(wanted)} {what} must get as many, got: {len(given)}"
            )
    traced, in_progress = jaxpr.function, current()
    # A trace that a program defines gets the equations, not the call.
    if traced is not None and not (in_progress is not None and in_progress.is_for_equations):
        operands = [as_operand(x, "argument of a jaxpr") for x in flatten(list(args))[0]]
        if traced.accepts(operands):
            return traced(operands, consts[: traced.num_captured])
    return interpret(jaxpr, consts, args)


def interpret(jaxpr: Jaxpr, consts: Sequence[Any], args: Sequence[Any]) -> list[Any]:
    """The results, equation by equation."""
    env: dict[Var, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
    env.update(zip(jaxpr.invars, args, strict=True))

    def read(atom: Atom) -> Any:
        return atom.val if isinstance(atom, Literal) else env[atom]

    for eqn in jaxpr.eqns:
        params = eqn.primitive.get_bind_params(eqn.params)
        made = eqn.primitive.bind(*map(read, eqn.invars), **params)
        outs = made if eqn.primitive.multiple_results else [made]
        env.update(zip(eqn.outvars, outs, strict=True))
    results = [read(atom) for atom in jaxpr.outvars]
    return [
        x if is_keys(x) or is_float0(x) else as_operand(x, "result of a jaxpr") for x in results
    ]


def jaxpr_as_fun(closed_jaxpr: ClosedJaxpr) -> Callable[..., list[Any]]:
    """A program as a function of its arguments, which returns a list.

    Args:
      closed_jaxpr: the program.

    Example:
      >>> import dovetail as dt
      >>> from dovetail import jaxprs
      >>> jaxprs.jaxpr_as_fun(dt.make_jaxpr(lambda x: -x)(1.0))(3.0)
      [Array(-3., dtype=float32, weak_type=True)]
    """

    def function(*args: Any) -> list[Any]:
        return eval_jaxpr(closed_jaxpr.jaxpr, closed_jaxpr.consts, *args)

    return function
