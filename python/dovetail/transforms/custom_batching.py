"""Functions with custom rules for `vmap`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.base.errors import type_error, value_error
from dovetail.base.trace_stack import current
from dovetail.tracing.arguments import Function, as_operand, name_of
from dovetail.tracing.functions import TracedFunction, apply, trace
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms.custom_derivatives.calls import Call, WithRule, missing_rule, pair_of
from dovetail.transforms.program_rules import ProgramRules, Question, Rule
from dovetail.trees.differences import where_unlike
from dovetail.trees.pytree import flatten, leaf_names, unflatten


class custom_vmap(WithRule):
    """A function with a custom rule for `vmap`.

    The rule is called wherever the function is batched, also within jitted, differentiated and
    looping functions; elsewhere, the function runs. Forward-mode derivatives are batched by the
    derivative of the rule. `vmap` of reverse mode batches the computation of the function, as
    without a rule.

    Args:
      fun: takes and returns trees of arrays. What it closes over must not depend on the batch.

    Example:
      >>> import dovetail as dt
      >>> @dt.custom_batching.custom_vmap
      ... def f(x, y):
      ...     return x + y
      >>> @f.def_vmap
      ... def f_vmap(axis_size, in_batched, xs, ys):
      ...     return xs * ys, all(in_batched)
      >>> dt.vmap(f)(dnp.arange(3), dnp.arange(1, 4))
      Array([0, 2, 6], dtype=int32)
    """

    def __init__(self, fun: Function) -> None:
        super().__init__(fun)
        self.vmap_rule: Function | None = None

    def def_vmap(self, vmap_rule: Function) -> Function:
        """Define the rule.

        Args:
          vmap_rule: takes the size of the batch, a list with a tree of bools for each argument,
            which mark the batched leaves, and the arguments, with the batch in front. It returns a
            pair: the results, and a tree of bools that mark the results with the batch in front.

        Returns:
          `vmap_rule`.
        """
        self.vmap_rule = vmap_rule
        return vmap_rule

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, such that `vmap` calls the rule."""
        if self.vmap_rule is None:
            raise missing_rule("batching rule defined for custom_vmap", "def_vmap", self.fun)
        args = self._resolved(args, kwargs)
        in_progress = current()
        if in_progress is None:
            return self.fun(*args)
        call = Call(self.fun, args, ())
        primal = trace(call.primal, call.avals, call.names, "custom_vmap", call.name, call.leaves)
        rule = _Rule(self.vmap_rule, call, primal)
        primal.function.module.keep(rule)
        outs = apply(
            "custom_vmap",
            primal,
            [*call.leaves, *primal.captured],
            primal.avals,
            batch_rule=rule.name,
            operandSegmentSizes=(len(call.leaves), len(primal.captured)),
        )
        if primal.uses is not None:
            primal.uses.apply(call.leaves, outs)
        return unflatten(primal.extra, outs)


class _Rule(ProgramRules):
    """The batching rule of one call.

    Args:
      python: the user's rule.
      call: the call.
      primal: the function, as traced for that call.
    """

    def __init__(self, python: Function, call: Call, primal: TracedFunction) -> None:
        super().__init__(name_of(python))
        self.python, self.called = python, call.name
        self.avals, self.spec = call.avals, call.spec
        self.out_avals, self.out_spec = primal.avals, primal.extra

    def rule(self, question: Question) -> Rule:
        """The function over a batch; marks the results that have the batch."""
        batched, size = list(question.operands), question.size
        avals = [
            aval.update(shape=(size, *aval.shape)) if is_batched else aval
            for aval, is_batched in zip(self.avals, batched, strict=True)
        ]
        names = list(leaf_names(unflatten(self.spec, avals), "args"))
        return Rule(
            lambda *tracers: self._traced(tracers, batched, size),
            avals,
            names,
            name_of(self.python),
        )

    def _traced(
        self, tracers: Sequence[Tracer], batched: list[bool], size: int
    ) -> tuple[list[Operand], list[bool]]:
        """The results of the rule, checked, and which of them have the batch."""
        name = f"the vmap rule `{name_of(self.python)}` of `{self.called}`"
        result = self.python(
            size, list(unflatten(self.spec, batched)), *unflatten(self.spec, tracers)
        )
        outs, flags = pair_of(result, name, "the results, and which of them have the batch")
        values, spec = flatten(outs)
        marks, flags_spec = flatten(flags)
        rule = f"custom vmap rule ({name_of(self.python)})"
        if flags_spec != spec:
            owners = "the results", "the bools"
            raise value_error(
                f"structure of output value and output batching specification returned by {rule} "
                f"do not match, got: {where_unlike(spec, flags_spec, 'results', owners)}"
            )
        if spec != self.out_spec:
            owners = f"`{self.called}`", "the rule"
            raise value_error(
                f"structure of output returned by {rule} does not match that of original "
                "custom-vmapped function, got: "
                f"{where_unlike(self.out_spec, spec, 'results', owners)}"
            )
        operands = []
        paths = leaf_names(outs, "results")
        for value, mark, aval, path in zip(values, marks, self.out_avals, paths, strict=True):
            if not isinstance(mark, bool):
                raise type_error(
                    f"{name} must say by bools which results have the batch, got: {mark!r}"
                )
            operand = as_operand(value, f"`{path}` of {name}")
            wanted = ShapedArray((size, *aval.shape) if mark else aval.shape, aval.dtype)
            if operand.shape != wanted.shape or operand.dtype != wanted.dtype:
                raise type_error(
                    f"`{path}` of {name} must be {wanted}, as the function returns {aval} and the "
                    f"rule says that it has {'the' if mark else 'no'} batch of {size}, got: "
                    f"{operand.aval}"
                )
            operands.append(operand)
        return operands, list(marks)
