"""Rules that are Python functions: passes of the compiler ask for what they make."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from dovetail import _core
from dovetail.arrays.array import ShapedArray
from dovetail.base.trace_stack import derivative_order, outside_of_traces
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partitioning import stated_sharding
from dovetail.tracing import evaluation
from dovetail.tracing.axes import Axis, axes_in_scope
from dovetail.tracing.functions import trace
from dovetail.tracing.trace import Operand


class Question(NamedTuple):
    """What the compiler asks for: see `dialects/ProgramRules.h`.

    Attributes:
      kind: "batch", "jvp", "transpose", "backward", "lower" or "partition".
      operands: marks operands: those with the batch, with a tangent, or to be transposed.
      results: marks results with a cotangent.
      size: the size of the batch.
      axis: the name in the compiler of the batch's axis, if it has one.
      shardings: of the operands, and those that are wanted of the results.
    """

    kind: str
    operands: tuple[bool, ...]
    results: tuple[bool, ...]
    size: int
    axis: str | None
    shardings: tuple[NamedSharding, ...] = ()


class Rule(NamedTuple):
    """A rule, as a function to be traced.

    Attributes:
      python: takes tracers, returns operands and the marks of the answer.
      avals: the types of its arguments.
      names: their names in messages.
      name: the name of the rule.
      axes: the named axes that it binds.
      shardings: of the arguments and the results, for a function of parts.
    """

    python: Callable[..., tuple[Sequence[Operand], Sequence[bool]]]
    avals: Sequence[ShapedArray]
    names: Sequence[str]
    name: str
    axes: Mapping[Any, Axis] = MappingProxyType({})
    shardings: Sequence[_core.ShardingAttribute] = ()


# A module whose `main` is what a rule made, marks, and shardings.
Answer = tuple[_core.Module, list[bool], list[_core.ShardingAttribute]]


class ProgramRules:
    """The rules of one op of a program.

    They live as long as the modules that `keep` them, and are traced as if where the op is: with
    the named axes there, to be differentiated as often.

    Args:
      name: a name for the IR.
    """

    def __init__(self, name: str) -> None:
        self.axes, self.order = dict(axes_in_scope()), derivative_order()
        self.name = f"{name}.{next(_numbers)}"
        # The modules also hold constants, which must live as long as the ops that the compiler
        # copies from them.
        self._answers: dict[Question, Answer] = {}
        _known[self.name] = self

    def rule(self, question: Question) -> Rule:
        """The rule that answers a question.

        Raises:
          NotImplementedError: there is none.
        """
        raise NotImplementedError

    def answer(self, question: Question) -> Answer:
        """What a rule made."""
        if question not in self._answers:
            with outside_of_traces():
                rule = self.rule(question)
                kind = _TRANSFORMS.get(question.kind, question.kind)
                traced = trace(
                    rule.python,
                    rule.avals,
                    rule.names,
                    kind,
                    rule.name,
                    axes={**self.axes, **rule.axes},
                    order=self.order,
                )
            values = [value._value() for value in traced.captured]
            module = evaluation.as_main(traced.function, values)
            self._answers[question] = module, list(traced.extra), list(rule.shardings)
        return self._answers[question]


# The names of the transforms that ask, where they are not those of questions.
_TRANSFORMS = {"batch": "vmap", "backward": "custom_vjp", "partition": "shard_map"}
_numbers = itertools.count()
_known: weakref.WeakValueDictionary[str, ProgramRules] = weakref.WeakValueDictionary()


def rules_named(name: str) -> Any:
    """The rules of that name.

    Raises:
      LookupError: nothing keeps them any more.
    """
    known = _known.get(name)
    if known is None:
        raise LookupError(f"there are no rules `{name}` any more")
    return known


def answer(
    rules: str,
    kind: str,
    operands: list[bool],
    results: list[bool],
    size: int,
    axis: str | None,
    shardings: Sequence[_core.ShardingAttribute] = (),
) -> Answer:
    """Answer the compiler's question about the rules of that name."""
    stated = tuple(map(stated_sharding, shardings))
    question = Question(kind, tuple(operands), tuple(results), size, axis, stated)
    return rules_named(rules).answer(question)
