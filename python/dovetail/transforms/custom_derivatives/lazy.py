"""Backward rules that are traced when they are transposed, told which cotangents are zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.base.trace_stack import stack
from dovetail.tracing.references import Ref
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms.program_rules import ProgramRules, Question, Rule
from dovetail.trees.pytree import flatten

PREFIX = "rule "
_Traced = Callable[..., tuple[list[Operand], list[bool]]]


class BackwardRule(ProgramRules):
    """The backward rule of one call.

    Args:
      name: of the user's rule.
      python: takes residuals and the cotangents that are not zero, and `marks` of those; returns
        cotangents, and marks of the arguments that have one.
      residuals, cotangents: the types of all of them.
      names: those of residuals, then of cotangents, in messages.
      order: how often it will be differentiated.
    """

    def __init__(
        self,
        name: str,
        python: _Traced,
        residuals: Sequence[ShapedArray],
        cotangents: Sequence[ShapedArray],
        names: Sequence[str],
        order: int,
    ) -> None:
        super().__init__(f"{PREFIX}{name}")
        self.rule_name, self.python, self.order = name, python, order
        self.residuals, self.cotangents = list(residuals), list(cotangents)
        self.names = list(names)

    def rule(self, question: Question) -> Rule:
        """The rule as a function of residuals and the marked cotangents."""
        marks = [True] * len(self.residuals) + list(question.results)
        given = [i for i, is_given in enumerate(marks) if is_given]
        avals = [*self.residuals, *self.cotangents]
        return Rule(
            lambda *tracers: self.python(*tracers, marks=question.results),
            [avals[i] for i in given],
            [self.names[i] for i in given],
            self.rule_name,
        )


def may_wait(functions: Iterable[Any]) -> bool:
    """Whether a backward rule may be traced after the functions around it.

    Not one that closes over their tracers or over references, or depends on sizes that only they
    know; nor one that is exported, or mapped over devices, with the program.

    Args:
      functions: the rule, and the values that it takes as they are.
    """
    traces = stack.traces
    if not traces or stack.order or traces[0].is_symbolic:
        return False
    return not any(trace.kind in ("shard_map", "pmap") for trace in traces) and not any(
        type(each) in (Tracer, Ref) for each in reachable(functions)
    )


def reachable(roots: Iterable[Any]) -> Iterable[Any]:
    """Values that functions close over, are bound to or have as defaults."""
    pending, seen = list(roots), set()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        if isinstance(value, FunctionType):
            pending += value.__defaults__ or ()
            pending += (value.__kwdefaults__ or {}).values()
            for cell in value.__closure__ or ():
                try:
                    pending.append(cell.cell_contents)
                except ValueError:
                    continue
        elif isinstance(value, MethodType):
            pending += (value.__func__, *vars_of(value.__self__))
        elif isinstance(value, partial):
            pending += (value.func, *value.args, *value.keywords.values())
        elif callable(value) and hasattr(value, "__wrapped__"):
            pending.append(getattr(value, "__wrapped__"))  # noqa: B009
        else:
            leaves = flatten(value)[0]
            pending += leaves if len(leaves) != 1 or leaves[0] is not value else ()


def vars_of(value: Any) -> list[Any]:
    """The attributes of an object, and the object, if it is a tree."""
    return [value, *vars(value).values()] if hasattr(value, "__dict__") else [value]
