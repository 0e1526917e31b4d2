"""Functions with custom rules for `vmap`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.base.errors import LeakedTracerError, type_error, value_error
from dovetail.base.locations import here
from dovetail.base.trace_stack import current, derivative_order
from dovetail.tracing.arguments import Function, as_operand, name_of
from dovetail.tracing.functions import TracedFunction, apply, trace
from dovetail.tracing.references import Ref, check_references
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms.custom_derivatives.calls import Call, WithRule, missing_rule, pair_of
from dovetail.transforms.custom_derivatives.lazy import reachable
from dovetail.transforms.custom_derivatives.on_references import OnReferences, use_references
from dovetail.transforms.program_rules import ProgramRules, Question, Rule
from dovetail.transforms.references import new_ref
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
        kind, name = "custom_vmap", call.name
        primal = trace(call.primal, call.avals, call.names, kind, name, call.leaves, refs="held")
        check_references(kind, name, call.leaves, call.names, primal.captured)
        further = [x for x in reachable([self.vmap_rule]) if type(x) is Ref and x.is_usable()]
        if use_references([*call.leaves, *further], [primal]):
            return self._on_references(call, primal, further)
        rule = _Rule(self.vmap_rule, call, primal, call.leaves)
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

    def _on_references(self, call: Call, primal: TracedFunction, further: list[Ref]) -> Any:
        """The result of a call that may use references; `further` are those of the rule."""
        assert self.vmap_rule is not None
        if primal.echoed:
            raise NotImplementedError(
                "custom_vmap: a function with a batching rule must not use references in rules of "
                f"derivatives, got: `{call.name}` {here()}; use them outside of it"
            )
        on_arrays = OnReferences(call.leaves, call.name, (primal, primal), further=further)
        count = len(primal.avals) - len(primal.written)
        function = on_arrays.function(count, 0, derivative_order())
        rule = _Rule(self.vmap_rule, call, primal, on_arrays.arguments)
        function.function.module.keep(rule)
        outs = on_arrays.apply("custom_vmap", function, batch_rule=rule.name)
        return unflatten(primal.extra, outs)


class _Rule(ProgramRules):
    """The batching rule of one call.

    Args:
      python: the user's rule.
      call: the call.
      primal: the function, as traced for that call.
      arguments: those of the op: the leaves, and references that the function or the rule closes
        over. The rule takes and returns what references hold.
    """

    def __init__(
        self, python: Function, call: Call, primal: TracedFunction, arguments: Sequence[Operand]
    ) -> None:
        super().__init__(name_of(python))
        self.python, self.called = python, call.name
        self.refs = {i: x for i, x in enumerate(arguments) if type(x) is Ref}
        self.avals = [x.aval.inner_aval if type(x) is Ref else x.aval for x in arguments]
        self.count, self.spec = len(call.leaves), call.spec
        proper = len(primal.avals) - len(primal.written)
        self.out_avals, self.out_spec = primal.avals[:proper], primal.extra

    def rule(self, question: Question) -> Rule:
        """The function over a batch; marks the results that have the batch."""
        batched, size = list(question.operands), question.size
        avals = [
            aval.update(shape=(size, *aval.shape)) if is_batched else aval
            for aval, is_batched in zip(self.avals, batched, strict=True)
        ]
        names = list(leaf_names(unflatten(self.spec, avals[: self.count]), "args"))
        names += ["a reference"] * (len(avals) - len(names))
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
        trace_of_rule = current()
        assert trace_of_rule is not None
        own = {i: new_ref(tracers[i]) for i in self.refs}
        for i, ref in own.items():
            # One that closures know has the type that it has without the batch.
            if not batched[i]:
                trace_of_rule.substitute(self.refs[i], ref)
        leaves = [own.get(i, tracer) for i, tracer in enumerate(tracers[: self.count])]
        marked = list(unflatten(self.spec, batched[: self.count]))
        try:
            result = self.python(size, marked, *unflatten(self.spec, leaves))
        except LeakedTracerError:
            if not any(batched[self.count :]):
                raise
            raise NotImplementedError(
                f"{name} must not close over a reference that has the batch, got: one "
                f"{here()}; pass it to the function as an argument"
            ) from None
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
        held = [ref._read() for ref in own.values()]
        return [*operands, *held], [*marks, *(batched[i] for i in own)]
